"""winmail.dat: how Outlook packs a mail's body and attachments when it thinks that the reader is Outlook (MS-OXTNEF).

The file is a list of attributes: a level, a number, a length, the bytes, and a checksum that many programs get wrong,
so that it is not checked. Properties of Outlook stand in two of the attributes, for the message and for each file.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from protocol.sources.formats import mail, mapi
from protocol.sources.formats.letter import Attached, Letter, attached, written
from protocol.sources.formats.mapi import Properties
from protocol.sources.parts import Extracted, Extractor, File, Unextractable
from protocol.sources.problems import Cause

MAX_FILES = 10_000
_MAGIC = b"\x78\x9f\x3e\x22"
_SUBJECT, _BODY, _CODE_PAGE = 0x8004, 0x800C, 0x9007
_FILE_DATA, _FILE_TITLE, _FILE_BEGINS = 0x800F, 0x8010, 0x9002
_MESSAGE_PROPERTIES, _FILE_PROPERTIES = 0x9003, 0x9005
_MULTIPLE, _NAMED, _GUID, _BY_NUMBER = 0x1000, 0x8000, 16, 0
_MAX_VALUES = 100_000
_FIXED = {2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 0xA: 4, 0xB: 4, 0x14: 8, 0x40: 8, 0x48: 16}
_LONG = (0xD, 0x1E, 0x1F, 0x102)


class _Broken(Exception):
    """Not as the format says."""


@dataclass(slots=True)
class _Found:
    """What was read so far."""

    values: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    files: list[dict[int, tuple[int, bytes]]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    code_page: str = ""


def extract(file: File) -> Extracted:
    """The body as a mail without headers of its own, and the attachments."""
    found = _Found()
    try:
        for number, value in _attributes(file.content):
            _take(found, number, value)
    except (_Broken, struct.error) as error:
        found.unread.append(f"what follows in it is damaged ({error})")
    if not found.values and not found.files:
        raise Unextractable(Cause.DAMAGED, "the winmail.dat is damaged; get another copy of the mail")
    files = tuple(_attached(values, found.code_page) for values in found.files)
    letter = Letter(properties=Properties(found.values, found.code_page), attachments=files, unread=tuple(found.unread))
    return replace(mail.extract(File(name=file.name, content=written(letter))), kind="winmail.dat")


def _take(found: _Found, number: int, value: bytes) -> None:
    """Remember what an attribute says."""
    if number == _CODE_PAGE:
        found.code_page = mapi.code_page(int.from_bytes(value[:4], "little"))
    elif number == _SUBJECT:
        found.values.setdefault(mapi.SUBJECT, (mapi.STRING_8, value.rstrip(b"\0")))
    elif number == _BODY:
        found.values.setdefault(mapi.BODY, (mapi.STRING_8, value.rstrip(b"\0")))
    elif number == _MESSAGE_PROPERTIES:
        found.values |= dict(_properties(value))
    elif number == _FILE_BEGINS:
        if len(found.files) == MAX_FILES:
            raise _Broken(f"more than {MAX_FILES} files")
        found.files.append({})
    elif number in (_FILE_DATA, _FILE_TITLE, _FILE_PROPERTIES):
        found.files = found.files or [{}]
        if number == _FILE_PROPERTIES:
            found.files[-1] |= dict(_properties(value))
        elif number == _FILE_DATA:
            found.files[-1].setdefault(mapi.ATTACH_DATA, (mapi.BINARY, value))
        else:
            found.files[-1].setdefault(mapi.ATTACH_FILENAME, (mapi.STRING_8, value.rstrip(b"\0")))


def _attached(values: dict[int, tuple[int, bytes]], code_page: str) -> Attached:
    """A file; a message in a message is a winmail.dat itself, after the number of its interface."""
    properties = Properties(values, code_page)
    kind, content = values.get(mapi.ATTACH_DATA, (0, b""))
    made = attached(properties, None)
    if kind == mapi.OBJECT:
        content = content[_GUID:]
        name = made.name if not content.startswith(_MAGIC) else f"{made.name or 'message'}.winmail.dat"
        return replace(made, name=name, content=content)
    return made


def _attributes(raw: bytes) -> Iterator[tuple[int, bytes]]:
    place = len(_MAGIC) + 2
    while place < len(raw):
        _, number, _, size = struct.unpack_from("<BHHI", raw, place)
        start = place + 9
        if start + size > len(raw):
            raise _Broken("it ends too early")
        yield number, raw[start : start + size]
        place = start + size + 2


def _properties(raw: bytes) -> Iterator[tuple[int, tuple[int, bytes]]]:
    """The properties in an attribute; of one with several values, the last."""
    (count,) = struct.unpack_from("<I", raw)
    place = 4
    for _ in range(min(count, _MAX_VALUES)):
        kind, number = struct.unpack_from("<HH", raw, place)
        place += 4
        if number >= _NAMED:
            place = _after_name(raw, place)
        values, single = 1, kind & ~_MULTIPLE
        if kind & _MULTIPLE or single in _LONG:
            (values,) = struct.unpack_from("<I", raw, place)
            place += 4
        for _ in range(min(values, _MAX_VALUES)):
            place, value = _value(raw, place, single)
            yield number, (single, value)


def _after_name(raw: bytes, place: int) -> int:
    place += _GUID
    by, size = struct.unpack_from("<II", raw, place)
    return place + 8 + (0 if by == _BY_NUMBER else (size + 3) // 4 * 4)


def _value(raw: bytes, place: int, kind: int) -> tuple[int, bytes]:
    """The place after a value, and the value; each fills whole words of four bytes."""
    size = _FIXED.get(kind, 0)
    if kind in _LONG:
        (size,) = struct.unpack_from("<I", raw, place)
        place += 4
    elif not size:
        raise _Broken(f"a value of the unknown type {kind}")
    if place + size > len(raw):
        raise _Broken("a value ends too early")
    value = raw[place : place + size]
    return place + (size + 3) // 4 * 4, value.rstrip(b"\0") if kind == mapi.STRING_8 else value


EXTRACTOR = Extractor(
    name="winmail.dat",
    described="a mail's body and attachments as Outlook packs them (winmail.dat)",
    recognises=lambda file: file.content.startswith(_MAGIC),
    extract=extract,
)
