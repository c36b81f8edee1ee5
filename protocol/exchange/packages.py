"""Folders and zip files that travel: written whole or not at all, and read with suspicion.

Nothing is ever unpacked: files are read by the names that a signed request lists. What a person's system adds (a folder
around everything, its own files) does no harm. What nobody adds by accident is refused: a link, or a name that some
system takes for another.
"""

import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ledger import files, reading
from ledger.lines import MAX_LINE
from ledger.plain import shown
from protocol.exchange import hostile_names
from protocol.parties.errors import BadQuestion

MAX_FILES = 2**18
MAX_TOTAL = 2**33
"""Most bytes of all files together, unpacked."""
MAX_RATIO = 100
"""Largest compression ratio accepted; small packages are exempt."""

_SMALL = 2**26  # bytes, unpacked
_PIECE = 2**20
_FIELD = struct.Struct("<HH")
_UNICODE_PATH = 0x7075
_TIME = (1980, 1, 1, 0, 0, 0)  # the same question has the same bytes
_ZIP_ERRORS = (  # what zipfile raises for damaged files
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    ArithmeticError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    ValueError,
)


class Package:
    """The files of a folder or zip by their names in it, with slashes; `beside` are files outside its top folder."""

    def __init__(
        self, path: Path, sizes: Mapping[str, int], opener: Callable[[str], IO[bytes]], beside: tuple[str, ...] = ()
    ) -> None:
        self.path = path
        self.sizes = sizes
        self.beside = beside
        self._open = opener

    def pieces(self, name: str) -> Iterator[bytes]:
        """A file's bytes, piece by piece."""
        if name not in self.sizes:
            raise BadQuestion(f"{self.path}: {name} is missing, or is not a file; ask for the question again")
        try:
            with self._open(name) as stream:
                while piece := stream.read(_PIECE):
                    yield piece
        except _ZIP_ERRORS as error:
            raise BadQuestion(f"{self.path}: {name} cannot be read ({error}); ask for the question again") from None

    def lines(self, name: str) -> Generator[bytes]:
        """A file's lines with their ends, one by one."""
        rest = b""
        for piece in self.pieces(name):
            *whole, rest = (rest + piece).split(b"\n")
            yield from (line + b"\n" for line in whole)
            if len(rest) > MAX_LINE:
                raise BadQuestion(f"{self.path}: {name} has a line that is too long")
        if rest:
            yield rest

    def read(self, name: str, most: int) -> bytes:
        """A file's bytes, if there are at most `most`."""
        if self.sizes.get(name, 0) > most:
            raise BadQuestion(f"{self.path}: {name} has {self.sizes[name]} bytes, which is too many")
        return b"".join(self.pieces(name))


@contextmanager
def opened(path: Path, marker: str) -> Iterator[Package]:
    """The package at `path`: the folder or zip that holds the file `marker`, at its top or one folder down."""
    if path.is_dir():
        try:
            package = _folder(path, marker)
        except OSError as error:
            raise BadQuestion(f"{path} cannot be read: {error.strerror}") from None
        yield package
    elif path.is_file():
        with _opened_zip(path) as packed:
            yield _zip(path, packed, marker)
    else:
        raise BadQuestion(f"{path} is neither a folder nor a file; give the folder or zip file with the question")


def _opened_zip(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except _ZIP_ERRORS:
        raise BadQuestion(f"{path} is neither a folder nor a complete zip file; ask for the question again") from None


def _folder(path: Path, marker: str) -> Package:
    top = path
    if not (path / marker).exists():
        inner = [each for each in path.iterdir() if (each / marker).is_file()]
        if len(inner) != 1:
            raise BadQuestion(f"{path} does not hold {marker}: give the folder or zip file with the question")
        top = inner[0]
    sizes: dict[str, int] = {}
    listed: list[str] = []
    for folder, inside, names in os.walk(top):
        for name in (*inside, *names):
            found = Path(folder, name)
            status = found.lstat()
            if stat.S_ISLNK(status.st_mode):
                raise BadQuestion(f"{shown(str(found))} is a link to another place; a question holds files only")
            listed.append(found.relative_to(top).as_posix() + ("/" if stat.S_ISDIR(status.st_mode) else ""))
            if stat.S_ISREG(status.st_mode):
                sizes[listed[-1]] = status.st_size
    _check_sizes(path, sizes)
    hostile_names.check(path, listed)
    return Package(path, sizes, lambda name: reading.opened(top / name))


def _zip(path: Path, packed: zipfile.ZipFile, marker: str) -> Package:
    members: dict[str, zipfile.ZipInfo] = {}
    listed = [_checked_name(path, member) for member in packed.infolist()]
    hostile_names.check(path, listed)
    for name, member in zip(listed, packed.infolist(), strict=True):
        if member.filename.endswith("/") or name.startswith("__MACOSX/"):
            continue
        if name in members:
            raise BadQuestion(f"{path} holds {shown(name)} twice; ask for the question again")
        members[name] = member
    tops = [name.removesuffix(marker) for name in members if name.split("/")[-1] == marker and name.count("/") < 2]
    if not tops:
        raise BadQuestion(f"{path} does not hold {marker}: give the folder or zip file with the question")
    top = min(tops, key=len)
    inside = {name.removeprefix(top): member for name, member in members.items() if name.startswith(top)}
    sizes = {name: member.file_size for name, member in inside.items()}
    _check_sizes(path, sizes)
    _check_ratio(path, sum(sizes.values()), sum(member.compress_size for member in inside.values()))
    beside = tuple(name for name in members if not name.startswith(top))
    return Package(path, sizes, lambda name: packed.open(inside[name]), beside)


def _checked_name(path: Path, member: zipfile.ZipInfo) -> str:
    name = member.orig_filename.replace("\\", "/").removeprefix("./")
    if name.startswith("/") or ".." in name.split("/") or ":" in name:
        raise BadQuestion(f"{path}: {shown(name)} would be unpacked outside its folder; do not unpack it")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise BadQuestion(f"{path}: {shown(name)} is a link to another place; a question holds files only")
    if member.flag_bits & 1:
        raise BadQuestion(f"{path} is encrypted: unpack it with its password first, and give the folder")
    if name.isascii() and _second_name(member) not in (None, member.orig_filename.encode()):
        raise BadQuestion(
            f"{path}: {shown(name)} has a second name, by which some programs unpack it; do not unpack it"
        )
    return name


def _second_name(member: zipfile.ZipInfo) -> bytes | None:
    """The name in a field of its own, which is meant for names that are not ASCII and which only some programs read."""
    rest = member.extra
    while len(rest) > _FIELD.size:
        kind, size = _FIELD.unpack_from(rest)
        if kind == _UNICODE_PATH:
            return rest[_FIELD.size + 5 : _FIELD.size + size]  # after a version and a checksum
        rest = rest[_FIELD.size + size :]
    return None


def _check_sizes(path: Path, sizes: Mapping[str, int]) -> None:
    if len(sizes) > MAX_FILES or sum(sizes.values()) > MAX_TOTAL:
        raise BadQuestion(
            f"{path} holds {len(sizes)} files of {sum(sizes.values())} bytes, which is too much for a question"
        )


def _check_ratio(path: Path, unpacked: int, packed: int) -> None:
    if unpacked > max(_SMALL, MAX_RATIO * packed):
        raise BadQuestion(
            f"{path} has {packed} bytes that unpack to {unpacked}, which is unusual for a question. Ask Trent whether "
            "it is his; if so, unpack it, and give the folder"
        )


def write(out: Path, contents: Mapping[str, bytes]) -> None:
    """A new folder, or a zip if the name ends in .zip, with these files: whole or not at all."""
    if out.suffix.lower() == ".zip":
        _write_zip(out, contents)
    else:
        files.write_folder(out, contents)


def _write_zip(out: Path, contents: Mapping[str, bytes]) -> None:
    with files.new_file(out) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for file, content in contents.items():
            packed.writestr(zipfile.ZipInfo(file, _TIME), content, zipfile.ZIP_DEFLATED)
