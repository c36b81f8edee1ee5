"""Files as a source: a folder with all files below it, or a single file. Containers among them are opened."""

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from ledger import reading
from protocol.sources.families import families
from protocol.sources.family import Family
from protocol.sources.items import Item, Received
from protocol.sources.opener import Loose, Opener
from protocol.sources.problems import Cause, Problem
from protocol.sources.source import Columns, Format, Progress, Reader, Settings, whole_file
from protocol.sources.text import replace_surrogates

Listed = list[tuple[str, Problem | None]]


def _read_folder(
    folder: Path, listed: Listed, progress: Progress, received: Received, settings: Settings
) -> Iterator[Family | Problem | Item]:
    """What becomes of each file; `progress` is told how many files have been looked at."""
    opener = Opener(settings.limits, received)
    try:
        yield from families(_in_folder(folder, listed, progress, opener, settings), settings, received)
    finally:
        opener.end()


def _in_folder(
    folder: Path, listed: Listed, progress: Progress, opener: Opener, settings: Settings
) -> Iterator[Loose | Problem | Item]:
    for number, (name, problem) in enumerate(listed, 1):
        progress(number)
        path = shown(name)
        if problem:
            yield problem
            continue
        try:
            stream = reading.opened(folder / name)
        except OSError as error:
            yield Problem(where=path, cause=Cause.UNREADABLE, detail=error.strerror or str(error))
            continue
        custodian = path.split("/")[0] if settings.custodian_folders and "/" in path else ""
        with stream:
            for item in opener.files(stream, path):
                yield replace(item, custodian=custodian) if isinstance(item, Loose) else item


def _read_single(
    path: Path, progress: Progress, received: Received, settings: Settings
) -> Iterator[Family | Problem | Item]:
    """What becomes of one file; `progress` is told how many of its bytes have been looked at."""
    opener = Opener(settings.limits, received)
    try:
        yield from families(_of_single(path, progress, opener), settings, received)
    finally:
        opener.end()


def _of_single(path: Path, progress: Progress, opener: Opener) -> Iterator[Loose | Problem | Item]:
    with reading.opened(path) as stream:
        total = os.fstat(stream.fileno()).st_size
        for item in opener.files(stream, shown(path.name)):
            yield item
            place = os.lseek(stream.fileno(), 0, os.SEEK_CUR)  # of the worker that reads it, which shares the place
            progress(min(place, total))
        progress(total)


def shown(name: str) -> str:
    """A file's name on this machine, as text that UTF-8 can write."""
    return replace_surrogates(name)[0]


def list_files(folder: Path) -> Listed:
    """The relative path of each file in a folder, in order, with the reason if it is not to be opened."""
    root = folder.resolve()
    listed: Listed = []

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


def _refusal(path: Path, root: Path) -> str:
    """Why a file is not opened, or an empty text."""
    if not path.exists():
        return "a link to a file that does not exist"
    if path.is_symlink() and not path.resolve().is_relative_to(root):
        return "a link to a place outside the folder"
    if path.is_file():
        return ""
    return "a link to a folder, which is not followed" if path.is_dir() else "not a regular file"


def _problem(name: str, cause: Cause, detail: str) -> Problem:
    return Problem(where=shown(name), cause=cause, detail=detail)


def _open_folder(path: Path, _: Columns) -> Reader:
    listed = list_files(path)
    return Reader(total=len(listed), read=partial(_read_folder, path, listed))


FOLDER = Format(
    name="a folder",
    described="all files in it and in folders below it, of any format",
    is_container=False,
    recognises=lambda sight: sight.is_folder,
    open=_open_folder,
)

SINGLE = Format(
    name="any other file",
    described="a mailbox or an archive with what is in it, or one document",
    is_container=False,
    recognises=lambda sight: not sight.is_folder,
    open=lambda path, _: whole_file(path, partial(_read_single, path)),
)
