"""Algorithm "High-dimensional Sampling Protocol", and what Lemma "high-dim-label" says of it.

Trent asks the oracle for all optimal classifiers w_i . x + b_i >= 0 of Alice's labels. Bob gets what she reports as
positive and what any of them makes positive. Each other point is drawn with probability min(1, c/n), and a hidden
positive that is drawn brings everything. The algorithm prints n_i and does not say what it is.

*Step 6.* Read as printed, n_i is the place i in the order by distance, along a direction v, to the union of the
optimal classifiers' positive sides. Then the lemma fails, even with v the normal of h* and h* consistent for
half-spaces. A true negative far below h* can lie close to one of the report's classifiers, where a hidden positive x,
between h* and the union's corner, does not; enough of them make the chance of x as small as they like.

*The proof's count.* The proof has another n(x): the negative points whose distance to the *intersection* of the
positive sides is less than the distance d(x) of x to their union. Here (`highdim_count`) it is 1 for x itself, as the
first on a line has 1, and 1 for each other undecided point that is strictly nearer to the intersection, along v,
than d(x). With this n(x) the lemma stands for v the normal of h* if the positive side of h* contains the intersection
C in the whole space. If C is empty, n(x) = 1. Else v . x has a minimum m on C, and by Farkas' lemma v . x - m is a sum
of the w_i . x + b_i with weights >= 0, not all 0. So if v . x >= m, some w_i . x + b_i >= 0: this half-space (h' in
the paper) lies inside the union. For an undecided x therefore v . x + d(x) |v|^2 <= m. If y + t v is in C and t < d(x),
then v . y >= m - t |v|^2 > v . x: whatever n(x) counts besides x comes before x along h*. So n(x) is at most the
place of x in the order by falling v . x, and what is proved of that order below holds here too. (A constant h* has no
normal; if it is positive, every v will do, since then b <= FP(h*) < a.) With consistency for the points alone, v . x
may have no minimum on C, and there are failures.

*Corrected.* Let h be any classifier, a the number of hidden positives on its positive side that Bob was not given, and
b the number of true negatives that stand in the order before the last of these. If b <= a, then with c >= 2 ln(1/delta)
all a are missed with probability at most delta: the j-th stands at place b + j or before, and sum 1/(b + j) over j = 1
.. a is at least a/(a + b) >= 1/2, so the product of 1 - c/(b + j) is at most exp(-c/2).

For the order by falling v . x, with v the normal of h, it follows that more than err(h) hidden positives stay hidden
with probability at most delta, whatever Alice reports and whatever Bob was given before: at most FN(h) of them lie
on the negative side of h, so a > FP(h), and only negatives of the positive side stand before the last of the a, so b <=
FP(h) < a. With v the normal of an optimal classifier this is the theorem's recall with err* in place of err* + k, and
neither consistency nor the oracle is needed; with any other v it holds with the least error of a threshold along v.
Neither k nor the report's error enters: 2 ln(1/delta) is enough for recall, on a line too (Theorem "one-dim-label").

*The lemma's own premise* is that some optimal h_A of the report has err(h_A) >= err* + k. Let Alice only hide, and let
Step 4 give Bob none of the hidden positives of D, where h* is positive and h_A is not. These are the a above. The
premise gives b <= a + err_A(h_A) - k, and err_A(h_A) <= err_A(h*) gives 2 a >= k. So a/(a + b) is at least 1/2 or
k/(2 err_A(h_A)), and the paper's c = (2 + 2 err_A(h_A)/k) ln(1/delta) is enough.

Theorem "high-dim-label" says only that some protocol has the recall, and bounds no disclosure: revealing everything
proves it.
"""

import math
from collections.abc import Sequence
from enum import Enum
from fractions import Fraction
from functools import lru_cache

from protocol.paper.geometry.dichotomies import plane
from protocol.paper.geometry.dichotomies.base import Classifier, Dichotomy, Optimum, Point, dot
from protocol.rules.base import COINS, chance

Distance = Fraction | float
"""Exact, or infinite."""


class Reading(Enum):
    """Which classifier stands for an optimal dichotomy: the printed order depends on it, and the paper is silent."""

    ORACLE = "the oracle's"
    WIDEST = "of widest margin"  # in the plane
    EVERY = "all"  # by the word: the nearest of all classifiers that make the dichotomy; in the plane


@lru_cache(100_000)
def distances(
    points: tuple[Point, ...], dichotomy: Dichotomy, direction: Point, reading: Reading
) -> tuple[Distance, ...]:
    """How far each point is, along the direction, from the positive side; infinite if that way never leads there."""
    if reading is Reading.EVERY:
        lines = plane.touching(points, dichotomy.positive, direction)
    else:
        lines = [representative(points, dichotomy, reading)]
    seen = [(line, speed) for line in lines if (speed := dot(line.normal, direction)) > 0]
    return tuple(
        Fraction(0)
        if index in dichotomy.positive
        else min((Fraction(-line.value(point), speed) for line, speed in seen), default=math.inf)
        for index, point in enumerate(points)
    )


@lru_cache(100_000)
def representative(points: tuple[Point, ...], dichotomy: Dichotomy, reading: Reading) -> Classifier:
    """One classifier for the dichotomy; where a reading takes all, the oracle's."""
    return plane.widest(points, dichotomy.positive) if reading is Reading.WIDEST else dichotomy.classifier


def undecided(report: Optimum, labels: Sequence[bool]) -> list[int]:
    """The points that Bob does not get in Step 4: reported as negative, and negative for all optimal classifiers."""
    given = frozenset[int]().union(*(each.positive for each in report.dichotomies))
    return [index for index, label in enumerate(labels) if not label and index not in given]


def printed_order(
    points: tuple[Point, ...], report: Optimum, rest: Sequence[int], direction: Point, reading: Reading
) -> list[int]:
    """By distance to the union, the nearest first.

    The paper does not settle equal distances, nor infinite ones (when no optimal classifier has a positive side in that
    direction). Then the larger projection goes first, as on a line, and of equal ones the smaller index.
    """
    columns = [distances(points, each, direction, reading) for each in report.dichotomies]
    return sorted(
        rest, key=lambda index: (min(column[index] for column in columns), -dot(direction, points[index]), index)
    )


def projected_order(points: Sequence[Point], rest: Sequence[int], direction: Point) -> list[int]:
    """By falling projection on the direction, of equal ones the smaller index: the corrected order."""
    return sorted(rest, key=lambda index: (-dot(direction, points[index]), index))


def hidden_places(order: Sequence[int], truth: Sequence[bool]) -> list[int]:
    """Where in an order the hidden positives stand."""
    return [place for place, index in enumerate(order, start=1) if truth[index]]


def undetected(divisors: Sequence[int], tickets: int) -> Fraction:
    """The exact probability that no hidden positive is drawn, with our rule's chances (c is `tickets` / 2^32).

    The divisors are the n_i of the hidden positives; 0 makes sure.
    """
    missed = [COINS - chance(tickets, each) if each else 0 for each in divisors]
    return Fraction(math.prod(missed), COINS ** len(missed))


def drawn(order: Sequence[int], truth: Sequence[bool], tickets: int, coins: Sequence[int]) -> bool:
    """Whether these coins, one for each place of the order, draw a hidden positive."""
    return any(
        truth[index] and coin < chance(tickets, place)
        for place, (index, coin) in enumerate(zip(order, coins, strict=True), start=1)
    )


def consistent(report: Optimum, best: Dichotomy) -> bool:
    """The Definition, for points: what all optimal classifiers of the report make positive, h* does too."""
    return frozenset.intersection(*(each.positive for each in report.dichotomies)) <= best.positive


def consistent_sides(sides: Sequence[Classifier], best: Classifier) -> bool:
    """The Definition, for half-spaces: no place at all is on every positive side and on the negative side of h*.

    This asks for more than `consistent`. If it holds for some classifiers of the report, it holds for all of them
    together, since more sides have a smaller intersection.
    """
    wrong = (tuple(-each for each in best.normal), -best.offset, True)
    return not _feasible([(each.normal, each.offset, False) for each in sides] + [wrong])


def negatives_ahead(order: Sequence[int], truth: Sequence[bool], best: Dichotomy) -> tuple[int, int]:
    """(a, b) of the corrected theorem, for h = h*."""
    places = [place for place, index in enumerate(order) if truth[index] and index in best.positive]
    ahead = order[: places[-1]] if places else []
    return len(places), sum(not truth[index] for index in ahead)


_Inequality = tuple[tuple[int, ...], int, bool]  # normal . x + offset >= 0, or > 0


def _feasible(system: Sequence[_Inequality]) -> bool:
    """Whether some rational x fulfils all inequalities, by Fourier and Motzkin's elimination."""
    wide = len(system[0][0])
    for axis in range(wide):
        up = [each for each in system if each[0][axis] > 0]
        down = [each for each in system if each[0][axis] < 0]
        level = {each for each in system if each[0][axis] == 0}
        system = list(level | {_without(axis, low, high) for low in up for high in down})
    return all(offset > 0 or (offset == 0 and not strict) for _, offset, strict in system)


def _without(axis: int, low: _Inequality, high: _Inequality) -> _Inequality:
    left, right = -high[0][axis], low[0][axis]
    normal = tuple(left * a + right * b for a, b in zip(low[0], high[0], strict=True))
    offset = left * low[1] + right * high[1]
    common = math.gcd(*normal, offset) or 1
    return tuple(each // common for each in normal), offset // common, low[2] or high[2]
