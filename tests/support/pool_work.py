"""What the workers in tests do."""

import os
import signal
import sys
import time
from pathlib import Path


def write(path: str, number: int) -> None:
    Path(path).write_text(str(number))


def answer_late(number: int, tenths: int = 0) -> dict[str, int]:
    time.sleep(max(0, tenths) / 10)
    return {"number": number}


def chat(number: int) -> int:
    os.write(1, b"as a compiled solver does")
    return number


def fail(path: str) -> None:
    if path:
        raise OSError(28, "No space left on device", path)
    time.sleep(600)


def die(path: str, *_: object) -> None:
    if path:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(600)


def die_at_first(path: str) -> int:
    """End as a system ends a process when memory is short; the next one does it. Tells how often it was begun."""
    begun = Path(path)
    begun.write_text("x" if not begun.exists() else begun.read_text() + "x")
    if len(begun.read_text()) < 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return len(begun.read_text())


def say_and_wait(folder: str, number: int) -> None:
    """Leave a file with the process's number, and go on until killed."""
    (Path(folder) / f"{number}.new").write_text(str(os.getpid()))
    (Path(folder) / f"{number}.new").rename(Path(folder) / f"{number}.worker")
    time.sleep(600)


def say_where_modules_come_from(path: str) -> None:
    Path(path).write_text("\n".join(sys.path))


if __name__ == "__main__":
    from protocol.workers import pool
    from tests.support import pool_work

    pool.gather(pool_work.say_and_wait, [(sys.argv[1], 0), (sys.argv[1], 1)], workers=2)
