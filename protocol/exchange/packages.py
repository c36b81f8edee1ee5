"""Folders and zip files that travel: written whole or not at all, and read with suspicion.

Nothing is ever unpacked: files are read by the names that a signed request lists. What a person's system adds (a folder
around everything, files of its own) does no harm; what nobody adds by accident is refused.
"""

import os
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ledger import files
from ledger.errors import Refused
from protocol.exchange.errors import BadPackage

MAX_FILES = 2**18
MAX_TOTAL = 2**33
"""Bytes of all files together, unpacked."""

_PIECE = 2**20
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
    """The files of a folder or zip by their names in it, with slashes."""

    def __init__(self, path: Path, sizes: Mapping[str, int], opener: Callable[[str], IO[bytes]]) -> None:
        self.path = path
        self.sizes = sizes
        self._open = opener

    def pieces(self, name: str) -> Iterator[bytes]:
        """A file's bytes, piece by piece."""
        try:
            with self._open(name) as stream:
                while piece := stream.read(_PIECE):
                    yield piece
        except _ZIP_ERRORS as error:
            raise BadPackage(f"{self.path}: {name} cannot be read ({error}); ask for the question again") from None

    def read(self, name: str, most: int) -> bytes:
        """A file's bytes, of which there are at most so many."""
        if self.sizes[name] > most:
            raise BadPackage(f"{self.path}: {name} has {self.sizes[name]} bytes, more than it can need")
        return b"".join(self.pieces(name))


@contextmanager
def opened(path: Path, marker: str) -> Iterator[Package]:
    """The package at `path`: the folder or zip in which `marker` stands, at its top or one folder down."""
    if path.is_dir():
        yield _folder(path, marker)
    elif path.is_file():
        with _opened_zip(path) as packed:
            yield _zip(path, packed, marker)
    else:
        raise BadPackage(f"{path} is not there; give the folder or zip file with the question")


def _opened_zip(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except _ZIP_ERRORS:
        raise BadPackage(f"{path} is neither a folder nor a whole zip file; ask for the question again") from None


def _folder(path: Path, marker: str) -> Package:
    top = path
    if not (path / marker).exists():
        inner = [each for each in path.iterdir() if (each / marker).is_file()]
        if len(inner) != 1:
            raise BadPackage(f"{path} holds no {marker}: give the folder or zip file with the question")
        top = inner[0]
    sizes: dict[str, int] = {}
    for folder, inside, names in os.walk(top):
        for name in (*inside, *names):
            found = Path(folder, name)
            status = found.lstat()
            if stat.S_ISLNK(status.st_mode):
                raise BadPackage(f"{found} is a link to another place; a question holds files only")
            if stat.S_ISREG(status.st_mode):
                sizes[found.relative_to(top).as_posix()] = status.st_size
    _check_sizes(path, sizes)
    return Package(path, sizes, lambda name: (top / name).open("rb"))


def _zip(path: Path, packed: zipfile.ZipFile, marker: str) -> Package:
    members: dict[str, zipfile.ZipInfo] = {}
    for member in packed.infolist():
        name = _checked_name(path, member)
        if member.is_dir() or name.startswith("__MACOSX/"):
            continue
        if name in members:
            raise BadPackage(f"{path} holds {name} twice; ask for the question again")
        members[name] = member
    tops = [name.removesuffix(marker) for name in members if name.split("/")[-1] == marker and name.count("/") < 2]
    if not tops:
        raise BadPackage(f"{path} holds no {marker}: give the folder or zip file with the question")
    top = min(tops, key=len)
    inside = {name.removeprefix(top): member for name, member in members.items() if name.startswith(top)}
    sizes = {name: member.file_size for name, member in inside.items()}
    _check_sizes(path, sizes)
    return Package(path, sizes, lambda name: packed.open(inside[name]))


def _checked_name(path: Path, member: zipfile.ZipInfo) -> str:
    name = member.filename.replace("\\", "/")
    if name.startswith("/") or ".." in name.split("/") or ":" in name:
        raise BadPackage(f"{path} holds a file that would leave its folder, {name!r}; do not unpack it")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise BadPackage(f"{path}: {name} is a link to another place; a question holds files only")
    if member.flag_bits & 1:
        raise BadPackage(f"{path} is encrypted: unpack it with its password first, and give the folder")
    return name


def _check_sizes(path: Path, sizes: Mapping[str, int]) -> None:
    if len(sizes) > MAX_FILES or sum(sizes.values()) > MAX_TOTAL:
        raise BadPackage(
            f"{path} holds {len(sizes)} files of {sum(sizes.values())} bytes, more than a question can need"
        )


def write(out: Path, contents: Mapping[str, bytes]) -> None:
    """A new folder, or zip if the name ends so, with these files: whole, or not there at all."""
    if out.exists() or out.is_symlink():
        raise Refused(f"{out} exists already; choose another name")
    try:
        if out.suffix.lower() == ".zip":
            _write_zip(out, contents)
        else:
            _write_folder(out, contents)
    except OSError as error:
        raise Refused(f"{out} cannot be written: {error.strerror or error}") from None


def _write_folder(out: Path, contents: Mapping[str, bytes]) -> None:
    unfinished = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}."))
    try:
        for name, content in contents.items():
            path = unfinished / name
            path.parent.mkdir(exist_ok=True)
            with path.open("xb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
        unfinished.chmod(0o755)
        unfinished.rename(out)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    files.sync_folder(out)


def _write_zip(out: Path, contents: Mapping[str, bytes]) -> None:
    handle, name = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.")
    unfinished = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
                for file, content in contents.items():
                    packed.writestr(zipfile.ZipInfo(file, _TIME), content, zipfile.ZIP_DEFLATED)
            stream.flush()
            os.fsync(stream.fileno())
        unfinished.chmod(0o644)
        files.place(unfinished, out)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise
