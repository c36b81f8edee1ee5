"""V01: is every line canonical and of a known shape and version?

The lines of a copy are read from a file one at a time, each of one of five shapes.
A line that is none of these may still be an entry that Trent signed; then it is handed on as a `BadEntry`.
"""

import gzip
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from verifier.checks import Audience, Check
from verifier.findings import Damaged, UnknownVersion, Unreadable
from verifier.reading import plain_file
from verifier.record import encoding
from verifier.record.encoding import NotCanonical
from verifier.record.entries import FORMAT, Entry, read_body
from verifier.record.openings import Openings, read_openings
from verifier.record.shapes import Malformed, digest, listed, natural, read, record, shaped, signature, text, word

MAX_LINE = 2**24
_CHUNK = 2**20
COPY_FORMAT = 1

_GZIP = b"\x1f\x8b"
_OTHER_FILES = {
    b"SQLite format 3\0": "a matter's own file; cut a copy of it with `tallystick copy`, and verify that",
    b"%PDF": "a PDF",
    b"PK": "a ZIP archive or an office document; unpack it first",
    b"Tallystick": "a Tallystick key file",
    b"-----BEGIN": "a key file",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What Trent vouches for in one copy."""

    audience: Audience = shaped(word(Audience))
    checkpoints: tuple[bytes, ...] = shaped(listed(digest))
    format: int = shaped(natural)
    head: bytes = shaped(digest)
    matter: bytes = shaped(digest)
    openings: int = shaped(natural)
    openings_root: bytes = shaped(digest)
    root: bytes = shaped(digest)
    size: int = shaped(natural)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ManifestFrame:
    manifest: Manifest = shaped(record(Manifest))
    signature: bytes = shaped(signature)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestLine:
    """The first line."""

    manifest: Manifest
    signed: bytes
    signature: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryLine:
    """An entry with the openings that came with it."""

    entry: Entry
    openings: Openings


@dataclass(frozen=True, slots=True, kw_only=True)
class BadEntry:
    """An entry's frame around something that is not an entry."""

    reason: str
    body: Any
    body_bytes: bytes
    signature: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentLine:
    """A piece of an attachment."""

    attachment: bytes = shaped(digest)
    chunk: int = shaped(natural)
    data: str = shaped(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointLine:
    """A checkpoint's note."""

    checkpoint: str = shaped(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLine:
    """What an outsider signed."""

    token: str = shaped(text)


Line = ManifestLine | EntryLine | BadEntry | AttachmentLine | TokenLine | CheckpointLine


def read_lines(path: Path, progress: Callable[[int], None]) -> Iterator[Line]:
    """The lines of a copy; `progress` is told how many bytes of the file have been read."""
    try:
        with plain_file(path) as raw:
            start = raw.read(16)
            raw.seek(0)
            _refuse_other_files(path, start)
            stream: IO[bytes] | gzip.GzipFile = raw
            if start.startswith(_GZIP):
                _check_whole(raw)
                raw.seek(0)
                stream = gzip.GzipFile(fileobj=raw, mode="rb")
            for number, data in enumerate(iter(lambda: stream.readline(MAX_LINE + 1), b""), 1):
                yield _line(number, data)
                progress(raw.tell())
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Damaged(Check.FORMAT, f"the compressed file is damaged or cut short ({error})") from None
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {str(error.strerror or error).rstrip('.')}") from None


def _check_whole(raw: IO[bytes]) -> None:
    """One member and nothing behind it, or no line of the file is read.

    Where a torn file ends to give lines depends on who reads it, and two verifiers must agree.
    """
    inflated = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    while data := raw.read(_CHUNK):
        while data and not inflated.eof:
            inflated.decompress(data, _CHUNK)
            data = inflated.unconsumed_tail
        if inflated.unused_data or data:
            raise Damaged(Check.FORMAT, "something stands behind the compressed data")
    while not inflated.eof and inflated.decompress(b"", _CHUNK):
        pass
    if not inflated.eof:
        raise EOFError("its end is missing")


def _refuse_other_files(path: Path, start: bytes) -> None:
    kind = next((kind for mark, kind in _OTHER_FILES.items() if start.startswith(mark)), None)
    if kind:
        raise Unreadable(f"{path} is not a copy: it looks like {kind}")


def _line(number: int, data: bytes) -> Line:
    if not data.endswith(b"\n"):
        reason = "is longer than any line may be" if len(data) > MAX_LINE else "is cut short"
        raise Damaged(Check.FORMAT, f"line {number} {reason}")
    if data.endswith(b"\r\n"):
        raise Damaged(
            Check.FORMAT, f"line {number} has a Windows line end: an editor or mail program has changed the file"
        )
    try:
        line = data[:-1]
        return _parse(encoding.load(line), line)
    except (NotCanonical, Malformed) as error:
        if number == 1 and not data.startswith(b'{"manifest":'):
            raise Unreadable(f"this does not look like a copy that Trent handed out: {error}") from None
        raise Damaged(Check.FORMAT, f"line {number} was changed after it was written: {error}") from None


def _parse(value: Any, data: bytes) -> Line:
    if type(value) is dict and "entry" in value:
        return _parse_entry(value, data)
    encoding.check_same(encoding.encode_or_refuse(value), data)
    match value:
        case {"manifest": {"format": int(version)}} if version != COPY_FORMAT:
            raise UnknownVersion(f"the copy is of format {version}; this verifier knows format {COPY_FORMAT}")
        case {"attachment": _}:
            return read(AttachmentLine, value)
        case {"token": _}:
            return read(TokenLine, value)
        case {"checkpoint": _}:
            return read(CheckpointLine, value)
    frame = read(_ManifestFrame, value)
    signed = encoding.encode(value["manifest"])
    return ManifestLine(manifest=frame.manifest, signed=signed, signature=frame.signature)


def _parse_entry(value: dict[str, Any], data: bytes) -> EntryLine | BadEntry:
    """An entry's line, put together again from the bytes of its parts, which are needed anyway."""
    if value.keys() != {"entry", "openings"} or type(value["openings"]) is not dict:
        raise Malformed("a line with an entry has its openings beside it, and nothing else")
    frame = value["entry"]
    if type(frame) is not dict or frame.keys() != {"body", "signature"}:
        raise Malformed("an entry has a body and a signature, and nothing else")
    signed = signature(frame["signature"])
    try:
        body = read_body(frame["body"])
    except Malformed as reason:
        encoding.check_same(encoding.encode_or_refuse(value), data)
        return _bad_entry(str(reason), frame["body"], signed)
    openings = read_openings(value["openings"])
    statement_bytes, body_bytes = _bytes_of(frame["body"])
    signature_bytes = signed.hex().encode()
    whole = b'{"entry":{"body":%b,"signature":"%b"},"openings":%b}' % (body_bytes, signature_bytes, openings.encoded)
    encoding.check_same(whole, data)
    entry = Entry(body=body, body_bytes=body_bytes, statement_bytes=statement_bytes, signature=signed)
    return EntryLine(entry=entry, openings=openings)


def _bytes_of(body: dict[str, Any]) -> tuple[bytes, bytes]:
    """The bytes of a statement, and of the body around it: "statement" and "time" are its last fields."""
    statement_bytes = encoding.encode_or_refuse(body["statement"])
    before = encoding.encode_or_refuse({key: item for key, item in body.items() if key not in ("statement", "time")})
    return statement_bytes, b'%b,"statement":%b,"time":%d}' % (before[:-1], statement_bytes, body["time"])


def _bad_entry(reason: str, body: Any, signed: bytes) -> BadEntry:
    match body:
        case {"sequence": 0, "statement": {"content": {"format": int(version)}}} if version != FORMAT:
            raise UnknownVersion(f"the matter is of format {version}; this verifier knows format {FORMAT}")
    return BadEntry(reason=reason, body=body, body_bytes=encoding.encode(body), signature=signed)
