"""The folder of a volume: which files are in it, and what they hash to. Links are never followed.

A file is opened only under a name that was found in the folder, never under one that somebody wrote into a manifest.
"""

import hashlib
import os
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

from verifier.production import form
from verifier.production.checks import Undecided
from verifier.production.form import Signed
from verifier.reading import at_most, plain_file

_LARGEST = 2**30  # bytes of a manifest, or of a list for return
_LEFT_BY_SYSTEMS = {".DS_Store", "Thumbs.db", "desktop.ini"}


class Folder:
    """The files of a folder by their paths in it, with slashes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files: dict[str, int] = {}  # plain files, with their sizes
        self.others: dict[str, str] = {}  # whatever else is there: what it is
        self.ignored: list[str] = []
        try:
            self._walk()
        except OSError as error:
            raise Undecided(f"{path} cannot be read: {error.strerror or error}") from None

    def manifest(self) -> tuple[Signed, bytes]:
        """The manifest, and the SHA-256 of its file."""
        where = self.path / form.FILE
        if form.FILE not in self.files:
            what = f"there it is {self.others[form.FILE]}" if form.FILE in self.others else f"it holds no {form.FILE}"
            raise Undecided(f"{self.path} is not a production volume: {what}")
        data = self.whole(form.FILE)
        return form.parse(data, where), hashlib.sha256(data).digest()

    def whole(self, name: str) -> bytes:
        """The bytes of a file."""
        try:
            return at_most(self.path / name, _LARGEST)
        except OSError as error:
            raise Undecided(f"{self.path / name} cannot be read: {error.strerror or error}") from None

    def opened(self, name: str) -> BufferedReader:
        """A file, open for reading."""
        try:
            return plain_file(self.path / name)
        except OSError as error:
            raise Undecided(f"{self.path / name} cannot be read: {error.strerror or error}") from None

    def digest(self, name: str) -> bytes:
        """The SHA-256 of a file."""
        try:
            with self.opened(name) as file:
                return hashlib.file_digest(file, "sha256").digest()
        except OSError as error:
            raise Undecided(f"{self.path / name} cannot be read: {error.strerror or error}") from None

    def _walk(self) -> None:
        waiting = [""]
        while waiting:
            above = waiting.pop()
            for entry in _entries(self.path / above if above else self.path):
                name = f"{above}/{entry.name}" if above else entry.name
                if entry.is_symlink():
                    self.others[name] = "a link"
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(name)
                elif not entry.is_file(follow_symlinks=False):
                    self.others[name] = "not a plain file"
                elif entry.name in _LEFT_BY_SYSTEMS:
                    self.ignored.append(name)
                else:
                    self.files[name] = entry.stat(follow_symlinks=False).st_size


def _entries(path: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(path) as found:
        yield from sorted(found, key=lambda each: each.name)
