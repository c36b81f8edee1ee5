"""Genuine copies of small matters that share all keys, for whoever mixes and mutates them."""

from pathlib import Path

from ledger.keys import SigningKey
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.simulation.identity import Simulated
from tests.support.builders import KEYS
from tests.support.forging import eventful, spotcheck
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
    seeds = [agreed | {"seed": seed} for seed in ("1", "2")]
    plans = [plan(corpus, players=DISPUTED, protocol=protocol, **each) for each in seeds]
    return _made(corpus, folder, f"{protocol}-{course.__name__}", plans, course)


def make_spot(corpus: Corpus, folder: Path, name: str) -> Genuine:
    """Matters of one of the courses with spot checks or validations."""
    course = spotcheck.COURSES[name]
    seeds = [AGREED | dict(course.terms) | more for more in ({}, {"seed": "2"})]
    plans = [plan(corpus, players=dict(course.players), protocol=course.protocol, **each) for each in seeds]
    return _made(corpus, folder, name, plans, course.run)


def _made(corpus: Corpus, folder: Path, made: str, plans: list[Simulated], course: type[CheatingRun]) -> Genuine:
    """The copies of the first matter, of the second, and of the first when its second round had begun."""
    first, second = map(with_same_keys, plans)
    for name, played in (("1", first), ("2", second)):
        play(corpus, played, folder / f"{made}-{name}", course=course)
    with course(corpus, first, folder / f"{made}-earlier") as run:
        while len(run.state.rounds) < 2:
            run.step()

    def copies(name: str, played: Simulated) -> dict[Audience, Lines]:
        return {
            audience: cut(folder / f"{made}-{name}", played, audience, folder / "cut.jsonl").read_bytes().splitlines()
            for audience in EVERYBODY
        }

    return Genuine(lines=copies("1", first), other=copies("2", second), earlier=copies("earlier", first))
