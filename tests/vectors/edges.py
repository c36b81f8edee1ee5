"""Transcripts at the edges of the specification: where its first reader had to guess, each with its answer."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from ledger.keys import SigningKey, fingerprint
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.learning.cal import Cal, Selection
from protocol.simulation.identity import Simulated
from tests.support import genuine
from tests.support.builders import KEYS
from tests.support.forging import eventful
from tests.support.forging.bending import drawn, hides_how_near, one_below_the_top, ranked
from tests.support.forging.catalogue import DISPUTED
from tests.support.forging.edges import EDGES
from tests.support.forging.eventful import NEW_KEY, EventfulRun
from tests.support.forging.forged import Forgery, content, forge, statement
from tests.support.forging.forger import Forger
from tests.support.forging.mutations import Lines
from tests.support.forging.running import plan
from tests.vectors.agreed import AGREED
from tests.vectors.cases import Case

_LARGE = 2**20  # bytes: a larger copy is stored compressed
_STRANGER = SigningKey(bytes([9] * 32))


class Maker(Protocol):
    """What plays matters and stores copies."""

    corpus: Corpus
    scratch: Path
    genuine: dict[str, dict[Audience, Lines]]  # copies of courses that are forged, made once

    def seeds_of(self, course: str) -> dict[str, str]: ...

    def play(self, corpus: Corpus, played: Simulated, **cheat: Any) -> Path: ...

    def lines(self, path: Path, played: Simulated, audience: Audience) -> Lines: ...

    def store(self, name: str, lines: Lines, end: bytes = b"\n") -> str: ...

    def store_compressed(self, name: str, lines: Lines) -> str: ...

    def store_bytes(self, name: str, data: bytes) -> str: ...


def cases(maker: Maker) -> Iterator[Case]:
    yield from _forged(maker)
    yield _two_faults(maker)
    yield from _compressed(maker)
    yield from _trusted()
    yield from _with_corpus(maker)
    yield from _open_round(maker)


def _forged(maker: Maker) -> Iterator[Case]:
    copies: dict[str, Lines] = {}
    for name, edge in EDGES.items():
        if edge.base not in copies:
            copies |= copies_of(maker, edge.base.rpartition("-")[0])
        yield case_of(maker, f"edge-{name}", edge.forgery, copies[edge.base])


def case_of(maker: Maker, name: str, forgery: Forgery, genuine: Lines) -> Case:
    """A forgery of a genuine copy, as a case."""
    lines = forge(genuine, dict(KEYS), forgery)
    store = maker.store if sum(map(len, lines)) < _LARGE else maker.store_compressed
    flag = {"verified": "Valid", "undecided": "Damage"}.get(forgery.verdict, "Cheat")
    return Case(
        id=name,
        comment=forgery.comment,
        flags=(flag, "Edge"),
        copy=store(name, lines),
        verdict=forgery.verdict,
        checks=(forgery.check,) if forgery.check else (),
        blamed=(forgery.who,) if forgery.who else (),
    )


def _two_faults(maker: Maker) -> Case:
    """The replay finds a fault of Bob's, and the record one of Trent's behind it: both are told."""
    name = "edge-two-faults"
    return Case(
        id=name,
        comment="Bob's link is for another draw, and a later statement of Trent's is of another matter: both are found",
        flags=("Cheat", "Edge"),
        copy=maker.store(name, with_two_faults(copies_of(maker, "label")["label-bob"])),
        verdict="rejected",
        checks=("V02", "V08"),
        blamed=("bob", "trent"),
    )


def with_two_faults(lines: Lines) -> Lines:
    forger = Forger(lines, dict(KEYS))
    content("link", 1, draw=5)(forger)
    statement("closed", 1, matter="22" * 32)(forger)
    return forger.sign()


def copies_of(maker: Maker, name: str) -> dict[str, Lines]:
    """The copies of one matter whose parties have the keys of all forgeries."""
    events = name == "eventful"
    agreed = AGREED | eventful.AGREED if events else AGREED
    played = genuine.with_same_keys(
        plan(maker.corpus, players=DISPUTED, protocol="label" if events else name, **agreed)
    )
    path = maker.play(maker.corpus, played, **({"course": EventfulRun} if events else {}))
    return {f"{name}-{each}": maker.lines(path, played, each) for each in Audience}


def _compressed(maker: Maker) -> Iterator[Case]:
    played = plan(maker.corpus, players=DISPUTED, protocol="label", **AGREED)
    lines = maker.lines(maker.play(maker.corpus, played), played, Audience.BOB)
    yield Case(
        id="edge-compressed",
        comment="the copy of valid-label-bob, compressed with gzip",
        flags=("Valid", "Edge"),
        copy=maker.store_compressed("edge-compressed", lines),
        verdict="verified",
    )
    yield Case(
        id="edge-compressed-and-cut-short",
        comment="the last ten lines are missing before it was compressed: the same as damage-cut-short",
        flags=("Damage", "Edge"),
        copy=maker.store_compressed("edge-compressed-and-cut-short", lines[:-10]),
        verdict="undecided",
    )


def _trusted() -> Iterator[Case]:
    """The same copies for readers who know other keys."""
    new, old, bob, stranger = (
        fingerprint(key.public) for key in (NEW_KEY, KEYS[Role.ALICE], KEYS[Role.BOB], _STRANGER)
    )
    twice = "transcripts/edge-two-answers-under-one-key.jsonl"
    for name, comment, trust, checks, blamed in (
        ("both-keys-of-alice", "the reader trusts both of Alice's keys", [old, new], ("V19",), ("alice",)),
        ("the-first-key-of-alice", "the reader trusts Alice's first key only", [old], ("V04", "V19"), ()),
        ("the-second-key-of-alice", "the reader trusts Alice's second key only", [new], ("V04", "V19"), ("alice",)),
        ("another-key-of-alice", "the reader trusts none of Alice's keys", [stranger], ("V04", "V19"), ()),
    ):
        yield Case(
            id=f"edge-trust-{name}",
            comment=f"Alice answers twice with her second key, and {comment}",
            flags=("Cheat" if blamed else "Forged", "Edge"),
            copy=twice,
            trust={"alice": trust},
            verdict="rejected",
            checks=checks,
            blamed=blamed,
        )
    yield Case(
        id="edge-trust-bob-alone",
        comment="Alice answers twice with her second key, and the reader knows Bob's key and nobody else's",
        flags=("Cheat", "Edge"),
        copy=twice,
        trust={"bob": [bob]},
        verdict="rejected",
        checks=("V19",),
        blamed=("alice",),
    )
    yield Case(
        id="edge-trust-several-lines",
        comment="a good copy in which Alice has two keys, and the reader trusts all keys of all parties",
        flags=("Valid", "Edge"),
        copy="transcripts/edge-several-keys.jsonl",
        trust={role.value: [fingerprint(KEYS[role].public)] for role in Role} | {"alice": [old, new]},
        verdict="verified",
    )


def _with_corpus(maker: Maker) -> Iterator[Case]:
    yield Case(
        id="edge-court-without-corpus",
        comment="the court's copy shows the models, and without the corpus they are not checked",
        flags=("Valid", "Edge"),
        copy="transcripts/valid-label-court.jsonl",
        verdict="verified",
    )
    for name, comment, copy, check in (
        ("alice-with-corpus", "Alice's copy with the corpus", "valid-label-alice", ""),
        ("bob-with-corpus", "Bob's copy with the corpus", "valid-label-bob", ""),
        ("public-with-corpus", "the public's copy with the corpus", "valid-label-public", ""),
        (
            "opening-broken-with-corpus",
            "the opening breaks a rule, so the corpus is not looked at",
            "edge-a-k-of-zero",
            "V05",
        ),
        (
            "batch-broken-with-corpus",
            "a batch breaks a rule, and the corpus is judged",
            "edge-not-drawn-after-a-draw",
            "V09",
        ),
    ):
        yield Case(
            id=f"edge-{name}",
            comment=comment,
            flags=("Cheat" if check else "Valid", "Edge", "Corpus"),
            copy=f"transcripts/{copy}.jsonl",
            corpus="corpora/plain",
            verdict="rejected" if check else "verified",
            checks=(check,) if check else (),
            blamed=("trent",) if check else (),
        )
    yield _case_with_corpus(
        maker,
        "edge-ranking-and-near-cut",
        "a batch is not the chosen one, and states another `near_cut`: both are found",
        "corpora/plain",
        ("V10", "V11"),
        choose=ranked(_wrong_twice),
    )
    for corpus, checks in ((None, ()), ("corpora/plain", ("V10",))):
        yield _case_with_corpus(
            maker,
            "edge-query-without-tokens" + ("-and-corpus" if corpus else ""),
            "the query has no token, and the first batch is one document short: only the corpus shows that",
            corpus,
            checks,
            query="?!",
            choose=_one_less,
        )


def _case_with_corpus(
    maker: Maker, name: str, comment: str, corpus: str | None, checks: tuple[str, ...], *, query: str = "", **bends: Any
) -> Case:
    """A cheat of Trent's in the court's copy."""
    agreed = AGREED | {"query": query or AGREED["query"]}
    played = plan(maker.corpus, players=DISPUTED, protocol="label", **agreed)
    path = maker.play(maker.corpus, played, **bends)
    return Case(
        id=name,
        comment=comment,
        flags=("Cheat" if checks else "Valid", "Edge", *(("Corpus",) if corpus else ())),
        copy=maker.store(name, maker.lines(path, played, Audience.COURT)),
        corpus=corpus,
        verdict="rejected" if checks else "verified",
        checks=checks,
        blamed=("trent",) if checks else (),
    )


def _wrong_twice(cal: Cal, selection: Selection, reviewed: list[int]) -> Selection:
    return hides_how_near(cal, one_below_the_top(cal, selection, reviewed), reviewed)


def _one_less(cal: Cal) -> None:
    """Trent takes a query that no document answers, and draws a document less than the terms say."""
    cal.check_query = lambda query: None  # type: ignore[method-assign]
    drawn(lambda selection: replace(selection, documents=selection.documents[:-1]))(cal)


def _open_round(maker: Maker) -> Iterator[Case]:
    """The first round of an eventful matter is open, and Alice claims privilege in it."""
    played = genuine.with_same_keys(
        plan(maker.corpus, players=DISPUTED, protocol="label", **(AGREED | eventful.AGREED))
    )
    path = maker.play(maker.corpus, played, course=_UntilTheFirstWave)
    for audience in (Audience.BOB, Audience.COURT):
        name = f"edge-open-round-with-claims-{audience}"
        yield Case(
            id=name,
            comment="a matter in the midst of its first round, in which Alice claims privilege",
            flags=("NotClosed", "Edge"),
            copy=maker.store(name, maker.lines(path, played, audience)),
            verdict="not closed",
        )


class _UntilTheFirstWave(EventfulRun):
    """An eventful matter that stops once Bob is shown something."""

    def step(self) -> bool:
        rounds = self.state.rounds
        return not (rounds and rounds[-1].waves) and super().step()
