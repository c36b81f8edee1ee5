"""Transcripts with claw-backs and reasons: one matter in everybody's copy, one that waits for the court, and cheats."""

from collections.abc import Iterator

from ledger.roles import Audience, Role
from tests.support.forging import clawedback
from tests.support.forging.catalogue import DISPUTED, EVERYBODY
from tests.support.forging.clawedback import CLAWBACKS, ClawbackRun
from tests.support.forging.running import plan
from tests.vectors.agreed import AGREED
from tests.vectors.cases import Case
from tests.vectors.edges import Maker
from tests.vectors.spotchecks import caught


def cases(maker: Maker) -> Iterator[Case]:
    """All of them."""
    yield from _valid(maker)
    yield from _unfinished(maker)
    yield from (_cheated(maker, name) for name in CLAWBACKS)


def _valid(maker: Maker) -> Iterator[Case]:
    played = plan(maker.corpus, players=DISPUTED, protocol="label", **(AGREED | clawedback.AGREED))
    path = maker.play(maker.corpus, played, course=ClawbackRun)
    for audience in EVERYBODY:
        ident, is_court = f"valid-clawback-{audience}", audience is Audience.COURT
        yield Case(
            id=ident,
            comment=f"documents are asked back, and Bob and the court give reasons; the copy for {audience}",
            flags=("Valid", "Corpus") if is_court else ("Valid",),
            copy=maker.store_compressed(ident, maker.lines(path, played, audience)),
            corpus="corpora/plain" if is_court else None,
            verdict="verified",
        )


def _unfinished(maker: Maker) -> Iterator[Case]:
    """Between two rounds, the court has not ruled on what Alice asks back."""
    played = plan(maker.corpus, players=DISPUTED, protocol="label", **(AGREED | clawedback.AGREED))
    path = maker.scratch / "asked-back.matter"
    with ClawbackRun(maker.corpus, played, path) as run:
        while not (run.number == 0 and _awaits_ruling(run)):
            run.step()
    for audience in (Audience.BOB, Audience.COURT):
        ident = f"valid-not-closed-clawback-{audience}"
        yield Case(
            id=ident,
            comment="a matter in which the court has not ruled yet on what Alice asks back",
            flags=("NotClosed",),
            copy=maker.store_compressed(ident, maker.lines(path, played, audience)),
            verdict="not closed",
        )


def _awaits_ruling(run: ClawbackRun) -> bool:
    awaited = run.state.awaits.get(Role.COURT)
    return awaited is not None and awaited.kind == "returned"


def _cheated(maker: Maker, name: str) -> Case:
    cheat = CLAWBACKS[name]
    played = plan(maker.corpus, players=dict(cheat.players), protocol=cheat.protocol, **(AGREED | dict(cheat.terms)))
    return caught(maker, name, cheat, played, maker.play(maker.corpus, played, **cheat.bends))
