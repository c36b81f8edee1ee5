"""Workers on this machine, as executors of `concurrent.futures`, and how work is divided among workers anywhere.

    with pool.executor(4) as workers:
        future = workers.submit(work, "first", 2)

A process of this machine does one task: a function of a module, with texts and numbers as its arguments. It is a fresh
interpreter that imports that module and nothing else. Forking would not be safe beside threads, and multiprocessing
would import the whole command line again, and look for modules in the current folder, where a stranger's documents may
lie.
A worker ends when its parent ends, however that happens. Results travel as JSON, in files without a name, so that a
killed process leaves nothing behind.
"""

import importlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO, Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from protocol.errors import ProtocolError

Task = Sequence[Any]
"""The arguments of a task: texts, numbers, and lists of them."""

Workers = int | Executor | None
"""Who does the tasks: so many processes of this machine, an executor, or one process for each task."""

P = ParamSpec("P")
T = TypeVar("T")

ATTEMPTS = 3
"""How often a task is begun if its process is killed each time, as a system does that is short of memory."""

MAX_WORKERS = 8
"""One process puts the workers' results together; more workers would wait for it, and fill the memory."""

_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class WorkerDied(ProtocolError):
    """A worker ended before its work was done."""


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def crew_size() -> int:
    """How many workers there are where nobody says it."""
    return min(cores(), MAX_WORKERS)


def executor(workers: int) -> Executor:
    """Workers for arithmetic in Python, this many at a time; a single one is this process."""
    return Here() if workers < 2 else Processes(workers)


def threads(workers: int) -> Executor:
    """Workers, this many at a time, for reading, hashing and numpy's own loops, which release Python's lock."""
    return ThreadPoolExecutor(workers)


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


def gather(
    work: Callable[..., Any],
    tasks: Sequence[Task],
    progress: Callable[[int], None] = lambda _: None,
    *,
    workers: Workers = None,
) -> list[Any]:
    """What `work` returns for each task, in the order of the tasks; `progress` is told how many are done.

    Without a number of workers, there are as many as tasks, up to the number of cores. An executor stays open.
    """
    futures: list[Future[Any]] = []
    waiting: set[Future[Any]] = set()

    def settle(done: Iterable[Future[Any]]) -> None:
        for future in done:
            future.result()  # the first failure ends it all
            waiting.discard(future)
            progress(len(futures) - len(waiting))

    with _crew(workers, len(tasks)) as crew:
        for task in tasks:
            futures.append(crew.submit(work, *task))
            waiting.add(futures[-1])
            settle(each for each in futures[-1:] if each.done())
        while waiting:
            settle(wait(waiting, return_when=FIRST_COMPLETED).done)
    return [future.result() for future in futures]


def _crew(workers: Workers, tasks: int) -> AbstractContextManager[Executor]:
    if isinstance(workers, Executor):
        return nullcontext(workers)
    return executor(min(cores(), tasks) if workers is None else workers)


class Here(Executor):
    """Does each task in this process, as soon as it is submitted."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(_as_json(fn(*args, **kwargs)))
        except Exception as error:  # the future raises it when somebody asks for the result
            future.set_exception(error)
        return future


class Processes(Executor):
    """Does each task in its own process, a given number at a time. Leaving with an error ends them all.

    If a process is killed, another one does its task, as on a cluster: doing it twice changes nothing. Each worker has
    one thread for its arithmetic, so that workers do not slow each other down.
    """

    def __init__(self, workers: int) -> None:
        self._watchers = ThreadPoolExecutor(workers)  # one watches each worker
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._is_ended = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        return self._watchers.submit(self._watch, fn, json.dumps([args, kwargs]))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the base's
        """End; with `cancel_futures`, also end the tasks under way."""
        if cancel_futures:
            with self._lock:
                self._is_ended = True
                for worker in self._running:
                    worker.kill()
        self._watchers.shutdown(wait=wait, cancel_futures=cancel_futures)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown(cancel_futures=kind is not None)

    def _watch(self, work: Callable[..., T], arguments: str) -> T:
        """Have the task done, and return its result."""
        for _ in range(ATTEMPTS):
            with TemporaryFile() as result:
                code, said = self._run(work, arguments, result)
                if not code:
                    result.seek(0)
                    value: T = json.load(result)
                    return value
            if code > 0:  # it failed by itself, and would again
                break
        raise WorkerDied(
            f"a worker process ended early: {_last_words(said, code)}; fix the cause, then run the command again"
        )

    def _run(self, work: Callable[..., Any], arguments: str, result: IO[bytes]) -> tuple[int, bytes]:
        """Start a worker, and wait for its end: its exit code, below 0 if it was killed, and what it said."""
        with self._lock:
            if self._is_ended:
                raise WorkerDied("a worker process was not started, since another one failed")
            worker = _start(work, arguments, result)
            self._running.add(worker)
        with worker:  # which closes its pipes
            said = worker.stderr.read() if worker.stderr else b""
            code = worker.wait()
        with self._lock:
            self._running.discard(worker)
        return code, said


def _as_json(result: T) -> T:
    """The result as it would come from a worker, by way of JSON."""
    value: T = json.loads(json.dumps(result))
    return value


def _start(work: Callable[..., Any], arguments: str, result: IO[bytes]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-m", __name__, work.__module__, work.__qualname__, arguments]
    path = os.pathsep.join(str(Path(each).absolute()) for each in sys.path)
    return subprocess.Popen(  # noqa: S603 - our own interpreter, our own module
        command,
        env=os.environ | dict.fromkeys(_THREADS, "1") | {"PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=result,
        stderr=subprocess.PIPE,
    )


def _last_words(said: bytes, code: int) -> str:
    lines = said.decode(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line), f"exit code {code}, as when memory is short")


def _end_with_parent() -> None:
    """The pipe on standard input says nothing; it closes when the parent is gone."""
    os.read(0, 1)
    os._exit(1)


def _kept_apart() -> IO[str]:
    """Where the result goes: standard output, which is then closed to others, since some solvers print."""
    result = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return result


if __name__ == "__main__":
    threading.Thread(target=_end_with_parent, daemon=True).start()
    module, name, given = sys.argv[1:]
    args, kwargs = json.loads(given)
    with _kept_apart() as output:
        json.dump(getattr(importlib.import_module(module), name)(*args, **kwargs), output)
