"""Near-duplicates: the integers are those of the definition, no pair is missed, and edited texts meet."""

from collections.abc import Iterable
from hashlib import blake2b, sha256
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.sources import nearduplicates
from protocol.sources.nearduplicates import ALIKE, PLACES, SIZE, signature, signatures
from tests.support import literal_corpus

WORDS = st.lists(st.sampled_from(["alpha", "Beta", "gamma", "delta", "é", "1", "22", "the", "of"]), max_size=40)


def number(name: bytes) -> int:
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "big")


def literally(text: str) -> bytes:
    """The signature by the words of the definition, in Python's own integers."""
    tokens = [number(each) for each in literal_corpus.tokens(text)]
    if not tokens:
        return b""
    tokens += [0] * (5 - len(tokens))
    shingles = set()
    for start in range(len(tokens) - 4):
        mixed = 0
        for place in range(5):
            mixed += (number(f"tallystick weight of token {place}".encode()) | 1) * tokens[start + place]
        for index in range(2):
            mixed %= 2**64
            mixed = (mixed ^ mixed >> 32) * (number(f"tallystick mix {index}".encode()) | 1)
        mixed %= 2**64
        shingles.add(mixed ^ mixed >> 32)
    smallest = [
        min(
            (
                (number(f"tallystick factor of permutation {index}".encode()) | 1) * each
                + number(f"tallystick offset of permutation {index}".encode())
            )
            % 2**64
            for each in shingles
        )
        for index in range(128)
    ]
    return b"".join((each % 2**16).to_bytes(2, "little") for each in smallest)


@settings(max_examples=30, deadline=None)
@given(WORDS.map(" ".join) | st.text(max_size=60))
def test_a_signature_is_that_of_the_definition(text: str) -> None:
    assert signature(text) == literally(text)


def test_a_signature_is_the_same_on_every_machine_and_in_every_version() -> None:
    text = " ".join(str(each * each) for each in range(1000))
    assert sha256(signature(text)).hexdigest() == "a895ed95c887f85831f98b45ab6b96830e97ea78331da2ea4554c00bd59cf613"


@pytest.mark.parametrize("block", [1, 7, 256])
def test_an_enormous_text_is_read_in_pieces_with_the_same_result(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    text = " ".join(str(each % 91) for each in range(300))
    whole = signature(text)
    monkeypatch.setattr(nearduplicates, "_BLOCK", block)
    assert signature(text) == whole


@settings(max_examples=50, deadline=None)
@given(st.lists(WORDS, max_size=9), st.sampled_from([1, 2, 5, 2**14]))
def test_texts_that_are_read_together_have_the_signatures_that_each_has_alone(
    texts: list[list[str]], block: int
) -> None:
    found = sorted({word for words in texts for word in words})
    numbers = np.array([number(word.lower().encode()) for word in found], np.uint64)
    ids = np.array([found.index(word) for words in texts for word in words], np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearduplicates, "_BLOCK", block)
        least = nearduplicates.smallest(ids, numbers, np.array([len(words) for words in texts], np.int64))
    for words, row in zip(texts, signatures(least), strict=True):
        assert not words or row.tobytes() == literally(" ".join(words))


def test_only_tokens_count_and_not_what_stands_between_them_or_their_case() -> None:
    assert signature("One, two; THREE four-five six") == signature("one two\n\nthree\tfour five SIX!")
    assert signature("one two three four five") != signature("one two three five four")


def test_a_text_without_a_token_has_no_signature() -> None:
    assert signature("") == signature(" -- \n") == b""


def test_short_texts_are_alike_only_if_they_have_the_same_tokens() -> None:
    texts = ["yes", "Yes!", "no", "yes yes", "thank you", "thanks"]
    assert groups(signature(each) for each in texts) == [0, 0, 2, 3, 4, 5]


def test_the_halves_of_broken_characters_do_not_stop_it() -> None:
    assert len(signature("a \ud800 b")) == SIZE


def test_texts_with_a_few_changed_words_meet_and_others_do_not() -> None:
    words = [f"word{each * 7919 % 1009}" for each in range(400)]
    changed = [*words]
    changed[100] = changed[300] = "changed"
    rewritten = [word if place % 6 else "other" for place, word in enumerate(words)]
    texts = [" ".join(each) for each in (words[::-1], words, changed, rewritten, words[:390])]
    assert groups(signature(each) for each in texts) == [0, 1, 1, 3, 1]


def groups(rows: Iterable[bytes]) -> list[int]:
    table = np.frombuffer(b"".join(rows), "<u2").reshape(-1, PLACES)
    return [int(each) for each in nearduplicates.groups(table)]


def row(*changed: int, base: int = 0) -> bytes:
    """A signature that differs from that of the same base at these places."""
    values = np.full(PLACES, base, "<u2")
    for place in changed:
        values[place] = 1000 + base + place
    return values.tobytes()


@pytest.mark.parametrize("bands", range(20, 40))
def test_a_pair_is_alike_from_the_threshold_on_wherever_the_differences_are(bands: int) -> None:
    most = PLACES - ALIKE
    spread = [int(band[0]) for band in np.array_split(np.arange(PLACES), bands)][:most]
    spread += [place for place in range(PLACES) if place not in spread][: most - len(spread)]
    assert groups([row(), row(*spread)]) == [0, 0]
    left_out = next(place for place in range(PLACES) if place not in spread)
    assert groups([row(), row(*spread, left_out)]) == [0, 1]


def test_those_connected_by_a_third_are_one_group_named_by_its_first() -> None:
    chain = [row(base=9), row(*range(20)), row(*range(40)), row(), row(*range(40, 65)), row(base=9)]
    assert groups(chain) == [0, 1, 1, 1, 1, 0]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 100), st.integers(0, 40)), max_size=30),
    st.sampled_from([2, 8]),
    st.sampled_from([1, 2, 100]),
)
def test_the_groups_are_those_of_comparing_every_pair(
    rows: list[tuple[int, int, int]], few: int, rows_at_a_time: int
) -> None:
    signatures = [row(*range(start, min(start + count, PLACES)), base=base) for base, start, count in rows]
    expected = list(range(len(rows)))
    for one, other in combinations(range(len(rows)), 2):
        agreeing = np.frombuffer(signatures[one], "<u2") == np.frombuffer(signatures[other], "<u2")
        if agreeing.sum() >= ALIKE:
            first, second = sorted((expected[one], expected[other]))
            expected = [first if each == second else each for each in expected]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearduplicates, "_FEW", few)
        patch.setattr(nearduplicates, "_PAIRS", 3)
        patch.setattr(nearduplicates, "_ROWS", rows_at_a_time)
        assert groups(signatures) == expected


def test_no_texts_have_no_groups() -> None:
    assert groups([]) == []
