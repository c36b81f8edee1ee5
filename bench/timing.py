"""Two ways to do one thing, timed alternately."""

import gc
from collections.abc import Callable
from time import perf_counter


def ratio(name: str, work: Callable[[], object], floor: Callable[[], object], *, aim: float, runs: int = 5) -> float:
    """Print and return the time of `work` over that of `floor`, best of `runs` each."""
    best_work = best_floor = float("inf")
    for _ in range(runs):
        best_floor = min(best_floor, _time(floor))
        best_work = min(best_work, _time(work))
    found = best_work / best_floor
    print(f"{name:<58} {best_work:8.3f} s  floor {best_floor:8.3f} s  ratio {found:5.2f}  (aim: {aim})", flush=True)
    return found


def _time(work: Callable[[], object]) -> float:
    gc.collect()
    start = perf_counter()
    work()
    return perf_counter() - start
