"""Commands that are killed or interrupted at a chosen step of theirs on the disk.

    python -m tests.support.killing

Reads lines, each a JSON list of a program, its words, a number N and a signal; runs the command in a process of its
own, which sends itself the signal right before its step N on the disk. Writes for each line how the process ended,
what it said, and whether any process that it started was left.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from protocol.cli import main as tallystick
from verifier.cli import main as tallystick_verify

PROGRAMS = {"tallystick": tallystick, "tallystick-verify": tallystick_verify}
STEPS = {"os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "fcntl.flock", "sqlite3.connect"}

CLOCK = "TALLYSTICK_TESTS_CLOCK"
"""In the environment: what time it is, so that two records can be compared."""

Killer = Callable[[str, list[object], int], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended."""

    code: int  # below 0: by this signal
    signalled: bool  # whether it got as far as the step
    said: str  # on standard error
    left: list[int]  # processes that it started, and that still run


Interrupter = Callable[[str, list[object], int, signal.Signals], Ended]


@contextmanager
def killer() -> Iterator[Killer]:
    """Runs a command up to one of its steps on the disk; whether it got that far, and was killed."""
    with interrupter() as run:
        yield lambda program, words, step: run(program, words, step, signal.SIGKILL).code == -signal.SIGKILL


@contextmanager
def interrupter() -> Iterator[Interrupter]:
    """Runs a command that sends itself a signal at one of its steps on the disk."""
    with subprocess.Popen(
        [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def interrupted(program: str, words: list[object], step: int, number: signal.Signals) -> Ended:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps([program, [*map(str, words)], step, number]) + "\n")
            process.stdin.flush()
            return Ended(**json.loads(process.stdout.readline()))

        yield interrupted


def _die_at(step: int) -> None:
    _signal_at(step, signal.SIGKILL, None)


def _signal_at(step: int, number: int, reached: IO[bytes] | None) -> None:
    steps, own = count(1), os.getpid()

    def hook(event: str, given: tuple[object, ...]) -> None:
        written = event == "open" and isinstance(given[2], int) and given[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if (event in STEPS or written) and os.getpid() == own and next(steps) == step:
            if reached is not None:
                os.write(reached.fileno(), b"x")
            os.kill(own, number)

    sys.addaudithook(hook)


def _run(program: str, words: list[str], step: int, number: int) -> Ended:
    with TemporaryFile() as said, TemporaryFile() as reached:
        child = os.fork()
        if not child:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(said.fileno(), 2)
            if CLOCK in os.environ:
                time.time = lambda: float(os.environ[CLOCK])
            _signal_at(step, number, reached)
            code = 99
            try:
                PROGRAMS[program](words)
            except SystemExit as ended:
                code = int(ended.code or 0)
            finally:
                sys.stderr.flush()
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        signalled = reached.seek(0, os.SEEK_END) > 0
        return Ended(code=code, signalled=signalled, said=said.read().decode(), left=left_of(child))


def signalled_when_ready(command: list[str], number: signal.Signals, patience: int = 120) -> None:
    """Send a signal to a program once it says that it is ready, and wait for its end; it would go on for ever."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            process.send_signal(number)
            process.communicate(timeout=patience)
        finally:
            process.kill()


def left_of(session: int) -> list[int]:
    """The processes of a session that still run; a moment is given to those that are about to end."""
    for _ in range(100):
        found = [each for each in map(_session, Path("/proc").glob("[0-9]*")) if each and each[1] == session]
        if not found:
            return []
        time.sleep(0.05)
    return [number for number, _ in found]


def _session(process: Path) -> tuple[int, int] | None:
    with suppress(OSError):
        state, _, _, session, *_ = (process / "stat").read_text().rpartition(")")[2].split()
        return None if state == "Z" else (int(process.name), int(session))
    return None


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(json.dumps(asdict(_run(*json.loads(line)))) + "\n")
        sys.stdout.flush()
