"""Texts from elsewhere: what nobody sees is shown, and what people write stays as it is."""

import pytest

from ledger.plain import shown

HIDDEN = {
    "controls": "\x00\x1b\x7f\x85",
    "turns text around": "\u061c\u200e\u200f\u202a\u202e\u2066\u2069",
    "has no width": "\u00ad\u200b\u2060\u180e\u206a\u206f\ufeff\U000e0001\U000e0041\U000e007f",
    "fills": "\u034f\u115f\u1160\u17b4\u2800\u3164\uffa0",
    "breaks a line": "\n\r\u2028\u2029",
    "is nobody's": "\ue000\U000f0000",
    "may get no shape": "\u2065\ufff0\U000e0002\U000e0fff",
    "is no character": "\ud800\ufffe\U0001ffff\ufdd0",
}


@pytest.mark.parametrize("characters", HIDDEN.values(), ids=HIDDEN)
def test_what_nobody_sees_is_shown(characters: str) -> None:
    for each in characters:
        assert shown(f"a{each}b") == "a\ufffdb"


def test_what_people_write_stays_as_it_is() -> None:
    text = "Gr\u00f6\u00dfe, e\u0301, \u6771, \u0639\u0642\u062f, \u05d7\u05d5\u05d6, \u20ac 5 \u2013 10 % \U0001f4ce"
    assert shown(text) == text
