"""Every dichotomy of points in the plane or on a line, by exact enumeration.

Take a line that parts the points, both sides non-empty, and move it until it touches the hulls of both sides without
crossing either (an inner common tangent). It then runs through a point of each; the points on it fall into two runs,
first one side's, then the other's. So each dichotomy is an open half-plane beside a line through two points, with the
points of the line up to some place on it added. Turning the line a little about that place brings it back off all
points. Points that share a place always fall on the same side.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise

from protocol.paper.geometry.dichotomies.base import (
    BadPoints,
    Classifier,
    Dichotomy,
    Point,
    between,
    classified,
    constants,
    dimension,
    dot,
)


def dichotomies(points: Sequence[Point]) -> tuple[Dichotomy, ...]:
    """All of them, once each, with the constant ones, in the order of their positive points.

    Where several tangents lead to the same dichotomy, its classifier is the one of the smallest pair of points.
    """
    wide = dimension(points)
    if wide > 2:
        raise BadPoints(f"points in {wide} dimensions: enumeration is for the line and the plane; use the search")
    places = sorted({(*point, 0)[:2] for point in points})
    found = {each.positive: each for each in constants(points)}
    for first, second in combinations(places, 2):
        for turned in _turned(first, second, places):
            classifier = Classifier(normal=turned.normal[:wide], offset=turned.offset)
            positive = classified(classifier, points)
            found.setdefault(positive, Dichotomy(positive=positive, classifier=classifier))
    return tuple(sorted(found.values(), key=lambda each: sorted(each.positive)))


def _turned(first: Point, second: Point, places: Sequence[Point]) -> Iterator[Classifier]:
    """The line through two places, turned a little, both ways, about each gap between neighbours on it."""
    along = (second[0] - first[0], second[1] - first[1])
    across = (-along[1], along[0])
    level = dot(across, first)
    on_line = sorted(dot(along, place) for place in places if dot(across, place) == level)
    for left, right in pairwise(on_line):
        reach = 1 + max(abs(2 * dot(along, place) - left - right) for place in places)
        for side in (reach, -reach):  # off the line, `across` decides; on it, `along`
            for way in (1, -1):
                normal = tuple(side * a + 2 * way * b for a, b in zip(across, along, strict=True))
                yield Classifier(normal=normal, offset=-side * level - way * (left + right))


def widest(points: Sequence[Point], positive: frozenset[int]) -> Classifier:
    """The classifier of this dichotomy with the largest margin, which depends on the points alone.

    It is perpendicular to the shortest way between the two hulls, which ends at a point on at least one side, and at a
    point or within an edge on the other.
    """
    if not positive or len(positive) == len(points):
        return next(each.classifier for each in constants(points) if each.positive == positive)
    wide = dimension(points)
    places = {(*point, 0)[:2]: index in positive for index, point in enumerate(points)}
    flat = list(places)
    chosen = frozenset(index for index, place in enumerate(flat) if places[place])
    best, most = None, Fraction(0)
    for normal in _directions(flat, chosen):
        classifier = between(normal, flat, chosen)
        if classifier is not None:
            gap = min(classifier.value(flat[index]) for index in chosen)
            width = Fraction(gap * gap, dot(normal, normal))
            if width > most:
                best, most = classifier, width
    if best is None:
        raise BadPoints(f"no line parts points {sorted(positive)} of {len(points)} from the others")
    return Classifier(normal=best.normal[:wide], offset=best.offset)


def _directions(places: Sequence[Point], positive: frozenset[int]) -> Iterator[Point]:
    for (i, first), (j, second) in combinations(enumerate(places), 2):
        along = (second[0] - first[0], second[1] - first[1])
        if (i in positive) == (j in positive):
            yield -along[1], along[0]
            yield along[1], -along[0]
        else:
            yield along if j in positive else (-along[0], -along[1])


def touching(points: Sequence[Point], positive: frozenset[int], direction: Point) -> list[Classifier]:
    """Limits of classifiers of this dichotomy that see along `direction`, and among them the nearest to each point.

    "All optimal linear classifiers", taken by the word, are infinitely many. The distance of x along v to the nearest
    of one dichotomy is the least -(w . x + b) with w . v = 1 over classifiers that part the points: a linear program
    with two free variables, whose optimum lies at a line through two points, or, if all points lie along v, at one
    through a point and perpendicular to v. Such a line may run through points of both sides.
    """
    wide = dimension(points)
    view = (*direction, 0)[:2]
    places = sorted({(*point, 0)[:2] for point in points})
    normals = {(place, view) for place in places}
    for first, second in combinations(places, 2):
        across = (first[1] - second[1], second[0] - first[0])
        seen = dot(across, view)
        if seen:
            normals.add((first, across if seen > 0 else (-across[0], -across[1])))
    found = []
    for place, normal in sorted(normals):
        line = Classifier(normal=normal[:wide], offset=-dot(normal, place))
        values = [line.value(point) for point in points]
        if all(value >= 0 if index in positive else value <= 0 for index, value in enumerate(values)):
            found.append(line)
    return found
