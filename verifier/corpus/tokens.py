"""The tokens of a text: longest runs of ASCII letters, ASCII digits and bytes from 0x80 on, A to Z as a to z."""

from collections.abc import Iterator

PIECE = 2**21
"""Bytes of text whose tokens are held at a time: a token in memory takes ten times its text."""

_KEPT = frozenset(b"0123456789abcdefghijklmnopqrstuvwxyz") | frozenset(range(0x80, 0x100))
_BLANK = ord(" ")
_PLAIN = bytes(byte if byte in _KEPT else _BLANK for byte in bytes(range(0x100)).lower())


def plain(text: bytes) -> bytes:
    """The text with a blank for each byte that separates tokens, and A to Z as a to z."""
    return text.translate(_PLAIN)


def tokens(text: bytes) -> list[bytes]:
    """All tokens in their order."""
    return plain(text).split()


def tokens_by_piece(text: memoryview, piece: int = PIECE) -> Iterator[list[bytes]]:
    """All tokens in their order, some at a time."""
    begun: list[bytes] = []  # the parts of a token that may go on in the next piece
    for start in range(0, len(text), piece):
        some = plain(bytes(text[start : start + piece]))
        last = some.rfind(b" ")
        if last != -1:
            yield b"".join((*begun, some[:last])).split()
            begun.clear()
        begun.append(some[last + 1 :])
    yield b"".join(begun).split()
