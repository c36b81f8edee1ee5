"""Genuine matters as trees of entries, in which the parties' own programs can go on: their secrets derive from their
keys, as in a real matter. Everybody's statements are there, and everybody's openings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledger.coins import DRAWERS, LinkChain
from ledger.hashing import Digest
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.matter.seal import Seal
from protocol.parties import secrets
from protocol.parties.question import COSIGN
from tests.support.builders import KEYS
from tests.support.forging import eventful, spotcheck
from tests.support.forging.catalogue import DISPUTED
from tests.support.forging.colluders import PARTIES
from tests.support.forging.eventful import EventfulRun, RenewedRun
from tests.support.forging.histories import Copies, Node, read
from tests.support.forging.mutations import Lines
from tests.support.forging.running import cut, plan, play
from tests.support.forging.spotcheck import SpotCourse
from tests.support.genuine import SameKeys
from tests.vectors.agreed import AGREED
from verifier.verdict import Verdict
from verifier.verification import verify

_EVENTFUL = AGREED | eventful.AGREED
COURSES: Mapping[str, SpotCourse] = {
    "label": SpotCourse(comment="", protocol="label", terms=AGREED, players=DISPUTED),
    "classifier": SpotCourse(comment="", protocol="classifier", terms=AGREED, players=DISPUTED),
    "eventful": SpotCourse(comment="", protocol="label", terms=_EVENTFUL, players=DISPUTED, run=EventfulRun),
    "eventful-classifier": SpotCourse(
        comment="", protocol="classifier", terms=_EVENTFUL, players=DISPUTED, run=EventfulRun
    ),
    "renewed": SpotCourse(comment="", protocol="label", terms=_EVENTFUL, players=DISPUTED, run=RenewedRun),
    "renewed-classifier": SpotCourse(
        comment="", protocol="classifier", terms=_EVENTFUL, players=DISPUTED, run=RenewedRun
    ),
    **{name: spotcheck.COURSES[name] for name in ("escalated", "called", "classed", "eventful-two-stages")},
}
"""Protocols, and what happens under them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FromKeys(SameKeys):
    """A simulation whose parties derive their secrets from their keys and from this opening."""

    opening: Digest

    def chain(self, role: Role) -> LinkChain:
        if role is Role.TRENT:
            return super(FromKeys, self).chain(role)
        root = secrets.chain_root(self.key(role), self.opening)
        return LinkChain(matter=self.matter, role=role, length=self.terms.draws, root=root)

    def seal(self, role: Role) -> Seal:
        if role is Role.TRENT:
            return super(FromKeys, self).seal(role)
        return Seal(secret=secrets.seal(self.key(role), self.opening), matter=self.matter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A genuine matter, from which Trent goes astray."""

    name: str
    nodes: list[Node]
    roots: Mapping[Role, Digest]
    model: bytes


def _course(corpus: Corpus, folder: Path, name: str, copies: Copies) -> Course:
    held = COURSES[name]
    same = plan(corpus, players=dict(held.players), protocol=held.protocol, **(AGREED | dict(held.terms)))
    parts: dict[str, Any] = {"terms": same.terms, "simulation": same.simulation, "root": same.root}
    with held.run(corpus, SameKeys(**parts), folder / f"{name}-opened") as run:
        played = FromKeys(**parts, opening=run.desk.log.history.head)
    play(corpus, played, folder / name, course=held.run)
    lines = cut(folder / name, played, Audience.COURT, folder / f"{name}.jsonl").read_bytes().splitlines()
    nodes, attached = read(lines)
    copies.attach(attached)
    roots = {role: played.chain(role).root for role in DRAWERS}
    model = next(iter(copies.attached.values()))  # of any matter: nobody looks at it here
    return Course(name=name, nodes=nodes, roots=roots, model=attached[0] if attached else model)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The genuine matters, and after which entries of them each party gives each kind of answer."""

    corpus: Corpus
    folder: Path
    copies: Copies
    places: Mapping[tuple[Role, str], Sequence[tuple[Course, int]]]

    @classmethod
    def made(cls, corpus: Corpus, folder: Path) -> "World":
        copies = Copies(trent=KEYS[Role.TRENT])
        places: dict[tuple[Role, str], list[tuple[Course, int]]] = {}
        for name in COURSES:
            course = _course(corpus, folder, name, copies)
            for node in course.nodes:
                said, number = node.body.statement, node.body.sequence
                if said.answers is not None:
                    places.setdefault((said.author, said.kind), []).append((course, number - 1))
                if said.kind == "claims":
                    for role in PARTIES:
                        places.setdefault((role, COSIGN), []).append((course, number))
        return cls(corpus=corpus, folder=folder, copies=copies, places=places)

    @property
    def kinds(self) -> list[str]:
        """Every kind of answer."""
        return sorted({kind for _, kind in self.places})

    def judged(self, lines: Lines) -> Verdict:
        """What the verifier says of a copy."""
        path = self.folder / "published.jsonl"
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return verify(path)
