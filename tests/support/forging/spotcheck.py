"""Simulated matters with spot checks, escalations, validations and classes: honest ones, from which cheats depart.

Each is a small matter over the corpus of the vectors. Its seed is chosen so that something of everything happens.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ledger.roles import Role
from protocol.matter import terms
from protocol.matter.asking import Answer
from protocol.matter.decisions import Decisions
from protocol.matter.rounds import Sort
from protocol.simulation.parties import Alice, Court
from tests.support import answers
from tests.support.corpora import QUERY
from tests.support.forging.eventful import NEW_KEYS, EventfulRun, Events
from tests.support.forging.running import CheatingRun

CLASS = "medical"
"""The label of the documents that belong into the class."""

CARELESS = {"alice": "careless:0.35:0.4", "bob": "careless:0.1"}
"""Alice errs often, and finds some of her errors in a second look; Bob makes disputes."""


def _spot_checks(**changed: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {"rate": "0.2", "every": 1, "target": "0.7", "limit": "1", "penalty": "none"}
    return {"rounds": 3, "batch": 10, "doubt": "0.5", "query": QUERY} | usual | changed


def _validated(**changed: Any) -> Any:
    usual: dict[str, Any] = {"every": 1, "hits": None, "review": None, "show": "0.4", "target": "0.5"}
    return terms.validation(**(usual | {"viewer": "bob", "window": 5, "yield": None} | changed))


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotCourse:
    """An honest matter: on which terms, among whom, and what happens besides."""

    comment: str
    terms: Mapping[str, Any]
    protocol: str = "spot-check"
    players: Mapping[str, str] = field(default_factory=lambda: CARELESS)
    run: type[CheatingRun] = CheatingRun


class WithClasses(CheatingRun):
    """Alice also claims privilege now and then: with her report, and in a validation. The court upholds the even ones.

    What belongs into the class she puts there by herself.
    """

    def answer(self) -> Answer:
        first = min(self.state.awaits)
        party, kind = self.parties[first], self.state.awaits[first].kind
        if isinstance(party, Alice) and kind in ("report", "claim") and party.question is not None:
            return party.say(with_claims(party))
        if isinstance(party, Court) and kind == "privilege" and party.question is not None:
            return party.say(Decisions(upheld=_upheld(party)))
        return party.answer()


def with_claims(alice: Alice) -> Decisions:
    """What Alice decides, and a claim of privilege for the second document that belongs into no class and that she has
    not claimed before.
    """
    found = alice.decide()
    count = len(alice.shelf.documents) if found.labels is None else len(found.labels)
    taken = {position for position in range(1, count + 1) if alice.shelf.claimed(position)} | set(found.classes or ())
    plain = [position for position in range(1, count + 1) if position not in taken]
    return Decisions(
        labels=found.labels,
        threshold=found.threshold,
        classes=found.classes,
        claims={position: f"advice of counsel, {position}" for position in plain[1:2]},
    )


def _upheld(court: Court) -> dict[int, bool]:
    """Of what is claimed as privileged the even positions are."""
    return upheld_by(court, lambda position: position % 2 == 0)


def upheld_by(court: Court, privileged: Callable[[int], bool]) -> dict[int, bool]:
    """Whether each position is privileged that is claimed so; of all else the court says whether it is responsive."""
    if court.question is None:
        raise RuntimeError("the court is asked nothing")
    positions = court.question.statement.content["positions"]
    documents = dict(zip(positions, court.shelf.at(positions), strict=True))
    return {
        position: privileged(position) if court.shelf.claimed_as_privileged(position) else not court.reads(document)
        for position, document in documents.items()
    }


def _waits(role: Role, kind: str, sort: Sort) -> Callable[[EventfulRun], bool]:
    """Whether a party must give this kind of answer in a round of this sort."""

    def waits(run: EventfulRun) -> bool:
        awaited, current = run.state.awaits.get(role), run.state.current
        return awaited is not None and awaited.kind == kind and current is not None and current.sort is sort

    return waits


def _coins_fixed(sort: Sort) -> Callable[[EventfulRun], bool]:
    """Whether all links of such a round but Trent's are given, and nobody must answer."""

    def fixed(run: EventfulRun) -> bool:
        state = run.state
        is_open = state.current is not None and state.current.sort is sort
        return is_open and state.drawing is not None and not (state.awaits or state.void)

    return fixed


def _between(sort: Sort) -> Callable[[EventfulRun], bool]:
    """Whether no round is open, and the last one was of this sort."""
    return lambda run: run.state.between and bool(run.state.rounds) and run.state.rounds[-1].sort is sort


def _silent(role: Role) -> Callable[[EventfulRun], object]:
    return lambda run: run.desk.default(role, run.head)


def _new_key(role: Role) -> Callable[[EventfulRun], object]:
    return lambda run: run.desk.rekey(role, NEW_KEYS[role].public)


NOTHING: Events = []


class EventfulSpotChecks(EventfulRun):
    """Plays events in their order, whichever round each comes in. Alice and Bob accept no amendment."""

    events: Events = NOTHING
    denied = 0

    def answer(self) -> Answer:
        asked = self.state.awaits
        first = Role.COURT if asked.get(Role.COURT) and asked[Role.COURT].kind in ("order", "rekeyed") else min(asked)
        party, kind = self.parties[first], asked[first].kind
        if kind == "amended":
            return answers.amended(party, first is Role.COURT)
        if isinstance(party, Alice):
            return self._alice(party, kind)
        if isinstance(party, Court) and kind == "privilege":
            return party.say(Decisions(upheld=_upheld(party)))
        return self._court(party, kind) if isinstance(party, Court) else party.answer()

    def _alice(self, alice: Alice, kind: str) -> Answer:
        if alice.question is not None and alice.question.statement.kind == "late":
            hidden = sorted(self.state.rounds[-1].claimable)
            return alice.say(Decisions(claims={position: f"noticed late: {position}" for position in hidden[-2:]}))
        return alice.say(with_claims(alice)) if kind in ("report", "claim") else alice.answer()


TWO_STAGES: Events = [
    (_waits(Role.ALICE, "report", Sort.VALIDATION), _silent(Role.ALICE)),
    (_waits(Role.ALICE, "look", Sort.ESCALATION), _new_key(Role.ALICE)),
    (_coins_fixed(Sort.ESCALATION), lambda run: run.desk.late()),
    (_between(Sort.ESCALATION), lambda run: run.desk.amend(3, "0.9")),
    (_waits(Role.BOB, "labels", Sort.VALIDATION), _silent(Role.BOB)),
    (_waits(Role.ALICE, "look", Sort.ESCALATION), _silent(Role.ALICE)),
    (_waits(Role.BOB, "labels", Sort.ESCALATION), _silent(Role.BOB)),
    (_waits(Role.BOB, "link", Sort.VALIDATION), _new_key(Role.BOB)),
]


class InTwoStages(EventfulSpotChecks):
    """What can happen in escalations and in validations of two stages."""

    events = TWO_STAGES


ONE_STAGE: Events = [
    (_waits(Role.BOB, "link", Sort.ESCALATION), _silent(Role.BOB)),
    (_waits(Role.ALICE, "claim", Sort.VALIDATION), _new_key(Role.ALICE)),
    (_waits(Role.BOB, "labels", Sort.VALIDATION), _silent(Role.BOB)),
    (_waits(Role.ALICE, "claim", Sort.VALIDATION), _silent(Role.ALICE)),
]


class InOneStage(EventfulSpotChecks):
    """What can happen in escalations and in validations of one stage."""

    events = ONE_STAGE


WITHOUT_LOOK: Events = [(_waits(Role.ALICE, "look", Sort.ESCALATION), _silent(Role.ALICE))]


class WithoutLook(EventfulSpotChecks):
    """Alice does not answer the first escalation."""

    events = WITHOUT_LOOK


COURSES: Mapping[str, SpotCourse] = {
    "escalated": SpotCourse(
        comment="spot checks and escalations: something is given up, and a draw hits",
        terms=_spot_checks(seed="41"),
    ),
    "limited": SpotCourse(
        comment="escalations whose limit is used up",
        terms=_spot_checks(limit="0.3", seed="2"),
    ),
    "penalised": SpotCourse(
        comment="a hit makes the whole batch due",
        terms=_spot_checks(penalty="batch", rate="0.15", seed="4"),
    ),
    "validated": SpotCourse(
        comment="validations in one stage: two fail, the third reaches its target and ends the review",
        terms=_spot_checks(
            rounds=4,
            batch=7,
            every=2,
            target="0.8",
            limit="0.3",
            validation=_validated(show="0.3"),
            seed="4",
        ),
    ),
    "called": SpotCourse(
        comment="validations in two stages: one fails, the second reaches its target and ends the review",
        terms=_spot_checks(
            rounds=4,
            batch=8,
            every=2,
            target="0.8",
            limit="0.4",
            validation=_validated(review="0.4", show="0.6", target="0.4"),
            seed="1",
        ),
    ),
    "viewed": SpotCourse(
        comment="validations when the batches bring little, at a chance by rule, in which the court looks first",
        protocol="label",
        terms={
            "rounds": 4,
            "batch": 7,
            "delta": "0.9",
            "k": 1,
            "doubt": "0.5",
            "query": QUERY,
            "validation": _validated(show="0.5", hits=2, viewer="court", window=1, **{"yield": "0.9"}),
            "seed": "2",
        },
    ),
    "classed": SpotCourse(
        comment="a sensitive class, and claims of privilege, in batches, escalations and validations; what a report "
        "claims is drawn by a validation",
        terms=_spot_checks(
            rate="0.5",
            target="0.8",
            limit="0.5",
            validation=_validated(show="0.3", target="0.6"),
            classes=terms.classes([CLASS], "0.5"),
            seed="6",
        ),
        run=WithClasses,
    ),
    "eventful-two-stages": SpotCourse(
        comment="silence on a look, on a call and on labels, new keys, late claims, and the court amends the limit",
        terms=_spot_checks(
            batch=7, limit="0.3", target="0.9", validation=_validated(review="0.3", show="0.5", target="0.9"), seed="3"
        ),
        run=InTwoStages,
    ),
    "eventful-one-stage": SpotCourse(
        comment="silence on a claim, on labels and on a link, and a new key, in validations and escalations",
        terms=_spot_checks(
            batch=8, limit="0.8", target="0.9", validation=_validated(show="0.25", target="0.8"), seed="2"
        ),
        run=InOneStage,
    ),
}
"""By name."""


CLAIMED_BEFORE = SpotCourse(
    comment="validations in which the court looks first come back to what reports have claimed as privileged",
    terms=_spot_checks(
        rounds=4,
        batch=7,
        every=4,
        limit="0.3",
        validation=_validated(show="0.5", viewer="court", target="0.9"),
        seed="20",
    ),
    run=WithClasses,
)
"""No cheat departs from it. Bob cannot tell by the positions what was claimed, and must go by what he is released."""
