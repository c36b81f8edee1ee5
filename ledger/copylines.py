"""The lines of a copy, in types.

    {"manifest":{...},"signature":...}            Trent's word on what this copy holds
    {"entry":{"body":...,"signature":...},"openings":{...}}
    {"attachment":...,"chunk":0,"data":...}       after the first entry whose openings refer to it
    {"token":...}                                 after the entry that names its SHA-256 as `token`, or nowhere
    {"checkpoint":"..."}                          after the entry that completes its size

Every copy of a matter has the same entries, and so the same head. The manifest binds the rest: the openings by a root
over them, the attachments by their openings, the checkpoints by their hashes. Only tokens may be left out: an outsider
signed them, and whether they are there changes nothing that is vouched for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ledger import canonical, entries, records
from ledger.canonical import Value
from ledger.entries import Body, Entry, Opening, WireEntry
from ledger.errors import LedgerError, UnknownFormat
from ledger.hashing import Digest, tagged_hash
from ledger.keys import Signature
from ledger.notes import Note
from ledger.openings import Groups, encode, opened
from ledger.records import Malformed, Natural, Record
from ledger.roles import Audience

FORMAT = 1
"""The version of the copy format; the manifest names it."""


class Manifest(Record, frozen=True, kw_only=True):
    """What Trent vouches for in one copy."""

    audience: Audience
    checkpoints: tuple[Digest, ...]
    format: Natural
    head: Digest
    matter: Digest
    openings: Natural
    openings_root: Digest
    root: Digest
    size: Natural


class ManifestLine(Record, frozen=True, kw_only=True):
    """A copy's first line."""

    manifest: Manifest
    signature: Signature


class AttachmentLine(Record, frozen=True, kw_only=True):
    """A piece of an attachment."""

    attachment: Digest
    chunk: Natural
    data: str  # base64


class CheckpointLine(Record, frozen=True, kw_only=True):
    """A checkpoint's note."""

    checkpoint: str


class TokenLine(Record, frozen=True, kw_only=True):
    """What an outsider signed, and an entry names."""

    token: str  # base64


class UnreadEntry(Record, frozen=True, kw_only=True):
    """An entry whose body has not been parsed."""

    body: Any
    signature: Signature


class _EntryFrame(Record, frozen=True, kw_only=True):
    entry: UnreadEntry
    openings: Any


class _EntryRecord(Record, frozen=True, kw_only=True):
    entry: Entry
    openings: Groups


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryLine:
    """An entry, with the openings that the audience may have."""

    wire: WireEntry
    openings: tuple[Opening, ...]
    openings_bytes: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class BadLine:
    """A line of no known shape. If it has the form of an entry, Trent may still have signed it."""

    reason: LedgerError
    entry: UnreadEntry | None = None


Line = ManifestLine | EntryLine | AttachmentLine | TokenLine | CheckpointLine | BadLine


def entry_line(body: bytes, signature: Signature, openings: Sequence[Opening]) -> bytes:
    """The line around a body's stored bytes, which are canonical already."""
    around = signature.hex().encode(), encode(openings)
    return b'{"entry":{"body":%b,"signature":"%b"},"openings":%b}' % (body, *around)


def parse_line(data: bytes) -> Line:
    """A line of a copy, unless it is `NotCanonical`."""
    if data.startswith(_BEFORE_BODY):
        return _parse_entry(data)
    value = canonical.decode_for_record(data)
    try:
        match value:
            case {"manifest": {"format": int(version)}} if version != FORMAT:
                return BadLine(reason=UnknownFormat("copy", version, FORMAT))
            case {"attachment": _}:
                return records.from_value(AttachmentLine, value)
            case {"token": _}:
                return records.from_value(TokenLine, value)
            case {"checkpoint": _}:
                return records.from_value(CheckpointLine, value)
            case _:
                return records.from_value(ManifestLine, value)
    except Malformed as reason:
        return BadLine(reason=reason)


_BEFORE_BODY = b'{"entry":{"body":'
_AFTER_BODY = len(b',"signature":""},"openings":}') + 2 * Signature.size


def _parse_entry(data: bytes) -> EntryLine | BadLine:
    """An entry's line. Since it is canonical and of this shape, its parts stand where their lengths say."""
    try:
        line = records.decode(_EntryRecord, data)
        openings = opened(line.openings)
    except Malformed as reason:
        return _bad_entry(canonical.decode_for_record(data), reason)
    encoded = canonical.encode_checked(line.openings)
    wire = entries.with_bytes(line.entry, data[len(_BEFORE_BODY) : -_AFTER_BODY - len(encoded)])
    return EntryLine(wire=wire, openings=openings, openings_bytes=encoded)


def _bad_entry(value: Value, reason: Malformed) -> BadLine:
    """Tell a malformed body, which Trent may have signed, from malformed openings, which nobody signs."""
    try:
        entry = records.from_value(_EntryFrame, value).entry
    except Malformed as other:
        return BadLine(reason=other)
    match entry.body:
        case {"sequence": 0, "statement": {"content": {"format": int(version)}}} if version != entries.FORMAT:
            return BadLine(reason=UnknownFormat("matter", version, entries.FORMAT))
    try:
        records.from_value(Body, entry.body)
    except Malformed as in_body:
        return BadLine(reason=in_body, entry=entry)
    return BadLine(reason=reason)


def hash_note(note: Note) -> Digest:
    """The hash by which a manifest names a checkpoint: over its text with all signatures."""
    return tagged_hash("note", str(note).encode())
