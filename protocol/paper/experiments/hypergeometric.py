"""The test of Callaghan and Müller-Hansen (2020, doi 10.1186/s13643-020-01521-4), to compare with.

The hypothesis is that the target was missed. A draw of n from N documents that were not reviewed has brought k
responsive ones, and with those found before, F, there are F + k. If the target was missed, at least

    K = floor((F + k) / target - F + 1)

of the N were responsive, and the probability of at most k in the draw is at most that of a hypergeometric variable.
The test rejects if this is below 1 - confidence. For a ranking they take the last n documents as if they were a random
draw, and the least probability over all n: a heuristic, since a ranking puts the likely ones first, which only makes
the hypothesis harder to reject as long as the ranking is better than chance.

They repeat the test after each document without a correction for that, and they trust the labels.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

STEP = 50
"""The test is made after so many more documents."""


def at_most(
    hits: NDArray[np.int64], population: NDArray[np.int64], missed: NDArray[np.int64], drawn: NDArray[np.int64]
) -> NDArray[np.float64]:
    """P(X <= hits) if `missed` of the population are responsive; 0 where there cannot be so many."""
    possible = missed <= population
    values: NDArray[np.float64] = hypergeom.cdf(hits, population, np.where(possible, missed, 0), drawn)
    return np.where(possible, values, 0.0)


def needed(seen: NDArray[np.int64] | int, before: NDArray[np.int64] | int, target: Fraction) -> NDArray[np.int64]:
    """K: how many of the population were responsive at least, if the target was missed."""
    found = np.asarray(seen, dtype=np.int64)
    return found * target.denominator // target.numerator + 1 - np.asarray(before, dtype=np.int64)


def of_ranking(labels: NDArray[np.int64], documents: int, target: Fraction) -> float:
    """The least probability over all draws that the end of the ranking is taken for."""
    hits = np.cumsum(labels[::-1])
    drawn = np.arange(1, len(labels) + 1)
    before = labels.sum() - hits
    population = documents - (len(labels) - drawn)
    missed = needed(labels.sum(), before, target)
    return float(at_most(hits, population, missed, drawn).min())


def of_random_order(
    places: NDArray[np.int64], rest: int, found: int, target: Fraction, doubt: float = 0.05
) -> tuple[int, int]:
    """How many documents are reviewed in a random order until the test rejects, and how many of them are responsive.

    `places` are those of the responsive documents in the order, counted from 1.
    """
    drawn = np.unique(np.append(np.arange(STEP, rest, STEP), rest))
    hits = np.searchsorted(places, drawn, side="right")
    values = at_most(hits, np.full_like(drawn, rest), needed(found + hits, found, target), drawn)
    end = int(np.argmax(values < doubt)) if (values < doubt).any() else len(drawn) - 1
    return int(drawn[end]), int(hits[end])
