"""The terms of a matter: what all parties sign before anything is drawn.

Each rule has its own terms: a record that names the rule as its `protocol` and adds the rule's parameters to what all
terms have. `table` lists the rules.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import msgspec

from ledger import records
from ledger.canonical import Value
from ledger.records import Record
from protocol import fixedpoint
from protocol.errors import BadTerms

MOST = 2**31
Positive = Annotated[int, msgspec.Meta(ge=1, le=MOST)]


class Terms:
    """Terms by any rule: what all of them have. They are read as the record of the rule that they name."""

    __slots__ = ()

    batch: int  # N in the paper
    doubt: str  # the bound on hidden documents fails with at most this probability, a decimal
    draws: int  # the length of the coin chains
    query: str  # the seed query; empty: the first batch is drawn from all documents
    rounds: int  # T in the paper

    @property
    def protocol(self) -> str:
        """The name of the rule."""
        raise NotImplementedError

    def amended(self, rounds: int) -> "Terms":
        """These terms with another number of rounds."""
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
    doubt: str
    draws: Positive
    query: str
    rounds: Positive

    @property
    def protocol(self) -> str:
        return str(self.__struct_config__.tag)

    def encoded(self) -> bytes:
        return records.encode(self)

    def amended(self, rounds: int) -> Terms:
        return msgspec.structs.replace(self, rounds=rounds)


RECORDS: dict[str, type[RuleTerms]] = {}
"""The terms of each rule by its name. Only `table` writes here."""


def unknown(protocol: object) -> BadTerms:
    """The message about a rule that this program does not know."""
    return BadTerms(f"the protocol {protocol!r} is not known; known are {', '.join(RECORDS)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A number that the terms give to a rule: a field of its terms, whole or a decimal written as a text.

    Rules that share a parameter share this description of it.
    """

    name: str
    default: int | str
    check: Callable[[str, int | str], object]  # raises `BadTerms`, given the name and a value that is out of bounds
    limits: str  # the same in words
    explained: str  # in the terms file
    told: str  # to a party that is about to sign, after the value
    option: str  # the help of the option of `simulate`

    @property
    def write(self) -> str:
        """What to write into a terms file."""
        return f"{self.called} {self.limits}, such as {self.default}"

    @property
    def called(self) -> str:
        """What kind of number it is."""
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
