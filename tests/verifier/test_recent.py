"""The hashes of the last entries, which the verifier keeps as long as one of them may be served."""

from hypothesis import example, given
from hypothesis import strategies as st

from verifier.replay.recent import RecentEntries

HASH = st.integers(0, 3).map(lambda number: bytes([number]) * 31 + b"\1")


@given(st.lists(HASH, max_size=12), st.integers(0, 12), st.integers(0, 14), HASH)
def test_a_hash_counts_from_the_question_on_and_only_as_long_as_it_is_kept(
    hashes: list[bytes], kept_from: int, since: int, asked: bytes
) -> None:
    recent = RecentEntries()
    for number, digest in enumerate(hashes):
        recent.add(number, digest)
    recent.forget_before(kept_from)
    assert recent.holds(asked, since) == (asked in hashes[max(kept_from, since) :])


@given(st.lists(st.binary(min_size=32, max_size=32), min_size=2, max_size=6), st.integers(1, 31))
@example([bytes(32), bytes(32), b"\1" * 32], 7)
def test_bytes_across_two_hashes_are_no_hash(hashes: list[bytes], shift: int) -> None:
    recent = RecentEntries()
    for number, digest in enumerate(hashes):
        recent.add(number, digest)
    across = (hashes[0] + hashes[1])[shift : shift + 32]
    assert recent.holds(across, 0) == (across in hashes)
    assert all(recent.holds(digest, number) for number, digest in enumerate(hashes))


def test_after_a_gap_nothing_before_it_counts() -> None:
    recent = RecentEntries()
    recent.add(0, b"\1" * 32)
    recent.add(7, b"\2" * 32)
    recent.add(8, b"\3" * 32)
    assert not recent.holds(b"\1" * 32, 0)
    assert recent.holds(b"\2" * 32, 7)
    assert not recent.holds(b"\2" * 32, 8)
    assert recent.holds(b"\3" * 32, 8)
