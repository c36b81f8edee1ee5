"""What a rule is: its terms, what it makes due, its bound and its words. And what rules share, in ranks and integers.

Positions count from 1, the highest score; a threshold is a rank r, the top r are at or above it. The coins of all
positions are fixed, so what must have been shown is a function of the report, the coins and the labels settled so far.
What Alice claims late counts as drawn, whatever its coin.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Generic, TypeVar

from verifier.certificates import exact
from verifier.rules.terms import Terms

ALL_COINS = exact.ONE
NOTHING: frozenset[int] = frozenset()

T = TypeVar("T", bound=Terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What Alice says of a batch. A label or a threshold that is not asked for is None."""

    labels: tuple[bool | None, ...]
    threshold: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What follows from a report, the coins, and what is settled."""

    threshold: int
    error: int
    due: frozenset[int]  # what Bob must have been shown by now
    chances: dict[int, int]  # for each position that a coin decides about, how many of all coins would draw it
    drawn: frozenset[int]
    compelled_at: int | None  # the position at which the whole batch became due


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a closed round tells about hidden documents; chances are counted in coins."""

    compelled: bool  # or it counts as such, since Bob did not answer
    missed: tuple[int, ...]  # chances of the positions that Bob never saw
    found: tuple[int, ...]  # chances of the responsive positions that a coin drew, up to where it compelled the rest
    unproven: int = 0  # positions that may all be hidden, since Bob did not answer


Coins = Sequence[int]
Settled = Mapping[int, bool]
Evidences = Sequence[Evidence]
Examine = Callable[[T, Report, Coins, Settled, frozenset[int]], Examined]
"""The state of a round: terms, report, coins, what is settled, and the positions that count as drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotChecks:
    """What the books of a matter are kept by, if its rule certifies what was reviewed as a whole."""

    chance: int  # of each reported negative of a batch, in coins
    target: Fraction
    target_text: str
    every: int  # so many rounds between escalations
    limit: str  # the share of the reported negatives that escalations may show Bob, as first agreed
    by_batch: bool  # whether a hit brings Bob the whole batch


@dataclass(frozen=True, slots=True, kw_only=True)
class Words(Generic[T]):
    """A rule in words."""

    guarantee: str  # what is proven of a round, as the claims state it to the letter
    plain: str | None  # the same in plain words, unless it is plain already
    explained: str  # the rule in a sentence or two, for `--explain`
    story: str  # and in a paragraph, for the report
    numbers: Callable[[T], str]  # the parameters that the guarantee names, or nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Generic[T]):
    """All that the verifier must know of a rule."""

    protocol: str  # its name in the terms
    terms: type[T]
    check: Callable[[T], None]  # raises `Malformed` unless its parameters are within their limits
    with_threshold: bool  # whether Alice reports a threshold, and labels down to it alone
    examine: Examine[T]
    certain: Callable[[T, Report, int], dict[int, str]]  # what is due whatever the coins, above what threshold, and why
    at_most: Callable[[T, Evidences, Fraction], int]  # how many can be hidden, the unproven apart
    words: Words[T]
    spot_checks: Callable[[T], SpotChecks] | None = None  # if the books tell how many can be hidden


def everything(size: int) -> frozenset[int]:
    """All positions of a batch."""
    return frozenset(range(1, size + 1))


def without_report(size: int) -> Examined:
    """A round in which Alice does not report: everything is due, and no coin decides."""
    return Examined(threshold=0, error=0, due=everything(size), chances={}, drawn=NOTHING, compelled_at=None)


def best_rank(labels: Sequence[bool]) -> tuple[int, int]:
    """The largest rank of least error, and that error: not responsive ones in the top r, responsive ones below."""
    errors = list(accumulate([-1 if label else 1 for label in labels], initial=sum(labels)))
    least = min(errors)
    return len(errors) - 1 - errors[::-1].index(least), least


def chance(tickets: int, divisor: int) -> int:
    """How many coins U have U divisor < tickets 2^32."""
    return min(ALL_COINS, -(-tickets * 2**32 // divisor))


def chances(tickets: int, count: int) -> list[int]:
    """The same for each divisor from 1 to `count`."""
    scaled = -tickets * 2**32
    return [ALL_COINS if tickets >= divisor << 32 else -(scaled // divisor) for divisor in range(1, count + 1)]


def above_the_threshold(threshold: int) -> dict[int, str]:
    """The positions that are due since they stand above a threshold, and why."""
    return dict.fromkeys(range(1, threshold + 1), f"it stands at or above the threshold (position {threshold})")
