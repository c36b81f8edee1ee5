"""zip archives. A member that is encrypted, damaged or too large is told, and the others are read."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import IO

from protocol.sources.containers import Container, Member
from protocol.sources.containers.bounds import check_size, pieces, safe_name
from protocol.sources.limits import Limits
from protocol.sources.parts import Unextractable
from protocol.sources.problems import Cause

ERRORS = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    IndexError,
    OSError,
)
"""What the library raises for a damaged archive; damaged bzip2 and lzma are OSError and RuntimeError's kin."""

_DOCUMENTS = ("[Content_Types].xml", "mimetype", "META-INF/container.xml", "Index/Document.iwa")
_ENCRYPTED = 1
_UNPACK = "unpack it with another program, and build from the folder"


def _starts(start: bytes) -> bool:
    return start.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"))


def _members(stream: IO[bytes], name: str, limits: Limits) -> Iterator[Member] | None:  # noqa: ARG001
    archive = _opened(stream)
    if not {info.filename for info in archive.infolist()}.isdisjoint(_DOCUMENTS):
        return None
    return _each(archive, limits)


def inside(stream: IO[bytes], limits: Limits) -> Iterator[Member]:
    """The members of any zip, also of one that is a document of a kind that no reader knows."""
    return _each(_opened(stream), limits)


def _opened(stream: IO[bytes]) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(stream)
    except ERRORS as error:
        raise Unextractable(Cause.DAMAGED, f"a zip that cannot be opened ({error}); get another copy of it") from None


def _each(archive: zipfile.ZipFile, limits: Limits) -> Iterator[Member]:
    for info in archive.infolist():
        path = safe_name(_real_name(info))
        if info.filename.endswith("/"):  # is_dir() fails for an empty name
            continue
        if info.flag_bits & _ENCRYPTED:
            detail = "encrypted in its zip; unpack the zip with its password, and build from the folder"
            yield Member(path=path, problem=(Cause.ENCRYPTED, detail))
            continue
        try:
            check_size(info.file_size, info.compress_size, limits)
        except Unextractable as error:
            yield Member(path=path, problem=(error.cause, error.detail))
            continue
        yield Member(path=path, pieces=_unpacked(archive, info, limits))


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limits: Limits) -> Iterator[bytes]:
    try:
        with archive.open(info) as stream:
            yield from pieces(stream, info.compress_size, limits)
    except ERRORS as error:
        raise Unextractable(Cause.DAMAGED, f"damaged in its zip ({error}); {_UNPACK}") from None


def _real_name(info: zipfile.ZipInfo) -> str:
    """A name that is not marked as UTF-8 often is; the library has read it as cp437, which loses nothing."""
    if info.flag_bits & 0x800:
        return info.filename
    with suppress(UnicodeError):
        return info.filename.encode("cp437").decode()
    return info.filename


CONTAINER = Container(name="zip", described="an archive (.zip)", starts=_starts, members=_members)
