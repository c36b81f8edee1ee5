"""The one encoding: what is accepted, and what everything else is refused with."""

import json
import math
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.canonical import MAX_DEPTH, MAX_INTEGER, NotCanonical, Value, decode, encode

integers = st.integers(-MAX_INTEGER, MAX_INTEGER)
texts = st.text(st.characters(exclude_categories=["Cs"]))
keys = st.text(st.characters(max_codepoint=127))
values: st.SearchStrategy[Value] = st.recursive(
    st.none() | st.booleans() | integers | texts,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=20,
)


@given(values)
def test_what_is_encoded_decodes_to_itself_and_is_rfc_8785(value: Any) -> None:
    assert decode(encode(value)) == value
    assert encode(value) == rfc8785.dumps(value)


@given(st.binary(max_size=40) | values.map(lambda value: json.dumps(value).encode()))
@example(b'{"a":1,"b":"\xc3\xa9"}')
def test_whatever_decodes_reencodes_to_the_same_bytes(data: bytes) -> None:
    try:
        value = decode(data)
    except NotCanonical:
        return
    assert encode(value) == data


@given(values, st.data())
def test_a_changed_byte_is_another_value_or_refused_with_a_message(value: Any, data: st.DataObject) -> None:
    encoded = bytearray(encode(value))
    place = data.draw(st.integers(0, len(encoded) - 1))
    encoded[place] ^= data.draw(st.integers(1, 255))
    try:
        changed = decode(bytes(encoded))
    except NotCanonical as refusal:
        assert str(refusal)
    else:
        assert changed != value or type(changed) is not type(value)


REFUSED = [
    ('{"a":1,"a":2}', "byte 5 is not canonical"),
    ('{"a":1,"b":2,"a":3}', "byte 5 is not canonical"),
    ('{"b":1,"a":2}', "byte 2 is not canonical.*keys sorted and unique"),
    ("1.5", "the number 1.5 is not an integer"),
    ("1e5", "the number 1e5 is not an integer"),
    ("[1.0]", "the number 1.0 is not an integer"),
    ("NaN", "not readable as JSON.*byte 0"),
    ("[-Infinity]", "not readable as JSON.*byte 2"),
    ("9007199254740992", r"beyond 2\^53 - 1; write it as a string"),
    ("[-9007199254740992]", r"beyond 2\^53 - 1"),
    ("9" * 5000, "out of range"),
    ("01", "not readable as JSON: invalid number"),
    ("-0", "byte 0 is not canonical.*'0' was expected"),
    ("+1", "not readable as JSON"),
    ('"\\ud800"', "not readable as JSON"),
    ('"\\udc00\\ud800"', "invalid utf-16 surrogate pair"),
    (b'"a\xed\xa0\x80"', "not UTF-8"),
    (b'"\xff"', "not UTF-8"),
    (b"\xef\xbb\xbf1", "byte order mark; save it as plain UTF-8"),
    (b"\xff\xfe1\x00", "byte order mark"),
    (" 1", "byte 0 is not canonical.*no white space"),
    ("1 ", "byte 1 is not canonical"),
    ("[1, 2]", "byte 3 is not canonical.*' 2]' was found, but '2]' was expected"),
    ('{"a" :1}', "byte 4 is not canonical"),
    ('{"a":1}\n', "byte 7 is not canonical"),
    ("1x", "trailing characters"),
    ("{}{}", "trailing characters"),
    ("[" * 33 + "]" * 33, "nested more than 32 deep"),
    ("[" * 100_000, "nested more than 32 deep"),
    ('{"a":' * 33 + "1" + "}" * 33, "nested more than 32 deep"),
    ('{"\u00e9":1}', "the key '\u00e9' is not an ASCII string"),
    ('"\\u0041"', "byte 1 is not canonical.*the shortest form"),
    ('"\\u001F"', "byte 6 is not canonical"),
    ('"\\u000a"', "byte 2 is not canonical"),
    ('"\\/"', "byte 1 is not canonical"),
    ('"\\ud83d\\ude00"', "byte 1 is not canonical"),
    ('"\\x41"', "invalid escape"),
    (b'"\x01"', "not readable as JSON"),
    ("tru", "truncated"),
    ('"abc', "truncated"),
    ("[1,", "truncated"),
    ("", "truncated"),
    ("[1,]", "trailing comma"),
    ('{"a":1,}', "trailing comma"),
    ("{1:2}", "object keys must be strings"),
    ("'a'", "not readable as JSON.*byte 0"),
    ("// 1", "not readable as JSON.*byte 0"),
    ("True", "not readable as JSON.*byte 0"),
]


@pytest.mark.parametrize(("data", "message"), REFUSED, ids=lambda part: repr(part)[:30])
def test_every_other_spelling_is_refused_with_a_message_that_says_what_was_found(
    data: str | bytes, message: str
) -> None:
    with pytest.raises(NotCanonical, match=message):
        decode(data if isinstance(data, bytes) else data.encode())


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1.5, "1.5 is a float"),
        (math.nan, "nan is a float"),
        ([2**53], r"beyond 2\^53 - 1"),
        ([0, -(2**53), 0], r"beyond 2\^53 - 1"),
        ([0, 2**53, 0], r"beyond 2\^53 - 1"),
        ([True, 2**53], r"beyond 2\^53 - 1"),
        ([1, 1.5], "1.5 is a float"),
        (["a", "\ud800", "b"], "lone surrogate"),
        (["a", b"b"], "cannot hold a bytes"),
        ((1, [None, {2}]), "cannot hold a set"),
        ("\ud800", "lone surrogate"),
        ({"\u00e9": 1}, "not an ASCII string"),
        ({1: 2}, "the key 1 is not an ASCII string"),
        (b"bytes", "cannot hold a bytes"),
        ({"a": {1, 2}}, "cannot hold a set"),
    ],
)
def test_encode_refuses_what_has_no_place_in_the_encoding(value: Any, message: str) -> None:
    with pytest.raises(NotCanonical, match=message):
        encode(value)


def nested(depth: int) -> Value:
    value: Value = 1
    for _ in range(depth):
        value = [value]
    return value


def test_the_depth_limit_is_the_same_for_both_directions() -> None:
    deepest = encode(nested(MAX_DEPTH))
    assert decode(deepest) == nested(MAX_DEPTH)
    with pytest.raises(NotCanonical, match="nested more than 32 deep"):
        encode(nested(MAX_DEPTH + 1))
    with pytest.raises(NotCanonical, match="nested more than 32 deep"):
        decode(b"[" + deepest + b"]")


def test_the_largest_integers_pass() -> None:
    assert decode(encode([MAX_INTEGER, -MAX_INTEGER])) == [MAX_INTEGER, -MAX_INTEGER]


def test_true_is_not_one() -> None:
    assert encode(True) == b"true"
    assert decode(b"true") is True


def test_the_first_difference_is_found_in_a_long_value_too() -> None:
    keys = ",".join(f'"{number:05}":1' for number in range(50_000))
    with pytest.raises(NotCanonical, match=f"byte {len(keys) + 1} is not canonical"):
        decode(("{" + keys + " }").encode())
