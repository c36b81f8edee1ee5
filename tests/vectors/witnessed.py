"""Transcripts of matters that outsiders have seen: with and without tokens, and cheats about them."""

from collections.abc import Iterator

from ledger.roles import Audience
from tests.support.forging import witnessed
from tests.support.forging.catalogue import DISPUTED, EVERYBODY
from tests.support.forging.mutations import Lines
from tests.support.forging.running import plan
from tests.support.forging.witnessed import WITNESSED
from tests.vectors.agreed import AGREED
from tests.vectors.cases import Case
from tests.vectors.edges import Maker
from tests.vectors.spotchecks import caught


def cases(maker: Maker) -> Iterator[Case]:
    """All of them."""
    played = plan(maker.corpus, players=DISPUTED, protocol="label", **(AGREED | {"witnesses": witnessed.agreed()}))
    path = maker.scratch / "witnessed.matter"
    run = witnessed.play(maker.corpus, played, path)
    copies = {audience: witnessed.lines(run, path, audience) for audience in EVERYBODY}
    for audience, lines in copies.items():
        yield _valid(maker, f"witnessed-{audience}", f"time stamps and proofs of a log, for {audience}", lines)
    bob = copies[Audience.BOB]
    yield _valid(maker, "witnessed-without-tokens", "the same, and somebody left the tokens out", _without(bob))
    yield _valid(maker, "witnessed-without-one-token", "the same, and one is left out", _without(bob, 1))
    yield from (_damaged(maker, name, comment, lines) for name, (comment, lines) in _damage(bob).items())
    for name, cheat in WITNESSED.items():
        agreed = AGREED | dict(cheat.terms)
        played = plan(maker.corpus, players=dict(cheat.players), protocol=cheat.protocol, **agreed)
        yield caught(maker, name, cheat, played, maker.play(maker.corpus, played, **cheat.bends))


def _tokens(lines: Lines) -> list[int]:
    return [place for place, line in enumerate(lines) if line.startswith(b'{"token"')]


def _without(lines: Lines, most: int | None = None) -> Lines:
    gone = _tokens(lines)[:most]
    return [line for place, line in enumerate(lines) if place not in gone]


def _damage(bob: Lines) -> dict[str, tuple[str, Lines]]:
    first, second = _tokens(bob)[:2]
    token = bob[first]
    return {
        "a-changed-token": ("a token is not the one that its entry names", _replaced(bob, first, bob[second])),
        "a-token-twice": ("a token stands there twice", [*bob[:first], token, *bob[first:]]),
        "a-token-too-late": (
            "a token stands one entry too late",
            [*bob[:first], bob[first + 1], token, *bob[first + 2 :]],
        ),
        "a-token-that-is-not-base64": (
            "a token has a character that base64 does not have",
            _replaced(bob, first, token.replace(b'"token":"', b'"token":"-')),
        ),
        "a-token-before-all-entries": ("a token stands after the manifest", [bob[0], token, *bob[1:]]),
    }


def _replaced(lines: Lines, place: int, line: bytes) -> Lines:
    return [*lines[:place], line, *lines[place + 1 :]]


def _valid(maker: Maker, name: str, comment: str, lines: Lines) -> Case:
    ident = f"valid-{name}"
    copy = maker.store_compressed(ident, lines)
    return Case(id=ident, comment=comment, flags=("Valid",), copy=copy, verdict="verified")


def _damaged(maker: Maker, name: str, comment: str, lines: Lines) -> Case:
    ident = f"damage-{name}"
    copy = maker.store_compressed(ident, lines)
    return Case(id=ident, comment=comment, flags=("Damage",), copy=copy, verdict="undecided")
