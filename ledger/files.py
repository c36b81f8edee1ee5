"""Files and folders that appear whole or not at all, and stay after a power cut.

Each is made under a hidden name in the same folder, flushed to the disk, and then gets its name. An `OSError` on the
way becomes a refusal in words, and what was unfinished is removed. A killed process cannot remove it: that is done by
the next one that writes to the same path, or finds it taken.
"""

import errno
import gzip
import os
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from ledger import interrupts, locks
from ledger.errors import Refused

_FULL = (errno.ENOSPC, errno.EDQUOT)
_AT_A_TIME = 8  # files that are flushed to the disk
_ATTEMPTS = 5  # to remove a folder
_PATIENCE = 2  # seconds: a worker of a killed process may be just starting, and still share its lock
_CUT_SHORT = " written"  # how numpy's words end when a disk has taken only a part of an array


@contextmanager
def new_file(path: Path, *, mode: int = 0o644) -> Iterator[IO[bytes]]:
    """A stream into a file that must not exist yet."""
    check_free(path)
    with unfinished(path) as hidden, writing(path):
        with _stream(hidden, mode) as stream:
            yield stream
        place(hidden, path)


@contextmanager
def replaced_file(path: Path, *, mode: int = 0o600) -> Iterator[IO[bytes]]:
    """A stream into a file that replaces an older one, if there is one."""
    with unfinished(path) as hidden, _replacing(hidden, path, mode) as stream:
        yield stream


@contextmanager
def replaced_alone(path: Path, *, mode: int = 0o600) -> Iterator[IO[bytes]]:
    """The same for whoever holds a lock under which nobody else writes this file."""
    hidden = _hidden(path)
    with interrupts.deferred():
        _remove(hidden)
        try:
            with interrupts.allowed(), _replacing(hidden, path, mode) as stream:
                yield stream
        finally:
            _remove(hidden)


@contextmanager
def _replacing(hidden: Path, path: Path, mode: int) -> Iterator[IO[bytes]]:
    with writing(path):
        with _stream(hidden, mode) as stream:
            yield stream
        hidden.replace(path)
        _sync_folder(path)


@contextmanager
def packed(stream: IO[bytes], path: Path, *, level: int = 9) -> Iterator[IO[bytes] | gzip.GzipFile]:
    """The stream itself, or a gzip stream into it if the file's name ends in .gz."""
    if path.suffix != ".gz":
        yield stream
        return
    with gzip.GzipFile(
        "", "wb", level, stream, mtime=0
    ) as into:  # without name and time, so the bytes depend only on the content
        yield into


@contextmanager
def new_folder(out: Path, *, mode: int = 0o755) -> Iterator[Path]:
    """A folder to put files into, which gets the name `out` at the end."""
    check_free(out)
    with unfinished(out) as hidden:
        with writing(out):
            hidden.mkdir(mode)
        yield hidden  # an error raised by its user may be about something else
        with writing(out):
            _sync_all(hidden)
            if os.path.lexists(out):
                raise _taken(out)
            hidden.rename(out)
            _sync_folder(out)


def made_folder(path: Path) -> None:
    """Make a folder and those above it, as far as they are missing; their names stay after a power cut."""
    with writing(path):
        missing = [each for each in (path, *path.parents) if not each.is_dir()]
        for each in reversed(missing):
            each.mkdir(exist_ok=True)
            _sync_folder(each)


def write_folder(out: Path, contents: Mapping[str, bytes]) -> None:
    """A new folder with these files, by their names in it with slashes."""
    with new_folder(out) as folder, writing(out):
        for name, content in contents.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            with path.open("xb") as stream:
                stream.write(content)


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """A hidden name beside `path` to work under, for one process at a time. Nothing is there before, nor afterwards."""
    hidden = _hidden(path)
    busy = f"another process is writing {path}; wait until it has ended, then run the command again"
    with interrupts.deferred(), ExitStack() as held:
        with writing(path):
            held.enter_context(locks.held(_lock(path), busy, patience=_PATIENCE))
        _remove(hidden)
        held.callback(_remove, hidden)
        with interrupts.allowed():
            yield hidden


def check_free(path: Path, advice: str = "choose another name") -> None:
    """Refuse a path where something is already."""
    if os.path.lexists(path):
        sweep(path)
        raise _taken(path, advice)


def sweep(path: Path) -> None:
    """Remove what a killed process left beside `path`, but nothing that another process is writing there now."""
    if os.path.lexists(_lock(path)) or os.path.lexists(_hidden(path)):
        with suppress(Refused), unfinished(path):
            pass


def place(finished: Path, path: Path) -> None:
    """Give a finished file its name, unless the name was taken in the meantime."""
    try:
        os.link(finished, path)
    except FileExistsError:
        raise _taken(path) from None
    except OSError:  # a file system without links
        if os.path.lexists(path):
            raise _taken(path) from None
        finished.rename(path)
    _sync_folder(path)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Whatever the system refuses within means that `path` cannot be written."""
    try:
        yield
    except OSError as error:
        raise Refused(f"{path} cannot be written: {reason(error)}") from None


def reason(error: OSError) -> str:
    """Why the system refused something, in words."""
    if error.errno in _FULL or str(error).endswith(_CUT_SHORT):
        return "the disk is full; make room, then run the command again"
    if error.errno == errno.EFBIG:
        return "it would be larger than this system allows"
    return error.strerror or str(error)


@contextmanager
def _stream(path: Path, mode: int) -> Iterator[IO[bytes]]:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    with os.fdopen(handle, "wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


def _hidden(path: Path) -> Path:
    return path.with_name(f".{path.name}.unfinished")


def _lock(path: Path) -> Path:
    return path.with_name(f".{path.name}.lock")


def _taken(path: Path, advice: str = "choose another name") -> Refused:
    return Refused(f"{path} exists already; {advice}")


def _remove(path: Path) -> None:
    """Remove a file or a folder, as far as the system allows.

    A folder may need several attempts: a worker on another machine, which nobody can end, may still write into it.
    """
    with suppress(OSError):
        for _ in range(_ATTEMPTS):
            if not path.is_dir() or path.is_symlink():
                break
            shutil.rmtree(path, ignore_errors=True)
        path.unlink(missing_ok=True)


def _sync_all(folder: Path) -> None:
    """Flush everything in a folder to the disk, names included; several files at a time, which is much faster."""
    found = list(folder.rglob("*"))
    with ThreadPoolExecutor(_AT_A_TIME) as threads:
        for _ in threads.map(_sync_file, [path for path in found if path.is_file()]):
            pass
    for each in {path.parent: path for path in found}.values():
        _sync_folder(each)


def _sync_file(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    """Make the name of a file durable, on systems that can sync folders."""
    with suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
