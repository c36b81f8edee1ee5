"""How many responsive documents can be hidden, from the coins alone (specification, section "The bound").

A cost is floor(2^64 c) with c = -ln(1 - p), a budget is rounded up, so that rounding only ever makes the bound larger.
Why it holds is in docs/decisions/0018-hidden-document-bound.md; what privilege and silence leave of it, in 0035. Each
rule's own budget is in its module.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain

from verifier.logarithms import ln_ceil
from verifier.rules.base import ALL_COINS, Evidence, Examined, Rule, T

LEFT_ASIDE = "This leaves aside what the court withheld as privileged, and rounds in which Bob left documents unread."
"""How the guarantee ends if the rule rests on coins."""


def evidence(
    examined: Examined,
    alone: Examined,
    settled: Mapping[int, bool],
    withheld: Collection[int] = (),
) -> Evidence:
    """The evidence of a round in which all that was due is settled, by Bob or the court, or withheld.

    `alone` is what the coins alone make of it, without late claims; without any, the two are the same.
    """
    end = alone.compelled_at
    found = [
        alone.chances[position]
        for position in sorted(alone.chances.keys() & (examined.drawn | alone.drawn))
        if settled.get(position) and (end is None or position <= end)
    ]
    unseen = dict(alone.chances)
    for position in (*settled, *withheld):
        unseen.pop(position, None)
    return Evidence(compelled=examined.compelled_at is not None, missed=tuple(unseen.values()), found=tuple(found))


def without_answer(
    shown: Evidence,
    examined: Examined,
    alone: Examined,
    unread: Collection[int],
    unproven: int,
) -> Evidence:
    """The evidence of a round in which Bob left positions unread: its coins prove nothing, and cost what finds cost."""
    drawn = (examined.drawn | alone.drawn).intersection(unread)
    finds = tuple(alone.chances[position] for position in sorted(drawn))
    return Evidence(compelled=True, missed=(), found=shown.found + finds, unproven=unproven)


def hidden_at_most(rule: Rule[T], terms: T, rounds: Sequence[Evidence], doubt: Fraction) -> int:
    """The bound of a matter's closed rounds, except with probability `doubt`."""
    return sum(each.unproven for each in rounds) + rule.at_most(terms, rounds, doubt)


def log_of_inverse(doubt: Fraction) -> int:
    """ceil(2^64 ln(1/doubt))."""
    return ln_ceil(doubt.denominator, doubt.numerator, 64)


def missed(rounds: Iterable[Evidence]) -> list[int]:
    """The chances that may hide something, ascending: a compelled round hides nothing, nor does a certain coin."""
    ascending = sorted(chain.from_iterable(each.missed for each in rounds if not each.compelled))
    return ascending[: bisect_left(ascending, ALL_COINS)]


def affordable(chances: Sequence[int], price: Callable[[int], int], budget: int) -> int:
    """How many of the chances, the cheapest first, the budget pays for."""
    for count, number in enumerate(chances):
        budget -= price(number)
        if budget < 0:
            return count
    return len(chances)
