"""The certificate of the collection: how many responsive documents can be among all that Bob has not seen.

One stage: every document has the same chance to be drawn, and what is drawn is shown. Two stages: Alice labels a called
sample, and a second draw checks what she labelled as not responsive. Each validation of a matter has its own share of
the doubt, and all shares together are the doubt.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from verifier.certificates.binomial import last, side
from verifier.certificates.exact import ONE, cost, exponential, threshold
from verifier.logarithms import ln_ceil

_RATES = 1000
"""A rate by rule is a multiple of 1/1000."""


def alpha(doubt: Fraction, number: int) -> Fraction:
    """The share of the doubt for validation `number`, counted from 1."""
    return doubt * Fraction(4, 5**number)


def most(hits: int, chance: int, alpha: Fraction) -> int:
    """How many there can have been before the draw: the largest M with P(at most `hits` of M drawn) > alpha."""
    if not 0 < chance <= ONE:
        raise ValueError(f"a draw with the chance {chance} of 2^64 bounds nothing")
    guess, step = hits * ONE // chance, (isqrt(hits) + 1) * ONE // chance
    return last(lambda number: side(hits, number, chance, alpha) > 0, hits, guess, step)


def least_rate(found: int, expected: int, target: Fraction, alpha: Fraction, largest: Fraction) -> int:
    """The chance by rule: of the least rate that reaches the target if so many hits come as are expected.

    The target bears a certain number of documents, and `most` is within it just if one more would be too unlikely.
    """
    one_too_many = (found + expected) * target.denominator // target.numerator - found + 1
    rates = range(1, _RATES + 1)
    usable = bisect_right(rates, threshold(largest), key=_chance)
    rank = bisect_left(rates[:usable], 0, key=lambda rate: -side(expected, one_too_many, _chance(rate), alpha))
    return _chance(rates[rank]) if rank < usable else threshold(largest)


def _chance(rate: int) -> int:
    return threshold(Fraction(rate, _RATES))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bet:
    """A bet against Alice: what a document that is still missing gains, what each find loses, what she can afford.

    A bet that is used only without hits has no loss for them.
    """

    gain: int
    loss_reported: int
    loss_hit: int | None
    loss_withheld_hit: int | None
    budget: int

    @property
    def at_most(self) -> int:
        """How many documents can be missing by this bet."""
        return self.budget // self.gain


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoStages:
    """What a validation in two stages proves: the bets that count, and the least that they allow."""

    bets: tuple[Bet, ...]
    at_most: int


def two_stages(
    review: Fraction, show: Fraction, alpha: Fraction, reported: int, hits: int, withheld_hits: int
) -> TwoStages:
    """What can be missing after `reported` (a), `hits` (q) and `withheld_hits` (q') were found responsive."""
    called, checked = threshold(review), threshold(show)
    both = called * checked // ONE
    if both == ONE:  # every document was called and shown
        return TwoStages(bets=(), at_most=0)
    if both < 2:
        raise ValueError(f"a draw with the chance {both} of 2^64 bounds nothing")
    bets = [_half_bet(called, checked, both, alpha, (reported, hits, withheld_hits))]
    if not hits + withheld_hits:
        bets.insert(0, _whole_bet(called, both, alpha, reported))
    return TwoStages(bets=tuple(bets), at_most=min(bet.at_most for bet in bets))


def _whole_bet(called: int, both: int, alpha: Fraction, reported: int) -> Bet:
    gain = cost(both)
    loss_reported = _loss(gain, lambda growth: _reported(called, growth))
    return Bet(
        gain=gain,
        loss_reported=loss_reported,
        loss_hit=None,
        loss_withheld_hit=None,
        budget=_stake(Fraction(4, 5) * alpha) + reported * loss_reported,
    )


def _half_bet(called: int, checked: int, both: int, alpha: Fraction, finds: tuple[int, int, int]) -> Bet:
    gain = cost(both) // 2
    losses = (
        _loss(gain, lambda growth: _reported(called, growth)),
        _loss(gain, lambda growth: _shown(checked, _reported(called, growth), growth)),
        _loss(gain, lambda growth: _shown(both, Fraction(1), growth)),
    )
    return Bet(
        gain=gain,
        loss_reported=losses[0],
        loss_hit=losses[1],
        loss_withheld_hit=losses[2],
        budget=_stake(alpha / 5) + sum(number * loss for number, loss in zip(finds, losses, strict=True)),
    )


def _stake(share: Fraction) -> int:
    return ln_ceil(share.denominator, share.numerator, 64)


def _reported(called: int, growth: Fraction) -> Fraction:
    """K: the factor of a document that was called and reported, if one that is not shown has the factor `growth`."""
    return _shown(called, Fraction(1), growth)


def _shown(chance: int, mean: Fraction, growth: Fraction) -> Fraction:
    """The factor of a document that was drawn, so that the mean over drawn and not drawn is as given."""
    drawn = Fraction(chance, ONE)
    return (mean - (1 - drawn) * growth) / drawn


def _loss(gain: int, factor: Callable[[Fraction], Fraction]) -> int:
    """ceil(2^64 (-ln of the factor)), where the factor falls as the growth e^(gain / 2^64) rises.

    Before it is rounded up it is no integer, unless the factor is 1: powers of e with different exponents are linearly
    independent (Lindemann).
    """
    digits = 80
    while True:
        larger, smaller = (factor(growth) for growth in exponential(gain, digits))
        if smaller > 0:
            losses = {ln_ceil(each.denominator, each.numerator, 64) for each in (larger, smaller)}
            if len(losses) == 1:
                return losses.pop()
        digits *= 2
