"""What each kind of entry says (specification, "The kinds of entry")."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from verifier.checks import Role
from verifier.record.shapes import (
    Malformed,
    digest,
    listed,
    mapped,
    maybe,
    natural,
    positive,
    record,
    shaped,
    text,
    truth,
    word,
)
from verifier.replay.asked_back import ShownAt
from verifier.replay.commitment import CorpusCommitment
from verifier.rules import table
from verifier.rules.coins import DRAWERS
from verifier.rules.terms import Terms

METHOD = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """States that one program played all parties, and how."""

    alice: str = shaped(text)
    bob: str = shaped(text)
    court: str = shaped(text)
    label: str = shaped(text)
    responsive: int = shaped(positive)
    seed: str = shaped(text)
    truth: bytes = shaped(digest)


def _of_each_role(value: Any) -> dict[Role, str]:
    found: dict[Role, str] = mapped(word(Role), text)(value)
    if found.keys() != set(Role):
        raise Malformed("a name for each of alice, bob, court and trent was expected")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Caption:
    """What the matter is about and who is who, for people."""

    case: str = shaped(text)
    court: str = shaped(text)
    names: dict[Role, str] = shaped(_of_each_role)
    request: str = shaped(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """`open`."""

    anchor: bytes = shaped(digest)
    caption: Caption | None = shaped(maybe(record(Caption)))
    corpus: CorpusCommitment = shaped(record(CorpusCommitment))
    format: int = shaped(natural)
    keys: dict[Role, bytes] = shaped(mapped(word(Role), digest))
    method: int = shaped(natural)
    simulation: Simulation | None = shaped(maybe(record(Simulation)))
    terms: Terms = shaped(table.read_terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """`agreed`."""

    anchor: bytes = shaped(digest)


def _of_each_drawer(value: Any) -> dict[Role, bytes]:
    found: dict[Role, bytes] = mapped(word(Role), digest)(value)
    if found.keys() != set(DRAWERS):
        raise Malformed("an anchor for each of alice, bob and trent was expected")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Deposited:
    """`deposited`. The court signs the three anchors, so a missing or additional one is its own fault."""

    anchors: dict[Role, bytes] = shaped(_of_each_drawer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """`draw`."""

    draw: int = shaped(positive)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """`link`, and within a batch that coins chose."""

    draw: int = shaped(positive)
    link: bytes = shaped(digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """`batch`."""

    drawn: Link | None = shaped(maybe(record(Link)))
    near_cut: int | None = shaped(maybe(natural))
    size: int = shaped(positive)


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    """`escalation`: how many documents are withheld, all of which are drawn again."""

    size: int = shaped(positive)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """`look`: which of them Alice gives up, and her link."""

    draw: int = shaped(positive)
    link: bytes = shaped(digest)
    positions: tuple[int, ...] = shaped(listed(positive))


@dataclass(frozen=True, slots=True, kw_only=True)
class Validated:
    """`validation` and `call`: the documents that the coins chose from the whole collection."""

    drawn: Link = shaped(record(Link))
    number: int = shaped(positive)
    numbers: tuple[int, ...] = shaped(listed(natural))
    reviewed: tuple[int, ...] = shaped(listed(positive))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """`report`."""

    draw: int = shaped(positive)
    link: bytes = shaped(digest)
    openings: bytes = shaped(digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Positions:
    """`disclosure`, `dispute`, `camera` and `claim`."""

    positions: tuple[int, ...] = shaped(listed(positive))


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """`labels` and `rulings`."""

    labels: tuple[bool, ...] = shaped(listed(truth))


@dataclass(frozen=True, slots=True, kw_only=True)
class Privilege:
    """`privilege`: whether each claim is upheld, and for which parts if it is for parts."""

    parts: tuple[tuple[int, ...], ...] = shaped(listed(listed(natural)))
    upheld: tuple[bool, ...] = shaped(listed(truth))


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """`late`: says only that Alice is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clawback:
    """`clawback`: says only that Alice is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A document by the round and the position at which Bob was shown it."""

    position: int = shaped(positive)
    round: int = shaped(positive)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reclaim:
    """`reclaim`: what Alice asks back."""

    documents: tuple[Shown, ...] = shaped(listed(record(Shown)))

    @property
    def places(self) -> tuple[ShownAt, ...]:
        """The same, by round and position."""
        return tuple(ShownAt(each.round, each.position) for each in self.documents)


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """`returned`: whether the court lets Alice claw back each."""

    upheld: tuple[bool, ...] = shaped(listed(truth))


@dataclass(frozen=True, slots=True, kw_only=True)
class Default:
    """`default`."""

    absent: Role = shaped(word(Role))
    served: bytes = shaped(digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """`order`."""

    absent: Role = shaped(word(Role))
    granted: bool = shaped(truth)
    link: bytes | None = shaped(maybe(digest))
    served: bytes = shaped(digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rekey:
    """`rekey`."""

    key: bytes = shaped(digest)
    role: Role = shaped(word(Role))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rekeyed:
    """`rekeyed`."""

    granted: bool = shaped(truth)
    key: bytes = shaped(digest)
    role: Role = shaped(word(Role))


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """`again`."""

    question: bytes = shaped(digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Amend:
    """`amend`: the terms as they would be in force; no limit under a rule that has none."""

    limit: str | None = shaped(maybe(text))
    rounds: int = shaped(positive)


@dataclass(frozen=True, slots=True, kw_only=True)
class Amended:
    """`amended`."""

    accepted: bool = shaped(truth)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """`conflict`."""

    answer: int = shaped(natural)


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What only a simulation knows."""

    responsive: int = shaped(natural)
    revealed: int = shaped(natural)


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """`closed`."""

    compelled: bool = shaped(truth)
    draw: int | None = shaped(maybe(positive))
    error: int = shaped(natural)
    link: bytes | None = shaped(maybe(digest))
    responsive: tuple[int, ...] = shaped(listed(positive))
    sampled: int = shaped(natural)
    threshold: int = shaped(natural)
    truth: Truth | None = shaped(maybe(record(Truth)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamped:
    """`stamped`."""

    root: bytes = shaped(digest)
    token: bytes = shaped(digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """`logged`."""

    proof: str = shaped(text)
    root: bytes = shaped(digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundClaim:
    """What a round's guarantee rests on."""

    compelled: bool = shaped(truth)
    error: int = shaped(natural)
    near_cut: int | None = shaped(maybe(natural))
    privileged: int = shaped(natural)  # positions that are withheld as such
    round: int = shaped(positive)
    sampled: int = shaped(natural)
    size: int = shaped(natural)
    sort: str = shaped(text)
    threshold: int = shaped(natural)
    unread: int = shaped(natural)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedCertificate:
    """Of the reviewed documents, at most this many responsive ones are hidden, except with probability `doubt`."""

    assumes: str = shaped(text)
    at_most: int = shaped(natural)
    doubt: str = shaped(text)
    found: int = shaped(natural)
    reached: bool | None = shaped(maybe(truth))  # the target, if the rule has one
    target: str | None = shaped(maybe(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionCertificate:
    """Of the whole collection, at most this many responsive ones are missing, except with probability `doubt`."""

    assumes: str = shaped(text)
    at_most: int | None = shaped(maybe(natural))  # None: nothing is proven
    doubt: str = shaped(text)
    found: int = shaped(natural)
    reached: bool | None = shaped(maybe(truth))  # the target, if the terms have a validation
    target: str | None = shaped(maybe(text))
    unreviewed: int = shaped(natural)


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificates:
    """What is certified."""

    collection: CollectionCertificate = shaped(record(CollectionCertificate))
    reviewed: ReviewedCertificate = shaped(record(ReviewedCertificate))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """A part of what a validation drew from: its documents, how many were looked at, and how many are responsive."""

    documents: int = shaped(natural)
    hits: int = shaped(natural)
    shown: int = shaped(natural)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationClaim:
    """What a validation has shown."""

    at_most: int | None = shaped(maybe(natural))  # None: nothing is proven
    called: int = shaped(natural)
    never: Stratum = shaped(record(Stratum))  # put up before
    number: int = shaped(positive)
    reached: bool = shaped(truth)
    round: int = shaped(positive)
    total: int | None = shaped(maybe(natural))
    unread: int = shaped(natural)
    withheld: Stratum = shaped(record(Stratum))


class Ended(StrEnum):
    """Why the review has ended."""

    VALIDATION = "validation"
    DOCUMENTS = "documents"
    AMENDMENT = "amendment"
    ROUNDS = "rounds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """`claims`."""

    alice_errors: int = shaped(natural)
    certificates: Certificates = shaped(record(Certificates))
    clawed_back: int = shaped(natural)
    compelled_rounds: int = shaped(natural)
    defaults: int = shaped(natural)
    disputes: int = shaped(natural)
    ended: Ended = shaped(word(Ended))
    found: int = shaped(natural)
    guarantee: str = shaped(text)
    in_camera: int = shaped(natural)
    nrd: int = shaped(natural)
    privileged: int = shaped(natural)  # positions that are withheld as such
    revealed: int = shaped(natural)
    reviewed: int = shaped(natural)
    rounds: tuple[RoundClaim, ...] = shaped(listed(record(RoundClaim)))
    truth: Truth | None = shaped(maybe(record(Truth)))
    validations: tuple[ValidationClaim, ...] = shaped(listed(record(ValidationClaim)))


@dataclass(slots=True)  # not frozen, and by position for `read_all`: there are very many
class Place:
    """A value of `documents`: which document stands at a position."""

    document: int = shaped(natural)
    name: str = shaped(text)
