"""The n(x) in the proof of Lemma "high-dim-label": who is nearer to the intersection than x is to the union.

It is not the place in Step 6's order. `highdim` proves what it is good for.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from protocol.paper.geometry.dichotomies.base import Classifier, Optimum, Point, dot
from protocol.paper.theory.highdim import Distance, Reading, distances, representative


def to_intersection(point: Point, sides: Sequence[Classifier], direction: Point) -> Distance:
    """How far it is, along the direction, to where all are positive; infinite if that way never leads there."""
    near = Fraction(0)
    far: Distance = math.inf  # between the two the ray is on all positive sides
    for side in sides:
        value, speed = side.value(point), dot(side.normal, direction)
        if speed > 0:
            near = max(near, Fraction(-value, speed))
        elif value < 0:
            return math.inf
        elif speed < 0:
            far = min(far, Fraction(value, -speed))
    return near if near <= far else math.inf


def counts(
    points: tuple[Point, ...], report: Optimum, rest: Sequence[int], direction: Point, reading: Reading
) -> dict[int, int]:
    """n(x) of each undecided point: 1 for itself, and 1 for each other that is strictly nearer to the intersection.

    One classifier stands for each dichotomy. No point is nearer to the intersection than to the union, so x is never
    among the others.
    """
    sides = [representative(points, each, reading) for each in report.dichotomies]
    columns = [distances(points, each, direction, reading) for each in report.dichotomies]
    inward = [to_intersection(points[index], sides, direction) for index in rest]
    return {index: 1 + sum(each < min(column[index] for column in columns) for each in inward) for index in rest}


def exceptions(points: Sequence[Point], counted: dict[int, int], direction: Point) -> int:
    """For how many points x more others are counted than have a larger projection than x."""
    along = {index: dot(direction, points[index]) for index in counted}
    return sum(n > 1 + sum(each > along[index] for each in along.values()) for index, n in counted.items())
