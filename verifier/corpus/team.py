"""Workers that do the tasks of a map, behind one interface: `concurrent.futures.Executor`.

Results are taken in the order of the tasks, so that nothing depends on who was faster, and only a few tasks are under
way at a time, so that results do not pile up.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_AHEAD = 2  # tasks under way or waiting for each worker


class Team(Executor):
    """Some workers. Leaving with an error drops the tasks that wait."""

    workers: int
    """How many tasks they do at a time; 0 if each is done as soon as it is submitted."""

    def share(self, value: Any) -> Any:
        """What to give to tasks in the place of a value that many of them need."""
        return value

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown(cancel_futures=kind is not None)

    def in_order(self, work: Callable[..., T], tasks: Iterable[tuple[Any, ...]]) -> Iterator[T]:
        """What `work` returns for each task, in the order of the tasks. The first failure in this order is raised."""
        waiting: deque[Future[T]] = deque()
        for task in tasks:
            waiting.append(self.submit(work, *task))
            if len(waiting) > _AHEAD * self.workers:
                yield self.taken(waiting.popleft())
        while waiting:
            yield self.taken(waiting.popleft())

    def taken(self, future: Future[T]) -> T:
        """The result of a task, once it is there."""
        return future.result()


class Here(Team):
    """Does each task in this process, as soon as it is submitted."""

    workers = 0

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # the future raises it when somebody asks for the result
            future.set_exception(error)
        return future


class Threads(Team):
    """Threads of this process, for reading and for numpy's own loops, which let go of Python's lock."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._threads = ThreadPoolExecutor(workers)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        return self._threads.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the base's
        """Wait for the tasks that were begun, and with `cancel_futures` for no other."""
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
