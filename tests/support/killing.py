"""Commands that are killed at a chosen step of theirs on the disk.

    python -m tests.support.killing

Reads lines, each a JSON list of a program, its words and a number N; runs the command in a process of its own, which
kills itself with SIGKILL right before its step N on the disk. Writes for each line whether it was killed.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from protocol.cli import main as tallystick
from verifier.cli import main as tallystick_verify

PROGRAMS = {"tallystick": tallystick, "tallystick-verify": tallystick_verify}
STEPS = {"os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "fcntl.flock", "sqlite3.connect"}

CLOCK = "TALLYSTICK_TESTS_CLOCK"
"""In the environment: what time it is, so that two records can be compared."""

Killer = Callable[[str, list[object], int], bool]


@contextmanager
def killer() -> Iterator[Killer]:
    """Runs a command up to one of its steps on the disk; whether it got that far, and was killed."""
    with subprocess.Popen(
        [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def killed(program: str, words: list[object], step: int) -> bool:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps([program, [*map(str, words)], step]) + "\n")
            process.stdin.flush()
            return bool(json.loads(process.stdout.readline()))

        yield killed


def _die_at(step: int) -> None:
    steps = count(1)

    def hook(event: str, given: tuple[object, ...]) -> None:
        written = event == "open" and isinstance(given[2], int) and given[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if (event in STEPS or written) and next(steps) == step:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def _run(program: str, words: list[str], step: int) -> bool:
    child = os.fork()
    if not child:
        output = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(output, stream)
        if CLOCK in os.environ:
            time.time = lambda: float(os.environ[CLOCK])
        _die_at(step)
        try:
            PROGRAMS[program](words)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_run(*json.loads(line))) + "\n")
        sys.stdout.flush()
