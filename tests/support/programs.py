"""Programs of a matter as real processes, each in a folder of its own, that a test starts, kills and starts again."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).parents[2]
PATIENCE = 90.0
"""Seconds for anything to happen; a busy machine is slow."""

_SOONER = (
    "from protocol.commands import room; from protocol.room import mailbox; "
    "assert room.LOOK_EVERY and mailbox.EVERY; room.LOOK_EVERY = mailbox.EVERY = 0.5; "
)
"""Rooms look into the mailbox every few seconds. A test with many hand-overs would only wait."""
_MAIN = "from protocol.cli import main; main()"

T = TypeVar("T")


def until(found: Callable[[], T | None], what: str, patience: float = PATIENCE) -> T:
    """What `found` finds as soon as it finds something."""
    deadline = time.monotonic() + patience
    while not (value := found()):
        assert time.monotonic() < deadline, f"never came: {what}"
        time.sleep(0.05)
    return value


@dataclass
class Program:
    """One command, and what it says. Killed and started again, it goes on in the same folder with the same words."""

    folder: Path
    words: Sequence[object]
    process: subprocess.Popen[bytes] | None = None
    begun: int = field(default=0, init=False)  # where this run's output begins

    @property
    def log(self) -> Path:
        return self.folder / f"{self.words[0]}.out"

    def start(self) -> "Program":
        assert self.process is None or self.process.poll() is not None
        self.begun = self.log.stat().st_size if self.log.exists() else 0
        sooner = _SOONER if self.words[0] == "room" else ""
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-c", sooner + _MAIN, *map(str, self.words)],
                cwd=self.folder,
                env={
                    "PATH": os.environ["PATH"],
                    "HOME": str(self.folder),
                    "LANG": "C.UTF-8",
                    "PYTHONPATH": str(ROOT),
                    "PYTHONUNBUFFERED": "1",
                },
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        return self

    def said(self) -> str:
        """What this run has said so far."""
        return self.log.read_bytes()[self.begun :].decode()

    def says(self, pattern: str) -> str:
        """The first group of what it says sooner or later."""

        def look() -> re.Match[str] | None:
            assert self.process is not None
            assert self.process.poll() is None, self.said()
            return re.search(pattern, self.said())

        return until(look, f"{pattern} from {self.words[0]}")[1]

    def address(self) -> str:
        """The address that it prints, once somebody listens there. It works once."""
        found = self.says(r"(http://127\.0\.0\.1:\d+/enter\S+)")
        port = int(re.findall(r":(\d+)/", found)[0])
        until(lambda: _listens(port), f"somebody listens at port {port}")
        return found

    def kill(self) -> None:
        """Without a chance to finish anything."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def stop(self) -> int:
        """As a person does it, with Ctrl-C. The exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


def _listens(port: int) -> bool:
    with socket.socket() as found:
        return found.connect_ex(("127.0.0.1", port)) == 0
