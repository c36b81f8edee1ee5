"""Two ways to do one thing, timed alternately; and where the time of a command goes."""

import gc
from collections.abc import Callable
from time import perf_counter

TIMED = """
import json, re, sys
from collections import defaultdict
from pathlib import Path
from time import perf_counter
started = perf_counter()
spent = defaultdict(float)
def timed(owner, name, label):
    inner = getattr(owner, name)
    def wrapper(*args, **kwargs):
        start = perf_counter()
        try:
            return inner(*args, **kwargs)
        finally:
            spent[label] += perf_counter() - start
    setattr(owner, name, wrapper)
"""
"""The beginning of a script that runs a command in a process of its own, and tells where its time went."""

REPORTED = """
try:
    cli.main(sys.argv[1:], standalone_mode=False)
finally:
    spent["all"] = perf_counter() - started
    peak = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
    print(json.dumps({"spent": spent, "peak": peak}), file=sys.stderr)
"""
"""The end of such a script: it runs the command `cli`, and prints one line of JSON."""


class Runs:
    """How often a thing is timed."""

    at_most: int | None = None
    """Where it is only to be seen that everything runs, once is enough."""

    @classmethod
    def of(cls, usual: int) -> range:
        """As often as usual, or as often as allowed."""
        return range(usual if cls.at_most is None else min(usual, cls.at_most))


def ratio(name: str, work: Callable[[], object], floor: Callable[[], object], *, aim: float, runs: int = 5) -> float:
    """Print and return the time of `work` over that of `floor`, best of `runs` each."""
    best_work = best_floor = float("inf")
    for _ in Runs.of(runs):
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
