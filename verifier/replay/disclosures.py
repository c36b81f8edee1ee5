"""V13: was Bob shown just what the rule and the coins say, wave by wave?

A wave's form is checked when it is disclosed. Only the coins tell whether it is the wave that was due, and they are all
known only when the round closes.
"""

from dataclasses import dataclass
from itertools import pairwise

from verifier.checks import Check
from verifier.replay import coins, documents
from verifier.replay.condition import Blamed, Broken, Candidate, condition, some
from verifier.replay.contents import Closed, Positions
from verifier.replay.forms import Kind
from verifier.replay.numbers import Numbers
from verifier.replay.rounds import Moment, Sort, Step
from verifier.rules.base import Examined, everything

LONGEST_WAVE = 4096
"""If more positions are due, the first so many are the next wave."""


@condition(
    Check.DISCLOSURES,
    Blamed.TRENT,
    "A wave names positions of the round in order, none that was shown before, and none that the court withheld",
)
def wave_is_new(entry: Candidate[Positions]) -> Broken | None:
    """The positions are ascending, at least one, in the round, and neither disclosed nor kept from Bob by the court,
    as privileged or as not responsive.
    """
    wave, current = entry.content.positions, entry.current
    is_wave = (
        wave
        and all(one < other for one, other in pairwise(wave))
        and wave[-1] <= current.size
        and current.shown.isdisjoint(wave)
        and set(current.kept).isdisjoint(wave)
    )
    return None if is_wave else Broken(f"positions up to {current.size}", some(wave))


@condition(
    Check.DISCLOSURES,
    Blamed.TRENT,
    "A disclosure releases to Bob the places of its positions, and nothing else",
    shown="which documents are withheld, if it shows such",
)
def releases_places(entry: Candidate[Positions]) -> Broken | None:
    """It releases to Bob the `documents` of these positions, by lists of indices, and nothing else."""
    wave = entry.content.positions
    if not entry.current.sealed_known(wave):
        return None
    return None if entry.body.releases == entry.current.released_by(wave) else Broken(some(wave), "another release")


def take_disclosure(entry: Candidate[Positions]) -> None:
    """One wave of documents for Bob."""
    wave, current = entry.content.positions, entry.current
    documents.take_documents(entry)
    current.waves.append(wave)
    entry.state.shown.setdefault(current.number, Numbers()).update(wave)
    current.steps.append(Step(Kind.DISCLOSURE, wave))
    current.shown_in.append(entry.sequence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """A wave that is not what was due, or what went to the court in camera before it and is not."""

    check: Check  # V13 for a wave, V25 for what went to the court
    wave: int  # counted from 1
    omitted: list[int]
    added: list[int]


def first_wrong(entry: Candidate[Closed]) -> Wrong | None:
    """The first wrong step of a round, once all coins are known."""
    current = entry.current
    known, settled = current.settled, dict[int, bool]()
    claimed = set(filter(current.goes_to_court, current.claimed))
    claimed |= everything(current.size) if current.court_looks else set()
    counted, shown = frozenset[int](), set[int]()
    ruled, withheld, number = set[int](), set[int](), 1
    for step in (*current.steps, Step(Kind.DISCLOSURE, ())):
        positions = set(step.positions)
        if step.kind is Kind.CLAIM:
            claimed |= set(filter(current.goes_to_court, positions))
            counted |= positions
            continue
        missing = examined(entry, Moment(settled, frozenset(withheld), counted)).due - shown - withheld
        due = set(sorted(missing)[:LONGEST_WAVE])
        if step.kind is Kind.CAMERA:
            astray = (positions - claimed) & (current.claimed.keys() | current.late.keys())  # claims that stay with Bob
            omitted, added = (due & claimed) - ruled - positions, (positions - due) | astray
            check = Check.PRIVILEGE
            ruled |= positions
            withheld |= step.upheld
            settled |= {position: current.court[position] for position in positions & current.court.keys()}
        elif added := (positions & claimed) - ruled:
            return Wrong(check=Check.PRIVILEGE, wave=number, omitted=[], added=sorted(added))
        else:
            omitted, added = due - positions, positions - due
            check = Check.DISCLOSURES
        if omitted or added:
            return Wrong(check=check, wave=number, omitted=sorted(omitted), added=sorted(added))
        if step.kind is Kind.DISCLOSURE:
            settled |= {position: known[position] for position in step.positions}
            shown |= positions
            number += 1
    return None


def examined(entry: Candidate[Closed], moment: Moment) -> Examined:
    """The round under its rule, at one of its steps."""
    return entry.current.examine(entry.state.opened.terms, entry.once(coins.of_round), moment)


def can_be_judged(entry: Candidate[Closed]) -> bool:
    """Whether the copy shows what was due: Alice's labels, and unless it is a batch those of all rounds before."""
    return entry.current.known and (entry.current.sort is Sort.BATCH or entry.state.labels_shown)


def first_wrong_of(check: Check, entry: Candidate[Closed]) -> Wrong | None:
    """The first wrong step, if it is this check's, and the copy shows what was due."""
    wrong = entry.once(first_wrong) if can_be_judged(entry) else None
    return wrong if wrong is not None and wrong.check is check else None


@condition(
    Check.DISCLOSURES,
    Blamed.TRENT,
    "Bob is shown what the agreed rule and the coins say, wave by wave, no more and no less",
    shown="Alice's labels",
)
def waves_as_due(entry: Candidate[Closed]) -> Broken | None:
    """Each wave, in order, is what was due, and everything that was due was shown."""
    wrong = first_wrong_of(Check.DISCLOSURES, entry)
    if wrong is None:
        return None
    where = f"wave {wrong.wave} of round {entry.current.number}"
    return Broken(
        f"in {where} also {some(wrong.omitted)}" if wrong.omitted else f"nothing more in {where}",
        f"shown without cause: {some(wrong.added)}" if wrong.added else "not shown",
    )
