"""Honest matters in which a verifier that errs in one rule gets another number: each tells one rule apart.

Their seeds are chosen so that it does. Nobody cheats in them.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ledger.roles import Role
from protocol.matter import terms
from protocol.matter.asking import Answer
from protocol.matter.decisions import Decisions
from protocol.matter.rounds import Sort
from protocol.simulation.parties import Alice, Court
from tests.support.corpora import QUERY
from tests.support.forging.eventful import EventfulRun, Events, silent
from tests.support.forging.running import CheatingRun
from tests.support.forging.spotcheck import CLASS, SpotCourse, upheld_by, with_claims

_SPOT: dict[str, Any] = {"every": 9, "target": "0.9", "limit": "0.01", "penalty": "none", "rate": "0.3"}
_USUAL: dict[str, Any] = {"rounds": 3, "batch": 10, "doubt": "0.5", "query": QUERY}
_VALIDATION: dict[str, Any] = {"every": 1, "hits": None, "review": None, "show": "0.4", "target": "0.99"}


def _bob_reads(sort: Sort, also: Callable[[EventfulRun], bool] = lambda _: True) -> Callable[[EventfulRun], bool]:
    """Whether Bob must label a wave in a round of this sort."""

    def waits(run: EventfulRun) -> bool:
        awaited, current = run.state.awaits.get(Role.BOB), run.state.current
        is_asked = awaited is not None and awaited.kind == "labels"
        return is_asked and current is not None and current.sort is sort and also(run)

    return waits


def _coins_fixed(run: EventfulRun) -> bool:
    """Whether all links of a batch but Trent's are given, and nobody must answer."""
    state = run.state
    is_open = state.current is not None and state.current.sort is Sort.BATCH
    return is_open and state.drawing is not None and not (state.awaits or state.void)


def _labelled_in_camera(run: EventfulRun) -> bool:
    """Whether the last wave holds what the court labelled, and something else."""
    current = run.state.rounds[-1]
    labelled = [position in current.in_camera for position in current.waves[-1]]
    return any(labelled) and not all(labelled)


_NOTHING: Events = []
_UNREAD_BESIDE_THE_COURT: Events = [(_bob_reads(Sort.BATCH, _labelled_in_camera), silent(Role.BOB))]
_UNREAD_VALIDATION: Events = [(_bob_reads(Sort.VALIDATION), silent(Role.BOB))]
_UNREAD_BATCH: Events = [(_bob_reads(Sort.BATCH), silent(Role.BOB))]
_CLAIMS_LATE: Events = [(_coins_fixed, lambda run: run.desk.late())]


class _Told(EventfulRun):
    """What happens is said by `events`; the court grants every order."""

    events = _NOTHING
    denied = 0
    kept: Callable[[int], bool] = staticmethod(lambda position: position % 2 == 0)  # of what is claimed

    def answer(self) -> Answer:
        asked = self.state.awaits
        first = Role.COURT if asked.get(Role.COURT) and asked[Role.COURT].kind == "order" else min(asked)
        party, kind = self.parties[first], asked[first].kind
        if isinstance(party, Alice):
            return self._alice(party, kind)
        if isinstance(party, Court) and kind == "privilege":
            return party.say(Decisions(upheld=upheld_by(party, self.kept)))
        return self._court(party, kind) if isinstance(party, Court) else party.answer()

    def _alice(self, alice: Alice, kind: str) -> Answer:
        if alice.question is not None and alice.question.statement.kind == "late":
            hidden = sorted(self.state.rounds[-1].claimable)
            return alice.say(Decisions(claims={position: f"noticed late: {position}" for position in hidden}))
        return alice.answer()


class _UnreadBesideTheCourt(_Told):
    """Bob leaves a wave unread of which the court has labelled a part in camera."""

    events = _UNREAD_BESIDE_THE_COURT

    def _alice(self, alice: Alice, kind: str) -> Answer:
        return alice.say(with_claims(alice)) if kind == "report" else super()._alice(alice, kind)


class _UnreadValidation(_Told):
    """Bob leaves a wave of a validation unread."""

    events = _UNREAD_VALIDATION


class _ClaimedBeforehand(_Told):
    """Alice claims all that she labels false, and the court overrules her each time."""

    kept = staticmethod(lambda _: False)

    def _alice(self, alice: Alice, kind: str) -> Answer:
        if kind != "report":
            return super()._alice(alice, kind)
        found = alice.decide()
        claims = {at: f"advice of counsel, {at}" for at, label in (found.labels or {}).items() if not label}
        return alice.say(Decisions(labels=found.labels, threshold=found.threshold, claims=claims))


class _ClaimedLate(_Told):
    """Alice claims late what no coin has drawn, and the court overrules her each time."""

    events = _CLAIMS_LATE
    kept = staticmethod(lambda _: False)


class _UnreadBatch(_Told):
    """Bob leaves the first wave unread."""

    events = _UNREAD_BATCH


class _UpheldLate(_Told):
    """Alice claims late what Bob has not been shown, drawn or not, and the court upholds all of it."""

    events = _CLAIMS_LATE
    kept = staticmethod(lambda _: True)


def _spot(comment: str, run: type[CheatingRun], seed: str, **changed: Any) -> SpotCourse:
    return SpotCourse(comment=comment, terms=_USUAL | _SPOT | {"seed": seed} | changed, run=run)


def _label(comment: str, run: type[CheatingRun], seed: str, **validation: Any) -> SpotCourse:
    planned = terms.validation(**(_VALIDATION | {"viewer": "bob", "window": 5, "yield": None} | validation))
    agreed = _USUAL | {"batch": 8, "delta": "0.9", "k": 1, "validation": planned, "seed": seed}
    return SpotCourse(comment=comment, protocol="label", terms=agreed, run=run)


TELLTALES: Mapping[str, SpotCourse] = {
    "unread-beside-the-court": _spot(
        "Bob leaves a wave unread; what the court labelled of it in camera stays settled",
        _UnreadBesideTheCourt,
        "1",
        rate="0.6",
        classes=terms.classes([CLASS], "0.5"),
    ),
    "unread-validation": _label(
        "under the paper's rules Bob leaves a wave of a validation unread, which the bound does not count",
        _UnreadValidation,
        "1",
    ),
    "missed-and-shown-later": _label(
        "a validation shows what a batch missed, and the bound counts it as missed all the same", CheatingRun, "1"
    ),
    "called-and-withheld": _label(
        "documents that were called are withheld at the end, and the bound counts each of them",
        CheatingRun,
        "1",
        review="0.4",
        show="0.5",
    ),
    "called-nothing": _label(
        "a call that calls nothing, and Alice's report on it, which seals nothing",
        CheatingRun,
        "1",
        review="0.001",
        show="0.5",
    ),
    "called-and-shown-for-certain": _label(
        "both chances of a validation in two stages are so near to one that no coin is above them",
        CheatingRun,
        "1",
        review="0.9999999999999999999999999999",
        show="0.9999999999999999999999999999",
    ),
    "claimed-beforehand": _spot(
        "what Alice claimed beforehand is hit, and brings no credit",
        _ClaimedBeforehand,
        "1",
        rate="0.15",
        batch=13,
    ),
    "claimed-late": _spot(
        "what Alice claimed late and no coin drew is responsive, and brings credit", _ClaimedLate, "1"
    ),
    "unread-penalised": _spot(
        "where a hit makes the whole batch due, a drawn document that Bob leaves unread counts as a hit",
        _UnreadBatch,
        "1",
        penalty="batch",
    ),
    "upheld-late-penalised": _spot(
        "where a hit makes the whole batch due, a drawn document that was claimed late and upheld counts as a hit",
        _UpheldLate,
        "1",
        penalty="batch",
    ),
}
"""By name."""
