"""The certificate of the whole collection, from a validation: a draw over everything that Bob has not seen.

In one stage every document has the same chance, and what is drawn is shown. Of M responsive documents that Bob has not
seen, d are drawn; M is larger than `most(d, chance, alpha)` with a probability of at most alpha, whatever Alice did.

In two stages Alice first labels what a draw called, and a second draw checks those that she labels not responsive. The
bound is that of a bet: each responsive document multiplies the money by e^gain if it stays unseen, and by a factor
below 1 if it comes to light, so that the mean is 1 whatever she reports. The gain and the logarithms of the factors
are counted in 2^-64 and rounded so that the bound only becomes larger.

Validations are numbered, and each has its own share of the doubt.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cache, lru_cache

from protocol.certificates.binomial import last_above
from protocol.certificates.exact import BITS, ONE, cost, threshold
from protocol.fixedpoint import DIGITS, ceil_ln, roundings

FINEST_RATE = 1000
"""A rate by rule is a whole number of thousandths."""

WEIGHTS = (Fraction(4, 5), Fraction(1, 5))
"""How the money is split between the bet on no hit and the bet of half its gain."""


def alpha(doubt: Fraction, number: int) -> Fraction:
    """The share of the doubt that validation `number` has, counted from 1. All of them add up to the doubt."""
    if number < 1:
        raise ValueError(f"validations are numbered from 1: there is none with number {number}")
    return 4 * doubt * Fraction(1, 5) ** number


@lru_cache(2**10)
def most(hits: int, chance: int, level: Fraction) -> int:
    """The largest M of which at most `hits` are drawn with a probability above the level."""
    if hits < 0 or not 0 < chance <= ONE or not 0 < level < 1:
        raise ValueError(f"no bound from {hits} hits at a chance of {chance} coins and a level of {level}")
    return last_above(hits, chance, level)


def least_rate(*, found: int, expected_hits: int, target: Fraction, level: Fraction, largest: Fraction) -> int:
    """The chance of a validation by rule: the least in thousandths that meets the target after the expected hits.

    It is the largest rate if none up to it does.
    """
    limit = threshold(largest)
    rates = range(1, FINEST_RATE + 1)
    reached = (found + expected_hits) * target.denominator

    def left_over(rate: int) -> int:
        """Not negative if the target is met; it grows with the rate."""
        return reached - target.numerator * (found + most(expected_hits, _thousandths(rate), level))

    permitted = rates[: bisect_right(rates, limit, key=_thousandths)]
    place = bisect_left(permitted, 0, key=left_over)
    return _thousandths(permitted[place]) if place < len(permitted) else limit


def _thousandths(rate: int) -> int:
    return threshold(Fraction(rate, FINEST_RATE))


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoStages:
    """The rates of a validation in two stages, and its share of the doubt."""

    review: Fraction  # of the never reviewed documents, which Alice labels
    show: Fraction  # of those among them that she labels not responsive
    alpha: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Bet:
    """A bet that documents stay unseen: what the money starts with, gains and loses, as logarithms in 2^-64."""

    start: int  # of 1 / (weight * alpha): how much the money can have grown
    gain: int  # for each document that stays unseen
    loss_reported: int  # for each called document that Alice reports as responsive
    loss_hit: int | None  # for each called document that she does not report and that is shown; None: nothing is left
    loss_withheld_hit: int | None  # for each document that she withheld before and that is shown

    def budget(self, reported: int, hits: int, withheld_hits: int) -> int | None:
        """What the gains of all that stay unseen add up to at most; None if the bet says nothing any more."""
        if self.loss_hit is None or self.loss_withheld_hit is None:
            return None if hits + withheld_hits else self.start + reported * self.loss_reported
        return (
            self.start + reported * self.loss_reported + hits * self.loss_hit + withheld_hits * self.loss_withheld_hit
        )


@cache
def bets(stages: TwoStages) -> tuple[Bet, ...]:
    """The bet of the whole cost, which a hit ends, and the bet of half of it. If all is shown, there is no bet."""
    called, shown = threshold(stages.review), threshold(stages.show)
    either = called * shown // ONE  # X: the chance to be called and then shown
    if either == ONE:
        return ()
    whole = cost(either)
    half = whole // 2
    if half == 0:
        raise ValueError(f"a validation that shows {either} coins of {ONE} proves nothing: raise its rates")
    shares = [weight * stages.alpha for weight in WEIGHTS]
    starts = [ceil_ln(share.denominator, share.numerator, BITS) for share in shares]
    return (
        Bet(
            start=starts[0],
            gain=whole,
            loss_reported=_loss(whole, (called,)),
            loss_hit=None,
            loss_withheld_hit=None,
        ),
        Bet(
            start=starts[1],
            gain=half,
            loss_reported=_loss(half, (called,)),
            loss_hit=_loss(half, (called, shown)),
            loss_withheld_hit=_loss(half, (either,)),
        ),
    )


def missing(stages: TwoStages, *, reported: int, hits: int, withheld_hits: int) -> int:
    """At most how many responsive documents Bob has not seen after the validation; the least over the bets."""
    budgets = [(bet.budget(reported, hits, withheld_hits), bet.gain) for bet in bets(stages)]
    return min((budget // gain for budget, gain in budgets if budget is not None), default=0)


def _loss(gain: int, chances: tuple[int, ...]) -> int:
    """-ln of the factor that is left after a row of draws, each of which found the document, in 2^-64, rounded up.

    A draw at chance p turns a factor f into (f - (1 - p) e^G) / p, so that its mean stays f; the first f is 1.
    """
    digits = DIGITS
    while True:
        down, up = roundings(digits)
        low, high = _factor(gain, chances, down, up), _factor(gain, chances, up, down)
        if low == high == 1:  # a draw that is sure to find it
            return 0
        if low > 0:
            lowest = down.multiply(down.ln(low).next_minus(down), ONE).to_integral_value(ROUND_FLOOR)
            highest = up.multiply(up.ln(high).next_plus(up), ONE).to_integral_value(ROUND_FLOOR)
            if lowest == highest:
                return -int(lowest)
        digits *= 2


def _factor(gain: int, chances: tuple[int, ...], this: Context, other: Context) -> Decimal:
    """The factor after the draws, rounded as `this` says; `other` rounds the other way."""
    power = other.exp(other.divide(Decimal(gain), ONE))
    power = power.next_plus(other) if other.rounding == ROUND_CEILING else power.next_minus(other)
    factor = Decimal(1)
    for chance in chances:
        stake = other.divide(other.multiply(power, ONE - chance), ONE)
        factor = this.divide(this.multiply(this.subtract(factor, stake), ONE), chance)
    return factor
