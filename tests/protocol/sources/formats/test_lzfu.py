"""Compressed RTF: the examples of its specification, and never more than is there."""

import struct
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.sources.formats.lzfu import decompressed

# The two examples of MS-OXRTFCP 4.1 and 4.2
HELLO = bytes.fromhex(
    "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
)
CROSSING = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")


def packed(kind: int, raw: bytes, size: int) -> bytes:
    return struct.pack("<4I", len(raw) + 12, size, kind, 0) + raw


def test_the_example_of_the_specification_is_unpacked() -> None:
    assert decompressed(HELLO) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"


def test_a_reference_may_cross_what_it_writes() -> None:
    assert decompressed(CROSSING) == b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"


def test_what_was_stored_as_it_is_comes_out_as_it_is() -> None:
    assert decompressed(packed(0x414C454D, b"{\\rtf1}", 7)) == b"{\\rtf1}"


@pytest.mark.parametrize("cut", range(0, 40, 3))
def test_of_one_that_was_cut_the_beginning_comes_out(cut: int) -> None:
    whole = decompressed(HELLO)
    assert whole.startswith(decompressed(HELLO[: len(HELLO) - cut]))


@pytest.mark.parametrize("raw", [b"", b"x" * 15, packed(0x12345678, b"words", 5), packed(0x75465A4C, b"", 2**32 - 1)])
def test_of_what_is_none_nothing_comes_out(raw: bytes) -> None:
    assert decompressed(raw) == b""


def test_a_size_that_lies_costs_nothing() -> None:
    start = time.process_time()
    assert len(decompressed(packed(0x75465A4C, b"\xff" + b"\x10\xf0" * 8, 2**32 - 1))) < 1000
    assert len(decompressed(packed(0x75465A4C, b"\0" + b"x" * 8, 3))) == 3
    assert time.process_time() - start < 1


@given(st.binary(max_size=500), st.integers(0, 2**32 - 1))
def test_any_bytes_are_unpacked_without_an_error(raw: bytes, size: int) -> None:
    assert len(decompressed(packed(0x75465A4C, raw, size))) <= size
