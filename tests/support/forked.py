"""The programs as real processes that need not import everything first: each is forked from one that has.

Starting an installed program takes most of a second of processor time, nearly all of it for imports. What depends on
how a program starts (its environment, its encoding, its memory) is tested with the installed one, which
`tests/system/test_installation.py` installs from nothing.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir
from functools import cache
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from multiprocessing.forkserver import ensure_running
from pathlib import Path
from tempfile import TemporaryDirectory

import protocol.cli
import protocol.exchange.run
import verifier.cli
import verifier.corpus_replay

# Commands import what needs numpy only when they need it. Here it is all imported.

_ROOT = Path(__file__).parents[2]
_MAINS: dict[str, Callable[[], object]] = {"tallystick": protocol.cli.main, "tallystick-verify": verifier.cli.main}
_SERVER = get_context("forkserver")
_SERVER.set_forkserver_preload([__name__])


def start(
    program: str,
    arguments: Sequence[object],
    *,
    cwd: Path,
    env: Mapping[str, str],
    streams: Sequence[Path | str] = (os.devnull,) * 3,
) -> ForkServerProcess:
    """A program whose standard streams are these files. A terminal becomes its controlling terminal."""
    assert program in _MAINS
    _have_a_server()
    process = _SERVER.Process(
        target=_become, args=(program, [*map(str, arguments)], cwd, dict(env), [*map(str, streams)])
    )
    process.start()
    return process


@cache
def _have_a_server() -> None:
    with chdir(_ROOT):  # where it finds this module
        ensure_running()


def run(
    program: str, *arguments: object, cwd: Path, env: Mapping[str, str] | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """A program from its start to its end."""
    with TemporaryDirectory() as folder:
        streams = [Path(folder, name) for name in ("in", "out", "err")]
        for stream in streams:
            stream.write_bytes(stdin.encode() if stream.name == "in" else b"")
        process = start(program, arguments, cwd=cwd, env=os.environ if env is None else env, streams=streams)
        process.join(300)
        assert process.exitcode is not None, f"{program} {arguments} does not end"
        said = [stream.read_bytes().decode() for stream in streams[1:]]
    return subprocess.CompletedProcess([program, *map(str, arguments)], process.exitcode, *said)


def _become(program: str, arguments: list[str], cwd: Path, env: dict[str, str], streams: list[str]) -> None:
    """In the new process: take the place of a program that was started so."""
    os.setsid()
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, (path, mode) in enumerate(zip(streams, (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY), strict=True)):
        opened = os.open(path, mode)
        os.dup2(opened, number)
        os.close(opened)
    lines = 1 if os.isatty(1) else -1  # as Python itself buffers
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", lines, encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
    sys.argv = [program, *arguments]
    _MAINS[program]()
