"""The commands that write something, on a disk with less and less room.

    python -m tests.support.full_disk FOLDER CORPUS DISK

FOLDER is prepared by `writing_commands`. Each command is given on DISK with few blocks free, and again once there is
room. Writes a line of JSON for each: the command, the free blocks, how it ended and what it left, and the same of the
second time.
"""

import json
import os
import shutil
import sys
from pathlib import Path

from protocol.corpus.corpus import Corpus
from tests.support import writing_commands
from tests.support.exchange_cases import Table

BLOCK = 4096
FREE = (0, 2, 9, 18)


def _fill(disk: Path, free: int) -> Path:
    found = os.statvfs(disk)
    filled = disk / "filled"
    filled.write_bytes(bytes(max(0, found.f_bavail * found.f_frsize // BLOCK - free) * BLOCK))
    return filled


def main(base: Path, corpus: Path, disk: Path) -> None:
    """Give each command, first without and then with enough room."""
    whole = Table(folder=base, corpus=Corpus.open(corpus))
    for name in writing_commands.COMMANDS:
        for free in FREE:
            table = whole.copied(disk / "table")
            filled = _fill(disk, free)
            ended, left = writing_commands.run(name, table), writing_commands.hidden(table)
            filled.unlink()
            again = writing_commands.run(name, table)
            sys.stdout.write(json.dumps([name, free, ended, left, again, writing_commands.hidden(table)]) + "\n")
            shutil.rmtree(table.folder)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
