"""What a text is made of: its tokens.

A token is a longest run of the bytes 0-9, A-Z, a-z and 0x80-0xff in the UTF-8 text, with A-Z made a-z. So no
table of Unicode decides anything: letters beyond ASCII are parts of tokens as they stand, and so is every other
character beyond ASCII.
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
    """The same tokens, those of an enormous text in several lists, since tokens take far more memory than text."""
    plain, start = text.translate(_TABLE), 0
    while (end := plain.find(b" ", start + _PIECE)) != -1:
        yield plain[start:end].split()
        start = end
    yield plain[start:].split()
