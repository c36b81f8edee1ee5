"""Other programs, such as an office suite, run on one stranger's file.

    made = run_program(["soffice", "--headless", "--convert-to", "docx", "input.doc"], "input.doc", content, limits)
    made["input.docx"]

The program starts in a folder that holds the input and nothing else, and what it leaves there is the result. On
Linux it has no network, sees the system's own folders read-only, and no other file. A format that needs a program
lists it as a `Program`:

    PROGRAM = Program(name="soffice", remedies=Cause.NEEDS_TOOL, kinds=("doc", "xls", "ppt"), convert=_convert)

Where the worker's reader refuses a file, or notes about it, with that cause, and the file's kind (`Extracted.kind`, or
the name of the `Extractor` that raised) is one of these, the parent lets the program convert the file, and a worker
reads what comes out.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ledger import reading
from protocol.sources.limits import Limits
from protocol.sources.parts import File, Unextractable
from protocol.sources.problems import Cause
from protocol.sources.sandbox import confine

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/var/lib/dpkg/alternatives")
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
WORK = "/work"
"""The program's folder, as it sees it where it sees nothing else."""

_PREFIX = "tallystick-build-"
_MAX_FILES = 1000
_REFUSED = 97  # the launcher's exit code if it cannot start the program
_LAST_WORDS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """What a program made of a file: another file to be read in its place, and what made it."""

    file: File
    tool: str
    """The program with its version."""
    options: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program that helps where no reader of ours can."""

    name: str
    remedies: Cause
    """The reader's complaint after which the program is tried."""
    kinds: tuple[str, ...]
    convert: Callable[[File, Limits], Converted]
    """Runs it with `run_program`. Raises `Unextractable`, with the remedy if it is not installed."""


def installed(name: str) -> str | None:
    """Where a program is, or None."""
    return shutil.which(name)


def run_program(
    argv: Sequence[str], input_file_name: str, content: bytes, limits: Limits, env: Mapping[str, str] | None = None
) -> dict[str, bytes]:
    """Run a program on one file, and return the files that it made, by their names in its folder, with slashes.

    Raises `Unextractable` if it fails, takes too long or makes too much. `HOME` and `TMPDIR` are in its folder, and
    what is in them is not returned.
    """
    if input_file_name in ("", ".", "..", ".home") or "/" in input_file_name or "\0" in input_file_name:
        raise ValueError(f"not a plain file name: {input_file_name!r}")
    _sweep()
    with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-", ignore_cleanup_errors=True) as work:
        folder = Path(work)
        (folder / input_file_name).write_bytes(content)
        (folder / ".home").mkdir()
        code, said = _launched(argv, folder, limits, dict(env or {}))
        made = _collected(folder, input_file_name, limits)
    if code and not made:
        raise Unextractable(Cause.DAMAGED, f"{Path(argv[0]).name} could not read it ({_words(code, said)})")
    return made


@cache
def _sweep() -> None:
    """Remove the folders of builds that were killed: each holds a document."""
    if not confine.has_limits:  # Windows, where asking after a process would end it
        return
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        number = path.name.removeprefix(_PREFIX).partition("-")[0]
        with suppress(OSError, ValueError):
            if not path.is_symlink() and path.stat().st_uid == os.getuid() and not _is_running(int(number)):
                shutil.rmtree(path, ignore_errors=True)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@cache
def held() -> tuple[str, ...]:
    """The protections under which programs run on this machine: told by a launcher that starts nothing."""
    limits = Limits()
    with tempfile.TemporaryDirectory(prefix="tallystick-") as work:
        (Path(work) / ".home").mkdir()
        process = _start([], Path(work), limits, {}, only_report=True)
        told, _ = process.communicate(timeout=limits.program_seconds)
    known = told.decode(errors="replace").split("\n")
    return tuple(each for each in confine.PROTECTIONS if each in known or each == confine.TIME)


def _launched(argv: Sequence[str], folder: Path, limits: Limits, env: dict[str, str]) -> tuple[int, bytes]:
    """Run the program to its end, or end it; its exit code, and the end of what it said."""
    log = folder / ".home" / ".said"
    process = _start(argv, folder, limits, env)
    try:
        code = process.wait(limits.program_seconds)
    except subprocess.TimeoutExpired:
        detail = f"{Path(argv[0]).name} took more than {limits.program_seconds} seconds; convert it by hand"
        raise Unextractable(Cause.TOO_SLOW, detail) from None
    finally:
        _end(process)
    said = b""
    with suppress(OSError):
        said = log.read_bytes()[-_LAST_WORDS:]
    if code == _REFUSED:
        raise Unextractable(Cause.NEEDS_TOOL, f"{argv[0]} cannot be started ({_words(code, said)}); install it")
    return code, said


def _start(
    argv: Sequence[str], folder: Path, limits: Limits, env: dict[str, str], *, only_report: bool = False
) -> subprocess.Popen[bytes]:
    order = {"argv": list(argv), "folder": str(folder), "env": env, "report": only_report, "limits": asdict(limits)}
    path = os.pathsep.join(str(Path(each).absolute()) for each in sys.path)
    return subprocess.Popen(  # noqa: S603 - our own interpreter, our own module
        [sys.executable, "-P", "-m", __name__, json.dumps(order)],
        env=os.environ | {"PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if only_report else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program and whatever it has started."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
    process.wait()


def _collected(folder: Path, input_file_name: str, limits: Limits) -> dict[str, bytes]:
    """The regular files in the folder, other than the input; never through a link."""
    made: dict[str, bytes] = {}
    left = limits.output
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - {".home"})
        for name in sorted(names):
            path = Path(parent, name)
            inside = path.relative_to(folder).as_posix()
            if inside == input_file_name or path.is_symlink() or not path.is_file():
                continue
            size = path.stat().st_size
            if size > left or len(made) == _MAX_FILES:
                raise Unextractable(Cause.TOO_LARGE, f"its conversion is larger than {limits.output} bytes")
            made[inside] = reading.whole(path, left, "a converted file")
            left -= size
    return made


def _words(code: int, said: bytes) -> str:
    lines = [line.strip() for line in said.decode(errors="replace").split("\n") if line.strip()]
    return lines[-1] if lines else f"exit code {code}"


def _launch(order: dict[str, Any]) -> int:
    """In the new process: shut it in as far as the system allows, and become the program."""
    limits, inside = Limits(**order["limits"]), Path(order["folder"])
    confine.end_with_parent()
    held = set()
    if confine.is_linux:
        with suppress(OSError):
            confine.leave_network(more=confine.NEWPID)
            held.add(confine.NO_NETWORK)
            pid = os.fork()  # the first process of the new namespace: with it, all others end
            if pid:
                return _ended(pid)
            confine.end_with_parent()
            _enter(inside)
            held.add(confine.NO_FILES)
            inside = Path(WORK)
    os.chdir(inside)
    held |= confine.limit(memory=limits.program_memory, written=limits.output)
    confine.give_up_rights()
    if order["report"]:
        os.write(1, "\n".join(sorted(held)).encode())
        return 0
    if confine.NO_NETWORK in held and (pid := os.fork()):  # to the first process, some signals do nothing
        return _ended(pid)
    return _become(order["argv"], inside / ".home", order["env"])


def _ended(pid: int) -> int:
    """How a process ended, as shells tell it."""
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return code if code >= 0 else 128 - code


def _become(argv: list[str], home: Path, env: dict[str, str]) -> int:
    said = os.open(home / ".said", os.O_WRONLY | os.O_CREAT, 0o600)
    os.dup2(said, 1)
    os.dup2(said, 2)
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    try:
        os.execvpe(argv[0], argv, kept | {"HOME": str(home), "TMPDIR": str(home)} | env)  # noqa: S606 - its purpose
    except OSError as error:
        os.write(2, str(error).encode())
    return _REFUSED


def _enter(folder: Path) -> None:
    """A root with the system's own folders, read-only, and the program's folder."""
    handle = os.open(folder, os.O_RDONLY)  # the folder of temporary files is about to be covered
    root = confine.empty_root("256m")
    for name in SYSTEM:
        found = Path(name)
        if found.is_symlink():
            (root / name[1:]).parent.mkdir(parents=True, exist_ok=True)
            (root / name[1:]).symlink_to(found.readlink())
        elif found.is_dir():
            (root / name[1:]).mkdir(parents=True)
            confine.bind(name, root / name[1:], read_only=True)
    for name in DEVICES:
        (root / "dev").mkdir(exist_ok=True)
        (root / name[1:]).touch()
        confine.bind(name, root / name[1:], read_only=False)
    for name in ("tmp", "proc", WORK[1:]):
        (root / name).mkdir()
    confine.bind(f"/proc/self/fd/{handle}", root / WORK[1:], read_only=False)
    with suppress(OSError):
        confine.mount_proc(root / "proc")
    os.close(handle)
    confine.enter_root(root, read_only=False)


if __name__ == "__main__":
    sys.exit(_launch(json.loads(sys.argv[1])))
