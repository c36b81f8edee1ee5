"""Messages of Outlook in compound files, as small as they can be."""

import struct

from protocol.sources.formats import mapi
from protocol.sources.formats.olewriting import Tree, compound

__all__ = ["Tree", "attached_file", "attached_message", "compound", "message", "number", "storage", "text"]


def storage(values: mapi.Values, header: int, **more: "bytes | Tree") -> dict[str, "bytes | Tree"]:
    """A message, a recipient or an attachment with these properties."""
    listed = bytearray(header)
    found: dict[str, bytes | Tree] = {}
    for number, (kind, raw) in values.items():
        fixed = raw if kind in (mapi.INTEGER_32, mapi.TIME) else b""
        listed += struct.pack("<HHI8s", kind, number, 6, fixed)
        if not fixed:
            found[f"__substg1.0_{number:04X}{kind:04X}"] = raw
    return {"__properties_version1.0": bytes(listed), **found, **more}


def text(value: str) -> tuple[int, bytes]:
    return mapi.STRING, value.encode("utf-16-le", "surrogatepass")


def number(value: int) -> tuple[int, bytes]:
    return mapi.INTEGER_32, struct.pack("<I", value)


def message(values: mapi.Values, *, recipients: tuple[mapi.Values, ...] = (), attachments: tuple[Tree, ...] = (),
            header: int = 32) -> Tree:  # fmt: skip
    """A message; the header of one in another is 24 bytes long."""
    tree = storage(values, header)
    for place, each in enumerate(recipients):
        tree[f"__recip_version1.0_#{place:08X}"] = storage(each, 8)
    for place, inner in enumerate(attachments):
        tree[f"__attach_version1.0_#{place:08X}"] = inner
    return tree


def attached_file(name: str, content: bytes, **more: tuple[int, bytes]) -> Tree:
    values = {mapi.ATTACH_METHOD: number(1), mapi.ATTACH_LONG_FILENAME: text(name)}
    return storage(values | {mapi.ATTACH_DATA: (mapi.BINARY, content)} | {int(k, 16): v for k, v in more.items()}, 8)


def attached_message(name: str, inner: Tree) -> Tree:
    values = {mapi.ATTACH_METHOD: number(5), mapi.DISPLAY_NAME: text(name)}
    return {**storage(values, 8), f"__substg1.0_{mapi.ATTACH_DATA:04X}000D": inner}
