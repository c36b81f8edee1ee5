"""What each kind of entry says: the shapes that the protocol gives to a statement's content and sealed values.

The order of a matter:

    open (Trent) -> agreed (Alice), agreed (Bob), deposited (court)
    each round, where the batch is drawn by coin:   draw (Trent) -> link (Alice), link (Bob)
      batch (Trent) -> report (Alice) -> link (Bob)
      [camera (Trent) -> privilege (court)]
      disclosure (Trent) -> labels (Bob) [-> dispute (Trent) -> rulings (court)]
        repeated while the rule adds some; in between, where Alice asks for it, late (Trent) -> claim (Alice)
      closed (Trent)
    at any time: default (Trent) -> order (court); rekey (Trent) -> rekeyed (court); amend (Trent) -> amended (all)
    claims (Trent)
"""

from dataclasses import dataclass, field
from enum import StrEnum

from ledger.hashing import Digest
from ledger.keys import PublicKey
from ledger.records import Natural, Record
from ledger.roles import Audience, Role
from protocol.rules.terms import Positive, Terms

METHOD = 2
"""The version of all that the records do not say themselves: features, models, rules and the bound, as specified."""


class Kind(StrEnum):
    """Every kind of entry that the protocol knows."""

    OPEN = "open"
    AGREED = "agreed"
    DEPOSITED = "deposited"
    DRAW = "draw"
    LINK = "link"
    BATCH = "batch"
    REPORT = "report"
    CAMERA = "camera"
    PRIVILEGE = "privilege"
    LATE = "late"
    CLAIM = "claim"
    DISCLOSURE = "disclosure"
    LABELS = "labels"
    DISPUTE = "dispute"
    RULINGS = "rulings"
    CLOSED = "closed"
    DEFAULT = "default"
    ORDER = "order"
    REKEY = "rekey"
    REKEYED = "rekeyed"
    AMEND = "amend"
    AMENDED = "amended"
    CLAIMS = "claims"


class CorpusCommitment(Record, frozen=True, kw_only=True):
    """The documents under review. How text was taken from them is told, not proven."""

    documents: Positive
    extraction: str
    root: Digest


class Simulation(Record, frozen=True, kw_only=True):
    """Says that one program played all parties, and how."""

    alice: str
    bob: str
    court: str
    label: str
    responsive: Positive  # how many documents of the corpus carry the label
    seed: str
    truth: Digest  # of the numbers of these documents: with other labels it is another simulation


class Caption(Record, frozen=True, kw_only=True):
    """What the matter is about, and who the parties are, for people. A simulation has none."""

    case: str
    court: str
    names: dict[Role, str]
    request: str  # the request for production, which says what is responsive


class Opening(Record, frozen=True, kw_only=True):
    """`open`. Sealed: `vocabulary`, the hash of the term table, for the court."""

    anchor: Digest  # of Trent's coin chain
    caption: Caption | None
    corpus: CorpusCommitment
    format: Natural
    keys: dict[Role, PublicKey]
    method: Natural  # the version of features, model, rules and bound
    simulation: Simulation | None
    terms: Terms


class Agreed(Record, frozen=True, kw_only=True):
    """`agreed`: by answering the opening its author signs the terms; the anchor is of the author's coin chain."""

    anchor: Digest


class Deposited(Record, frozen=True, kw_only=True):
    """`deposited`: the court agrees, and holds the roots of the chains with these anchors under seal."""

    anchors: dict[Role, Digest]


class Draw(Record, frozen=True, kw_only=True):
    """`draw`: Trent asks Alice and Bob for their links, to draw the round's batch by coin."""

    draw: Positive


class Link(Record, frozen=True, kw_only=True):
    """`link`: one link of the author's chain."""

    draw: Positive
    link: Digest


class Batch(Record, frozen=True, kw_only=True):
    """`batch`: the documents of the round, in decreasing score order.

    Sealed: `documents`, a `Place` each, for Alice and the court; where a model ranked them, `model` for the court, an
    attachment.
    """

    drawn: Link | None  # where coins chose the batch: the draw, and Trent's link
    near_cut: Natural | None  # how many documents the optimal model could put on the other side of the batch's end
    size: Positive


class Place(Record, frozen=True, kw_only=True):
    """A sealed value of `documents`: which document stands at a position."""

    document: Natural
    name: str


class Reported(Record, frozen=True, kw_only=True):
    """`report`: Alice's link, and the hash of her openings. Sealed for Alice and the court, until the round closes:
    `labels`, one for each position (true, false, or null where none is asked for), and where the rule asks for it
    `threshold`, one rank. Where she claims privilege, for each position the basis or null, which stays sealed:
    `privilege`.
    """

    draw: Positive
    link: Digest
    openings: Digest  # of all that opens the report


class Camera(Record, frozen=True, kw_only=True):
    """`camera`: what of the next wave Alice claims as privileged, for the court. Releases the bases to Bob.

    Sealed: `proofs` for Alice and the court.
    """

    positions: tuple[Positive, ...]


class Privilege(Record, frozen=True, kw_only=True):
    """`privilege`: whether the court upholds each of the claims that it was asked about."""

    upheld: tuple[bool, ...]


class Late(Record, frozen=True, kw_only=True):
    """`late`: Trent asks Alice what she claims after her report; such documents count as drawn."""


class LateClaim(Record, frozen=True, kw_only=True):
    """`claim`: positions that Bob has not been shown. Sealed if there are any: `privilege`, the basis of each."""

    positions: tuple[Positive, ...]


class Disclosure(Record, frozen=True, kw_only=True):
    """`disclosure`: one wave of documents for Bob, in batch order. Releases their places to him.

    Sealed: `proofs` for Alice, Bob and the court: what opens each document's leaf of the corpus commitment.
    """

    positions: tuple[Positive, ...]


class Labels(Record, frozen=True, kw_only=True):
    """`labels` by Bob and `rulings` by the court: whether each of the positions asked about is responsive."""

    labels: tuple[bool, ...]


class Dispute(Record, frozen=True, kw_only=True):
    """`dispute`: the positions of the wave on which Alice and Bob disagree, for the court."""

    positions: tuple[Positive, ...]


class Truth(Record, frozen=True, kw_only=True):
    """What only a simulation knows: of a round, or in the claims of the whole corpus."""

    responsive: Natural  # by the labels that the simulation was given
    revealed: Natural  # of these, how many Bob has seen


class Closed(Record, frozen=True, kw_only=True):
    """`closed`: the round's outcome and Trent's link. Releases Alice's report to Bob."""

    compelled: bool
    draw: Positive | None  # none where there is no report
    error: Natural  # of the threshold, by Alice's report
    link: Digest | None
    responsive: tuple[Positive, ...]  # the positions whose output label is responsive
    sampled: Natural  # how many positions a coin drew
    threshold: Natural
    truth: Truth | None


class Default(Record, frozen=True, kw_only=True):
    """`default`: Trent says that a party does not answer what was served on it, and asks the court for an order."""

    absent: Role
    served: Digest  # the last entry that the party was shown


class Order(Record, frozen=True, kw_only=True):
    """`order`: granted, the matter goes on without the party's answer; a link is then the court's, from the deposit."""

    absent: Role
    granted: bool
    link: Digest | None
    served: Digest


class Rekey(Record, frozen=True, kw_only=True):
    """`rekey`: a new key for Alice or Bob, if the court grants it."""

    key: PublicKey
    role: Role


class Rekeyed(Record, frozen=True, kw_only=True):
    """`rekeyed`: granted, it is the party's key from the next entry on."""

    granted: bool
    key: PublicKey
    role: Role


class Amend(Record, frozen=True, kw_only=True):
    """`amend`: another number of rounds, if all accept."""

    rounds: Positive


class Amended(Record, frozen=True, kw_only=True):
    """`amended`: one party's answer."""

    accepted: bool


class RoundClaim(Record, frozen=True, kw_only=True):
    """The parameters that a round's guarantee rests on."""

    compelled: bool
    error: Natural
    near_cut: Natural | None
    round: Positive
    sampled: Natural
    size: Positive
    threshold: Natural
    unread: Natural  # shown to Bob, who did not answer
    withheld: Natural  # as privileged


class HiddenBound(Record, frozen=True, kw_only=True):
    """At most so many responsive documents are hidden among those reviewed, except with probability `doubt`."""

    assumes: str
    at_most: Natural
    doubt: str


class Claims(Record, frozen=True, kw_only=True):
    """`claims`: what Trent states at the close, as integers."""

    alice_errors: Natural
    compelled_rounds: Natural
    defaults: Natural
    disputes: Natural
    found: Natural
    guarantee: str  # the paper's, in words
    hidden: HiddenBound
    nrd: Natural  # non-responsive disclosure
    revealed: Natural
    reviewed: Natural
    rounds: tuple[RoundClaim, ...]
    truth: Truth | None
    withheld: Natural  # as privileged


CONTENTS: dict[Kind, type[Record]] = {
    Kind.OPEN: Opening,
    Kind.AGREED: Agreed,
    Kind.DEPOSITED: Deposited,
    Kind.DRAW: Draw,
    Kind.LINK: Link,
    Kind.BATCH: Batch,
    Kind.REPORT: Reported,
    Kind.CAMERA: Camera,
    Kind.PRIVILEGE: Privilege,
    Kind.LATE: Late,
    Kind.CLAIM: LateClaim,
    Kind.DISCLOSURE: Disclosure,
    Kind.LABELS: Labels,
    Kind.DISPUTE: Dispute,
    Kind.RULINGS: Labels,
    Kind.CLOSED: Closed,
    Kind.DEFAULT: Default,
    Kind.ORDER: Order,
    Kind.REKEY: Rekey,
    Kind.REKEYED: Rekeyed,
    Kind.AMEND: Amend,
    Kind.AMENDED: Amended,
    Kind.CLAIMS: Claims,
}
"""The shape of each kind's content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What surrounds a kind's content: who says it, what it asks of whom, what it seals for whom."""

    authors: tuple[Role, ...] = (Role.TRENT,)
    asks: dict[Role, Kind] = field(default_factory=dict)
    sealed: dict[str, tuple[Audience, ...]] = field(default_factory=dict)  # in each case all of them but for `may_lack`
    may_lack: tuple[str, ...] = ()


_OWNERS = (Audience.ALICE, Audience.COURT)
_PARTIES = (Audience.ALICE, Audience.BOB, Audience.COURT)

SHAPES: dict[Kind, Shape] = {
    Kind.OPEN: Shape(
        asks={Role.ALICE: Kind.AGREED, Role.BOB: Kind.AGREED, Role.COURT: Kind.DEPOSITED},
        sealed={"vocabulary": (Audience.COURT,)},
    ),
    Kind.AGREED: Shape(authors=(Role.ALICE, Role.BOB)),
    Kind.DEPOSITED: Shape(authors=(Role.COURT,)),
    Kind.DRAW: Shape(asks={Role.ALICE: Kind.LINK, Role.BOB: Kind.LINK}),
    Kind.LINK: Shape(authors=(Role.ALICE, Role.BOB)),
    Kind.BATCH: Shape(
        asks={Role.ALICE: Kind.REPORT},
        sealed={"documents": _OWNERS, "model": (Audience.COURT,)},
        may_lack=("model",),  # where coins chose the batch
    ),
    Kind.REPORT: Shape(
        authors=(Role.ALICE,),
        asks={Role.BOB: Kind.LINK},
        sealed={"labels": _OWNERS, "privilege": _OWNERS, "threshold": _OWNERS},
        may_lack=("privilege", "threshold"),  # where nothing is claimed; where the rule asks for none
    ),
    Kind.CAMERA: Shape(asks={Role.COURT: Kind.PRIVILEGE}, sealed={"proofs": _OWNERS}),
    Kind.PRIVILEGE: Shape(authors=(Role.COURT,)),
    Kind.LATE: Shape(asks={Role.ALICE: Kind.CLAIM}),
    Kind.CLAIM: Shape(authors=(Role.ALICE,), sealed={"privilege": _OWNERS}, may_lack=("privilege",)),
    Kind.DISCLOSURE: Shape(asks={Role.BOB: Kind.LABELS}, sealed={"proofs": _PARTIES}),
    Kind.LABELS: Shape(authors=(Role.BOB,)),
    Kind.DISPUTE: Shape(asks={Role.COURT: Kind.RULINGS}),
    Kind.RULINGS: Shape(authors=(Role.COURT,)),
    Kind.CLOSED: Shape(),
    Kind.DEFAULT: Shape(asks={Role.COURT: Kind.ORDER}),
    Kind.ORDER: Shape(authors=(Role.COURT,)),
    Kind.REKEY: Shape(asks={Role.COURT: Kind.REKEYED}),
    Kind.REKEYED: Shape(authors=(Role.COURT,)),
    Kind.AMEND: Shape(asks=dict.fromkeys((Role.ALICE, Role.BOB, Role.COURT), Kind.AMENDED)),
    Kind.AMENDED: Shape(authors=(Role.ALICE, Role.BOB, Role.COURT)),
    Kind.CLAIMS: Shape(),
}
"""The shape of each kind. An entry of another shape has no place in a matter."""
