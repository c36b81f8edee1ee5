"""The containers in the order in which they are asked, and how one looks inside a family."""

from typing import IO

from protocol.sources.containers import START, Container, mailbox, tarred, zipped
from protocol.sources.limits import Limits
from protocol.sources.parts import Extracted, Extractor, File, Note, Unextractable
from protocol.sources.problems import Cause

CONTAINERS: tuple[Container, ...] = (zipped.CONTAINER, tarred.CONTAINER, mailbox.CONTAINER)


def may_be_container(start: bytes) -> bool:
    """Whether a file with these first bytes is worth asking a worker about."""
    return any(each.starts(start) for each in CONTAINERS)


def kind_of(start: bytes) -> Container | None:
    """The container that a file with these first bytes may be."""
    return next((each for each in CONTAINERS if each.starts(start)), None)


def _recognises(file: File) -> bool:
    return may_be_container(file.content[:START])


def _extract(file: File) -> Extracted:
    """An archive or mailbox inside a family: its members are parts, and its text is the list of them.

    So is a document that is a zip, such as a book (.epub), if no reader knows its kind. That is noted.
    """
    limits = Limits()
    found = kind_of(file.content[:START])
    if found is None:
        raise Unextractable(Cause.OTHER_FILE, "neither an archive nor a mailbox")
    children, notes, size = [], list[Note](), 0
    members = found.members(_stream(file.content), file.name, limits)
    if members is None:
        members = zipped.inside(_stream(file.content), limits)
        notes.append((Cause.UNREAD_PART, "a document of a kind that no reader knows; the files inside it were read"))
    for member in members:
        content = b""
        try:
            pieces = []
            for piece in member.pieces:
                size += len(piece)
                if size > limits.output:
                    raise _TooMuch(f"more than {limits.output} bytes come out of this archive")
                pieces.append(piece)
            content = b"".join(pieces)
            problem = member.problem
        except _TooMuch as error:
            raise Unextractable(Cause.TOO_LARGE, str(error)) from None
        except Unextractable as error:
            problem = (error.cause, error.detail)
        if problem:
            notes.append((problem[0], f"{member.path}: {problem[1]}"))
        else:
            children.append(File(name=member.path, content=content, declared=member.declared))
        if len(children) + len(notes) > limits.parts:
            raise Unextractable(Cause.TOO_LARGE, f"an archive with more than {limits.parts} files")
    listed = [child.name for child in children]
    return Extracted(
        kind=found.name, text="\n".join(listed), tool="tallystick", children=tuple(children), notes=tuple(notes)
    )


class _TooMuch(Exception):
    """The archive, not a member of it, is too large."""


def _stream(content: bytes) -> IO[bytes]:
    from io import BytesIO

    return BytesIO(content)


EXTRACTOR = Extractor(
    name="archive", described="an archive or a mailbox inside another file", recognises=_recognises, extract=_extract
)
