"""Verifier keys: a key in one line, as the note format writes it."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import notes
from ledger.keys import SigningKey
from ledger.notes import BadNote, NoteKey, SignatureType
from tests.vectors import load

KEY = SigningKey(bytes(range(32)))
LINE = NoteKey(name="trent.example/log", type=SignatureType.ED25519, key=KEY.public).vkey
SPECIFIED = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
"""The example of c2sp.org/signed-note."""


def test_the_specifications_example_is_read_and_verifies_its_note() -> None:
    key = notes.parse_vkey(SPECIFIED)
    assert (key.name, key.id.hex(), key.vkey) == ("example.com/foo", "530d903a", SPECIFIED)
    note = notes.parse(
        "This is an example message.\n\n\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1E"
        "RYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
    )
    assert note.signed_by([key]) == [key]


@pytest.mark.parametrize("case", load("interop_notes.json")["keys"], ids=lambda case: case["id"])
def test_a_line_that_the_other_implementation_takes_is_read_and_written_again(case: dict[str, Any]) -> None:
    assert notes.parse_vkey(case["verifier_key"]).vkey == case["verifier_key"]


@given(
    seed=st.binary(min_size=32, max_size=32),
    kind=st.sampled_from(SignatureType),
    name=st.text(min_size=1, max_size=30),
)
def test_every_key_is_read_as_it_was_written_or_has_no_name(seed: bytes, kind: SignatureType, name: str) -> None:
    key = NoteKey(name=name, type=kind, key=SigningKey(seed).public)
    try:
        line = key.vkey
        found = notes.parse_vkey(line)
    except (BadNote, UnicodeEncodeError):
        assert any(each.isspace() or each == "+" or each < " " or "\ud800" <= each <= "\udfff" for each in name)
    else:
        assert (found, found.vkey) == (key, line)


@given(place=st.integers(min_value=0, max_value=len(LINE) - 1), other=st.characters())
def test_a_line_with_one_other_character_is_refused(place: int, other: str) -> None:
    changed = LINE[:place] + other + LINE[place + 1 :]
    if changed != LINE:
        with pytest.raises(BadNote):
            notes.parse_vkey(changed)


def encoded(raw: bytes) -> str:
    return "x+00000000+" + base64.b64encode(raw).decode()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "not a verifier key"),
        ("name", "not a verifier key"),
        ("name+00000000", "not a verifier key"),
        ("+00000000+AQ==", "cannot name a key"),
        ("a b+00000000+AQ==", "cannot name a key"),
        ("x+00000000+", "no type"),
        ("x+00000000+!", "not base64"),
        (encoded(b"\x06" + bytes(1312)), "type 6; this version knows only Ed25519"),
        (encoded(b"\x01" + bytes(31)), "32 bytes"),
        (encoded(b"\x01" + bytes(32)), "not a usable"),
        (encoded(b"\x01" + KEY.public), "its id is not that"),
        (LINE.replace("+", "+0", 1), "its id is not that"),
        (LINE + "\n", "not base64"),
    ],
)
def test_what_is_no_key_is_refused_with_the_reason(line: str, why: str) -> None:
    with pytest.raises(BadNote, match=why):
        notes.parse_vkey(line)
