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

How the money is bet, each rule says in its own module.

A late claim comes when Alice has seen what was drawn. It changes nothing in the bet: chances, and where the round is
compelled, are what the coins alone make them, and what Bob sees besides was missed, so that a factor is left out.

A round in which Bob did not read what he was shown proves nothing: whatever in it rests on Alice's word alone is added
to the bound, and since Bob may be silent just when a coin has found something, the round costs what a find costs.

It holds if Bob recognises every responsive document that he is shown and the court rules rightly. In numbers: a cost is
the integer floor(2^64 c); g is min(2^64 limit, floor(share * cost)); a logarithm in a budget is the integer
ceil(2^64 ln), one for each find; all of exact real values. So whatever is rounded makes the bound larger.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction

from protocol.certificates.exact import BITS
from protocol.fixedpoint import ceil_ln
from protocol.rules.base import COINS, Evidence


def unproven(rounds: Iterable[Evidence]) -> int:
    """How many documents rest on Alice's word alone, because Bob did not read what was drawn."""
    return sum(closed.unproven for closed in rounds)


def budget(doubt: Fraction) -> int:
    """ln(1/doubt) * 2^64, rounded upward."""
    return ceil_ln(doubt.denominator, doubt.numerator, BITS)


def undisclosed(rounds: Iterable[Evidence]) -> list[int]:
    """The chances of all positions that may hide something, smallest first. What every coin draws is never missed."""
    found = (chance for closed in rounds if not closed.compelled for chance in closed.undisclosed)
    return sorted(chance for chance in found if chance < COINS)


def most(chances: Iterable[int], price: Callable[[int], int], money: int) -> int:
    """How many of the chances, cheapest first, can be paid for. Only these are ever priced, and one more."""
    bought = 0
    for chance in chances:
        money -= price(chance)
        if money < 0:
            break
        bought += 1
    return bought
