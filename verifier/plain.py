"""Strangers wrote the record, the files and their names: what their texts may not do to whoever looks at them."""

import unicodedata

REPLACEMENT = "\ufffd"
_BREAKS_AND_CONTROLS = frozenset({"Cc", "Zl", "Zp"})
_WITHOUT_A_SHAPE = frozenset({"Cf", "Co", "Cs"})  # turn the direction, join, tag; private or half a character
_BLANK_LETTERS = frozenset(map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0)))
_RESERVED = ((0x2065, 0x2065), (0xFFF0, 0xFFF8), (0xE0000, 0xE00FF), (0xE01F0, 0xE0FFF))  # for more without a shape


def harmless(text: str) -> str:
    """The text with U+FFFD for every character that controls a terminal or cannot be seen, but the end of a line."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "".join(each if each == "\n" or _can_be_seen(each) else REPLACEMENT for each in text)


def _can_be_seen(character: str) -> bool:
    category, point = unicodedata.category(character), ord(character)
    if category in _BREAKS_AND_CONTROLS or category in _WITHOUT_A_SHAPE or character in _BLANK_LETTERS:
        return False
    is_no_character = point % 0x10000 >= 0xFFFE or 0xFDD0 <= point <= 0xFDEF
    return not is_no_character and not any(first <= point <= last for first, last in _RESERVED)
