"""Files that only an office suite reads: old Office (.doc, .xls, .ppt), OpenDocument, WordPerfect, Word's XML of 2003,
binary workbooks (.xlsb), Visio, Publisher, Apple's documents, and drawings of Windows (.emf, .wmf).

No reader of ours knows them. LibreOffice turns them into .docx, .xlsx or .pptx where it is installed, in a sandbox of
its own, and the readers of those read the result. So comments, notes, tracked changes and hidden sheets come out as
they do of modern files. What is drawn rather than written becomes a PDF. The files inside are taken from the old file
as they are. LibreOffice gets a new home folder for each file, so that nothing is left over from another.
"""

import io
import re
import subprocess
import zipfile
from functools import cache
from pathlib import PurePosixPath

import olefile

from protocol.sources.formats.oldobjects import objects
from protocol.sources.limits import Limits
from protocol.sources.parts import Extracted, Extractor, File, Unextractable
from protocol.sources.problems import Cause
from protocol.sources.sandbox.programs import Converted, Program, installed, run_program

NAME = "old office"
REMEDY = "install LibreOffice (soffice) and build again, or convert it"
ENCRYPTED = "is protected with a password; ask its owner for the password and a copy without it"

_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
_ZIP = b"PK\x03\x04"
_STREAMS = (
    ("WordDocument", "doc"),
    ("Workbook", "xls"),
    ("Book", "xls"),
    ("PowerPoint Document", "ppt"),
    ("VisioDocument", "vsd"),
    ("Quill", "pub"),
)
_MEMBERS = {"xl/workbook.bin": "xlsb", "visio/document.xml": "vsdx", "index.apxl": "key"}
_APPLE = (".pages", ".numbers", ".key")
_DRAWINGS = ((b"\xd7\xcd\xc6\x9a", 0, "wmf"), (b"\x01\x00\x09\x00\x00\x03", 0, "wmf"), (b" EMF", 40, "emf"))
_LOOSE = {
    b"\xffWPC": "wpd",
    b"\xdb\xa5-\0": "doc",  # Word 2
    b"\x09\x00\x04\x00": "xls",  # Excel 2, 3 and 4, before there were compound files
    b"\x09\x02\x06\x00": "xls",
    b"\x09\x04\x06\x00": "xls",
}
_OPEN = re.compile(rb"mimetypeapplication/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)")
_OPEN_SUFFIXES = {b"text": "odt", b"spreadsheet": "ods", b"presentation": "odp"}
_XML = {b"http://schemas.microsoft.com/office/word/2003/wordml": "doc", b'progid="Excel.Sheet"': "xls"}
_TARGETS = {
    **dict.fromkeys(("doc", "odt", "wpd", "pages"), "docx"),
    **dict.fromkeys(("xls", "ods", "xlsb", "numbers"), "xlsx"),
    **dict.fromkeys(("ppt", "odp", "key"), "pptx"),
    **dict.fromkeys(("vsd", "vsdx", "pub", "emf", "wmf"), "pdf"),
}
_FOLDERS = {"doc": "word", "xls": "xl", "ppt": "ppt"}
_START = 4096
_WORD_IS_ENCRYPTED = 0x01
_PROTECTED_PRESENTATION = b"\xdf\xc4\xd1\xf3"
_PASSWORD_RECORD, _MAX_RECORDS = 0x2F, 20


def suffix(file: File) -> str:
    """What kind of file of an office suite it is, as the ending of its name; empty for anything else."""
    start = file.content[:_START]
    if start.startswith(_OLE):
        return _in_ole(file.content)
    if start.startswith(_ZIP):
        found = _OPEN.search(start)
        return _OPEN_SUFFIXES[found[1]] if found else _in_zip(file)
    for mark, place, kind in _DRAWINGS:
        if start[place:].startswith(mark):
            return kind
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml"):
        return next((each for mark, each in _XML.items() if mark in start), "")
    return next((each for mark, each in _LOOSE.items() if start.startswith(mark)), "")


def _in_zip(file: File) -> str:
    """By a member that only files of this kind have, and Apple's newer documents, which have none, by their name."""
    try:
        with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
            names = {name.lower() for name in archive.namelist()}
    except Exception:  # zipfile raises all kinds of errors on damaged files
        return ""
    ending = PurePosixPath(file.name).suffix.lower()
    if ending in _APPLE and any(name.startswith("index") for name in names):
        return ending[1:]
    return next((each for member, each in _MEMBERS.items() if member in names), "")


def _in_ole(content: bytes) -> str:
    """By the streams, whose names some programs write in lowercase or uppercase."""
    try:
        with olefile.OleFileIO(io.BytesIO(content)) as ole:
            return next((each for stream, each in _STREAMS if ole.exists(stream)), "")
    except Exception:  # olefile raises all kinds of errors on damaged files
        return ""


def extract(file: File) -> Extracted:
    """Always `Unextractable`: what it needs, or that it is protected."""
    kind = suffix(file)
    if protection(file, kind) == "certain":
        raise Unextractable(Cause.ENCRYPTED, f"the old Office file {ENCRYPTED}")
    raise Unextractable(Cause.NEEDS_TOOL, f"office file (.{kind}); {REMEDY}")


def protection(file: File, kind: str) -> str:
    """Whether a password protects it: `certain`, `likely`, or nothing.

    A workbook may be encrypted with a password that every program knows, so only its reader can tell.
    """
    if not file.content.startswith(_OLE):
        return ""
    try:
        with olefile.OleFileIO(io.BytesIO(file.content)) as ole:
            if kind == "doc":
                flags = ole.openstream("WordDocument").read(12)[11:]
                return "certain" if flags and flags[0] & _WORD_IS_ENCRYPTED else ""
            if kind == "xls":
                book = ole.openstream("Workbook" if ole.exists("Workbook") else "Book").read(_START)
                return "likely" if _has_password(book) else ""
            user = ole.openstream("Current User").read(16) if ole.exists("Current User") else b""
            return "certain" if user[12:16] == _PROTECTED_PRESENTATION else ""
    except Exception:  # olefile raises all kinds of errors on damaged files
        return ""


def _has_password(book: bytes) -> bool:
    """Whether one of the first records of a workbook is about a password."""
    place = 0
    for _ in range(_MAX_RECORDS):
        if int.from_bytes(book[place : place + 2], "little") == _PASSWORD_RECORD:
            return True
        place += 4 + int.from_bytes(book[place + 2 : place + 4], "little")
    return False


def convert(file: File, limits: Limits) -> Converted:
    """The file as a modern one."""
    kind = suffix(file)
    target = _TARGETS.get(kind, "docx")
    if not installed("soffice"):
        raise Unextractable(Cause.NEEDS_TOOL, f"office file (.{kind}); {REMEDY}")
    argv = ["soffice", "--headless", "--norestore", "--nolockcheck", "--convert-to", target, f"input.{kind}"]
    made = run_program(argv, f"input.{kind}", file.content, limits)
    content = made.get(f"input.{target}")
    if content:
        made_file = File(name=f"{file.name}.{target}", content=_with_objects(content, file.content, kind))
        return Converted(file=made_file, tool=_version(), options=f"{kind} to {target}")
    if protection(file, kind):
        raise Unextractable(Cause.ENCRYPTED, f"the old Office file {ENCRYPTED}")
    raise Unextractable(Cause.DAMAGED, f"LibreOffice cannot read it as .{kind}; get another copy, or convert it")


def _with_objects(package: bytes, old: bytes, kind: str) -> bytes:
    """The modern file with the objects of the old one, which LibreOffice leaves out or converts as well."""
    found = objects(old, kind) if old.startswith(_OLE) and kind in _FOLDERS else []
    if not found:
        return package
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as made, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in made.infolist():
            if "/embeddings/" not in member.filename:
                archive.writestr(member, made.read(member))
        for number, content in enumerate(found, 1):
            archive.writestr(zipfile.ZipInfo(f"{_FOLDERS[kind]}/embeddings/oleObject{number}.bin"), content)
    return out.getvalue()


@cache
def _version() -> str:
    try:
        told = subprocess.run(  # noqa: S603 - a fixed command, without a stranger's file
            [installed("soffice") or "soffice", "--version"], capture_output=True, timeout=60, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        told = b""
    return " ".join(told.decode(errors="replace").split()) or "LibreOffice"


EXTRACTOR = Extractor(
    name=NAME,
    described="old Office and others of an office suite (.doc, .xls, .ppt, .odt, .ods, .odp, .wpd, .vsd, .pub, …)",
    recognises=lambda file: bool(suffix(file)),
    extract=extract,
)
PROGRAM = Program(name="soffice", remedies=Cause.NEEDS_TOOL, kinds=(NAME, "xlsx"), convert=convert)
