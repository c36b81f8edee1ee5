"""Processes of our own that do tasks: a fresh interpreter each, which imports nothing from the current folder.

Tasks and results go through pipes, and so does what many tasks share, to each process once. Nothing is written to disk.
A process that ends in the middle of a task is replaced, and the task is done again. When this process ends, for
whatever reason, the pipes close, and the others end at once.
"""

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, ParamSpec, TypeVar

from verifier.corpus.errors import WorkerDied
from verifier.corpus.team import Team

P = ParamSpec("P")
T = TypeVar("T")

ATTEMPTS = 3
"""How often a task is begun before it is given up."""

_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_LENGTH = 8  # bytes before each message


@dataclass(frozen=True, slots=True)
class _Shared:
    """What a task gets instead of a shared value."""

    key: int


class Processes(Team):
    """Does tasks in processes, a given number at a time. Leaving with an error ends them all."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._watchers = ThreadPoolExecutor(workers)  # each of its threads watches a process
        self._mine = threading.local()
        self._lock = threading.Lock()
        self._running: set[_Worker] = set()
        self._ended = False
        self._values: list[Any] = []

    def share(self, value: Any) -> Any:
        self._values.append(value)
        return _Shared(len(self._values) - 1)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        return self._watchers.submit(self._watch, fn, args, kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the base's
        """End; with `cancel_futures`, also end the tasks under way."""
        if cancel_futures:
            self._end()
        self._watchers.shutdown(wait=wait, cancel_futures=cancel_futures)
        self._end()

    def _end(self) -> None:
        with self._lock:
            self._ended = True
            for worker in self._running:
                worker.end()
            self._running.clear()

    def _watch(self, work: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
        task = pickle.dumps((work, args, kwargs))
        shared = [each.key for each in args if isinstance(each, _Shared)]
        said = ""
        for _ in range(ATTEMPTS):
            worker = self._worker()
            try:
                for key in shared:
                    worker.give(key, self._values[key])
                is_done, result = worker.do(task)
            except (OSError, EOFError, pickle.UnpicklingError):
                said = self._discard(worker)
                continue
            if not is_done:
                raise result
            value: T = result
            return value
        raise WorkerDied(
            f"a worker process ended early {ATTEMPTS} times in the same task ({said}); fix the cause, then run the "
            "command again"
        )

    def _worker(self) -> "_Worker":
        found: _Worker | None = getattr(self._mine, "worker", None)
        if found is None:
            with self._lock:
                if self._ended:
                    raise WorkerDied("the work was ended")
                found = self._mine.worker = _Worker()
                self._running.add(found)
        return found

    def _discard(self, worker: "_Worker") -> str:
        self._mine.worker = None
        with self._lock:
            self._running.discard(worker)
        return worker.end()


class _Worker:
    """A process, and what it was given."""

    def __init__(self) -> None:
        self._given: set[int] = set()
        self._said = TemporaryFile()  # noqa: SIM115 - closed when the process has ended
        path = os.pathsep.join(str(Path(each).absolute()) for each in sys.path)
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own module
            [sys.executable, "-P", "-m", __name__],
            env=os.environ | _ONE_THREAD | {"PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            process_group=0,  # an interrupt from the keyboard reaches the other process only, which ends this one
        )

    def give(self, key: int, value: Any) -> None:
        """Send a shared value, unless it was sent before."""
        if key not in self._given:
            self._send(pickle.dumps((key, value)))
            self._given.add(key)

    def do(self, task: bytes) -> tuple[bool, Any]:
        """Whether the task was done, and its result, or what was raised."""
        self._send(task)
        if self._process.stdout is None:
            raise EOFError
        answer: tuple[bool, Any] = pickle.loads(_received(self._process.stdout))  # noqa: S301 - from our own process
        return answer

    def end(self) -> str:
        """End the process, if it still runs, and tell how it ended."""
        self._process.kill()
        with suppress(OSError), self._process:  # which closes its pipes
            pass
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").split("\n")
        self._said.close()
        code = self._process.returncode
        return next((line for line in reversed(lines) if line), f"exit code {code}, as when memory is short")

    def _send(self, message: bytes) -> None:
        if self._process.stdin is None:
            raise EOFError
        _write(self._process.stdin, message)


def _write(pipe: IO[bytes], message: bytes) -> None:
    pipe.write(len(message).to_bytes(_LENGTH, "big"))
    pipe.write(message)
    pipe.flush()


def _received(pipe: IO[bytes]) -> bytes:
    length = pipe.read(_LENGTH)
    message = pipe.read(int.from_bytes(length, "big")) if len(length) == _LENGTH else b""
    if not length or len(message) != int.from_bytes(length, "big"):
        raise EOFError
    return message


def _serve() -> None:
    """Do the tasks that come, one after the other."""
    results = os.fdopen(os.dup(1), "wb")  # standard output is closed to others
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(waiting,), daemon=True).start()
    shared: dict[int, Any] = {}
    while True:
        message = pickle.loads(waiting.get())  # noqa: S301 - from the process that started this one
        if len(message) == 2:
            shared[message[0]] = message[1]
            continue
        work, args, kwargs = message
        try:
            given = [shared[each.key] if isinstance(each, _Shared) else each for each in args]
            answer = pickle.dumps((True, work(*given, **kwargs)))
        except Exception as error:  # the other process raises it
            answer = pickle.dumps((False, error))
        _write(results, answer)


def _receive(waiting: "queue.SimpleQueue[bytes]") -> None:
    """Take tasks from standard input. When it closes, nobody waits for a result any more."""
    try:
        while True:
            waiting.put(_received(sys.stdin.buffer))
    except (EOFError, OSError):
        os._exit(1)


if __name__ == "__main__":
    from verifier.corpus import processes  # by its name, since tasks name `_Shared` by its module

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    processes._serve()
