"""Compressed RTF (MS-OXRTFCP), as Outlook keeps the bodies of messages: LZFu over a window of 4 KiB."""

import struct

MAX_SIZE = 2**28
"""Bytes that are unpacked; the format packs at most about nine times."""

_HEADER = struct.Struct("<IIII")
_LZFU, _STORED = 0x75465A4C, 0x414C454D
_WINDOW = 4096
_START = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans Serif"
    rb"SymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    + b"\r\n"
    + rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)


def decompressed(packed: bytes) -> bytes:
    """The RTF; as much as there is of a damaged one, and nothing of what is none."""
    if len(packed) < _HEADER.size:
        return b""
    _, size, kind, _ = _HEADER.unpack_from(packed)
    size = min(size, MAX_SIZE)
    if kind == _STORED:
        return packed[_HEADER.size : _HEADER.size + size]
    return _unpacked(packed[_HEADER.size :], size) if kind == _LZFU else b""


def _unpacked(packed: bytes, size: int) -> bytes:
    """Each bit of a flag byte says what comes next: a byte as it is, or a place and a length in what came before."""
    out = bytearray(_START)
    first = len(out)
    place, end = 0, len(packed)
    while place < end and len(out) - first < size:
        flags = packed[place]
        place += 1
        for bit in range(8):
            if not flags >> bit & 1:
                if place >= end:
                    return bytes(out[first : first + size])
                out.append(packed[place])
                place += 1
                continue
            if place + 2 > end:
                return bytes(out[first : first + size])
            reference = packed[place] << 8 | packed[place + 1]
            place += 2
            offset, length = reference >> 4, (reference & 15) + 2
            write = len(out) % _WINDOW
            if offset == write:
                return bytes(out[first : first + size])
            _copy(out, (write - offset) % _WINDOW, length)
    return bytes(out[first : first + size])


def _copy(out: bytearray, distance: int, length: int) -> None:
    """Repeat what stands so far back; it may run into what it writes. Before the beginning there are zeros."""
    for _ in range(length):
        out.append(out[-distance] if distance <= len(out) else 0)
