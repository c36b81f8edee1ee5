"""Outlook's .msg: one message with its attachments, in an OLE compound file.

`python-oxmsg` opens the file and finds its storages. The values are read here, since a damaged one must not cost the
rest. The message is written again as a mail (`letter`) and read as such, so that all mail has one reader.
"""

import struct
from dataclasses import replace
from importlib.metadata import version
from io import BytesIO

import olefile
from oxmsg.storage import Storage

from protocol.sources.formats import mail, mapi
from protocol.sources.formats.letter import Attached, Letter, attached, written
from protocol.sources.formats.mapi import Properties
from protocol.sources.formats.ole import unwrapped
from protocol.sources.formats.olewriting import Tree, compound
from protocol.sources.formats.outlook_items import NAMED
from protocol.sources.parts import Extracted, Extractor, File, Unextractable
from protocol.sources.problems import Cause

MAX_DEPTH = 10
MAX_ATTACHMENTS = 10_000

_MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")
_PROPERTIES = "__properties_version1.0"
_NAMES = "__nameid_version1.0"
_TOP, _EMBEDDED, _OTHER = 32, 24, 8
"""Bytes before the properties of a message, a message in a message, and anything else."""


def extract(file: File) -> Extracted:
    """The message as a mail."""
    try:
        with olefile.OleFileIO(BytesIO(file.content)) as ole:
            root = Storage.from_ole(ole)
        raw = written(_letter(root, _TOP, _names(root), 0))
    except Exception as error:  # the libraries raise all kinds of errors on damaged files
        detail = f"it cannot be read as a message of Outlook ({str(error) or type(error).__name__}); get another copy"
        raise Unextractable(Cause.DAMAGED, detail) from None
    return replace(mail.extract(File(name=file.name, content=raw)), kind="msg", tool=TOOL)


def _letter(storage: Storage, header: int, names: dict[int, int], depth: int) -> Letter:
    properties = _properties(storage, header, names)
    if not properties.values:
        raise ValueError("it has no properties")
    charset = properties.charset()
    files, unread = [], []
    for number, inner in enumerate(storage.iter_attachment_storages(), 1):
        if number > MAX_ATTACHMENTS:
            unread.append(f"attachments after the first {MAX_ATTACHMENTS}")
            break
        try:
            files.append(_attached(inner, names, charset, depth))
        except Exception as error:  # one damaged attachment must not cost the others
            unread.append(f"attachment {number}: {str(error) or type(error).__name__}")
    recipients = [_properties(each, _OTHER, names, charset) for each in storage.iter_recipient_storages()]
    return Letter(properties=properties, recipients=tuple(recipients), attachments=tuple(files), unread=tuple(unread))


def _attached(storage: Storage, names: dict[int, int], charset: str, depth: int) -> Attached:
    properties = _properties(storage, _OTHER, names, charset)
    inner = next((each for each in storage.storages if each.name == f"__substg1.0_{mapi.ATTACH_DATA:04X}000D"), None)
    if inner is None:
        if properties.number(mapi.ATTACH_METHOD) in mapi.BY_REFERENCE and not properties.raw(mapi.ATTACH_DATA):
            raise ValueError(f"only a reference to {attached(properties, None).name or 'a file'}")
        return attached(properties, None)
    if any(stream.name == _PROPERTIES for stream in inner.streams):
        if depth == MAX_DEPTH:
            raise ValueError("messages nested too deeply")
        return attached(properties, written(_letter(inner, _EMBEDDED, names, depth + 1)))
    return _embedded_object(properties, inner)


def _embedded_object(properties: Properties, storage: Storage) -> Attached:
    """A file in an object of OLE, which is a storage."""
    made = attached(properties, None)
    content = compound(_tree(storage))
    found = unwrapped(File(name=made.name or "object.bin", content=content))
    return replace(made, name=found.name, content=found.content)


def _tree(storage: Storage) -> Tree:
    streams: dict[str, bytes | Tree] = {stream.name: stream.bytes_ for stream in storage.streams}
    if not streams and not storage.storages:
        raise ValueError("an embedded object without content")
    return streams | {each.name: _tree(each) for each in storage.storages}


def _properties(storage: Storage, header: int, names: dict[int, int], charset: str = "") -> Properties:
    """All properties: short values stand in a list, longer ones in streams of their own."""
    streams = {stream.name: stream.bytes_ for stream in storage.streams}
    listed = streams.get(_PROPERTIES, b"")[header:]
    values: dict[int, tuple[int, bytes]] = {}
    for place in range(0, len(listed) - 15, 16):
        kind, number = struct.unpack_from("<HH", listed, place)
        values[names.get(number, number)] = (kind, listed[place + 8 : place + 16])
    for name, content in streams.items():
        if name.startswith("__substg1.0_") and len(name) == len("__substg1.0_") + 8:
            number, kind = int(name[12:16], 16), int(name[16:], 16)
            values[names.get(number, number)] = (kind, content)
    return Properties(values, charset)


def _names(root: Storage) -> dict[int, int]:
    """The numbers of named properties in this file, with their own numbers; names that are texts are left out."""
    streams = [stream for each in root.storages if each.name == _NAMES for stream in each.streams]
    listed = next((stream.bytes_ for stream in streams if stream.name == "__substg1.0_00030102"), b"")
    named = {}
    for place in range(0, len(listed) - 7, 8):
        number, kind, index = struct.unpack_from("<IHH", listed, place)
        if not kind & 1:
            named[0x8000 + index] = NAMED + (number & 0xFFFF)
    return named


def _recognises(file: File) -> bool:
    """A compound file with the list of properties at its top."""
    if not file.content.startswith(_MAGIC) or _PROPERTIES.encode("utf-16-le") not in file.content:
        return False
    try:
        with olefile.OleFileIO(BytesIO(file.content)) as ole:
            return bool(ole.exists(_PROPERTIES))
    except Exception:  # olefile raises all kinds of errors on damaged files
        return file.name.lower().endswith(".msg")


TOOL = f"python-oxmsg {version('python-oxmsg')}, olefile {version('olefile')}"

EXTRACTOR = Extractor(
    name="msg",
    described="a message of Outlook (.msg)",
    recognises=_recognises,
    extract=extract,
)
