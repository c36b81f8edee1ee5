"""How many responsive documents can be hidden, whatever Alice did: a bound from the coins alone.

Let somebody with one unit of money bet that hidden documents are missed, one bet for each coin. Where a coin draws a
responsive document with probability p, the money is multiplied by e^g if the document is missed, and by
(1 - (1 - p) e^g) / p if it is drawn, with 0 <= g <= c = -ln(1 - p). The mean of that factor is 1. Reports are fixed
before the coins, and a chance depends on earlier coins only, so it is 1 in every round, however Alice chooses what to
hide from all that has happened so far: the money is a test martingale. By Ville's inequality it ever exceeds 1/doubt
with probability at most `doubt`. Except with that probability, then, what was missed has cost no more than

    sum over the missed of g  <=  ln(1/doubt) + sum over the found of -ln(factor)

and the number hidden is at most the largest h whose h smallest g, of all positions that Bob never saw, add up to no
more than the right-hand side. Money that is split among several ways to bet bounds each of them with its share of
`doubt`. When a batch is disclosed as a whole its missed documents are hidden no longer: their factors, which are at
least 1, are left out.

Label report: one find discloses the batch, so a round is one bet on all that is hidden in it, s = sum of c. One half of
the money goes with g = c, which loses everything at the first find; the other half with g = c/2, which keeps a factor
1 / (1 + e^(-s/2)) >= 1/2 in each of D compelled rounds. So sum c <= ln(2/doubt), or 2 (ln(2/doubt) + D ln 2) if D > 0.

Classifier report: one bet a position with g = min(limit, share * c), the money split among the `BETS`.

A late claim comes when Alice has seen what was drawn. It changes nothing in the bet: chances, and where the round is
compelled, are what the coins alone make them, and what Bob sees besides was missed, so that a factor is left out.

A round in which Bob did not read what he was shown proves nothing: whatever in it rests on Alice's word alone is added
to the bound, and since Bob may be silent just when a coin has hit, the round costs what a find costs.

It holds if Bob recognises every responsive document that he is shown and the court rules rightly. In numbers: a cost is
the integer floor(2^64 c); g is min(2^64 limit, floor(share * cost)); a logarithm in a budget is the integer
ceil(2^64 ln), one for each find; all of exact real values. So whatever is rounded makes the bound larger.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from protocol.fixedpoint import ceil_ln, floor_ln

if TYPE_CHECKING:
    from protocol.rules.base import Evidence  # the rules stand above this module

_BITS = 64
_ONE = 2**_BITS  # as a cost; and of a chance, all coins
_DIGITS = 150  # a find's logarithm is then known to some 90 digits behind the point: enough to round it


@dataclass(frozen=True, slots=True, kw_only=True)
class Bet:
    """One way to bet on what a classifier report hides."""

    weight: Fraction  # its part of the money
    share: Fraction  # lambda in the design
    limit: int | None = None  # theta in the design, times 2^64; None is infinite

    def stake(self, chance: int) -> int:
        """What the bet wins when this chance misses, in logarithms: g * 2^64. It grows with the chance."""
        part = cost(chance) * self.share.numerator // self.share.denominator
        return part if self.limit is None else min(part, self.limit)

    @property
    def survives_finds(self) -> bool:
        """Whether anything is left of the money after a find that was not certain."""
        return self.share < 1


BETS = (
    Bet(weight=Fraction(8, 10), share=Fraction(1)),
    Bet(weight=Fraction(2, 70), share=Fraction(1, 2)),
    *(Bet(weight=Fraction(2, 70), share=Fraction(9, 10), limit=_ONE >> power) for power in range(3, 9)),
)


def label_report(rounds: Sequence["Evidence"], doubt: Fraction) -> int:
    """How many responsive documents can be hidden in rounds of label reports, except with probability `doubt`."""
    compelled = sum(closed.compelled for closed in rounds)
    budget = _budget(doubt / 2 ** (compelled + 1)) * (2 if compelled else 1)
    return _most(_undisclosed(rounds), cost, budget) + unproven(rounds)


def classifier_report(rounds: Sequence["Evidence"], doubt: Fraction) -> int:
    """How many responsive documents can be hidden in rounds of classifier reports, except with probability `doubt`."""
    undisclosed = _undisclosed(rounds)
    finds = Counter(chance for closed in rounds for chance in closed.found if chance < _ONE)
    bounds = []
    for bet in BETS:
        if bet.survives_finds or not finds:
            lost = sum(count * loss(bet, chance) for chance, count in finds.items())
            bounds.append(_most(undisclosed, bet.stake, _budget(bet.weight * doubt) + lost))
    return min(bounds) + unproven(rounds)


def unproven(rounds: Iterable["Evidence"]) -> int:
    """How many documents rest on Alice's word alone, because Bob did not read what was drawn."""
    return sum(closed.unproven for closed in rounds)


@cache
def cost(chance: int) -> int:
    """What it costs to miss a position that `chance` of the coins draw: c * 2^64, rounded downward."""
    return floor_ln(_ONE, _ONE - chance, _BITS)


@cache
def loss(bet: Bet, chance: int) -> int:
    """What a find at this chance costs the bet, in logarithms: -ln((1 - (1 - p) e^g) / p) * 2^64, rounded upward.

    The g is the rounded one that a miss wins, so that the factor's mean stays 1 exactly.
    """
    with localcontext(Context(prec=_DIGITS)):
        probability = Decimal(chance) / _ONE
        kept = (1 - (1 - probability) * (Decimal(bet.stake(chance)) / _ONE).exp()) / probability
        return int((-kept.ln() * _ONE).to_integral_value(rounding=ROUND_CEILING))


def _budget(doubt: Fraction) -> int:
    """ln(1/doubt) * 2^64, rounded upward."""
    return ceil_ln(doubt.denominator, doubt.numerator, _BITS)


def _undisclosed(rounds: Iterable["Evidence"]) -> list[int]:
    """The chances of all positions that may hide something, smallest first. What every coin draws is never missed."""
    return sorted(chance for closed in rounds if not closed.compelled for chance in closed.undisclosed if chance < _ONE)


def _most(chances: Iterable[int], price: Callable[[int], int], budget: int) -> int:
    """How many of the chances, cheapest first, can be paid for. Only these are ever priced, and one more."""
    bought = 0
    for chance in chances:
        budget -= price(chance)
        if budget < 0:
            break
        bought += 1
    return bought
