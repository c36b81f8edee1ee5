"""winmail.dat: the body and the attachments that Outlook packed, and nothing worse of a damaged one."""

import struct
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.sources.formats import mapi
from protocol.sources.formats.tnef import EXTRACTOR, extract
from protocol.sources.parts import Extracted, File, Unextractable
from protocol.sources.problems import Cause

START = b"\x78\x9f\x3e\x22\1\0"


def attribute(number: int, value: bytes, level: int = 1) -> bytes:
    return struct.pack("<BHHI", level, number, 6, len(value)) + value + b"\0\0"


def padded(value: bytes) -> bytes:
    return value + bytes(-len(value) % 4)


def properties(*values: tuple[int, int, bytes]) -> bytes:
    out = struct.pack("<I", len(values))
    for number, kind, raw in values:
        out += struct.pack("<HH", kind, number)
        out += raw if kind == mapi.INTEGER_32 else struct.pack("<II", 1, len(raw)) + padded(raw)
    return out


def named(raw: bytes) -> bytes:
    name = "name\0".encode("utf-16-le")
    return struct.pack("<HH", mapi.STRING_8, 0x8001) + bytes(16) + struct.pack("<II", 1, len(name)) + padded(name) + raw


BODY = attribute(0x800C, b"some words\0")
FILE = attribute(0x9002, bytes(14), 2) + attribute(0x8010, b"A~1.TXT\0", 2) + attribute(0x800F, b"content", 2)
LONG_NAME = attribute(0x9005, properties((mapi.ATTACH_LONG_FILENAME, mapi.STRING, "\u00e4.txt".encode("utf-16-le"))), 2)


def read(raw: bytes) -> Extracted:
    file = File(name="winmail.dat", content=raw)
    assert EXTRACTOR.recognises(file)
    return extract(file)


def test_the_body_and_each_file_come_out() -> None:
    got = read(START + attribute(0x8004, b"subject\0") + BODY + FILE + LONG_NAME + FILE)
    assert got.text == "Subject: subject\n\nsome words"
    assert [(child.name, child.content) for child in got.children] == [
        ("\u00e4.txt", b"content"),
        ("A~1.TXT", b"content"),
    ]
    assert got.kind == "winmail.dat"
    assert not got.notes


HELLO = "\u041f\u0440\u0438\u0432\u0435\u0442"


def test_properties_give_the_body_in_its_code_page() -> None:
    told = properties((mapi.INTERNET_CODE_PAGE, mapi.INTEGER_32, struct.pack("<I", 1251)),
                      (mapi.BODY, mapi.STRING_8, f"{HELLO}\0".encode("cp1251")))  # fmt: skip
    assert read(START + attribute(0x9003, told)).text == f"\n{HELLO}"


def test_a_named_property_is_passed_over() -> None:
    one = struct.pack("<II", 1, 2) + b"x\0\0\0"
    told = struct.pack("<I", 2) + named(one) + properties((mapi.BODY, mapi.STRING_8, b"words"))[4:]
    assert read(START + attribute(0x9003, told)).text == "\nwords"


def test_a_message_in_it_is_a_winmail_dat_itself() -> None:
    inner = bytes(16) + START + BODY
    told = properties((mapi.ATTACH_DATA, mapi.OBJECT, inner), (mapi.DISPLAY_NAME, mapi.STRING_8, b"FW"))
    (child,) = read(START + BODY + attribute(0x9002, b"") + attribute(0x9005, told)).children
    assert child.name == "FW.winmail.dat"
    assert read(child.content.rstrip(b"\0") + b"\0\0").text == "\nsome words"


@pytest.mark.parametrize("cut", [3, 8, 12, 30])
def test_what_comes_before_the_damage_counts_and_the_rest_is_told(cut: int) -> None:
    got = read((START + BODY + FILE)[:-cut])
    assert got.text == "\nsome words"
    assert [cause for cause, _ in got.notes] == [Cause.UNREAD_PART]


@pytest.mark.parametrize("raw", [START, START + b"\1", START + attribute(0x1234, b"x"), START[:4]])
def test_one_with_nothing_in_it_is_damaged(raw: bytes) -> None:
    with pytest.raises(Unextractable) as raised:
        extract(File(name="winmail.dat", content=raw))
    assert raised.value.cause == Cause.DAMAGED


@pytest.mark.parametrize(
    "value",
    [
        struct.pack("<I", 2**32 - 1),
        struct.pack("<IHH", 1, 0x99, 1),
        struct.pack("<IHHI", 1, 0x1003, 1, 2**32 - 1),
        struct.pack("<IHHII", 1, 0x1E, 1, 1, 2**32 - 1),
        struct.pack("<IHH", 1, 0x1E, 0x8001) + bytes(16) + struct.pack("<II", 1, 2**32 - 1),
    ],
)
def test_numbers_that_are_too_large_cost_nothing(value: bytes) -> None:
    start = time.process_time()
    got = read(START + BODY + attribute(0x9003, value))
    assert time.process_time() - start < 2
    assert [cause for cause, _ in got.notes] == [Cause.UNREAD_PART]


@settings(deadline=None)
@given(st.binary(max_size=300), st.lists(st.tuples(st.integers(0, 150), st.integers(0, 255)), max_size=10))
def test_any_bytes_are_read_or_refused(raw: bytes, changes: list[tuple[int, int]]) -> None:
    changed = bytearray(START + BODY + FILE + LONG_NAME)
    for place, value in changes:
        changed[place % len(changed)] = value
    for each in (START + raw, bytes(changed)):
        try:
            extract(File(name="winmail.dat", content=each)).text.encode()
        except Unextractable as error:
            assert error.cause == Cause.DAMAGED
