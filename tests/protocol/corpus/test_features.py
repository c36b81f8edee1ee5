"""The integers of a row are those of the definition, at its limits too."""

from math import isqrt, log

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol.corpus import features
from protocol.corpus.features import Features, entry_bytes, idf, integer_sqrt, mapped, row_values, tf
from protocol.corpus.leaves import MAX_DOCUMENTS
from protocol.errors import BadSource
from protocol.tokens import token_lists, tokens
from tests.support import literal_corpus

# Tokens


@given(st.text() | st.text("aZ0 é_-\n", max_size=40))
@example("")
@example("naïve NAÏVE Ünï-code_x2")
def test_tokens_are_runs_of_ascii_letters_digits_and_bytes_beyond_ascii(text: str) -> None:
    assert tokens(text.encode()) == literal_corpus.tokens(text)


def test_only_ascii_letters_are_made_small() -> None:
    assert tokens("ÄB äb İI".encode()) == ["Äb".encode(), "äb".encode(), "İi".encode()]


def test_every_byte_of_ascii_that_is_no_letter_or_digit_parts_tokens() -> None:
    for byte in range(128):
        whole = chr(byte).isalnum()
        assert len(tokens(b"a" + bytes([byte]) + b"b")) == (1 if whole else 2)


def test_blanks_beyond_ascii_part_no_tokens() -> None:
    assert len(tokens("a\u00a0b\u2003c\u3000d\u0085e".encode())) == 1


@pytest.mark.parametrize("size", [0, 1, 2**22 - 1, 2**22, 2**22 + 1, 3 * 2**22])
def test_a_very_long_text_has_the_same_tokens_in_several_lists(size: int) -> None:
    text = (b"some words and More " * (size // 20 + 1))[:size]
    lists = list(token_lists(text))
    assert [token for some in lists for token in some] == tokens(text)
    assert (len(lists) > 1) == (size > 2**22)


def test_a_very_long_token_is_not_cut() -> None:
    text = b"x" * (3 * 2**22) + b" y"
    assert [token for some in token_lists(text) for token in some] == [b"x" * (3 * 2**22), b"y"]


# Weights


@pytest.mark.parametrize("count", [*range(1, 300), 1000, 65534, 65535])
def test_tf_is_that_of_the_definition(count: int) -> None:
    assert tf(count) == literal_corpus.one_plus_ln(count, 1)


def test_tf_is_rounded_half_up_where_a_half_is_nearest() -> None:
    nearest = sorted(range(2, 65536), key=lambda count: abs(2**14 * log(count) % 1 - 0.5))[:100]
    assert [tf(count) for count in nearest] == [literal_corpus.one_plus_ln(count, 1) for count in nearest]


def test_a_term_that_occurs_more_than_65535_times_counts_as_that() -> None:
    assert tf(65536) == tf(70_000) == tf(10**9) == tf(65535) > tf(60_000)


@given(st.integers(2, 2**31 - 1), st.integers(0, 2**31 - 1))
@example(2, 0)
@example(2**31 - 1, 0)
def test_idf_is_that_of_the_definition(documents: int, others: int) -> None:
    frequency = min(documents, 2 + others)
    assert idf(frequency, documents) == literal_corpus.one_plus_ln(1 + documents, 1 + frequency)


@pytest.mark.parametrize(("frequency", "documents"), [(0, 5), (1, 5), (6, 5), (2, 2**31), (-1, 5)])
def test_there_is_no_idf_of_what_is_no_term_or_beyond_the_largest_corpus(frequency: int, documents: int) -> None:
    with pytest.raises(BadSource, match=r"at most 2\^31 - 1 documents"):
        idf(frequency, documents)


def test_the_limits_keep_the_sum_of_squares_below_two_to_the_63() -> None:
    largest = tf(features.MAX_COUNT) * idf(features.MIN_FREQUENCY, MAX_DOCUMENTS) >> 14
    assert largest < 2**23
    assert features.MAX_TERMS * (2**23 - 1) ** 2 < 2**63


# Square roots


@given(st.lists(st.integers(0, 2**63 - 1)))
def test_the_square_root_of_every_number_below_two_to_the_63_is_exact(numbers: list[int]) -> None:
    assert integer_sqrt(np.array(numbers, np.int64)).tolist() == [isqrt(number) for number in numbers]


@given(st.integers(0, isqrt(2**63 - 1)))
@example(isqrt(2**63 - 1))
@example(2**26 + 1)
@example(94906267)  # its square is the first of an odd number that a float cannot hold
def test_the_square_root_is_exact_around_perfect_squares(root: int) -> None:
    near = [number for number in range(root**2 - 2, root**2 + 3) if 0 <= number < 2**63]
    assert integer_sqrt(np.array(near, np.int64)).tolist() == [isqrt(number) for number in near]


# Rows


def literal_values(rows: list[list[tuple[int, int]]]) -> list[int]:
    found = []
    for row in rows:
        weights = [tf * idf // 2**14 for tf, idf in row]
        norm = isqrt(sum(weight**2 for weight in weights))
        found += [(weight * 2**16 + norm) // (2 * norm) for weight in weights]
    return found


def values_of(rows: list[list[tuple[int, int]]]) -> list[int]:
    flat = np.array([entry for row in rows for entry in row], np.int64).reshape(-1, 2)
    found = row_values(flat[:, 0], flat[:, 1], np.array([len(row) for row in rows], np.int64))
    return [int(value) for value in found]


weight = st.tuples(st.integers(2**14, 198_100), st.integers(2**14, 351_000))


@given(st.lists(st.lists(weight, max_size=5), max_size=6))
@example([[], [(2**14, 2**14)], []])
def test_values_are_those_of_the_definition(rows: list[list[tuple[int, int]]]) -> None:
    assert values_of(rows) == literal_values(rows)


def test_the_value_of_a_single_term_is_two_to_the_15_which_none_exceeds() -> None:
    assert values_of([[(tf(7), idf(3, 1000))]]) == [2**15]
    assert max(values_of([[(tf(65535), idf(2, 2**31 - 1)), (2**14, 2**14)]])) <= 2**15


def test_a_weight_that_vanishes_beside_the_largest_possible_others_is_a_zero() -> None:
    row = [(2**14, 2**14)] + [(tf(65535), idf(2, 2**31 - 1))] * (2**17 - 1)
    assert values_of([row]) == literal_values([row])
    assert values_of([row])[0] == 0


@pytest.mark.parametrize("row", [[(2**23, 2**14)], [(2**14, 2**14)] * (2**17 + 1)])
def test_weights_and_rows_beyond_the_exact_sum_are_refused(row: list[tuple[int, int]]) -> None:
    with pytest.raises(BadSource, match="the sum of squares is exact only"):
        values_of([row])


def test_a_function_of_many_numbers_is_worked_out_once_for_each_different_one() -> None:
    asked = []

    def square(number: int) -> int:
        asked.append(number)
        return number**2

    assert mapped(square, np.array([3, 1, 3, 3, 0, 1])).tolist() == [9, 1, 9, 9, 0, 1]
    assert asked == [0, 1, 3]
    assert mapped(square, np.zeros(0, np.int64)).tolist() == []


# What is kept


SMALL = Features(
    starts=np.array([0, 2, 2, 3], np.int64),
    columns=np.array([1, 70_000, 2**31 - 1], np.int32),
    values=np.array([258, 1, 2**15], np.uint16),
    terms=2**31 - 1,
)


def test_the_bytes_of_a_row_are_column_and_value_of_each_entry_big_endian() -> None:
    assert SMALL.row_bytes(0) == bytes.fromhex("000000010102" + "000111700001")
    assert SMALL.row_bytes(1) == b""
    assert SMALL.row_bytes(2) == bytes.fromhex("7fffffff8000")
    assert entry_bytes(SMALL.columns, SMALL.values) == b"".join(SMALL.row_bytes(document) for document in range(3))


@pytest.mark.parametrize("document", [-1, 3, -4, 2**40])
def test_there_is_no_row_of_a_number_that_no_document_has(document: int) -> None:
    with pytest.raises(IndexError, match=f"row {document} of 3"):
        SMALL.row(document)
