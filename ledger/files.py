"""Files that appear whole or not at all, and stay after a power cut."""

import os
from contextlib import suppress
from pathlib import Path

from ledger.errors import Refused


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
