"""Commands in processes of their own that begin at the same moment, with everything imported before.

    python -m tests.support.at_once

Reads lines, each a JSON list of commands, which are lists of words; writes for each line a JSON list with the exit
code and the output of each command.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

from protocol.cli import main

Ends = list[tuple[int, str]]
"""The exit code and the output of each command."""


@contextmanager
def starter() -> Iterator[Callable[..., Ends]]:
    """How commands of `tallystick` end that begin at the same moment."""
    with subprocess.Popen(
        [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def ends(*commands: list[object]) -> Ends:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps([[*map(str, words)] for words in commands]) + "\n")
            process.stdin.flush()
            found = [(code, said) for code, said in json.loads(process.stdout.readline())]
            assert not any("Traceback" in said for _, said in found), found
            return found

        yield ends


def _be(words: list[str], gate: int, said: Path) -> NoReturn:
    """Wait until nobody holds the gate open any more, and then be the command."""
    output = os.open(said, os.O_WRONLY | os.O_CREAT)
    for stream in (1, 2):
        os.dup2(output, stream)
    os.read(gate, 1)
    code = 99
    try:
        main(words)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _run(commands: list[list[str]]) -> Ends:
    reading, writing = os.pipe()
    with TemporaryDirectory() as folder:
        files = [Path(folder, str(number)) for number in range(len(commands))]
        children = []
        for words, said in zip(commands, files, strict=True):
            child = os.fork()
            if not child:
                os.close(writing)
                _be(words, reading, said)
            children.append(child)
        os.close(writing)  # all begin
        os.close(reading)
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        return [(code, said.read_text()) for code, said in zip(codes, files, strict=True)]


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(json.dumps(_run(json.loads(line))) + "\n")
        sys.stdout.flush()
