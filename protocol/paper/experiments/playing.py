"""Whole matters, played for their curves: real models, real coins, real signatures, and then thrown away."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from protocol.corpus.corpus import Corpus
from protocol.learning.cal import Cal
from protocol.matter import terms
from protocol.matter.state import Matter
from protocol.rules import table
from protocol.rules.label_report import LabelReport
from protocol.rules.terms import Terms
from protocol.simulation import run as simulation


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One matter, counted up to the end of each round, by the true labels."""

    responsive: int  # in the corpus
    reviewed: list[int]
    found: list[int]  # truly responsive documents that Bob was shown
    nrd: list[int]  # the others that he was shown
    disputes: list[int]  # documents that the court ruled on
    compelled: list[int]  # rounds whose whole batch was disclosed for an error

    def recall(self, number: int) -> float:
        """Up to the end of a round, counted from 0."""
        return self.found[number] / self.responsive


def play(
    corpus: str,
    label: str,
    protocol: str,
    rounds: int,
    batch: int,
    delta: str,
    k: int,
    query: str,
    seed: str,
    alice: str = "truthful",
    bob: str = "truthful",
    court: str = "right",
) -> dict[str, Any]:
    """Play one matter; for `pool.gather`, which carries plain values only."""
    documents = Corpus.open(Path(corpus))
    agreed = _terms(protocol, rounds=rounds, batch=batch, query=query, delta=delta, k=k)
    plan = simulation.plan(documents, agreed, label=label, seed=seed, alice=alice, bob=bob, court=court)
    with TemporaryDirectory(prefix="tallystick-") as folder:
        with simulation.Run(documents, plan, Path(folder) / "played.matter") as run:
            state = run.run()
        return asdict(_counted(state, rounds))


def check(corpus: Path, label: str, query: str, *, rounds: int, batch: int, delta: str, k: int) -> None:
    """Raise what a matter like this would be refused for, before many of them are started."""
    documents = Corpus.open(corpus)
    agreed = _terms(LabelReport.name, rounds=rounds, batch=batch, query=query, delta=delta, k=k)
    simulation.plan(documents, agreed, label=label, seed="", alice="truthful", bob="truthful", court="right")
    Cal(documents).check_query(query)


def _terms(protocol: str, *, rounds: int, batch: int, query: str, **parameters: int | str) -> Terms:
    """Terms by a rule, with those of the parameters that it has."""
    own: dict[str, Any] = {each.name: parameters[each.name] for each in table.named(protocol).parameters}
    return terms.terms(protocol=protocol, rounds=rounds, batch=batch, query=query, **own)


def _counted(state: Matter, rounds: int) -> Played:
    """The curves; a matter that ran out of documents stays where it was up to the last round."""
    steps: list[tuple[int, int, int, int, int]] = []
    for each, closed in state.closed:
        seen = closed.truth.revealed if closed.truth else 0
        steps.append((each.size, seen, len(each.settled) - seen, len(each.rulings), int(closed.compelled)))
    steps += [(0, 0, 0, 0, 0)] * (rounds - len(steps))
    reviewed, found, nrd, disputes, compelled = (_running(column) for column in zip(*steps, strict=True))
    simulated = state.opening.simulation
    return Played(
        responsive=simulated.responsive if simulated else 0,
        reviewed=reviewed,
        found=found,
        nrd=nrd,
        disputes=disputes,
        compelled=compelled,
    )


def _running(counts: Sequence[int]) -> list[int]:
    totals = []
    total = 0
    for count in counts:
        total += count
        totals.append(total)
    return totals
