"""The package that .docx, .xlsx and .pptx files are: a zip of parts, and relationships between them.

Whatever a stranger packed: a part is read only within limits of size, ratio and number, as a stream, and XML with a
document type is refused (`xmlevents`). What the main part needs and cannot give ends the reading; what is wrong with
another part becomes a note.
"""

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from typing import NamedTuple
from urllib.parse import unquote

from protocol.sources.formats.ole import is_encrypted_package, is_ole
from protocol.sources.formats.xmlevents import BadXml, Event, events
from protocol.sources.parts import File, Note, Unextractable
from protocol.sources.problems import Cause

MAX_MEMBERS = 20_000
MAX_MEMBER = 512 * 2**20
MAX_READ = 2**30
"""Bytes of all parts together, unpacked."""
MAX_RATIO = 200
"""Largest compression ratio accepted; parts smaller than RATIO_EXEMPT are exempt."""
RATIO_EXEMPT = 16 * 2**20
MAX_NOTES = 20

ASK_AGAIN = "ask for a whole copy"
PASSWORD = "it is protected by a password; ask its owner for the password or an open copy"  # noqa: S105 - a message
TOOL = f"tallystick {version('tallystick')}"

_MAIN = {"document": "docx", "workbook": "xlsx", "presentation": "pptx"}
"""The root element of the main part, and the kind of file."""
_USUAL_MAIN = {"word/document.xml": "docx", "xl/workbook.xml": "xlsx", "ppt/presentation.xml": "pptx"}
_BINARY_MAIN = "xl/workbook.bin"
_SUFFIXES = {
    **dict.fromkeys((".docx", ".docm", ".dotx", ".dotm"), "docx"),
    **dict.fromkeys((".xlsx", ".xlsm", ".xltx", ".xltm", ".xlsb", ".xlam"), "xlsx"),
    **dict.fromkeys((".pptx", ".pptm", ".potx", ".potm", ".ppsx", ".ppsm", ".ppam"), "pptx"),
}
_FOLDERS = {b"word/": "docx", b"xl/": "xlsx", b"ppt/": "pptx"}
_ROOT = re.compile(r"<(?:[^\s<>/:!?]+:)?([^\s<>/:!?]+)[\s>]")
_DIGITS = re.compile(r"(\d{1,15})")


class Relationship(NamedTuple):
    """From one part to another, or to something outside the package."""

    kind: str
    """The last word of its type, which is the same in transitional and strict packages."""
    target: str
    """The name of the part, or the address outside."""
    is_external: bool


@dataclass(slots=True)
class _Spent:
    """What reading has cost so far."""

    read: int = 0


@dataclass(frozen=True)
class Package:
    """An opened package: its parts by name, in lower case and without the first slash."""

    zipped: zipfile.ZipFile
    members: dict[str, zipfile.ZipInfo]
    notes: list[Note] = field(default_factory=list)
    known: dict[str, dict[str, Relationship]] = field(default_factory=dict)
    spent: _Spent = field(default_factory=_Spent)

    def note(self, cause: Cause, detail: str) -> None:
        """Remember what was wrong, once."""
        if (cause, detail) not in self.notes and len(self.notes) < MAX_NOTES:
            self.notes.append((cause, detail))

    @cached_property
    def main(self) -> str:
        """The name of the main part, by the package's relationship to it, or by its usual name."""
        for relationship in self.related("").values():
            if relationship.kind == "officeDocument" and relationship.target in self.members:
                return relationship.target
        return next((name for name in (*_USUAL_MAIN, _BINARY_MAIN) if name in self.members), "")

    @property
    def kind(self) -> str:
        """docx, xlsx or pptx, by what the main part is; nothing for other packages."""
        try:
            start = b"".join(self._pieces(self.main, 65536))[:65536] if self.main else b""
        except (BadXml, Unextractable):
            start = b""
        text = start.decode("utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")
        root = _ROOT.search(text)
        by_name = "xlsx" if self.main == _BINARY_MAIN else _USUAL_MAIN.get(self.main, "")
        return _MAIN.get(root[1], by_name) if root else by_name

    def content(self, name: str) -> bytes:
        """All bytes of a part; Unextractable if it is missing, damaged or too large."""
        try:
            return b"".join(self._pieces(name, MAX_MEMBER))
        except BadXml as error:
            raise Unextractable(Cause.DAMAGED, f"{name}: {error}; {ASK_AGAIN}") from None

    def events(self, name: str) -> Iterator[Event]:
        """The XML of the main part, or of another one that the file cannot be read without."""
        try:
            yield from self._events(name)
        except BadXml as error:
            raise Unextractable(Cause.DAMAGED, f"{name}: {error}; {ASK_AGAIN}") from None

    def optional_events(self, name: str) -> Iterator[Event]:
        """The XML of a part as far as it can be read; what is wrong is noted."""
        try:
            yield from self._events(name)
        except BadXml as error:
            self.note(Cause.UNREAD_PART, f"{name}: {error}")

    def related(self, name: str) -> dict[str, Relationship]:
        """The relationships of a part by their ids; those of the package itself for the empty name."""
        if name in self.known:
            return self.known[name]
        folder, base = posixpath.split(name)
        rels = f"{folder}/_rels/{base}.rels".lstrip("/")
        found = self.known[name] = {}
        if rels not in self.members:
            return found
        for event in self.optional_events(rels):
            if event.attributes and event.tag.endswith(":Relationship"):
                kind = event.attributes.get("Type", "").rpartition("/")[2]
                target = event.attributes.get("Target", "")
                is_external = event.attributes.get("TargetMode") == "External"
                resolved = target if is_external else part_name(posixpath.join("/", folder, unquote(target)))
                found[event.attributes.get("Id", "")] = Relationship(kind, resolved, is_external)
        return found

    def targets(self, name: str, *kinds: str) -> list[str]:
        """The parts that a part is related to, by the kinds of the relationships, in the order of their names."""
        related = self.related(name).values()
        found = {item.target for item in related if item.kind in kinds and not item.is_external}
        return sorted((target for target in found if target in self.members), key=in_order)

    def named(self, pattern: str) -> list[str]:
        """The parts whose names match a pattern, in their order."""
        return sorted((name for name in self.members if re.fullmatch(pattern, name)), key=in_order)

    def links(self) -> list[str]:
        """Everything outside that the package refers to: links, templates, sources of data; each once."""
        found: dict[str, None] = {}
        for name in self.named(r"(?:.*/)?_rels/[^/]*\.rels"):
            folder, base = name.rsplit("_rels/", 1)
            for relationship in self.related(folder + base.removesuffix(".rels")).values():
                if relationship.is_external and relationship.target.strip():
                    found[relationship.target.strip()] = None
        return list(found)

    def _events(self, name: str) -> Iterator[Event]:
        pieces = self._pieces(name, MAX_MEMBER)
        held = io.BytesIO()

        def read(size: int) -> bytes:
            while held.tell() < size and (piece := next(pieces, b"")):
                held.write(piece)
            everything = held.getvalue()
            held.seek(0)
            held.truncate()
            return everything

        yield from events(read)

    def _pieces(self, name: str, most: int) -> Iterator[bytes]:
        """The bytes of a part, up to about `most`; BadXml if they cannot be unpacked."""
        member = self.members.get(name)
        if member is None:
            raise BadXml("it is missing")
        if member.flag_bits & 1:
            raise Unextractable(Cause.ENCRYPTED, PASSWORD)
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BadXml("it is packed in a way that office programs do not use")
        self._limits(name, member)
        size = 0
        try:
            with self.zipped.open(member) as opened:
                while size < most and (piece := opened.read(65536)):
                    size += len(piece)
                    self.spent.read += len(piece)
                    yield piece
        except (BadXml, Unextractable):
            raise
        except Exception as error:  # zipfile and zlib raise all kinds of errors on damaged files
            raise BadXml(f"it cannot be unpacked ({error or type(error).__name__})") from None

    def _limits(self, name: str, member: zipfile.ZipInfo) -> None:
        """The sizes that the zip states; zipfile reads no more than these."""
        ratio = member.file_size // max(member.compress_size, 1)
        if member.file_size > MAX_MEMBER or self.spent.read + member.file_size > MAX_READ:
            raise Unextractable(Cause.TOO_LARGE, f"{name} is too large: {member.file_size} bytes unpacked")
        if member.file_size > RATIO_EXEMPT and ratio > MAX_RATIO:
            detail = f"{name} grows {ratio} times when it is unpacked, to {member.file_size} bytes; it may be a bomb"
            raise Unextractable(Cause.TOO_LARGE, detail)


def kind_of(file: File) -> str:
    """docx, xlsx or pptx; nothing for everything else. Damaged and encrypted ones are known by their names."""
    suffix = posixpath.splitext(file.name.lower())[1]
    if is_ole(file.content):
        return _SUFFIXES.get(suffix, "docx") if is_encrypted_package(file.content) else ""
    if not file.content.startswith(b"PK\x03\x04"):
        return ""
    try:
        return opened(file).kind
    except Unextractable:
        start = file.content[: 2**20]
        by_folder = next((kind for folder, kind in _FOLDERS.items() if folder in start), "")
        return _SUFFIXES.get(suffix, by_folder if b"[Content_Types].xml" in start else "")


def opened(file: File) -> Package:
    """The package, or Unextractable."""
    if is_ole(file.content):
        raise Unextractable(Cause.ENCRYPTED, PASSWORD)
    try:
        zipped = zipfile.ZipFile(io.BytesIO(file.content))
    except Exception as error:  # zipfile raises all kinds of errors on damaged files
        detail = f"it is cut or damaged ({error or type(error).__name__}); {ASK_AGAIN}"
        raise Unextractable(Cause.DAMAGED, detail) from None
    infos = [info for info in zipped.infolist() if not info.filename.endswith("/")]  # is_dir() fails for an empty name
    if len(infos) > MAX_MEMBERS:
        raise Unextractable(Cause.TOO_LARGE, f"it has {len(infos)} parts; at most {MAX_MEMBERS} are read")
    package = Package(zipped=zipped, members={part_name(info.filename): info for info in infos})
    if len(package.members) < len(infos):
        package.note(Cause.UNREAD_PART, "several parts have the same name; the last one of each was read")
    return package


def part_name(name: str) -> str:
    """A part's name as it is compared: in lower case, with slashes, from the top."""
    return posixpath.normpath("/" + name.replace("\\", "/").lower()).lstrip("/")


def in_order(name: str) -> tuple[tuple[int, str], ...]:
    """The key by which slide10 comes after slide9."""
    pieces = _DIGITS.split(name)
    return tuple((int(piece), "") if place % 2 else (-1, piece) for place, piece in enumerate(pieces))
