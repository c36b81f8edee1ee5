"""What was extracted by a build that did not end: the next build of the same corpus takes it instead of reading again.

It is one file beside the corpus, `OUT.partial`, to which each family is appended under a hash of its file and of all
that decides its text. A record that was cut, or changed, is none. The file goes when the corpus is there.
"""

import os
import platform
import struct
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b, sha256
from importlib import metadata
from pathlib import Path

import msgspec

from protocol.sources.family import Part
from protocol.sources.limits import Limits
from protocol.sources.parts import File
from protocol.sources.sandbox.frames import Senseless, decoded
from protocol.sources.sandbox.programs import installed

MAGIC = b"tallystick: an unfinished build; the next one goes on with it\n"
PACKAGES = (
    "tallystick",
    "charset-normalizer",
    "libpff-python",
    "msgspec",
    "olefile",
    "pypdfium2",
    "python-oxmsg",
)
PROGRAMS = ("soffice", "ocrmypdf", "tesseract")
_RECORD = struct.Struct(">32s16sQ")  # the key, a hash of the parts, and their length
_MAX_RECORD = 2**32

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[Part, ...])


class Kept:
    """The records of one unfinished build. Many threads may use it."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self._tools = tools(limits)
        self._places: dict[bytes, tuple[bytes, int, int]] = {}
        self._lock = threading.Lock()
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        self._file = os.fdopen(os.open(path, flags, 0o600), "r+b")
        self._read_places()

    def close(self) -> None:
        """Close the file, and leave it where it is."""
        self._file.close()

    def get(self, file: File) -> tuple[Part, ...] | None:
        """What was made of this file before, or None."""
        with self._lock:
            found = self._places.get(self._key(file))
            if found is None:
                return None
            digest, start, length = found
            self._file.seek(start)
            raw = self._file.read(length)
        if _digest(raw) != digest:
            return None
        try:
            first, *others = decoded(_decoder, raw)
        except (Senseless, ValueError):
            return None
        return (replace(first, content=file.content), *others)

    def put(self, file: File, parts: Sequence[Part]) -> None:
        """Keep what was made of a file; that much disk space it needs twice until the corpus is there."""
        first, *others = parts
        raw = _encoder.encode((replace(first, content=b""), *others))
        with self._lock:
            self._file.seek(0, os.SEEK_END)
            self._file.write(_RECORD.pack(self._key(file), _digest(raw), len(raw)) + raw)
            self._file.flush()

    def _key(self, file: File) -> bytes:
        about = _encoder.encode((file.name, file.declared, sha256(file.content).digest()))
        return sha256(self._tools + about).digest()

    def _read_places(self) -> None:
        """Find all whole records, and cut off what comes after them."""
        size = self._file.seek(0, os.SEEK_END)
        self._file.seek(0)
        if self._file.read(len(MAGIC)) != MAGIC:
            self._file.truncate(0)
            self._file.seek(0)
            self._file.write(MAGIC)
        end = self._file.tell()
        while len(header := self._file.read(_RECORD.size)) == _RECORD.size:
            key, digest, length = _RECORD.unpack(header)
            start = end + _RECORD.size
            if length > _MAX_RECORD or start + length > size:
                break
            self._places[key] = (digest, start, length)
            end = self._file.seek(start + length)
        self._file.truncate(end)


def is_kept(path: Path) -> bool:
    """Whether there is such a file here, and not somebody's own of the same name."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def remove(path: Path) -> None:
    """Remove the file, if it is one of these."""
    if is_kept(path):
        with suppress(OSError):
            path.unlink()


def tools(limits: Limits) -> bytes:
    """A hash of what decides the texts beside the files: the versions of all readers, the programs, the limits."""
    versions = [platform.python_version(), *(_version(name) for name in PACKAGES)]
    found = [str(installed(name)) for name in PROGRAMS]
    return sha256(repr((versions, found, limits)).encode()).digest()


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _digest(raw: bytes) -> bytes:
    return blake2b(raw, digest_size=16).digest()
