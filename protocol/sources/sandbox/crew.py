"""The parent's side: workers that are asked, watched and, if need be, ended and started again."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Generic, TypeVar

from protocol.errors import ProtocolError
from protocol.sources.limits import Limits
from protocol.sources.problems import Cause
from protocol.sources.sandbox import confine, worker
from protocol.sources.sandbox.frames import BadFrame, Closed, Kind, Line, TooLong

T = TypeVar("T")
R = TypeVar("R")

STARTING = 120
"""Seconds in which a worker must have loaded its code."""
_SMALL = 64 * 2**20
"""Bytes of an answer that may wait until its turn comes; a larger one is taken when it is the next."""
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class Lost(Exception):
    """The worker gave no answer: why, as a problem of what it was asked about."""

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(detail)
        self.cause = cause
        self.detail = detail


class CannotStart(ProtocolError):
    """No worker can be started, which is no file's fault."""


class Worker:
    """One worker process, started when it is first asked, and again after it was lost."""

    def __init__(self, work: str, limits: Limits) -> None:
        self._work = work
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Line | None = None
        self.held: frozenset[str] = frozenset()

    def ask(
        self,
        asked: bytes,
        *,
        most: int,
        file: int | None = None,
        turn: Callable[[], object] = lambda: None,
        streams: bool = False,
    ) -> Generator[bytes, None, None]:
        """The answer, piece by piece; `Lost` if there is none in time and size.

        An answer that `streams` may take as long and be as large as it likes, but each piece has the limits. Before
        an answer grows large, `turn` is called, and may wait.
        """
        line = self._started()
        left, size, is_whole = float(self._limits.seconds), 0, False
        try:
            before = time.monotonic()
            line.send(Kind.ASK, asked, file, left)
            while True:
                kind, piece = line.receive(most if streams else most - size, max(left, 0.001))
                left -= 0 if streams else time.monotonic() - before
                if kind is Kind.END:
                    is_whole = True
                    return
                if kind is not Kind.ANSWER:
                    raise BadFrame(f"a frame of kind {kind}")
                if size <= _SMALL < size + len(piece) and not streams:
                    turn()
                size += len(piece)
                yield piece
                before = time.monotonic()
        except TimeoutError:
            raise Lost(Cause.TOO_SLOW, f"it took more than {self._limits.seconds} seconds to read") from None
        except TooLong:
            raise Lost(Cause.TOO_LARGE, f"more than {most} bytes came out of it") from None
        except BadFrame as error:
            raise Lost(Cause.CRASHED, f"its reader answered with {error}") from None
        except Closed:
            raise Lost(Cause.CRASHED, f"its reader ended early ({self._last_words()})") from None
        finally:
            if not is_whole:
                self.end()

    def end(self) -> None:
        """End the process, and wait until it is gone."""
        process, line, self._process, self._line = self._process, self._line, None, None
        if line:
            line.close()
        if process:
            with process:  # which closes its pipe
                process.kill()

    def start(self) -> frozenset[str]:
        """The protections that hold in this worker."""
        self._started()
        return self.held

    def _started(self) -> Line:
        if self._line is not None:
            return self._line
        ours, theirs = socket.socketpair()
        with theirs:
            process = self._process = _start(self._work, self._limits, theirs)
        line = self._line = Line(ours)
        try:
            told = line.receive(10_000, STARTING)[1]
            self.held = frozenset(json.loads(told)) & set(confine.PROTECTIONS) | {confine.TIME}
        except (Closed, BadFrame, TooLong, TimeoutError, ValueError):
            said = b""
            with suppress(OSError, ValueError):
                process.kill()
                said = process.stderr.read() if process.stderr else b""
            self.end()
            raise CannotStart(f"a reader cannot be started: {_last_line(said)}") from None
        if process.stderr:
            process.stderr.close()
        return line

    def _last_words(self) -> str:
        """How the process ended."""
        if self._process is None:
            return "it is gone"
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            return "it closed its line"
        with suppress(ValueError):
            return signal.Signals(code - worker.SIGNALLED).name
        return f"exit code {code}"


def _start(work: str, limits: Limits, end: socket.socket) -> subprocess.Popen[bytes]:
    """A fresh interpreter that imports the work and nothing else, and looks for modules where this one does."""
    path = os.pathsep.join(str(Path(each).absolute()) for each in sys.path)
    shares = not confine.has_limits  # Windows
    process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own module
        [sys.executable, "-P", "-m", worker.__name__, work, json.dumps(asdict(limits))],
        env=os.environ | dict.fromkeys(_THREADS, "1") | {"PYTHONPATH": path},
        stdin=subprocess.PIPE if shares else end.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,  # closed once it has started, so that nobody waits for it to be read
    )
    if shares and process.stdin:
        process.stdin.write(end.share(process.pid))  # type: ignore[attr-defined,unused-ignore]
        process.stdin.close()
    return process


def _last_line(said: bytes) -> str:
    lines = [line for line in said.decode(errors="replace").split("\n") if line.strip()]
    return lines[-1] if lines else "it said nothing"


class _Job(Generic[R]):
    """What is under way: its result to come, what it holds, and whether it is the next to be taken."""

    def __init__(self, weight: int) -> None:
        self.result: Future[R] = Future()
        self.weight = weight
        self.is_next = threading.Event()


class Crew(Generic[T, R]):
    """Workers that do the same for many items. Results come in the order of the items, however many workers there are.

    Only so many items, and so many bytes of them, are under way at a time.
    """

    def __init__(self, work: str, limits: Limits, workers: int) -> None:
        self._limits = limits
        self._size = workers
        self._work = work
        self._threads = ThreadPoolExecutor(workers)
        self._local = threading.local()
        self._lock = threading.Lock()
        self._workers: list[Worker] = []

    def __enter__(self) -> "Crew[T, R]":
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._all():
            each.end()
        self._threads.shutdown(cancel_futures=True)
        for each in self._all():
            each.end()

    @property
    def held(self) -> frozenset[str]:
        """The protections that have held in every worker."""
        told = [each.held for each in self._all() if each.held]
        return frozenset.intersection(*told) if told else frozenset()

    def in_order(
        self,
        items: Iterable[T],
        do: Callable[[T, Worker, Callable[[], object]], R],
        weigh: Callable[[T], int],
        most: int = 256 * 2**20,
    ) -> Iterator[R]:
        """What `do` gives for each item; it gets a worker, and what to call before it takes much from it."""
        under_way: deque[_Job[R]] = deque()

        def next_one() -> R:
            job = under_way[0]
            job.is_next.set()
            try:
                return job.result.result()
            finally:
                under_way.popleft()

        try:
            for item in items:
                weight = weigh(item)
                while under_way and (
                    len(under_way) >= 8 * self._size or sum(job.weight for job in under_way) + weight > most
                ):
                    yield next_one()
                while under_way and under_way[0].result.done():
                    yield next_one()
                job = _Job[R](weight)
                under_way.append(job)
                job.result = self._threads.submit(self._do, item, do, job)
            while under_way:
                yield next_one()
        finally:
            for job in under_way:  # nobody takes them any more
                job.result.cancel()
                job.is_next.set()

    def _do(self, item: T, do: Callable[[T, Worker, Callable[[], object]], R], job: _Job[R]) -> R:
        return do(item, self._own(), job.is_next.wait)

    def _own(self) -> Worker:
        """The worker of this thread."""
        mine: Worker | None = getattr(self._local, "worker", None)
        if mine is None:
            mine = self._local.worker = Worker(self._work, self._limits)
            with self._lock:
                self._workers.append(mine)
        return mine

    def _all(self) -> list[Worker]:
        with self._lock:
            return list(self._workers)
