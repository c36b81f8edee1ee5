"""Critical points with their proofs, against a linear program over all points for each negative."""

import gc
from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

import numpy as np

from bench.timing import Runs
from protocol.paper.geometry import certificate, everylp
from protocol.paper.geometry.gaussians import Cut, Shift, two_gaussians
from protocol.paper.geometry.points import Labelled

Result = TypeVar("Result")

AIM = 20
"""How many times faster than the n linear programs, at 4,000 points in 20 dimensions."""
GRID = ((10, 1000), (10, 4000), (20, 1000), (20, 4000), (20, 16_000), (50, 1000), (50, 4000))
SMALL_GRID = ((5, 250), (5, 1000), (10, 250), (10, 1000))


def run(
    dimension: int = 20, size: int = 4000, sample: int | None = 60, grid: tuple[tuple[int, int], ...] = GRID
) -> None:
    """The ratio at one size, with the slow method on a sample of the negatives or on all; and how time grows."""
    against_every_program(dimension, size, sample)
    growth(grid)


def made(dimension: int, size: int) -> Labelled:
    """Two Gaussians, 0.05 responsive points for each other one, means 3 apart."""
    return two_gaussians(
        dimension=dimension, size=size, ratio=0.05, distance=3, cut=Cut.BAYES, shift=Shift.MIRROR, seed=1
    ).points


def against_every_program(dimension: int, size: int, sample: int | None) -> float:
    """Print and return how many times faster than the slow method."""
    points = made(dimension, size)
    negatives = len(points.negative)
    chosen = np.arange(negatives) if sample is None else np.random.default_rng(1).permutation(negatives)[:sample]
    slow, found = _timed(lambda: everylp.critical_points(points, sorted(chosen.tolist())))
    fast, proven = min((_timed(lambda: certificate.certified(points)) for _ in Runs.of(2)), key=lambda each: each[0])
    if found != sorted(set(proven.critical).intersection(chosen.tolist())):
        raise SystemExit("the two methods do not find the same critical points")
    scaled = slow * negatives / len(chosen)
    how = "all measured" if len(chosen) == negatives else f"scaled up from {len(chosen)} random ones of {negatives}"
    print(
        f"Critical points, {size:,} points, d = {dimension}: {fast:.2f} s with proofs; a linear program for each "
        f"negative {scaled:.0f} s ({how}): {scaled / fast:.0f} times as long "
        f"(aim: at least {AIM}, at 4,000 points and d = 20)",
        flush=True,
    )
    return scaled / fast


def growth(grid: tuple[tuple[int, int], ...]) -> None:
    """Time against n d l, the paper's O(n d l); l is the number of critical points."""
    print(f"  {'d':>4} {'n':>7} {'l':>6} {'seconds':>9} {'ns / (n d l)':>13}")
    for dimension, size in grid:
        points = made(dimension, size)
        seconds, proven = _timed(lambda: certificate.certified(points))  # noqa: B023 - called at once
        found = len(proven.critical)
        work = size * dimension * max(1, found)
        print(f"  {dimension:>4} {size:>7} {found:>6} {seconds:>9.2f} {seconds / work * 1e9:>13.2f}", flush=True)


def _timed(work: Callable[[], Result]) -> tuple[float, Result]:
    gc.collect()
    start = perf_counter()
    result = work()
    return perf_counter() - start, result
