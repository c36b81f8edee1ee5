"""Files and folders that appear whole or not at all, and stay after a power cut.

Each is written under a hidden name in the same folder, flushed to the disk, and then gets its name. An `OSError` on
the way becomes a refusal in words, and what was unfinished is removed.
"""

import gzip
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ledger.errors import Refused


@contextmanager
def new_file(path: Path, *, mode: int = 0o644) -> Iterator[IO[bytes]]:
    """A stream into a file that must not exist yet."""
    with _stream(path, mode, place) as stream:
        yield stream


@contextmanager
def replaced_file(path: Path, *, mode: int = 0o600) -> Iterator[IO[bytes]]:
    """A stream into a file that replaces an older one, if there is one."""
    with _stream(path, mode, _replace) as stream:
        yield stream


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
    if os.path.lexists(out):
        raise _taken(out)
    unfinished = _beside(out)
    with writing(out):
        unfinished.mkdir(mode)
    try:
        yield unfinished  # an error raised by its user may be about something else
        with writing(out):
            _sync_all(unfinished)
            if os.path.lexists(out):
                raise _taken(out)
            unfinished.rename(out)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    _sync_folder(out)


def write_folder(out: Path, contents: Mapping[str, bytes]) -> None:
    """A new folder with these files, by their names in it with slashes."""
    with new_folder(out) as folder, writing(out):
        for name, content in contents.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            with path.open("xb") as stream:
                stream.write(content)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Whatever the system refuses within means that `path` cannot be written."""
    try:
        yield
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror or error}") from None


def place(unfinished: Path, path: Path) -> None:
    """Give a finished file its name, unless the name was taken in the meantime."""
    try:
        os.link(unfinished, path)
    except FileExistsError:
        unfinished.unlink()
        raise _taken(path) from None
    except OSError:  # a file system without links
        if os.path.lexists(path):
            raise _taken(path) from None
        unfinished.rename(path)
    else:
        unfinished.unlink()
    _sync_folder(path)


@contextmanager
def _stream(path: Path, mode: int, finish: Callable[[Path, Path], None]) -> Iterator[IO[bytes]]:
    unfinished = _beside(path)
    try:
        with writing(path):
            handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
            with os.fdopen(handle, "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            finish(unfinished, path)
    finally:
        with suppress(OSError):
            unfinished.unlink()


def _replace(unfinished: Path, path: Path) -> None:
    unfinished.replace(path)
    _sync_folder(path)


def _sync_all(folder: Path) -> None:
    """Flush everything in a folder to the disk, names included."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb+") as file:
                os.fsync(file.fileno())
        _sync_folder(path)


def _sync_folder(path: Path) -> None:
    """Make the name of a file durable, on systems that can sync folders."""
    with suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}")


def _taken(path: Path) -> Refused:
    return Refused(f"{path} exists already; choose another name")
