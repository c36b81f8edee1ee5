"""A folder: its .txt and .eml files, and those of all folders below it, are documents."""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from ledger import reading
from protocol.sources.formats.mail import EXTRACTION, mail_text
from protocol.sources.problems import Cause, Problem
from protocol.sources.source import Columns, Format, Found, Progress, Reader
from protocol.sources.text import decode_text, replace_surrogates

SUFFIXES = (".txt", ".eml")
MAX_DOCUMENT = 2**30
"""Largest document in bytes."""


def _list_files(folder: Path) -> list[tuple[str, Problem | None]]:
    """The relative path of each file in a folder, in order, with the reason if it cannot be a document."""
    root = folder.resolve()
    listed: list[tuple[str, Problem | None]] = []

    def unreadable(error: OSError) -> None:
        name = Path(error.filename).relative_to(folder).as_posix()
        listed.append((name, _problem(name, Cause.UNREADABLE, error.strerror or str(error))))

    for parent, folders, names in os.walk(folder, onerror=unreadable):
        links = [name for name in folders if Path(parent, name).is_symlink()]
        for entry in (*names, *links):
            path = Path(parent, entry)
            name = path.relative_to(folder).as_posix()
            try:
                detail = _refusal(path, root)
            except OSError as error:
                unreadable(error)
            else:
                listed.append((name, _problem(name, Cause.OTHER_FILE, detail) if detail else None))
    return sorted(listed, key=lambda pair: pair[0])


def _read(folder: Path, listed: list[tuple[str, Problem | None]], progress: Progress) -> Iterator[Found | Problem]:
    """A document for each file that holds one; `progress` is told how many files have been looked at."""
    for number, (name, problem) in enumerate(listed, 1):
        progress(number)
        if problem:
            yield problem
            continue
        try:
            raw = reading.whole(folder / name, MAX_DOCUMENT, "a document")
        except OSError as error:
            yield _problem(name, Cause.UNREADABLE, error.strerror or str(error))
        else:
            yield _found(name, raw)


def _refusal(path: Path, root: Path) -> str:
    """Why a file is not read, or an empty text."""
    if not path.exists():
        return "a link to a file that does not exist"
    if path.is_symlink() and not path.resolve().is_relative_to(root):
        return "a link to a place outside the folder"
    if not path.is_file():
        return "a link to a folder, which is not followed" if path.is_dir() else "not a regular file"
    return "" if path.suffix.lower() in SUFFIXES else f"not {' or '.join(SUFFIXES)}"


def _found(name: str, raw: bytes) -> Found:
    shown, note = replace_surrogates(name)
    notes = [(Cause.UNDECODABLE, note and "its name is not UTF-8; U+FFFD replaces the invalid bytes")]
    if name.lower().endswith(".eml"):
        mail = mail_text(raw)
        text = mail.text
        notes += mail.notes
    else:
        text, note = decode_text(raw)
        notes.append((Cause.UNDECODABLE, note))
    return Found(where=shown, name=shown, content=raw, text=text, notes=tuple(pair for pair in notes if pair[1]))


def _problem(name: str, cause: Cause, detail: str) -> Problem:
    return Problem(where=replace_surrogates(name)[0], cause=cause, detail=detail)


def _open(path: Path, _: Columns) -> Reader:
    listed = _list_files(path)
    return Reader(total=len(listed), read=partial(_read, path, listed))


FORMAT = Format(
    name="a folder of .txt and .eml files",
    described="one document in each file, also in folders below it",
    extraction=f".txt: decoded from UTF-8 or, where it is none, Windows-1252 or ISO 8859-1; {EXTRACTION}",
    recognises=lambda sight: sight.is_folder,
    open=_open,
)
