"""The JSON that the verifier prints is read the same everywhere."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier import values

values_of_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.parametrize("number", [0, -1, 2**53, -(2**53)])
def test_an_integer_up_to_2_to_the_53_is_a_number(number: int) -> None:
    assert json.loads(values.written({"coin": number})) == {"coin": number}


@pytest.mark.parametrize("number", [2**53 + 1, 2**64, 2**64 - 1, -(2**64)])
def test_an_integer_beyond_2_to_the_53_is_a_text(number: int) -> None:
    assert json.loads(values.written([{"chance": (number,)}])) == [{"chance": [str(number)]}]


@given(values_of_json)
def test_a_reader_with_floating_point_numbers_reads_what_was_meant(value: object) -> None:
    written = values.written(value)
    assert json.loads(written, parse_int=float) == json.loads(written)
