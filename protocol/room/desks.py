"""The questions that are open. Checking a large one takes seconds, so that happens in a thread of its own, once."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from protocol.room.desk import Desk, Fault

AT_ONCE = 4
"""Questions that stay open."""

Opening = Callable[[], Desk | Fault]


class Desks:
    """Questions on the desk by name. What was checked is checked again if its package has changed since."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="opening")
        self._found: OrderedDict[str, tuple[object, Future[Desk | Fault]]] = OrderedDict()

    def begin(self, name: str, stamp: object, opening: Opening, patience: float = 0) -> bool:
        """Begin to check a question; whether that is over. `stamp` is another one if the package has changed."""
        return bool(wait([self._future(name, stamp, opening)], timeout=patience).done)

    def get(self, name: str, stamp: object, opening: Opening) -> Desk | Fault:
        """A question, as soon as it is checked. If that failed, the next one who asks tries again."""
        try:
            return self._future(name, stamp, opening).result()
        except BaseException:
            self.drop(name)
            raise

    def drop(self, name: str) -> None:
        """Take a question away."""
        with self._lock:
            self._found.pop(name, None)

    def _future(self, name: str, stamp: object, opening: Opening) -> "Future[Desk | Fault]":
        with self._lock:
            if name not in self._found or self._found[name][0] != stamp:
                self._found[name] = (stamp, self._pool.submit(opening))
            self._found.move_to_end(name)
            while len(self._found) > AT_ONCE:
                self._found.popitem(last=False)
            return self._found[name][1]
