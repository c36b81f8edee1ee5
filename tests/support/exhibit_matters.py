"""Small simulated matters out of which exhibits are cut: every rule, every sort of round, and every event in one.

Each is played by a script or by its seed, so that it is the same in every run.
"""

from collections.abc import Callable, Container, Mapping
from pathlib import Path
from typing import Any

from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.matter import terms
from protocol.simulation import run as simulation
from protocol.stamps import kept
from tests.support import chaotic, corpora, matters
from tests.support.chaotic import ChaoticRun
from tests.support.forging import clawedback, eventful, running, spotcheck, witnessed
from tests.support.forging.catalogue import DISPUTED
from tests.support.forging.clawedback import ClawbackRun
from tests.support.forging.eventful import EventfulRun, RenewedRun
from tests.support.forging.partcheats import PARTED
from tests.support.forging.spotcheck import SpotCourse
from tests.support.scripted import ScriptedRun
from tests.support.validated_matters import SPOT_CHECKS, begin, until_asked
from tests.vectors.agreed import AGREED

Make = Callable[[Corpus, Path], object]
"""Plays a matter over a corpus into a file."""

PARTS = "parts"
"""The matter over documents with several parts, in which some are withheld; all others are over another corpus."""

_EVENTFUL = AGREED | eventful.AGREED
_BY_RULE: dict[str, Any] = {"rounds": 2, "batch": 7, "delta": "0.6", "k": 1, "query": corpora.QUERY, "seed": "3"}


class Corpora:
    """The two small corpora, made in a folder."""

    def __init__(self, folder: Path) -> None:
        self._families = corpora.families(folder / "families", documents=20, responsive=8)
        self._others = corpora.doubled(folder / "doubled", documents=20, responsive=8)

    def under(self, matter: str, among: Container[str] = (PARTS,)) -> Corpus:
        """The corpus of the matter with this name."""
        return self._families if matter in among else self._others


def _course(course: SpotCourse) -> Make:
    def made(corpus: Corpus, path: Path) -> None:
        played = running.plan(
            corpus, players=dict(course.players), protocol=course.protocol, **(AGREED | dict(course.terms))
        )
        running.play(corpus, played, path, course=course.run)

    return made


def _played(protocol: str, run: Any = running.CheatingRun, **agreed: Any) -> Make:
    return _course(SpotCourse(comment="", protocol=protocol, terms=agreed, players=DISPUTED, run=run))


def _witnessed(corpus: Corpus, path: Path) -> None:
    """Stamped and logged before each round, with the tokens beside the matter."""
    played = running.plan(corpus, players=DISPUTED, protocol="label", **AGREED, witnesses=witnessed.agreed())
    run = witnessed.play(corpus, played, path)
    kept.folder(path).mkdir()
    for digest, token in run.tokens.items():
        kept.path(path, digest).write_bytes(token)


def _scripted(corpus: Corpus, path: Path) -> None:
    agreed = terms.terms(protocol="label", rounds=3, batch=7, delta="0.6", k=1, query=corpora.QUERY)
    plan = simulation.plan(corpus, agreed, label="responsive", seed="1", **matters.PLAYERS)
    with ScriptedRun(corpus, plan, path) as run:
        run.run()


def _chaotic(seed: int, classes: tuple[str, ...] = ("medical",)) -> Make:
    def made(corpus: Corpus, path: Path) -> None:
        played, chance = chaotic.plan(corpus, seed, classes=classes)
        with ChaoticRun(corpus, played, path, chance) as run:
            run.run()

    return made


def _open(role: Role, kind: str, number: int = 1, **agreed: Any) -> Make:
    """A matter that waits for somebody in this round."""

    def made(corpus: Corpus, path: Path) -> None:
        with matters.start(corpus, path, **(_BY_RULE | agreed)) as run:
            while len(run.state.rounds) < number:
                if not run.step():
                    raise RuntimeError(f"there is no round {number}")
            until_asked(run, role, kind)

    return made


def _open_validation(role: Role, kind: str, validation: dict[str, Any], **agreed: Any) -> Make:
    def made(corpus: Corpus, path: Path) -> None:
        with begin(corpus, path, validation, **(SPOT_CHECKS | agreed)) as run:
            while not run.state.rounds or run.state.rounds[-1].sort != "validation":
                if not run.step():
                    raise RuntimeError("no validation has come")
            until_asked(run, role, kind)

    return made


_EACH: dict[str, Any] = {"every": 1, "yield": None, "target": "0.9"}

MATTERS: Mapping[str, Make] = {
    **{rule: _played(rule, **_BY_RULE) for rule in ("label", "classifier", "reveal-all", "spot-check")},
    "drawn-first-batch": _played("label", **_BY_RULE | {"query": ""}),
    **{name: _course(course) for name, course in spotcheck.COURSES.items()},
    "claimed-before": _course(spotcheck.CLAIMED_BEFORE),
    "eventful": _played("label", EventfulRun, **_EVENTFUL),
    "eventful-classifier": _played("classifier", EventfulRun, **_EVENTFUL),
    "renewed": _played("label", RenewedRun, **_EVENTFUL),
    "renewed-classifier": _played("classifier", RenewedRun, **_EVENTFUL),
    "scripted": _scripted,
    "clawed-back": _played("label", ClawbackRun, **(AGREED | clawedback.AGREED)),
    "witnessed": _witnessed,
    PARTS: _course(PARTED),
    "open-report": _open(Role.ALICE, "report", 2),
    "open-labels": _open(Role.BOB, "labels"),
    "open-rulings": _open(Role.COURT, "rulings"),
    "open-look": _open(Role.ALICE, "look", protocol="spot-check", rate="0.2", target="0.9", every=1, limit="1"),
    "open-validation": _open_validation(Role.BOB, "labels", _EACH | {"show": "0.9", "hits": None}),
    "open-call": _open_validation(Role.ALICE, "report", _EACH | {"review": "0.9", "show": "0.9"}),
    **{f"chaotic-{seed}": _chaotic(seed) for seed in range(12)},
}  # fmt: skip
