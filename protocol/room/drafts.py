"""Every decision of a question as it is made: a journal in a file beside the memory, a line for each step.

A line is on the disk before the page is told that it is kept. A step that a crash cut short is no whole line, and is
left out. So after a crash of browser, program or machine nothing is missing but what nobody was told is kept. Undo is
a step too: it takes the last one back that still counts. So is redo, until something else is decided. Files that the
person adds, such as an objection, are lines of the same journal, and are not undone.
"""

import errno
import json
import os
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ledger import files
from ledger.errors import Damaged
from ledger.hashing import Digest
from protocol.parties import memory

Cell = bool | int | str | list[int] | None
"""What is decided about one thing; None if nothing is."""

FOLDER = "drafts"
_PAUSE = 300.0  # seconds without a step after which nobody was at work


def path_of(key_file: Path, matter: Digest, entry: Digest, kind: str) -> Path:
    """The journal of a question."""
    return memory.folder_of(key_file, matter) / FOLDER / f"{entry.hex()}-{kind}.jsonl"


class Draft:
    """The decisions so far. `cells` has them by name, such as `label/17`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cells: dict[str, Cell] = {}
        self.seconds = 0.0  # that somebody was at work
        self.last: float | None = None  # when the last step was made
        self.papers: list[bytes] = []  # files that were added
        self._before: list[dict[str, Cell]] = []  # what each step that counts has replaced
        self._after: list[dict[str, Cell]] = []  # what each step that was taken back had decided
        self._lock = threading.RLock()  # two windows may send steps at once
        self._read()

    @property
    def undoable(self) -> int:
        """How many steps can be taken back."""
        return len(self._before)

    @property
    def redoable(self) -> int:
        """How many steps can be taken again."""
        return len(self._after)

    def change(self, cells: Mapping[str, Cell]) -> None:
        """Keep a step, however many things it is about."""
        self._append({"at": _now(), "cells": dict(cells)})

    def undo(self) -> dict[str, Cell]:
        """Take the last step back; what its things are now. Empty if there is none."""
        return self._retraced("undo", self._before)

    def redo(self) -> dict[str, Cell]:
        """Take the step again that was taken back last; what its things are now. Empty if there is none."""
        return self._retraced("redo", self._after)

    def add(self, paper: bytes) -> None:
        """Keep a file."""
        self._append({"at": _now(), "paper": b64encode(paper).decode()})

    def _retraced(self, what: str, steps: list[dict[str, Cell]]) -> dict[str, Cell]:
        with self._lock:
            if not steps:
                return {}
            found = steps[-1]
            self._append({"at": _now(), what: True})
            return found

    def _append(self, step: dict[str, Any]) -> None:
        line = json.dumps(step, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        with self._lock, files.writing(self.path):
            if not self.path.parent.is_dir():
                self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
            try:
                _added(handle, line)
            finally:
                os.close(handle)
            self._take(step)

    def _take(self, step: Mapping[str, Any]) -> None:
        if step.get("undo"):
            self._after.append(self._replaced(self._before.pop()))
        elif step.get("redo"):
            self._before.append(self._replaced(self._after.pop()))
        elif "paper" in step:
            self.papers.append(b64decode(step["paper"], validate=True))
        else:
            self._before.append(self._replaced(step["cells"]))
            self._after.clear()
        at = float(step["at"])
        if self.last is not None and 0 < at - self.last < _PAUSE:
            self.seconds += at - self.last
        self.last = at

    def _replaced(self, cells: Mapping[str, Cell]) -> dict[str, Cell]:
        """Decide these; what they were before."""
        before = {name: self.cells.get(name) for name in cells}
        for name, value in cells.items():
            self._set(name, value)
        return before

    def _set(self, name: str, value: Cell) -> None:
        if value is None:
            self.cells.pop(name, None)
        else:
            self.cells[name] = value

    def _read(self) -> None:
        data = memory.read(self.path)
        whole = data.rfind(b"\n") + 1
        if whole < len(data):  # a step that a crash cut short
            with files.writing(self.path), self.path.open("r+b") as stream:
                stream.truncate(whole)
        for number, line in enumerate(data[:whole].splitlines(), start=1):
            try:
                self._take(json.loads(line))
            except (ValueError, TypeError, LookupError, AttributeError):
                raise Damaged(
                    f"{self.path}, line {number}, is not a step of a draft; move the file away to begin again"
                ) from None


def _added(handle: int, line: bytes) -> None:
    """Add a line to a file, whole or not at all: on a full disk a part of it may be written."""
    before = os.fstat(handle).st_size
    try:
        if os.write(handle, line) != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(handle)
    except OSError:
        os.ftruncate(handle, before)
        raise


def _now() -> float:
    return round(time.time(), 3)
