"""What each kind of entry says: the shapes that the protocol gives to a statement's content and sealed values.

The order of a matter:

    open (Trent) -> agreed (Alice), agreed (Bob), deposited (court)
    each round, where the batch is drawn by coin:   draw (Trent) -> link (Alice), link (Bob)
      batch (Trent) -> report (Alice) -> link (Bob)
      disclosure (Trent) -> labels (Bob) [-> dispute (Trent) -> rulings (court)]   repeated while the rule adds some
      closed (Trent)
    claims (Trent)
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

import msgspec

from ledger.hashing import Digest
from ledger.keys import PublicKey
from ledger.records import Natural, Record
from ledger.roles import Audience, Role

METHOD = 1
"""The version of all that the records do not say themselves: features, models, rules and the bound, as specified."""

Positive = Annotated[int, msgspec.Meta(ge=1, le=2**31)]


class Kind(StrEnum):
    """Every kind of entry that the protocol knows."""

    OPEN = "open"
    AGREED = "agreed"
    DEPOSITED = "deposited"
    DRAW = "draw"
    LINK = "link"
    BATCH = "batch"
    REPORT = "report"
    DISCLOSURE = "disclosure"
    LABELS = "labels"
    DISPUTE = "dispute"
    RULINGS = "rulings"
    CLOSED = "closed"
    CLAIMS = "claims"


class Terms(Record, frozen=True, kw_only=True):
    """What all parties sign before anything is drawn."""

    batch: Positive  # N in the paper
    delta: str  # the failure probability of a round's verification, a decimal
    doubt: str  # the bound on hidden documents fails with at most this probability, a decimal
    draws: Positive  # the length of the coin chains
    k: Positive  # the error tolerance
    protocol: str
    query: str  # the seed query; empty: the first batch is drawn from all documents
    rounds: Positive  # T in the paper


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


class Opening(Record, frozen=True, kw_only=True):
    """`open`. Sealed: `vocabulary`, the hash of the term table, for the court."""

    anchor: Digest  # of Trent's coin chain
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
    `threshold`, one rank.
    """

    draw: Positive
    link: Digest
    openings: Digest  # of all that opens the report


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
    draw: Positive
    error: Natural  # of the threshold, by Alice's report
    link: Digest
    responsive: tuple[Positive, ...]  # the positions whose output label is responsive
    sampled: Natural  # how many positions a coin drew
    threshold: Natural
    truth: Truth | None


class RoundClaim(Record, frozen=True, kw_only=True):
    """The parameters that a round's guarantee rests on."""

    compelled: bool
    error: Natural
    near_cut: Natural | None
    round: Positive
    sampled: Natural
    size: Positive
    threshold: Natural


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
    Kind.DISCLOSURE: Disclosure,
    Kind.LABELS: Labels,
    Kind.DISPUTE: Dispute,
    Kind.RULINGS: Labels,
    Kind.CLOSED: Closed,
    Kind.CLAIMS: Claims,
}
"""The shape of each kind's content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What surrounds a kind's content: who says it, what it asks of whom, what it seals for whom."""

    authors: tuple[Role, ...] = (Role.TRENT,)
    asks: dict[Role, Kind] = field(default_factory=dict)
    sealed: dict[str, tuple[Audience, ...]] = field(default_factory=dict)  # in each case all of them but for `may_lack`
    may_lack: str | None = None


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
        may_lack="model",  # where coins chose the batch
    ),
    Kind.REPORT: Shape(
        authors=(Role.ALICE,),
        asks={Role.BOB: Kind.LINK},
        sealed={"labels": _OWNERS, "threshold": _OWNERS},
        may_lack="threshold",  # where the rule asks for none
    ),
    Kind.DISCLOSURE: Shape(asks={Role.BOB: Kind.LABELS}, sealed={"proofs": _PARTIES}),
    Kind.LABELS: Shape(authors=(Role.BOB,)),
    Kind.DISPUTE: Shape(asks={Role.COURT: Kind.RULINGS}),
    Kind.RULINGS: Shape(authors=(Role.COURT,)),
    Kind.CLOSED: Shape(),
    Kind.CLAIMS: Shape(),
}
"""The shape of each kind. An entry of another shape has no place in a matter."""
