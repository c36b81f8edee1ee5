"""The tokens of a text: what features are counted in, and what near-duplicates are compared by.

A token is a longest run of the bytes 0-9, A-Z, a-z and 0x80-0xff in the UTF-8 text, with A-Z made a-z. So nothing
depends on a table of Unicode: all characters beyond ASCII, letters or not, are parts of tokens, unchanged.
"""

import string
from collections.abc import Iterator

_PIECE = 2**22  # bytes of a list's tokens

_SEPARATOR = ord(" ")
_WORD = (string.ascii_letters + string.digits).encode()
_TABLE = bytes(byte if byte in _WORD or byte >= 0x80 else _SEPARATOR for byte in range(256)).lower()


def tokens(text: bytes) -> list[bytes]:
    """The tokens of a UTF-8 text in their order."""
    return text.translate(_TABLE).split()


def token_lists(text: bytes) -> Iterator[list[bytes]]:
    """The same tokens; for an enormous text in several lists, since tokens take far more memory than text."""
    plain, start = text.translate(_TABLE), 0
    while (end := plain.find(b" ", start + _PIECE)) != -1:
        yield plain[start:end].split()
        start = end
    yield plain[start:].split()
