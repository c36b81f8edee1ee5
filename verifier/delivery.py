"""V23: are the files at hand the documents that were disclosed?

Files are recognised by their content alone, whatever their names. Nobody signs a file, so nobody is blamed for a wrong
one. In the folder of a question from Trent only the documents count, not its forms and pages.
"""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

from verifier.checks import Check
from verifier.findings import Finding, Unreadable
from verifier.reading import plain_file
from verifier.replay.state import Disclosed
from verifier.tally import Tally

_SHOWN = 5
_QUESTION, _ITS_DOCUMENTS = "question.json", "documents"
_NOT_DOCUMENTS = {".DS_Store", "Thumbs.db", "desktop.ini"}  # files that systems leave in folders by themselves


class HandedDocuments:
    """The documents that a record discloses, to be compared with a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._disclosed: dict[bytes, str] = {}  # names by content

    def disclose(self, document: Disclosed) -> None:
        """The record shows that Bob was given this part of a document."""
        self._disclosed[document.content] = document.name

    def judge(self, tally: Tally, progress: Callable[[int], None]) -> None:
        """Compare every file in the folder."""
        strangers, seen = list[str](), set[bytes]()
        for count, path in enumerate(_files(self._folder), start=1):
            if path.name in _NOT_DOCUMENTS:
                continue
            found = _digest(path)
            if found in self._disclosed:
                seen.add(found)
                tally.passed(Check.HANDED)
            else:
                strangers.append(path.relative_to(self._folder).as_posix())
            progress(count)
        lacking = sorted(name for content, name in self._disclosed.items() if content not in seen)
        missing = f"no file in {self._folder} has the content of {_some(lacking)}" if lacking else ""
        if strangers:
            tally.fail(
                Finding(
                    check=Check.HANDED,
                    rule="Every file that was handed over is a disclosed document or a part of one, byte for byte",
                    expected=f"one of the {len(self._disclosed)} contents that the record discloses",
                    found=f"other content in {_some(strangers)}{f'; {missing}' if missing else ''}",
                )
            )
        elif missing:
            tally.leave(Check.HANDED, missing)


def _files(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        raise Unreadable(f"{folder} is not a folder")
    try:
        found = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        questions = {path.parent for path in found if path.name == _QUESTION}
        yield from (path for path in found if all(_is_document(path, top) for top in questions))
    except OSError as error:
        raise Unreadable(f"{folder} cannot be read: {error.strerror or error}") from None


def _is_document(path: Path, question: Path) -> bool:
    """Whether the file counts: if it lies in a question's folder, it must be one of the question's documents."""
    return question not in path.parents or question / _ITS_DOCUMENTS in path.parents


def _digest(path: Path) -> bytes:
    try:
        with plain_file(path) as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}") from None


def _some(names: list[str]) -> str:
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
