"""Small instances in one, two and three dimensions to try Lemma "high-dim-label" on.

A family makes an instance from a number; the three fixed ones are counterexamples to it with the printed order. All
coordinates are integers, since whatever is decided about these points is decided exactly.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from protocol.paper.geometry.dichotomies.base import Point


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """Points with their true labels."""

    points: tuple[Point, ...]  # X in the paper
    truth: tuple[bool, ...]  # f in the paper


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """An instance, what Alice hides of it, and the direction of the optimal classifier."""

    instance: Instance
    hidden: frozenset[int]
    direction: Point


def corner(depth: int, outside: int = 1) -> Counterexample:
    """Two reported positives, either of which a best classifier gives up, since hidden ones lie between them.

    The report's optimal classifiers run steeply past the two, over `outside` true negatives that stand in the way
    above. Below each of the two lie `depth` true negatives, next to the classifiers and far below h*. Each
    classifier that is optimal for the report passes between (-20, 0) and (-20, -1) and over (0, 20), or likewise on the
    right, so it makes no difference which of them stands for its kind: the outer negatives come first, up to depth 18.
    """
    hidden = [(0, height) for height in range(2 + outside)]
    above = [(0, 20 + height) for height in range(outside)]
    below = [(side, -1 - step) for step in range(depth) for side in (-20, 20)]
    points = [(-20, 0), (20, 0), *hidden, *above, *below]
    positive = 2 + len(hidden)
    return Counterexample(
        instance=Instance(points=tuple(points), truth=tuple(index < positive for index in range(len(points)))),
        hidden=frozenset(range(2, positive)),
        direction=(0, 1),
    )


ELEVEN = Counterexample(
    instance=Instance(
        points=((-4, 0), (4, 0), (0, 0), (0, 1), (-3, -1), (-4, -2), (-5, -3), (-6, -4), (3, -1), (4, -2), (5, -3)),
        truth=(True,) * 4 + (False,) * 7,
    ),
    hidden=frozenset({2, 3}),
    direction=(0, 1),
)
"""h* contains the half-planes' intersection, and the true labels are realizable; needs classifiers of widest margin."""

SIX = Counterexample(
    instance=Instance(
        points=((2, 4), (8, 1), (7, 0), (10, 1), (6, 6), (9, 1)),
        truth=(True, False, False, True, True, False),
    ),
    hidden=frozenset({0, 4}),
    direction=(6, 16),
)
"""The fewest points, with classifiers of widest margin, and h* consistent as far as points go.

Fewer cannot do: missing two needs 1/i + 1/j < 1/2 for their places, so five undecided points, and without a reported
positive none is optimal for the report, and the order is that of the corrected theorem.
"""


def line(number: int, seed: int) -> Instance:
    """On a line: a threshold, either way round, and some labels turned."""
    rng = np.random.default_rng([seed, 1, number])
    places = sorted(int(each) for each in rng.choice(40, size=10, replace=False))
    cut, way = rng.integers(2, 9), rng.integers(2)
    labels = [bool((rank >= cut) == way) for rank in range(len(places))]
    return _noisy([(place,) for place in places], labels, rng, 0.15)


def noisy(number: int, seed: int) -> Instance:
    """In the plane: points anywhere, parted by a line, and some labels turned."""
    rng = np.random.default_rng([seed, 2, number])
    return _noisy(*_parted(rng, 11, 2, 20), rng, 0.1)


def outliers(number: int, seed: int) -> Instance:
    """In the plane: two groups, and a few points far away with the other group's labels."""
    rng = np.random.default_rng([seed, 3, number])
    near, _ = _parted(rng, 10, 2, 6)
    groups = [(x + 12 * (index % 2), y + 4 * (index % 2)) for index, (x, y) in enumerate(near)]
    far = [(int(x), int(y)) for x, y in rng.integers(-30, 40, size=(2, 2))]
    labels = [index % 2 == 1 for index in range(len(groups))] + [x < 6 for x, _ in far]
    return Instance(points=(*groups, *far), truth=tuple(labels))


def ties(number: int, seed: int) -> Instance:
    """A lattice with labels at random: collinear points, and many optimal classifiers."""
    rng = np.random.default_rng([seed, 4, number])
    points = tuple((x, y) for x in range(3) for y in range(4))
    return Instance(points=points, truth=tuple(bool(each) for each in rng.random(len(points)) < 0.45))


def tilted(number: int, seed: int) -> Instance:
    """Realizable: a few positives along h*, spread wide, and many negatives below, spread wider."""
    rng = np.random.default_rng([seed, 5, number])
    above = {(int(x), int(y)) for x, y in zip(rng.integers(-15, 16, 4), rng.integers(0, 9, 4), strict=True)}
    below = {(int(x), -int(y)) for x, y in zip(rng.integers(-30, 31, 14), rng.integers(1, 25, 14), strict=True)}
    points = tuple(sorted(above) + sorted(below))
    return Instance(points=points, truth=tuple(y >= 0 for _, y in points))


def corners(number: int, seed: int) -> Instance:
    """Around the counterexample `corner`: its points four times as far apart, each moved a little, and of any depth."""
    rng = np.random.default_rng([seed, 6, number])
    made = corner(int(rng.integers(3, 13)), int(rng.integers(0, 2))).instance
    moves = rng.integers(-1, 2, size=(len(made.points), 2))
    moved = [(4 * x + int(a), 4 * y + int(b)) for (x, y), (a, b) in zip(made.points, moves, strict=True)]
    return Instance(points=tuple(moved), truth=made.truth)


def space(number: int, seed: int) -> Instance:
    """In three dimensions: points anywhere, parted by a plane, and some labels turned."""
    rng = np.random.default_rng([seed, 7, number])
    return _noisy(*_parted(rng, 11, 3, 8), rng, 0.06)


Family = Callable[[int, int], Instance]

FAMILIES: dict[str, Family] = {each.__name__: each for each in (line, noisy, outliers, ties, tilted, corners, space)}


def _parted(rng: np.random.Generator, count: int, wide: int, reach: int) -> tuple[list[Point], list[bool]]:
    """Distinct points at random, and the side of a random hyperplane near their middle for each."""
    found = np.unique(rng.integers(0, reach + 1, size=(3 * count, wide)), axis=0)
    chosen = rng.permutation(found)[:count]
    normal = rng.normal(size=wide)
    values = chosen @ normal
    cut = np.sort(values)[int(rng.integers(count // 2, count - 2))]
    return [tuple(int(each) for each in row) for row in chosen], [bool(value >= cut) for value in values]


def _noisy(points: list[Point], labels: list[bool], rng: np.random.Generator, rate: float) -> Instance:
    turned = rng.random(len(points)) < rate
    return Instance(
        points=tuple(points), truth=tuple(bool(label ^ flip) for label, flip in zip(labels, turned, strict=True))
    )
