"""One-dimensional instances to try the theorems on: true labels in decreasing score order.

A family is a way to make an instance of a given size. Some are as the theorems imagine them, some are as bad as their
proofs allow, and some are so small that a logarithm is 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from protocol.rules.base import best_rank

Truth = tuple[bool, ...]
T, F = True, False


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the theorems' bounds are made of."""

    size: int  # N
    positives: int  # N+
    rank: int  # t*: of several the largest t, that is the smallest rank
    error: int  # err*
    missed: int  # FN*: responsive ones below t*

    @property
    def negatives(self) -> int:
        """How many are not responsive: N- in the paper."""
        return self.size - self.positives


def facts(truth: Sequence[bool]) -> Facts:
    """The numbers of an instance."""
    rank, error = smallest_best_rank(truth)
    return Facts(size=len(truth), positives=sum(truth), rank=rank, error=error, missed=sum(truth[rank:]))


def smallest_best_rank(labels: Sequence[bool]) -> tuple[int, int]:
    """The largest optimal threshold, as a rank, and its error.

    From below, with the labels turned around, it is what the largest rank is from above.
    """
    rank, error = best_rank([not label for label in reversed(labels)])
    return len(labels) - rank, error


def separable(size: int, _seed: int) -> Truth:
    """A threshold fits without error."""
    top = max(1, size // 8)
    return (T,) * top + (F,) * (size - top)


def noisy(size: int, seed: int) -> Truth:
    """A threshold fits but for one in twenty, anywhere."""
    flips = np.random.default_rng([seed, size, 1]).random(size) < 0.05
    return tuple(bool(label != flip) for label, flip in zip(separable(size, seed), flips, strict=True))


def falling(size: int, seed: int) -> Truth:
    """Ever fewer responsive ones, as in a batch of continuous active learning."""
    draws = np.random.default_rng([seed, size, 2]).random(size)
    return tuple(bool(draw < 0.9 / (1 + place / 6)) for place, draw in enumerate(draws))


def shuffled(size: int, seed: int) -> Truth:
    """Scores say nothing: one in five is responsive, anywhere."""
    return tuple(bool(draw < 0.2) for draw in np.random.default_rng([seed, size, 3]).random(size))


def outliers(size: int, _seed: int) -> Truth:
    """A threshold fits but for three responsive ones at the far end."""
    far = min(3, size // 4)
    return (*separable(size - far, 0), *[T] * far)


def ties(size: int, _seed: int) -> Truth:
    """Many thresholds are equally good: the first half alternates."""
    alternating = [place % 2 == 0 for place in range(size // 2)]
    return (*alternating, *[F] * (size - len(alternating)))


def lemma(size: int, _seed: int) -> Truth:
    """The lemma's hardest: b others, then a' = b + 1 responsive ones, so that hiding few moves the threshold by one."""
    before = max(1, size // 10)
    tail = (T,) * (before + 1) if size > 2 else ()
    used = (T, *[F] * before, *tail)[:size]
    return (*used, *[F] * (size - len(used)))


def run(size: int, _seed: int) -> Truth:
    """The classifier lemma's: b others, then a run of 3 b + 2 responsive ones, too long to be left out."""
    before = max(1, min(size // 6, 40))
    used = (T, *[F] * before, *[T] * (3 * before + 2))[:size]
    return (*used, *[F] * (size - len(used)))


def false_tops(size: int, _seed: int) -> Truth:
    """Two others near the top, which any good threshold shows to Bob."""
    top = max(4, size // 10)
    return (*(place not in (1, 3) for place in range(top)), *[F] * size)[:size]


def epochs(size: int, _seed: int) -> Truth:
    """Below the optimal threshold a responsive one wherever the classifier report's sampling is still certain."""
    gap = 12
    tail = [place % gap == gap - 1 for place in range(min(4 * gap, size // 2))]
    head = max(1, size // 10)
    return (*[T] * head, *tail, *[F] * size)[:size]


def gap(size: int, _seed: int) -> Truth:
    """One responsive one behind two others, next to the top: worth two false claims to call it separable."""
    return (*[T] * max(1, size // 20), F, F, T, *[F] * size)[:size]


def one_error(size: int, _seed: int) -> Truth:
    """One other above the optimal threshold, and nothing wrong below: little error, and none of it unseen."""
    return (T, F, T, T, *[F] * size)[:size]


def every(size: int, _seed: int) -> Truth:
    """All are responsive."""
    return (T,) * size


def none(size: int, _seed: int) -> Truth:
    """None is."""
    return (F,) * size


FAMILIES: dict[str, Callable[[int, int], Truth]] = {
    "separable": separable,
    "noisy": noisy,
    "falling": falling,
    "shuffled": shuffled,
    "outliers": outliers,
    "ties": ties,
    "lemma": lemma,
    "run": run,
    "false-tops": false_tops,
    "epochs": epochs,
    "gap": gap,
    "one-error": one_error,
    "all": every,
    "none": none,
}


def bucket(exponent: int, number: int) -> Truth:
    """Of 2^exponent documents the first and those of bucket `number` are responsive: f_j of the lower bound's proof.

    Bucket j holds the positions 2^(j - 1) + 1 to 2^j. Number 0 is not in the paper: only the first is responsive.
    """
    size, first, last = 2**exponent, 2**number // 2, 2**number if number else 1
    return tuple(place == 0 or (first <= place < last and number > 0) for place in range(size))
