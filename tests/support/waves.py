"""Rounds as an engine runs them, wave by wave, with coins of the ledger; for tests of rules and of the bound."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from ledger import coins
from ledger.hashing import Digest
from protocol.rules.base import Evidence, Examination, Examiner, Report, evidence, malformed, output
from tests.support.literal_rules import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    outcome: Outcome
    examination: Examination  # the last one
    waves: tuple[frozenset[int], ...]
    evidence: Evidence


def seed(*parts: object) -> Digest:
    """A seed that its parts name: the same on every machine and in every run."""
    return Digest(sha256(repr(parts).encode()).digest())


def numbers(count: int, *parts: object) -> list[int]:
    """This many numbers from 0 to 2^64 - 1, by name."""
    return coins.coins(seed(*parts), range(count))


def choices(count: int, rate: float, *parts: object) -> list[bool]:
    """This many independent events of this probability, by name."""
    return [number < rate * 2**64 for number in numbers(count, *parts)]


def play(rule: Examiner, report: Report, flips: Sequence[int], bob: Sequence[bool], court: Sequence[bool]) -> Played:
    """The round that this report leads to. Each wave is what is due and not disclosed yet."""
    assert malformed(rule, len(flips), report) is None
    settled: dict[int, bool] = {}
    to_court: set[int] = set()
    waves = []
    before: Examination | None = None
    while True:
        examination = rule.examine(report, flips, settled)
        if before is not None:
            assert before.due <= examination.due, "a later wave took back an earlier one"
        before = examination
        wave = examination.due - settled.keys()
        if not wave:
            break
        waves.append(wave)
        for place in wave:
            settled[place] = bob[place - 1]
            if bob[place - 1] != bool(report.labels[place - 1]):
                to_court.add(place)
                settled[place] = court[place - 1]
    outcome = Outcome(
        disclosed=frozenset(settled),
        labels=tuple(output(report, settled)),
        to_court=frozenset(to_court),
        compelled_at=examination.compelled_at,
    )
    return Played(outcome=outcome, examination=examination, waves=tuple(waves), evidence=evidence(examination, settled))
