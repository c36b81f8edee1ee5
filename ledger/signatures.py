"""Signatures of a long copy, verified by a second process while this one reads on.

    with Ahead(worthwhile=True) as ahead:
        ahead.ask(assertions)
        ...  # read on
        ahead.ask(others)  # which are waiting as soon as the first are verified
        held = ahead.answer()  # to the first question

Verifying takes about as long as reading, and Python has one lock for all threads of a process. The second process is a
fresh interpreter that imports this module alone. It ends when its standard input does, however that happens. If it
cannot be had, or dies, nothing is held to be verified, and the caller verifies by itself.
"""

import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from ledger.keys import PublicKey, Signed, holds

_LENGTH = 4  # bytes


class Ahead:
    """Another process that verifies."""

    def __init__(self, *, worthwhile: bool) -> None:
        self._process = _start() if worthwhile else None
        self._asked: deque[Sequence[Signed]] = deque()  # and not answered yet

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def ask(self, assertions: Sequence[Signed]) -> None:
        """Have these verified after all others; wait until the process has begun to read them."""
        self._asked.append(assertions)
        if self._process is not None and self._process.stdin is not None:
            try:
                self._process.stdin.write(_written(assertions))
                self._process.stdin.flush()
            except OSError:
                self._end()

    def answer(self) -> set[Signed]:
        """What holds of the first assertions without an answer. Others may hold, too, if the process is not there."""
        asked = self._asked.popleft() if self._asked else ()
        if self._process is None or self._process.stdout is None:
            return set()
        found = self._process.stdout.read(len(asked))
        if len(found) != len(asked):
            self._end()
            return set()
        return {assertion for assertion, held in zip(asked, found, strict=True) if held}

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            with self._process:  # which closes its pipes, and waits
                self._process = None


def _start() -> subprocess.Popen[bytes] | None:
    path = os.pathsep.join(str(Path(each).absolute()) for each in sys.path)
    command = [sys.executable, "-P", "-m", __name__]
    try:
        return subprocess.Popen(  # noqa: S603 - our own interpreter, our own module
            command,
            env=os.environ | {"PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None


def _written(assertions: Sequence[Signed]) -> bytes:
    parts = [len(assertions).to_bytes(_LENGTH, "big")]
    for key, signature_and_message in assertions:
        parts += (key, len(signature_and_message).to_bytes(_LENGTH, "big"), signature_and_message)
    return b"".join(parts)


def _verify(questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer each question with a byte for each of its assertions, until there are no more."""

    def number() -> int:
        return int.from_bytes(questions.read(_LENGTH), "big")

    known: dict[bytes, PublicKey] = {}  # checking a key takes longer than a signature
    while count := questions.read(_LENGTH):
        asked: list[Signed] = []
        for _ in range(int.from_bytes(count, "big")):
            raw = questions.read(PublicKey.size)
            key = known[raw] if raw in known else known.setdefault(raw, PublicKey(raw))
            asked.append((key, questions.read(number())))
        answers.write(bytes(map(holds, asked)))
        answers.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the parent to say when it ends
    _verify(sys.stdin.buffer, sys.stdout.buffer)
