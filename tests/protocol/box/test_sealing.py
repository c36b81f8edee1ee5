"""What is sealed for a key is read by its holder alone, and whatever was changed on the way is told."""

import io
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.keys import SigningKey
from protocol.box import sealing
from protocol.box.errors import BadSeal
from protocol.box.sealing import PIECE, sealed, sealed_size, unsealed

KEY, OTHER = SigningKey(b"\x01" * 32), SigningKey(b"\x02" * 32)
SIZES = st.sampled_from([0, 1, 17, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 2 * PIECE + 5])


class Drip:
    """A network that gives fewer bytes than were asked for."""

    def __init__(self, data: bytes) -> None:
        self.stream = io.BytesIO(data)

    def read(self, size: int, /) -> bytes:
        return self.stream.read(min(size, 1 + size // 3))


@given(st.binary(max_size=2000))
def test_the_holder_of_the_key_reads_what_was_sealed(content: bytes) -> None:
    assert unsealed(sealed(content, KEY.public), KEY) == content


@given(SIZES)
@settings(max_examples=20, deadline=None)
def test_a_content_of_any_number_of_pieces_comes_back_also_through_a_slow_network(size: int) -> None:
    content = bytes(size)
    data, found = sealed(content, KEY.public), io.BytesIO()
    assert len(data) == sealed_size(size)
    sealing.unseal(Drip(data), found, KEY)
    assert found.getvalue() == content


@given(st.binary(max_size=300), st.data())
def test_a_changed_byte_is_told(content: bytes, data: st.DataObject) -> None:
    found = bytearray(sealed(content, KEY.public))
    place = data.draw(st.integers(0, len(found) - 1))
    found[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(BadSeal):
        unsealed(bytes(found), KEY)


@given(st.binary(max_size=300), st.data())
def test_a_file_that_is_cut_short_is_told(content: bytes, data: st.DataObject) -> None:
    found = sealed(content, KEY.public)
    with pytest.raises(BadSeal):
        unsealed(found[: data.draw(st.integers(0, len(found) - 1))], KEY)


def pieces() -> tuple[bytes, list[bytes]]:
    data = sealed(b"a" * PIECE + b"b" * PIECE + b"c", KEY.public)
    start = len(data) - (2 * (PIECE + 17) + 18)
    return data[:start], [data[start : start + PIECE + 17], data[start + PIECE + 17 : -18], data[-18:]]


@pytest.mark.parametrize("order", [(0, 1), (0, 2), (1, 0, 2), (0, 0, 1, 2), (0, 1, 2, 2), (2,), ()])
def test_pieces_that_are_missing_moved_or_repeated_are_told(order: tuple[int, ...]) -> None:
    start, found = pieces()
    assert unsealed(start + b"".join(found), KEY) == b"a" * PIECE + b"b" * PIECE + b"c"
    with pytest.raises(BadSeal):
        unsealed(start + b"".join(found[each] for each in order), KEY)


@given(st.binary(min_size=1, max_size=50))
@settings(max_examples=20, deadline=None)
def test_bytes_behind_the_end_are_told(more: bytes) -> None:
    with pytest.raises(BadSeal, match="changed|damaged"):
        unsealed(sealed(b"content", KEY.public) + more, KEY)
    with pytest.raises(BadSeal, match="goes on behind its end"):
        unsealed(sealed(bytes(PIECE), KEY.public) + more, KEY)


def test_another_key_reads_nothing() -> None:
    with pytest.raises(BadSeal, match="another key"):
        unsealed(sealed(b"content", KEY.public), OTHER)


@given(st.binary(max_size=200))
def test_what_was_never_sealed_is_refused(data: bytes) -> None:
    with pytest.raises(BadSeal):
        unsealed(data, KEY)


def test_no_two_seals_are_the_same_bytes() -> None:
    assert sealed(b"content", KEY.public) != sealed(b"content", KEY.public)


class Endless:
    """A source of many bytes."""

    def __init__(self, size: int) -> None:
        self.left = size

    def read(self, size: int, /) -> bytes:
        given = min(size, self.left)
        self.left -= given
        return bytes(given)


class Sink(io.RawIOBase):
    def __init__(self) -> None:
        self.size = 0

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.size += len(data)
        return len(data)


def test_memory_does_not_grow_with_the_file() -> None:
    tracemalloc.start()
    try:
        sink = Sink()
        sealing.seal(Endless(40 * PIECE), sink, KEY.public)  # type: ignore[arg-type]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sink.size == sealed_size(40 * PIECE)
    assert peak < 6 * PIECE
