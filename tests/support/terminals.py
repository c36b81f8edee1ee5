"""Commands on a real terminal: everything that reaches it, byte for byte."""

import os
import pty
import re
import select
import subprocess
import termios
import unicodedata
from pathlib import Path
from time import monotonic

from tests.support import forked, real_matter

STEERING = "\x1b[2J\x1b]0;owned\x07\x9b31m\x08\r\x7f\u202egnp\u2066\u200b\u3164\u2060"
"""Clears the screen, sets the title, colours, goes back, turns the direction, and hides."""

_OWN = {
    "tallystick": re.compile(r"\r +\r|\r[A-Z][a-z ]+  (?:\[#* *\])?[^\r\n]*"),  # a bar, and blanks in its place
    "tallystick-verify": re.compile(r"\r +\r|\r[A-Z][a-z ]+: [^\r\n]*"),  # a stage, and blanks in its place
}
"""What the programs write themselves to steer a terminal: carriage returns, each before a line of theirs."""
_OPTION = re.compile("--[a-z]+")


def run(folder: Path, program: str, *arguments: object, code: int = 0, typed: str = "") -> str:
    """A command on a terminal of its own, which changes nothing of what is written to it.

    What is typed comes after the first prompt.
    """
    ours, theirs = pty.openpty()
    attributes = termios.tcgetattr(theirs)
    attributes[1] &= ~termios.OPOST
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(theirs, termios.TCSANOW, attributes)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8", "TERM": "xterm"}
    terminal = [os.ttyname(theirs)] * 3
    started = forked.start(program, arguments, cwd=folder, env=environment, streams=terminal)
    said = _read(ours, typed.encode(), started.sentinel).decode()
    started.join()
    os.close(theirs)
    os.close(ours)
    assert "Traceback" not in said, said
    assert started.exitcode == code, f"{program} {arguments}: {started.exitcode}\n{said!r}"
    check(said, program)
    return said


def _read(terminal: int, typed: bytes, ended: int) -> bytes:
    """All that reaches the terminal until the process has ended."""
    screen, end = b"", monotonic() + 120
    while monotonic() < end:
        ready = select.select([terminal, ended], [], [], 1)[0]
        if terminal not in ready:
            if ended in ready:
                return screen
            continue
        screen += os.read(terminal, 2**16)
        if typed and screen.endswith(b": "):
            os.write(terminal, typed)
            typed = b""
    raise AssertionError(f"the command does not end: {screen!r}")


def check(said: str, program: str) -> None:
    """Raise if a character that controls a terminal or cannot be seen has reached it, other than the program's own."""
    for line in _OWN[program].sub("", said).split("\n"):
        steering = [each for each in line if unicodedata.category(each)[0] == "C" or each in "\u2028\u2029\u3164"]
        assert not steering, f"{line!r}"


class Terminals:
    """For `Play`: every command runs on a terminal the first time, and then within this process, which is faster."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, ...]] = set()

    def __call__(
        self, folder: Path, program: str, *arguments: object, code: int = 0
    ) -> subprocess.CompletedProcess[str]:
        words = [*map(str, arguments)]
        kind = (program, *words[:2]) if words[0] != "answer" else (*words[:1], *filter(_OPTION.match, words))
        if "--json" in words or kind in self.seen:
            return real_matter.run_here(folder, program, *arguments, code=code)
        self.seen.add(kind)
        return subprocess.CompletedProcess(words, code, run(folder, program, *arguments, code=code), "")
