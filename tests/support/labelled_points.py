"""Separable sets of labelled points of every awkward kind, for the tests of critical points."""

from collections.abc import Iterator

import numpy as np

from protocol.paper.geometry.points import UNIT, Integers, Labelled

KINDS = ("lattice", "gaussian", "twins", "collinear", "scales", "circle", "tiny")


def drawn(kind: str, seed: int, *, most: int = 30, dimensions: int = 6) -> Labelled:
    """A set of a kind, split by a plane through one of its points."""
    random = np.random.default_rng([KINDS.index(kind), seed])
    dimension, count = int(random.integers(1, dimensions + 1)), int(random.integers(2, most))
    rows = _rows(kind, random, count, dimension)
    along = rows @ random.integers(-5, 6, dimension)
    cut = np.sort(along)[int(random.integers(1, count))]
    if not (along < cut).any():
        return Labelled(positive=rows[:0], negative=rows)
    return Labelled(positive=rows[along >= cut], negative=rows[along < cut])


def sets(kinds: tuple[str, ...], count: int) -> Iterator[Labelled]:
    """Many of several kinds."""
    return (drawn(kind, seed) for kind in kinds for seed in range(count))


def _rows(kind: str, random: np.random.Generator, count: int, dimension: int) -> Integers:
    gaussian = random.standard_normal((count, dimension))
    match kind:
        case "lattice":
            rows = random.integers(-2, 3, (count, dimension)) * UNIT
        case "twins":
            rows = np.rint(gaussian * UNIT)[random.integers(0, count, count)]
        case "collinear":
            rows = np.rint(gaussian[:, :1] * UNIT) * random.integers(-3, 4, (1, dimension))
        case "scales":
            rows = np.rint(gaussian * 2.0 ** random.integers(2, 22, (count, 1)))
        case "circle":
            triples = np.array([(3, 4), (4, 3), (5, 0), (0, 5), (-3, 4), (-4, 3), (3, -4), (-5, 0), (0, -5), (0, 0)])
            flat = triples[random.integers(0, len(triples), count)] * UNIT
            rows = np.concatenate((flat, np.zeros((count, dimension), np.int64)), axis=1)[:, :dimension]
        case "tiny":
            rows = random.integers(-1, 2, (count, dimension))
        case _:
            rows = np.rint(gaussian * UNIT)
    return np.clip(rows, -(2**25), 2**25).astype(np.int64)
