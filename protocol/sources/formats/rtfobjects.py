"""Objects that are embedded in RTF: the file inside an OLE 1.0 object."""

import struct

from protocol.sources.formats.ole import is_ole, named_by_content, read_packaged, unwrapped
from protocol.sources.parts import File

_EMBEDDED = 2


def read_object(data: bytes, name: str) -> File | None:
    """The file in an OLE 1.0 object: version, format, class, topic, item, and its native data; None for a link."""
    try:
        _, kind = struct.unpack_from("<II", data)
        if kind != _EMBEDDED:
            return None
        class_name, place = _text(data, 8)
        _, place = _text(data, place)
        _, place = _text(data, place)
        (size,) = struct.unpack_from("<I", data, place)
    except struct.error:
        return None
    native = data[place + 4 : place + 4 + size]
    if not native:
        return None
    if class_name == "Package" and not is_ole(native) and (packaged := read_packaged(native, name)):
        return packaged
    return unwrapped(File(name=named_by_content(name, native), content=native))


def _text(data: bytes, place: int) -> tuple[str, int]:
    """A text with its length before it, and the place after it."""
    (length,) = struct.unpack_from("<I", data, place)
    end = min(place + 4 + length, len(data))
    return data[place + 4 : end].rstrip(b"\0").decode("cp1252", "replace"), end
