"""Classifiers with integer coefficients, the dichotomies that they make, and the best ones for given labels."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import mul

from protocol.errors import ProtocolError

Point = tuple[int, ...]


class BadPoints(ProtocolError):
    """Points that the oracle does not take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Classifier:
    """The positive side is where normal . x + offset >= 0. A normal of zeros makes a constant classifier."""

    normal: Point  # w in the paper
    offset: int  # b in the paper

    def value(self, point: Point) -> int:
        """Not negative on the positive side."""
        return dot(self.normal, point) + self.offset


@dataclass(frozen=True, slots=True, kw_only=True)
class Dichotomy:
    """Which points (by index) are positive, and a classifier that says so."""

    positive: frozenset[int]
    classifier: Classifier


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimum:
    """The least error that any linear classifier has, and every dichotomy that has it, in the order of their points."""

    error: int  # err* in the paper, or err_A of Alice's labels
    dichotomies: tuple[Dichotomy, ...]


def dot(left: Point, right: Point) -> int:
    """The inner product."""
    return sum(map(mul, left, right))


def classified(classifier: Classifier, points: Sequence[Point]) -> frozenset[int]:
    """The points on the positive side."""
    return frozenset(index for index, point in enumerate(points) if classifier.value(point) >= 0)


def constants(points: Sequence[Point]) -> list[Dichotomy]:
    """All positive, none positive: no hyperplane between the points."""
    origin = (0,) * dimension(points)
    return [
        Dichotomy(positive=frozenset(range(len(points))), classifier=Classifier(normal=origin, offset=0)),
        Dichotomy(positive=frozenset(), classifier=Classifier(normal=origin, offset=-1)),
    ]


def between(normal: Point, points: Sequence[Point], positive: frozenset[int]) -> Classifier | None:
    """The classifier with this normal half way between the two parts, if it parts them; both must have points."""
    values = [dot(normal, point) for point in points]
    low = max(value for index, value in enumerate(values) if index not in positive)
    high = min(values[index] for index in positive)
    if low >= high:
        return None
    return Classifier(normal=tuple(2 * each for each in normal), offset=-(low + high))


def optimum(dichotomies: Iterable[Dichotomy], labels: Sequence[bool]) -> Optimum:
    """Those that disagree with the labels least."""
    said = frozenset(index for index, label in enumerate(labels) if label)
    errors = [(len(each.positive ^ said), each) for each in dichotomies]
    least = min(error for error, _ in errors)
    best = [each for error, each in errors if error == least]
    return Optimum(error=least, dichotomies=tuple(sorted(best, key=lambda each: sorted(each.positive))))


def dimension(points: Sequence[Point]) -> int:
    """How many coordinates each point has."""
    found = {len(point) for point in points}
    if len(found) != 1 or 0 in found:
        raise BadPoints(f"points of one dimension are needed, at least one; these have {sorted(found)} coordinates")
    return found.pop()
