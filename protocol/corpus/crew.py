"""Work split among processes, one for each task: all at once, or as many at a time as there are cores.

A worker is a fresh interpreter that imports the module of its work and nothing else. Forking would not be safe
beside threads, and multiprocessing would import the whole command line again, and look for modules in the current
folder, where a stranger's documents may lie. A worker ends when its parent does, however that ends.
"""

import importlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protocol.errors import ProtocolError

Task = Sequence[str | int]

MAX_WORKERS = 8
"""What the workers leave is put together by one process; more of them would wait for it, and fill the memory."""


_PAUSE = 0.01  # seconds between looks at the workers
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class WorkerDied(ProtocolError):
    """A worker ended before its work was done."""


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def shares(costs: NDArray[np.int64], *, alone: int, workers: int | None = None) -> list[tuple[int, int]]:
    """Cut items with these costs into ranges of about the same cost, one for each worker.

    Without a number of workers, one does work of a cost below `alone`, and all cores do more than that.
    """
    ends = np.cumsum(costs)
    total = int(ends[-1]) if len(ends) else 0
    if workers is None:
        workers = 1 if total < alone else min(cores(), MAX_WORKERS)
    cuts = [int(np.searchsorted(ends, total * share // workers)) for share in range(workers)]
    return list(zip(cuts, [*cuts[1:], len(costs)], strict=True))


def run(work: Callable[..., None], tasks: Sequence[Task]) -> None:
    """Do `work`, a function of a module, once with the arguments of each task; a single task is done right here."""
    if len(tasks) == 1:
        work(*tasks[0])
        return
    workers: list[subprocess.Popen[bytes]] = []
    try:
        workers.extend(_start(work, task) for task in tasks)
        _await(workers)
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()


def gather(
    work: Callable[..., Any], tasks: Sequence[Task], progress: Callable[[int], None] = lambda _: None
) -> list[Any]:
    """What `work` returns for each task, in the order of the tasks, with every core busy while there are enough.

    Results travel as JSON. Each worker has one thread for its arithmetic, else they would get in each other's way.
    """
    if min(cores(), len(tasks)) < 2:
        return [_counted(work(*task), progress, number) for number, task in enumerate(tasks, start=1)]
    results: list[Any] = [None] * len(tasks)
    running: dict[int, subprocess.Popen[bytes]] = {}
    waiting = list(reversed(range(len(tasks))))
    with TemporaryDirectory(prefix="tallystick-") as folder:
        try:
            while waiting or running:
                while waiting and len(running) < cores():
                    number = waiting.pop()
                    running[number] = _start(work, tasks[number], Path(folder) / str(number))
                time.sleep(_PAUSE)
                for number in _ended(running):
                    results[number] = json.loads((Path(folder) / str(number)).read_bytes())
                    running.pop(number).communicate()
                    progress(len(tasks) - len(waiting) - len(running))
        finally:
            for worker in running.values():
                worker.kill()
                worker.communicate()
    return results


def _counted(result: Any, progress: Callable[[int], None], number: int) -> Any:
    progress(number)
    return json.loads(json.dumps(result))  # what a worker's result would have become on its way


def _start(work: Callable[..., Any], task: Task, result: Path | None = None) -> subprocess.Popen[bytes]:
    names = [work.__module__, work.__qualname__, json.dumps(task)]
    command = [sys.executable, "-P", "-m", __name__, *names, *([] if result is None else [str(result)])]
    threads = {} if result is None else dict.fromkeys(_THREADS, "1")
    path = os.pathsep.join(str(Path(each).absolute()) for each in sys.path)
    return subprocess.Popen(  # noqa: S603 - our own interpreter, our own module
        command,
        env=os.environ | threads | {"PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,  # some solvers print, and a command's output is its own
        stderr=subprocess.PIPE,
    )


def _await(workers: Sequence[subprocess.Popen[bytes]]) -> None:
    """Wait until all have ended well, or the first has not."""
    waiting = dict(enumerate(workers))
    while waiting:
        time.sleep(_PAUSE)
        for number in _ended(waiting):
            del waiting[number]


def _ended(workers: Mapping[int, subprocess.Popen[bytes]]) -> list[int]:
    """Who has done its work; one that ended otherwise is an error."""
    for worker in workers.values():
        if worker.poll():
            raise WorkerDied(f"a worker process ended early: {_last_words(worker)}; see to that, and try again")
    return [number for number, worker in workers.items() if worker.returncode is not None]


def _last_words(worker: subprocess.Popen[bytes]) -> str:
    said = worker.communicate()[1].decode(errors="replace").split("\n")
    return next((line for line in reversed(said) if line), f"exit code {worker.returncode}, as when memory is short")


def _end_with_parent() -> None:
    """The pipe on standard input says nothing; it closes when the parent is gone."""
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    module, name, arguments, *result = sys.argv[1:]
    value = getattr(importlib.import_module(module), name)(*json.loads(arguments))
    for path in result:
        Path(path).write_text(json.dumps(value))
