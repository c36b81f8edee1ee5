"""The terms of a matter: what all parties sign before anything is drawn.

Each rule has its own terms: a record that names the rule as its `protocol` and adds the rule's parameters to what all
terms have. `table` lists the rules.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal

import msgspec

from ledger import records
from ledger.canonical import Value
from ledger.hashing import Digest
from ledger.records import Name, Natural, Record
from protocol import fixedpoint
from protocol.errors import BadTerms

MOST = 2**31
Positive = Annotated[int, msgspec.Meta(ge=1, le=MOST)]


class ClassTerms(Record, frozen=True, kw_only=True):
    """Sensitive classes: drawn documents of a class go to the court, and to Bob only if they are responsive."""

    names: tuple[Name, ...]
    share: str  # of the collection that may be in classes, a decimal


class ValidationTerms(Record, frozen=True, kw_only=True):
    """When the whole collection is validated, and how."""

    every: Positive  # rounds from one validation to the next
    hits: Natural | None  # how many hits the rate by rule expects; None: the rate is `show`
    review: str | None  # the share of the never reviewed that Alice labels, a decimal; None: there is one stage
    show: str  # the share that Bob, or the court, is shown, a decimal
    target: str  # the recall to be certified, a decimal
    viewer: Literal["bob", "court"]
    window: Positive  # how many batch rounds must have brought little
    least_yield: str | None = msgspec.field(name="yield")  # as a share of all that was found: what little is, a decimal


class WitnessTerms(Record, frozen=True, kw_only=True):
    """Outsiders who must have seen the record before each round begins."""

    authorities: tuple[Digest, ...]  # of time stamps: the SHA-256 of the certificate of each; empty: none is needed
    log: str | None  # the verifier key of the operator's log; None: none is needed


class Terms:
    """Terms by any rule: what all of them have. They are read as the record of the rule that they name."""

    __slots__ = ()

    batch: int  # N in the paper
    classes: ClassTerms | None
    doubt: str  # each certificate fails with at most this probability, a decimal
    draws: int  # the length of the coin chains
    query: str  # the seed query; empty: the first batch is drawn from all documents
    rounds: int  # T in the paper: of batches
    validation: ValidationTerms | None
    witnesses: WitnessTerms | None

    @property
    def protocol(self) -> str:
        """The name of the rule."""
        raise NotImplementedError

    @property
    def limit_in_force(self) -> str | None:
        """What escalations may show at most, as a share of what Alice reports; None if the rule has no escalations."""
        raise NotImplementedError

    def amended(self, rounds: int, limit: str | None) -> "Terms":
        """These terms with another number of rounds, and another limit if the rule has one."""
        raise NotImplementedError

    def encoded(self) -> bytes:
        """Its canonical bytes."""
        raise NotImplementedError

    @classmethod
    def parse(cls, value: Value) -> "Terms":
        """The record of the rule that the value names."""
        protocol = value.get("protocol") if isinstance(value, dict) else None
        if not isinstance(protocol, str) or protocol not in RECORDS:
            raise unknown(protocol)
        return records.from_value(RECORDS[protocol], value)


class RuleTerms(Record, Terms, frozen=True, kw_only=True, tag_field="protocol"):
    """Base of the terms of each rule, which adds its parameters; the tag is the rule's name."""

    batch: Positive
    classes: ClassTerms | None
    doubt: str
    draws: Positive
    query: str
    rounds: Positive
    validation: ValidationTerms | None
    witnesses: WitnessTerms | None

    @property
    def protocol(self) -> str:
        return str(self.__struct_config__.tag)

    def encoded(self) -> bytes:
        return records.encode(self)

    @property
    def limit_in_force(self) -> str | None:
        limit: str | None = getattr(self, "limit", None)
        return limit

    def amended(self, rounds: int, limit: str | None) -> Terms:
        return msgspec.structs.replace(self, rounds=rounds, **({} if limit is None else {"limit": limit}))


RECORDS: dict[str, type[RuleTerms]] = {}
"""The terms of each rule by its name. Only `table` writes here."""


def unknown(protocol: object) -> BadTerms:
    """The message about a rule that this program does not know."""
    return BadTerms(f"the protocol {protocol!r} is not known; known are {', '.join(RECORDS)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """What the terms give to a rule: a field of its terms, a whole number, a decimal written as a text, or a word.

    Rules that share a parameter share this description of it.
    """

    name: str
    default: int | str
    check: Callable[[str, int | str], object]  # raises `BadTerms`, given the name and a value that is out of bounds
    limits: str  # the same in words
    explained: str  # in the terms file
    told: str  # to a party that is about to sign, after the value
    option: str  # the help of the option of `simulate`
    choices: tuple[str, ...] = ()  # the words among which one chooses; empty for a number

    @property
    def write(self) -> str:
        """What to write into a terms file."""
        return f"{self.called} {self.limits}, such as {self.default}"

    @property
    def called(self) -> str:
        """What kind of value it is."""
        if self.choices:
            return "a word,"
        return "a whole number" if isinstance(self.default, int) else "a decimal"


def probability(name: str, value: int | str) -> Fraction:
    """A probability strictly between 0 and 1, as an exact fraction."""
    try:
        found = fixedpoint.parse_fraction(str(value))
    except BadTerms as error:
        raise BadTerms(f"{name}: {error}") from None
    if not 0 < found < 1:
        raise BadTerms(f"{name} is {value}; it must lie between 0 and 1, such as 0.01")
    return found


def share(name: str, value: int | str) -> Fraction:
    """A share from 0 to 1, both allowed, as an exact fraction."""
    try:
        found = fixedpoint.parse_fraction(str(value))
    except BadTerms as error:
        raise BadTerms(f"{name}: {error}") from None
    if not 0 <= found <= 1:
        raise BadTerms(f"{name} is {value}; it must lie from 0 to 1, such as 0.25")
    return found


def penalty(name: str, value: int | str) -> str:
    """What a hit brings."""
    if value not in PENALTIES:
        raise BadTerms(f"{name} is {value}; it must be {' or '.join(PENALTIES)}")
    return str(value)


def whole(name: str, value: int | str, most: int = MOST) -> int:
    """A whole number, at least 1."""
    if type(value) is not int or not 1 <= value <= most:
        raise BadTerms(f"{name} is {value}; it must be a whole number from 1 to {most}")
    return value


DELTA = Parameter(
    name="delta",
    default="0.01",
    check=probability,
    limits="between 0 and 1",
    explained=(
        "How often the check of one round may fail because of how the coins fall: 0.01 is once in a hundred. The "
        "smaller it is, the more the coins draw, whatever the size of the batch: some ten documents of a batch at "
        "0.01 and k = 1, and several times as many where Alice's labels do not fit the ranking. Of a batch of only a "
        "few dozen documents, Bob then sees nearly all."
    ),
    told="the probability with which a round's check may fail",
    option="Failure probability of a round's verification.",
)

K = Parameter(
    name="k",
    default=1,
    check=whole,
    limits="from 1 on",
    explained=(
        "How many errors Alice may make, beyond those that no threshold avoids, before the coins find one almost "
        "surely. 1 is the strictest; a larger number shows Bob fewer documents that are not responsive."
    ),
    told="the tolerance for errors",
    option="Error tolerance of the label report.",
)

RATE = Parameter(
    name="rate",
    default="0.01",
    check=probability,
    limits="between 0 and 1",
    explained=(
        "Which share of the documents that Alice calls not responsive the coins draw for Bob to read, in every batch: "
        "0.01 is one in a hundred. A larger share costs more in every round, and leaves less to be drawn again later."
    ),
    told="the share of the documents called not responsive that coins draw",
    option="Share of the documents called not responsive that coins draw.",
)

TARGET = Parameter(
    name="target",
    default="0.9",
    check=probability,
    limits="between 0 and 1",
    explained=(
        "Which share of the responsive documents among the reviewed ones Bob must have, with confidence 1 - doubt: 0.9 "
        "is nine in ten. If the coins have not shown that, they draw again from all that Alice withholds. With "
        "few responsive documents a high target shows Bob nearly everything, up to the limit."
    ),
    told="the share of the responsive documents, among the reviewed ones, that Bob must have",
    option="Share of the responsive documents among the reviewed that must be certified.",
)

PENALTIES = ("none", "batch")

PENALTY = Parameter(
    name="penalty",
    default="none",
    check=penalty,
    limits="none or batch",
    explained=(
        "What a confirmed error of Alice's brings besides the document itself. none: nothing. batch: Bob gets the "
        "whole batch, so that an honest mistake costs as much as a lie."
    ),
    told="what a confirmed error brings Bob besides the document",
    option="What a confirmed error brings: none, or the whole batch.",
    choices=PENALTIES,
)

EVERY = Parameter(
    name="every",
    default=10,
    check=whole,
    limits="from 1 on",
    explained=(
        "After how many batches it is checked whether the target is reached, and if not, coins draw again from "
        "all that Alice withholds. The same comes at the end in any case. More often costs more, and trains the "
        "ranking better if Alice makes mistakes."
    ),
    told="the number of batches after which coins may draw again from all that is withheld",
    option="Batches after which coins may draw again from all that is withheld.",
)

LIMIT = Parameter(
    name="limit",
    default="0.25",
    check=share,
    limits="from 0 to 1",
    explained=(
        "Which share of the documents that Alice calls not responsive those further draws may show Bob in all: 0.25 is "
        "a quarter. When it is used up, they end, and the claims say that the target was not reached. All parties can "
        "change it later, and the court can."
    ),
    told="the share of the documents called not responsive that further draws may show Bob",
    option="Share of the documents called not responsive that further draws may show in all.",
)
