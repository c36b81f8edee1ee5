"""Mailboxes of Outlook (.pst, .ost): a container whose messages are read one by one, and never a document itself.

    for folder, file in messages(Path("alice.pst")):  # ("Inbox/2024", a mail)

A mailbox keeps no mail as it was sent, only properties. Each message is written again as a mail (`letter` says how),
always with the same bytes, so that one reader serves all mail and the same message of two mailboxes can be told.

`libpff` (LGPL) is a reader in C, and the file may be hostile: call this in a process of its own, with limits.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from protocol.sources.containers import Container, Member
from protocol.sources.formats import pstitems
from protocol.sources.formats.letter import MAIL, subject_text, written
from protocol.sources.formats.pstitems import FAILURES, Place, count, got, letter, name_of, opened, words
from protocol.sources.formats.pstnodes import View
from protocol.sources.limits import Limits
from protocol.sources.parts import File, Unextractable
from protocol.sources.problems import Cause

MAGIC = b"!BDN"
PIECE = 2**20
MAX_FOLDERS = 100_000
MAX_DEPTH = 50


def tool() -> str:
    """The library with its version."""
    return f"libpff {pstitems.library().get_version()}"


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder of the mailbox: its names and numbers from the top, and the library's object."""

    names: tuple[str, ...]
    numbers: tuple[int, ...]
    item: Any


def messages(mailbox_file: Path | IO[bytes]) -> Iterator[tuple[str, File]]:
    """Each message with the path of its folder, in the order of the mailbox.

    A message that cannot be read at all comes as a mail that says so. Raises `Unextractable` if nothing can be read.
    """
    if isinstance(mailbox_file, Path):
        with mailbox_file.open("rb") as stream:
            yield from messages(stream)
        return
    view = View(mailbox_file)
    try:
        mailbox = opened(view)
        root = mailbox.get_root_folder()
    except FAILURES as error:
        detail = f"libpff cannot open the mailbox ({words(error)}); repair it with scanpst, or get another copy"
        raise Unextractable(Cause.DAMAGED, detail) from None
    try:
        for folder in _folders(root):
            for number in range(count(folder.item, "number_of_sub_messages")):
                place = Place(view, folder.numbers, number)
                yield "/".join(folder.names), _file(got(folder.item.get_sub_message, number), place)
        for number in range(count(mailbox, "number_of_orphan_items")):
            yield "(orphans)", _file(got(mailbox.get_orphan_item, number), None)
    finally:
        mailbox.close()


def _folders(root: Any) -> Iterator[_Folder]:
    """All folders in their order, without recursion: a hostile mailbox may nest them deeply."""
    waiting = [_Folder((), (), root)]
    for _ in range(MAX_FOLDERS):
        if not waiting:
            return
        folder = waiting.pop()
        yield folder
        if len(folder.names) < MAX_DEPTH:
            inner = [got(folder.item.get_sub_folder, at) for at in range(count(folder.item, "number_of_sub_folders"))]
            below = [
                _Folder((*folder.names, name_of(item)), (*folder.numbers, number), item)
                for number, item in enumerate(inner)
                if item is not None
            ]
            waiting += reversed(below)


def _file(item: Any, place: Place | None) -> File:
    read = letter(item, place)
    subject = " ".join(subject_text(read.properties).split())
    return File(name=f"{subject[:100] or 'message'}.eml", content=written(read), declared=MAIL)


def members(stream: IO[bytes], name: str, limits: Limits) -> Iterator[Member]:  # noqa: ARG001 - as all containers
    """The messages as members, numbered, since a folder may hold many of one subject."""
    for number, (folder, file) in enumerate(messages(stream), 1):
        path = "/".join(part for part in (folder, f"message {number}.eml") if part)
        if len(file.content) > limits.file:
            yield Member(path=path, problem=(Cause.TOO_LARGE, f"a message of more than {limits.file} bytes"))
        else:
            pieces = (file.content[at : at + PIECE] for at in range(0, len(file.content), PIECE))
            yield Member(path=path, pieces=pieces, declared=file.declared)


CONTAINER = Container(
    name="pst",
    described="a mailbox of Outlook (.pst, .ost)",
    starts=lambda start: start.startswith(MAGIC),
    members=members,
)
