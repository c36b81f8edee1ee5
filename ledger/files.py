"""Files that appear whole or not at all, and stay after a power cut."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ledger.errors import Refused


def write_folder(out: Path, contents: Mapping[str, bytes]) -> None:
    """A new folder with these files, by their names in it with slashes."""
    unfinished = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    try:
        for name, content in contents.items():
            path = unfinished / name
            path.parent.mkdir(exist_ok=True)
            with path.open("xb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
        unfinished.chmod(0o755)  # a temporary folder is for its owner only, and this one is to be handed on
        unfinished.rename(out)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    sync_folder(out)


@contextmanager
def written(path: Path) -> Iterator[IO[bytes]]:
    """A stream into a new file, which gets its name at the end; if that fails, nothing is left."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        unfinished.chmod(0o644)
        place(unfinished, path)
    finally:
        with suppress(OSError):
            unfinished.unlink()


def place(unfinished: Path, path: Path) -> None:
    """Give a finished file its name, unless something has taken the name meanwhile."""
    try:
        os.link(unfinished, path)
    except FileExistsError:
        unfinished.unlink()
        raise Refused(f"{path} exists already; choose another name, or go on with it") from None
    except OSError:  # a file system without links
        unfinished.rename(path)
    else:
        unfinished.unlink()
    sync_folder(path)


def replace(unfinished: Path, path: Path) -> None:
    """Give a finished file its name, in place of what had it before."""
    unfinished.replace(path)
    sync_folder(path)


def sync_folder(path: Path) -> None:
    """Make the name of a file durable; where folders cannot be synced, the system does without."""
    with suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
