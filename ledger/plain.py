"""Texts from elsewhere, made harmless for whoever looks at them: on a terminal, on a page, in a spreadsheet."""

import re
import unicodedata

_HIDDEN = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}  # characters that control, have no shape, or break a line
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # letters and marks that show nothing
_NO_CHARACTERS = range(0xFDD0, 0xFDF0)
_KEPT_FOR_HIDDEN = (range(0x2065, 0x2066), range(0xFFF0, 0xFFF9), range(0xE0000, 0xE0100), range(0xE01F0, 0xE1000))
"""Characters without a shape that Unicode may yet define, so that every version of it gives the same answer."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def shown(text: str) -> str:
    """A text in one line, without characters that are invisible or change the direction of others."""
    if text.isascii() and text.isprintable():
        return text
    return "".join("\ufffd" if _is_hidden(each) else each for each in text)


def harmless(text: str) -> str:
    """A text of many lines for a page, without characters that a page cannot hold."""
    return _CONTROLS.sub("\ufffd", text)


def _is_hidden(character: str) -> bool:
    point = ord(character)
    return (
        unicodedata.category(character) in _HIDDEN
        or character in _FILLERS
        or point & 0xFFFE == 0xFFFE
        or point in _NO_CHARACTERS
        or any(point in each for each in _KEPT_FOR_HIDDEN)
    )
