"""Each kind of entry: who says it, whom it asks, and what it seals for whom (specification, "The kinds of entry")."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from verifier.checks import Audience, Role
from verifier.replay.contents import (
    Again,
    Agreed,
    Amend,
    Amended,
    Batch,
    Claims,
    Clawback,
    Closed,
    Conflict,
    Default,
    Deposited,
    Draw,
    Escalation,
    Labels,
    Late,
    Link,
    Logged,
    Look,
    Opened,
    Order,
    Positions,
    Privilege,
    Reclaim,
    Rekey,
    Rekeyed,
    Reported,
    Returned,
    Stamped,
    Validated,
)


class Kind(StrEnum):
    """Every kind of entry."""

    OPEN = "open"
    AGREED = "agreed"
    DEPOSITED = "deposited"
    DRAW = "draw"
    LINK = "link"
    BATCH = "batch"
    ESCALATION = "escalation"
    LOOK = "look"
    VALIDATION = "validation"
    CALL = "call"
    REPORT = "report"
    CAMERA = "camera"
    PRIVILEGE = "privilege"
    LATE = "late"
    CLAIM = "claim"
    CLAWBACK = "clawback"
    RECLAIM = "reclaim"
    RETURNED = "returned"
    DISCLOSURE = "disclosure"
    LABELS = "labels"
    DISPUTE = "dispute"
    RULINGS = "rulings"
    CLOSED = "closed"
    DEFAULT = "default"
    ORDER = "order"
    REKEY = "rekey"
    REKEYED = "rekeyed"
    AGAIN = "again"
    AMEND = "amend"
    AMENDED = "amended"
    STAMPED = "stamped"
    LOGGED = "logged"
    CONFLICT = "conflict"
    CLAIMS = "claims"


_ANSWERING = (Role.ALICE, Role.BOB, Role.COURT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What surrounds a kind's content."""

    content: type[Any]
    authors: tuple[Role, ...]
    asks: dict[Role, Kind]
    sealed: dict[str, tuple[Audience, ...]]
    asks_about: str | None = None  # the field of its content that, if it is empty, makes it ask nobody
    optional: tuple[str, ...] = ()  # sealed fields that may be absent; when they must, the rules say
    releases: bool = False  # whether it shows Bob sealed values of earlier entries
    waits_for: tuple[Role, ...] = _ANSWERING  # who must owe no answer when Trent says it
    repeats: bool = False  # whether it asks one party again, for what its void question asked for
    narrows: bool = False  # whether its own conditions say for which of the audiences it seals
    changes: bool = False  # whether it asks for an order or an amendment: not before all have signed the opening

    def asked(self, content: Mapping[str, Any]) -> dict[Role, Kind]:
        """Whom a statement with this content asks, for what."""
        return {} if self.asks_about is not None and content.get(self.asks_about) == [] else self.asks


_OWNERS = (Audience.ALICE, Audience.COURT)
_PARTIES = (Audience.ALICE, Audience.BOB, Audience.COURT)
_TRENT = (Role.TRENT,)
_COURT = (Role.COURT,)

FORMS: dict[Kind, Form] = {
    Kind.OPEN: Form(
        content=Opened,
        authors=_TRENT,
        asks={Role.ALICE: Kind.AGREED, Role.BOB: Kind.AGREED, Role.COURT: Kind.DEPOSITED},
        sealed={"account": _OWNERS, "vocabulary": (Audience.COURT,)},
    ),
    Kind.AGREED: Form(
        content=Agreed,
        authors=(Role.ALICE, Role.BOB),
        asks={},
        sealed={"candidates": (Audience.ALICE,)},
        optional=("candidates",),
    ),
    Kind.DEPOSITED: Form(content=Deposited, authors=_COURT, asks={}, sealed={}),
    Kind.DRAW: Form(content=Draw, authors=_TRENT, asks={Role.ALICE: Kind.LINK, Role.BOB: Kind.LINK}, sealed={}),
    Kind.LINK: Form(content=Link, authors=(Role.ALICE, Role.BOB), asks={}, sealed={}),
    Kind.BATCH: Form(
        content=Batch,
        authors=_TRENT,
        asks={Role.ALICE: Kind.REPORT},
        sealed={"documents": _OWNERS, "model": (Audience.COURT,), "numbers": _OWNERS},
        optional=("model",),
    ),
    Kind.ESCALATION: Form(content=Escalation, authors=_TRENT, asks={Role.ALICE: Kind.LOOK}, sealed={}),
    Kind.LOOK: Form(content=Look, authors=(Role.ALICE,), asks={Role.BOB: Kind.LINK}, sealed={}),
    Kind.VALIDATION: Form(
        content=Validated,
        authors=_TRENT,
        asks={Role.ALICE: Kind.CLAIM},
        sealed={"documents": _OWNERS},
        optional=("documents",),
        releases=True,
    ),
    Kind.CALL: Form(
        content=Validated,
        authors=_TRENT,
        asks={Role.ALICE: Kind.REPORT},
        sealed={"documents": _OWNERS},
        optional=("documents",),
        releases=True,
    ),
    Kind.REPORT: Form(
        content=Reported,
        authors=(Role.ALICE,),
        asks={Role.BOB: Kind.LINK},
        sealed={"labels": _OWNERS, "privilege": _OWNERS, "threshold": _OWNERS},
        optional=("labels", "privilege", "threshold"),
    ),
    Kind.CAMERA: Form(
        content=Positions,
        authors=_TRENT,
        asks={Role.COURT: Kind.PRIVILEGE},
        sealed={"path": _OWNERS, "proofs": _OWNERS},
        releases=True,
    ),
    Kind.PRIVILEGE: Form(
        content=Privilege, authors=_COURT, asks={}, sealed={"reasons": _OWNERS}, optional=("reasons",)
    ),
    Kind.LATE: Form(content=Late, authors=_TRENT, asks={Role.ALICE: Kind.CLAIM}, sealed={}),
    Kind.CLAIM: Form(
        content=Positions,
        authors=(Role.ALICE,),
        asks={},
        sealed={"privilege": _OWNERS},
        optional=("privilege",),
    ),
    Kind.CLAWBACK: Form(content=Clawback, authors=_TRENT, asks={Role.ALICE: Kind.RECLAIM}, sealed={}),
    Kind.RECLAIM: Form(
        content=Reclaim,
        authors=(Role.ALICE,),
        asks={Role.COURT: Kind.RETURNED},
        asks_about="documents",
        sealed={"privilege": _PARTIES},
        optional=("privilege",),
    ),
    Kind.RETURNED: Form(content=Returned, authors=_COURT, asks={}, sealed={"reasons": _OWNERS}, optional=("reasons",)),
    Kind.DISCLOSURE: Form(
        content=Positions,
        authors=_TRENT,
        asks={Role.BOB: Kind.LABELS},
        sealed={"path": _PARTIES, "proofs": _PARTIES},
        releases=True,
    ),
    Kind.LABELS: Form(
        content=Labels, authors=(Role.BOB,), asks={}, sealed={"reasons": _PARTIES}, optional=("reasons",)
    ),
    Kind.DISPUTE: Form(content=Positions, authors=_TRENT, asks={Role.COURT: Kind.RULINGS}, sealed={}),
    Kind.RULINGS: Form(content=Labels, authors=_COURT, asks={}, sealed={"reasons": _PARTIES}, optional=("reasons",)),
    Kind.CLOSED: Form(content=Closed, authors=_TRENT, asks={}, sealed={}, releases=True),
    Kind.DEFAULT: Form(
        content=Default, authors=_TRENT, asks={Role.COURT: Kind.ORDER}, sealed={}, waits_for=_COURT, changes=True
    ),
    Kind.ORDER: Form(content=Order, authors=_COURT, asks={}, sealed={}),
    Kind.REKEY: Form(
        content=Rekey, authors=_TRENT, asks={Role.COURT: Kind.REKEYED}, sealed={}, waits_for=_COURT, changes=True
    ),
    Kind.REKEYED: Form(content=Rekeyed, authors=_COURT, asks={}, sealed={}),
    Kind.AGAIN: Form(content=Again, authors=_TRENT, asks={}, sealed={}, waits_for=_COURT, repeats=True),
    Kind.AMEND: Form(
        content=Amend, authors=_TRENT, asks=dict.fromkeys(_ANSWERING, Kind.AMENDED), sealed={}, changes=True
    ),
    Kind.AMENDED: Form(content=Amended, authors=_ANSWERING, asks={}, sealed={}),
    Kind.CONFLICT: Form(
        content=Conflict, authors=_TRENT, asks={}, sealed={"evidence": _PARTIES}, waits_for=(), narrows=True
    ),
    Kind.STAMPED: Form(content=Stamped, authors=_TRENT, asks={}, sealed={}),
    Kind.LOGGED: Form(content=Logged, authors=_TRENT, asks={}, sealed={}),
    Kind.CLAIMS: Form(content=Claims, authors=_TRENT, asks={}, sealed={}),
}
