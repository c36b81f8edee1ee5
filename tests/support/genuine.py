"""Genuine copies of small matters that share all keys, for whoever mixes and mutates them."""

from pathlib import Path

from ledger.keys import SigningKey
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.simulation.identity import Simulated
from tests.support.builders import KEYS
from tests.support.forging import eventful
from tests.support.forging.catalogue import DISPUTED, EVERYBODY
from tests.support.forging.eventful import EventfulRun
from tests.support.forging.mutations import Lines, Sources
from tests.support.forging.running import CheatingRun, cut, plan, play
from tests.vectors.agreed import AGREED


class SameKeys(Simulated):
    """A simulation whose parties bring the keys that they have in every other matter."""

    def key(self, role: Role) -> SigningKey:
        return KEYS[role]


def with_same_keys(played: Simulated) -> SameKeys:
    return SameKeys(terms=played.terms, simulation=played.simulation, root=played.root)


class Genuine:
    """The copies of one matter, with another matter's and an earlier one's beside them."""

    def __init__(
        self, lines: dict[Audience, Lines], other: dict[Audience, Lines], earlier: dict[Audience, Lines]
    ) -> None:
        self.lines, self.other, self.earlier = lines, other, earlier

    def sources(self, audience: Audience) -> Sources:
        """What a forger may take parts from."""
        instead = Audience.COURT if audience is not Audience.COURT else Audience.BOB
        return Sources(
            other_audience=self.lines[instead], other_matter=self.other[audience], earlier=self.earlier[audience]
        )


def make(corpus: Corpus, folder: Path, protocol: str, course: type[CheatingRun] = CheatingRun) -> Genuine:
    """Matters by one protocol, with disputes, and with all kinds of events if they take that course."""
    agreed = AGREED | (eventful.AGREED if issubclass(course, EventfulRun) else {})
    played = {
        seed: with_same_keys(plan(corpus, seed=seed, players=DISPUTED, protocol=protocol, **agreed))
        for seed in ("1", "2")
    }
    made = f"{protocol}-{course.__name__}"
    for seed, each in played.items():
        play(corpus, each, folder / f"{made}-{seed}", course=course)
    with course(corpus, played["1"], folder / f"{made}-earlier") as run:
        while len(run.state.rounds) < 2:
            run.step()

    def copies(name: str, seed: str) -> dict[Audience, Lines]:
        return {
            audience: cut(folder / f"{made}-{name}", played[seed], audience, folder / "cut.jsonl")
            .read_bytes()
            .splitlines()
            for audience in EVERYBODY
        }

    return Genuine(lines=copies("1", "1"), other=copies("2", "2"), earlier=copies("earlier", "1"))
