"""tar archives, and files packed with gzip, bzip2 or xz, which may hold one. All are read as streams."""

import bz2
import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO, cast

from protocol.sources.containers import START, Container, Member, mailbox
from protocol.sources.containers.bounds import pieces, safe_name
from protocol.sources.limits import Limits
from protocol.sources.parts import Unextractable
from protocol.sources.problems import Cause

ERRORS = (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, OSError, ValueError, OverflowError)
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")
_SUFFIXES = (".gz", ".bz2", ".xz", ".z")
_TARS = {".tgz": ".tar", ".tbz": ".tar", ".tbz2": ".tar", ".txz": ".tar"}


def _is_tar(start: bytes) -> bool:
    return start[257:262] == b"ustar"


def _starts(start: bytes) -> bool:
    return start.startswith(_PACKED) or _is_tar(start)


def _members(stream: IO[bytes], name: str, limits: Limits) -> Iterator[Member] | None:
    start = stream.read(START)
    stream.seek(0)
    if _is_tar(start):
        return _tar(stream, limits)
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    unpacked = _unpacked(stream, start)
    try:
        first = unpacked.peek(START)[:START]
    except ERRORS as error:
        raise Unextractable(Cause.DAMAGED, f"packed, but damaged ({error}); get another copy of it") from None
    if _is_tar(first):
        return _tar(unpacked, limits)
    if mailbox.starts(first):
        return mailbox.members(unpacked, name, limits)
    return iter([Member(path=_inner_name(name), pieces=_single(unpacked, size, limits))])


def _unpacked(stream: IO[bytes], start: bytes) -> io.BufferedReader:
    if start.startswith(_PACKED[0]):
        return io.BufferedReader(gzip.GzipFile(fileobj=stream), START)
    if start.startswith(_PACKED[1]):
        return io.BufferedReader(cast("io.RawIOBase", bz2.BZ2File(stream)), START)
    return io.BufferedReader(cast("io.RawIOBase", lzma.LZMAFile(stream)), START)


def _single(unpacked: IO[bytes], size: int, limits: Limits) -> Iterator[bytes]:
    """The one file that was packed."""
    try:
        yield from pieces(unpacked, size, limits)
    except ERRORS as error:
        raise Unextractable(Cause.DAMAGED, f"packed, but damaged ({error}); get another copy of it") from None


def _inner_name(name: str) -> str:
    last = PurePosixPath(name.replace("\\", "/")).name
    suffix = PurePosixPath(last).suffix.lower()
    if suffix in _TARS:
        return last[: -len(suffix)] + _TARS[suffix]
    return last[: -len(suffix)] if suffix in _SUFFIXES and len(suffix) < len(last) else last


def _tar(stream: IO[bytes], limits: Limits) -> Iterator[Member]:
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for info in archive:
                path = safe_name(info.name)
                if info.isdir():
                    continue
                if not info.isfile():
                    yield Member(path=path, problem=(Cause.OTHER_FILE, "a link or a device in an archive"))
                    continue
                taken = archive.extractfile(info)
                yield Member(path=path, pieces=pieces(taken, None, limits) if taken else ())
                archive.members = []  # type: ignore[attr-defined]  # it would keep what it knows of every member
    except ERRORS as error:
        detail = f"the rest of the archive is damaged ({error}); get another copy of it"
        yield Member(path="the rest", problem=(Cause.DAMAGED, detail))


CONTAINER = Container(
    name="tar or packed file", described="an archive (.tar, .tar.gz) or a packed file (.gz, .bz2, .xz)",
    starts=_starts, members=_members,
)  # fmt: skip
