"""How many responsive documents can be hidden, from the coins alone (specification, section "The bound").

A cost is floor(2^64 c) with c = -ln(1 - p), a budget is rounded up, so that rounding only ever makes the bound larger.
Why it holds is in docs/decisions/0018-hidden-document-bound.md; what privilege and silence leave of it, in 0035.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cache

from verifier.rules.logarithms import ln_ceil, ln_floor
from verifier.rules.terms import Protocol
from verifier.rules.verification import ALL_COINS, Examined

_UNIT = 2**64
_DIGITS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a closed round tells about hidden documents; chances are counted in coins."""

    compelled: bool  # or it counts as such, since Bob did not answer
    missed: tuple[int, ...]  # chances of the positions that Bob never saw
    found: tuple[int, ...]  # chances of the responsive positions that a coin drew, up to where it compelled the rest
    unproven: int = 0  # positions that may all be hidden, since Bob did not answer


def evidence(
    examined: Examined,
    alone: Examined,
    settled: Mapping[int, bool],
    withheld: Collection[int] = (),
) -> Evidence:
    """The evidence of a round in which all that was due is settled, by Bob or the court, or withheld.

    `alone` is what the coins alone make of it, late claims not counting as drawn: the same, where there are none.
    """
    end = alone.compelled_at
    found = [
        number
        for position, number in alone.chances.items()
        if (position in examined.drawn or position in alone.drawn)
        and settled.get(position)
        and (end is None or position <= end)
    ]
    missed = [
        number for position, number in alone.chances.items() if position not in settled and position not in withheld
    ]
    return Evidence(compelled=examined.compelled_at is not None, missed=tuple(missed), found=tuple(found))


def without_answer(
    shown: Evidence,
    examined: Examined,
    alone: Examined,
    unread: Collection[int],
    unproven: int,
) -> Evidence:
    """The evidence of a round in which Bob left positions unread: its coins prove nothing, and cost what hits cost."""
    drawn = (examined.drawn | alone.drawn).intersection(unread)
    hits = tuple(alone.chances[position] for position in sorted(drawn))
    return Evidence(compelled=True, missed=(), found=shown.found + hits, unproven=unproven)


def hidden_at_most(protocol: Protocol, rounds: Sequence[Evidence], doubt: Fraction) -> int:
    """The bound of a matter's closed rounds, except with probability `doubt`."""
    unproven = sum(each.unproven for each in rounds)
    match protocol:
        case Protocol.REVEAL_ALL:
            return unproven
        case Protocol.LABEL:
            return unproven + _label(rounds, doubt)
        case Protocol.CLASSIFIER:
            return unproven + _classifier(rounds, doubt)


def _label(rounds: Sequence[Evidence], doubt: Fraction) -> int:
    compelled = sum(each.compelled for each in rounds)
    budget = _log_of_inverse(doubt / 2 ** (compelled + 1))
    return _affordable(_missed(rounds), _cost, 2 * budget if compelled else budget)


@dataclass(frozen=True, slots=True)
class _Bet:
    """g = min(limit, share c), with a part of the money; the limit is in units of 2^-64, None is infinite."""

    weight: Fraction
    share: Fraction
    limit: int | None

    def gain(self, number: int) -> int:
        """floor(2^64 g) for a chance that misses."""
        part = _cost(number) * self.share.numerator // self.share.denominator
        return part if self.limit is None else min(self.limit, part)


_BETS = (
    _Bet(Fraction(4, 5), Fraction(1), None),
    _Bet(Fraction(1, 35), Fraction(1, 2), None),
    *(_Bet(Fraction(1, 35), Fraction(9, 10), _UNIT // 2**power) for power in (3, 4, 5, 6, 7, 8)),
)


def _classifier(rounds: Sequence[Evidence], doubt: Fraction) -> int:
    missed = _missed(rounds)
    found = Counter(number for each in rounds for number in each.found if number < ALL_COINS)
    bounds = []
    for bet in _BETS:
        if found and bet.share == 1:
            continue  # the first find took all of this bet's money
        lost = sum(times * _loss(bet, number) for number, times in found.items())
        bounds.append(_affordable(missed, bet.gain, _log_of_inverse(bet.weight * doubt) + lost))
    return min(bounds)


@cache
def _cost(number: int) -> int:
    """floor(2^64 c) of a chance."""
    return ln_floor(ALL_COINS, ALL_COINS - number, 64)


@cache
def _loss(bet: _Bet, number: int) -> int:
    """ceil(2^64 (-ln((1 - (1 - p) e^g) / p))) for a find, with the rounded g that a miss would have gained."""
    work = Context(prec=_DIGITS)
    chance = work.divide(Decimal(number), Decimal(ALL_COINS))
    growth = work.exp(work.divide(Decimal(bet.gain(number)), Decimal(_UNIT)))
    kept = work.divide(work.subtract(1, work.multiply(work.subtract(1, chance), growth)), chance)
    return int(work.multiply(-work.ln(kept), Decimal(_UNIT)).to_integral_value(ROUND_CEILING))


def _log_of_inverse(doubt: Fraction) -> int:
    """ceil(2^64 ln(1/doubt))."""
    return ln_ceil(doubt.denominator, doubt.numerator, 64)


def _missed(rounds: Iterable[Evidence]) -> list[int]:
    """The chances that may hide something, ascending: a compelled round hides nothing, nor does a certain coin."""
    return sorted(number for each in rounds if not each.compelled for number in each.missed if number < ALL_COINS)


def _affordable(chances: Sequence[int], price: Callable[[int], int], budget: int) -> int:
    """How many of the chances, the cheapest first, the budget pays for."""
    for count, number in enumerate(chances):
        budget -= price(number)
        if budget < 0:
            return count
    return len(chances)
