"""What libpff shows of a mailbox: folders, messages with their properties, and attachments.

Any of it may be damaged. What fails costs only itself, and a message says what could not be read of it.
"""

from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from protocol.sources.formats import mapi, pstheap, pstnodes
from protocol.sources.formats.letter import Attached, Letter, attached, written
from protocol.sources.formats.mapi import Properties
from protocol.sources.formats.outlook_items import NAMED
from protocol.sources.parts import Unextractable
from protocol.sources.problems import Cause

try:  # at once, since a worker that is shut in can load nothing
    import pypff
except ImportError:
    pypff = None

REMEDY = "a mailbox of Outlook; pip install 'tallystick[pst]' and build again"
MAX_ATTACHMENTS = 10_000
MAX_ATTACHMENT = 2**30
MAX_NESTED = 10
MAX_INNER = 1000
"""Messages inside one message, on all levels."""

FAILURES = (OSError, ValueError, OverflowError, MemoryError, RuntimeError, TypeError, AttributeError)
"""What libpff raises for damaged items."""


@dataclass(slots=True)
class Place:
    """Where a message stands, so that it can be found again in the same mailbox, seen in another way."""

    view: pstnodes.View
    folders: tuple[int, ...]
    message: int
    depth: int = 0
    inner: list[int] = field(default_factory=list)
    """One for each message inside that was opened, shared by all of them."""


def library() -> Any:
    """The library; `Unextractable` if it is not installed."""
    if pypff is None:
        raise Unextractable(Cause.NEEDS_TOOL, REMEDY)
    return pypff


def opened(view: pstnodes.View) -> Any:
    """The mailbox, for the caller to close. Raises one of `FAILURES`."""
    mailbox = library().file()
    mailbox.open_file_object(view)
    return mailbox


def letter(item: Any, place: Place | None) -> Letter:
    """A message with all that is in it. Without a place, messages inside it are read only in part."""
    properties = _properties(item)
    charset = properties.charset()
    unread = [] if properties.values else ["the message is damaged, and nothing of it could be read"]
    recipients: list[Properties] = []
    with suppress(*FAILURES):  # messages without recipients have no such item
        recipients = [Properties(_values(each), charset) for each in item.recipients.record_sets]
    files = []
    for number in range(min(count(item, "number_of_attachments"), MAX_ATTACHMENTS)):
        try:
            attachment, told = _attached(item, item.get_attachment(number), charset, place)
            files.append(attachment)
            unread += told
        except FAILURES as error:
            unread.append(f"attachment {number + 1}: {words(error)}")
    return Letter(properties=properties, recipients=tuple(recipients), attachments=tuple(files), unread=tuple(unread))


def _attached(message: Any, item: Any, charset: str, place: Place | None) -> tuple[Attached, list[str]]:
    """An attachment, and what could not be read of it."""
    properties = _properties(item, charset)
    method = properties.number(mapi.ATTACH_METHOD)
    if method == mapi.EMBEDDED_MESSAGE:
        with suppress(*FAILURES, StopIteration):
            return attached(properties, written(_inner(message, item, properties, place))), []
    content = _content(item)
    if method == mapi.EMBEDDED_MESSAGE:
        values, missing = pstheap.properties(content)
        unread = f"{missing} of its properties, its recipients and its attachments are out of the library's reach"
        inner = Letter(properties=Properties(values, charset), unread=(unread,))
        made = attached(properties, written(inner))
        return made, [f"the attached message {made.name} is read only in part"]
    if method in mapi.BY_REFERENCE and not content:
        raise ValueError(f"only a reference to {attached(properties, None).name or 'a file'}")
    values = dict(properties.values) | {mapi.ATTACH_DATA: (mapi.BINARY, content)}
    return attached(Properties(values, charset), None), []


def _content(item: Any) -> bytes:
    size = item.get_size()
    if size > MAX_ATTACHMENT:
        raise ValueError(f"{size} bytes are too many")
    return bytes(item.read_buffer(size)) if size else b""


def _inner(message: Any, item: Any, properties: Properties, place: Place | None) -> Letter:
    """The message in an attachment, with all that is in it. Raises one of `FAILURES` if there is no way to it."""
    if place is None or place.depth == MAX_NESTED or len(place.inner) == MAX_INNER:
        raise ValueError("messages nested too deeply, or too many of them")
    place.inner.append(1)
    node = int.from_bytes(properties.raw(mapi.ATTACH_DATA)[:4], "little")
    view = pstnodes.inside(place.view, message.get_identifier(), item.get_identifier(), node)
    with closing(opened(view)) as mailbox:
        folder = mailbox.get_root_folder()
        for number in place.folders:
            folder = folder.get_sub_folder(number)
        found = letter(folder.get_sub_message(place.message), replace(place, view=view, depth=place.depth + 1))
    if not found.properties.values:
        raise ValueError("nothing of it could be read")
    return found


def _properties(item: Any, charset: str = "") -> Properties:
    values: dict[int, tuple[int, bytes]] = {}
    with suppress(*FAILURES):  # what was read so far counts
        for record in item.record_sets:
            values |= _values(record)
    for number, text in ((mapi.BODY, "plain_text_body"), (mapi.HTML, "html_body")):
        if number not in values and (body := _text(item, text)):
            values[number] = (mapi.STRING, body.encode("utf-16-le", "replace"))
    return Properties(values, charset)


def _text(item: Any, name: str) -> str:
    """A body as the library reads it, for those that stand in another form than as a property."""
    try:
        body = getattr(item, name, None)
    except FAILURES:
        return ""
    return body.decode("utf-8", "replace") if isinstance(body, bytes) else body or ""


def _values(record: Any) -> dict[int, tuple[int, bytes]]:
    """The properties of a record; not the content of an attachment, which is read by itself."""
    values: dict[int, tuple[int, bytes]] = {}
    for entry in record.entries:
        with suppress(*FAILURES):
            number, named, kind = entry.entry_type, entry.name_to_id_map_entry, entry.value_type
            if named is not None:
                number = NAMED + (getattr(named, "number", 0) or 0)
            if number is not None and (number != mapi.ATTACH_DATA or kind == mapi.OBJECT):
                values[number] = (kind, entry.data or b"")
    return values


def count(item: Any, name: str) -> int:
    """How many the library says there are; none if it fails."""
    try:
        return int(getattr(item, name))
    except FAILURES:
        return 0


def got(get: Any, number: int) -> Any:
    """What the library gives, or None if it fails."""
    try:
        return get(number)
    except FAILURES:
        return None


def name_of(folder: Any) -> str:
    """The name of a folder, in one line."""
    try:
        return " ".join((folder.name or "").split()) or "(no name)"
    except FAILURES:
        return "(no name)"


def words(error: BaseException) -> str:
    """What the library says, shortened."""
    return " ".join(str(error).split())[:200] or type(error).__name__
