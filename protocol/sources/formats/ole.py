"""OLE compound files (the container of old Office files and of embedded objects): what they are, and what is in them.

Objects that are embedded in office files are often wrapped: the file that somebody dropped into a document stands in
a stream of a compound file, with or without its name. `unwrapped` gives back that file.
"""

import io
import struct

import olefile

from protocol.sources.parts import File

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_NATIVE = "\x01Ole10Native"
_WHOLE = {"WordDocument": ".doc", "Workbook": ".xls", "Book": ".xls", "PowerPoint Document": ".ppt"}
"""A stream that shows that the compound file is itself a document."""
_INNER = ("Package", "CONTENTS", "EmbeddedOdf", "package_stream")
"""Streams that are a whole file: an OOXML package, a PDF, an ODF file."""
_MESSAGE = "__properties_version1.0"
_STARTS = {b"%PDF": ".pdf", b"{\\rtf": ".rtf"}
_PACKED = {b"word/": ".docx", b"xl/": ".xlsx", b"ppt/": ".pptx", b"": ".zip"}


def is_ole(content: bytes) -> bool:
    """Whether these bytes begin a compound file."""
    return content.startswith(MAGIC)


def is_encrypted_package(content: bytes) -> bool:
    """Whether it is an Office file that is protected by a password or by rights management."""
    if "EncryptedPackage".encode("utf-16-le") not in content:
        return False
    try:
        with olefile.OleFileIO(io.BytesIO(content)) as ole:
            return bool(ole.exists("EncryptedPackage"))
    except Exception:  # olefile raises all kinds of errors on damaged files
        return True  # it says so, and cannot be read anyway


def unwrapped(file: File) -> File:
    """The file that an embedded object holds; the object itself if it is no wrapper or cannot be read."""
    if not is_ole(file.content):
        return file
    try:
        return _unwrapped(file)
    except Exception:  # olefile raises all kinds of errors on damaged files
        return file


def _unwrapped(file: File) -> File:
    with olefile.OleFileIO(io.BytesIO(file.content)) as ole:
        if ole.exists(_NATIVE) and (native := read_native(ole.openstream(_NATIVE).read(), file.name)):
            return native
        for name, suffix in _WHOLE.items():
            if ole.exists(name):
                return File(name=renamed(file.name, suffix), content=file.content)
        if ole.exists(_MESSAGE):
            return File(name=renamed(file.name, ".msg"), content=file.content)
        for name in _INNER:
            if ole.exists(name) and (content := ole.openstream(name).read()):
                return File(name=named_by_content(file.name, content), content=content)
    return file


def read_native(stream: bytes, name: str) -> File | None:
    """The file in an Ole10Native stream: a size, two flags, label, path, more flags, a path again, and the file."""
    size = int.from_bytes(stream[:4], "little")
    return read_packaged(stream[4 : 4 + size] if 0 < size <= len(stream) - 4 else stream[4:], name)


def read_packaged(body: bytes, name: str) -> File | None:
    """The file that the Windows packager wrote, with the name it had; None if it is no package or not whole."""
    try:
        if body[:2] != b"\x02\x00":
            return File(name=named_by_content(name, body), content=body) if body else None
        label_end = body.index(b"\0", 2)
        path_end = body.index(b"\0", label_end + 1)
        (length,) = struct.unpack_from("<I", body, path_end + 5)
        start = path_end + 9 + length
        (size,) = struct.unpack_from("<I", body, start)
    except (ValueError, struct.error):
        return None
    content = body[start + 4 : start + 4 + size]
    label = body[2:label_end].decode("cp1252", "replace")
    return File(name=label.replace("\\", "/").rpartition("/")[2] or name, content=content) if content else None


def named_by_content(name: str, content: bytes) -> str:
    """The name with the suffix of what the bytes begin with, where they tell."""
    if content.startswith(b"PK\x03\x04"):
        return renamed(name, next(suffix for folder, suffix in _PACKED.items() if folder in content))
    return next((renamed(name, suffix) for start, suffix in _STARTS.items() if content.startswith(start)), name)


def renamed(name: str, suffix: str) -> str:
    """The name with another suffix."""
    stem, dot, last = name.rpartition(".")
    return (stem if dot and "/" not in last else name) + suffix
