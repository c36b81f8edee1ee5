"""The one encoding: what is accepted, and the distinct reason for everything that is not."""

import json
import math
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from ledger import noncanonical
from ledger.canonical import Value, decode, encode
from ledger.noncanonical import MAX_DEPTH, MAX_EXPLAINED, MAX_INTEGER, NotCanonical

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
def test_a_changed_byte_is_another_value_or_refused_with_a_reason(value: Any, data: st.DataObject) -> None:
    encoded = bytearray(encode(value))
    place = data.draw(st.integers(0, len(encoded) - 1))
    encoded[place] ^= data.draw(st.integers(1, 255))
    try:
        changed = decode(bytes(encoded))
    except NotCanonical as reason:
        assert type(reason) is not NotCanonical, "the reason must be a distinct one"
    else:
        assert changed != value or type(changed) is not type(value)


REFUSED = [
    ('{"a":1,"a":2}', noncanonical.DuplicateKey, 7),
    ('{"a":1,"b":2,"a":3}', noncanonical.DuplicateKey, 13),
    ('{"b":1,"a":2}', noncanonical.UnsortedKeys, 7),
    ("1.5", noncanonical.FloatNumber, 0),
    ("1e5", noncanonical.FloatNumber, 0),
    ("[1.0]", noncanonical.FloatNumber, 1),
    ("NaN", noncanonical.NotANumber, 0),
    ("[-Infinity]", noncanonical.NotANumber, 1),
    ("9007199254740992", noncanonical.UnsafeInteger, 0),
    ("[-9007199254740992]", noncanonical.UnsafeInteger, 1),
    ("9" * 5000, noncanonical.UnsafeInteger, 0),
    ("01", noncanonical.LongNumber, 0),
    ("-0", noncanonical.LongNumber, 0),
    ("+1", noncanonical.LongNumber, 0),
    ('"\\ud800"', noncanonical.LoneSurrogate, 1),
    ('"\\udc00\\ud800"', noncanonical.LoneSurrogate, 1),
    (b'"a\xed\xa0\x80"', noncanonical.LoneSurrogate, 2),
    (b'"\xff"', noncanonical.InvalidUtf8, 1),
    (b"\xef\xbb\xbf1", noncanonical.ByteOrderMark, 0),
    (b"\xff\xfe1\x00", noncanonical.ByteOrderMark, 0),
    (" 1", noncanonical.Blank, 0),
    ("1 ", noncanonical.Blank, 1),
    ("[1, 2]", noncanonical.Blank, 3),
    ('{"a" :1}', noncanonical.Blank, 4),
    ('{"a":1}\n', noncanonical.Blank, 7),
    ("1x", noncanonical.TrailingBytes, 1),
    ("{}{}", noncanonical.TrailingBytes, 2),
    ("[" * 33 + "]" * 33, noncanonical.TooDeep, 32),
    ("[" * 100_000, noncanonical.TooDeep, 32),
    ('{"a":' * 33 + "1" + "}" * 33, noncanonical.TooDeep, 160),
    ('{"\u00e9":1}', noncanonical.NonAsciiKey, 1),
    ('"\\u0041"', noncanonical.LongEscape, 1),
    ('"\\u001F"', noncanonical.LongEscape, 1),
    ('"\\u000a"', noncanonical.LongEscape, 1),
    ('"\\/"', noncanonical.LongEscape, 1),
    ('"\\ud83d\\ude00"', noncanonical.LongEscape, 1),
    ('"\\x41"', noncanonical.UnexpectedByte, 1),
    (b'"\x01"', noncanonical.UnexpectedByte, 1),
    ("tru", noncanonical.Truncated, 3),
    ('"abc', noncanonical.Truncated, 4),
    ("[1,", noncanonical.Truncated, 3),
    ("", noncanonical.Truncated, 0),
    ("[1,]", noncanonical.UnexpectedByte, 3),
    ('{"a":1,}', noncanonical.UnexpectedByte, 7),
    ("{1:2}", noncanonical.UnexpectedByte, 1),
    ("'a'", noncanonical.UnexpectedByte, 0),
    ("// 1", noncanonical.UnexpectedByte, 0),
    ("True", noncanonical.UnexpectedByte, 0),
]


@pytest.mark.parametrize(("data", "reason", "place"), REFUSED, ids=lambda part: repr(part)[:30])
def test_each_cause_has_its_own_error_with_its_place(data: str | bytes, reason: type[NotCanonical], place: int) -> None:
    raw = data if isinstance(data, bytes) else data.encode()
    with pytest.raises(NotCanonical) as caught:
        decode(raw)
    assert type(caught.value) is reason
    assert str(caught.value).startswith(f"byte {place}: ")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (1.5, noncanonical.FloatNumber),
        (math.nan, noncanonical.FloatNumber),
        ([2**53], noncanonical.UnsafeInteger),
        ([0, -(2**53), 0], noncanonical.UnsafeInteger),
        ([0, 2**53, 0], noncanonical.UnsafeInteger),
        ([True, 2**53], noncanonical.UnsafeInteger),
        ([1, 1.5], noncanonical.FloatNumber),
        (["a", "\ud800", "b"], noncanonical.LoneSurrogate),
        (["a", b"b"], noncanonical.NotJsonType),
        ((1, [None, {2}]), noncanonical.NotJsonType),
        ("\ud800", noncanonical.LoneSurrogate),
        ({"\u00e9": 1}, noncanonical.NonAsciiKey),
        ({1: 2}, noncanonical.NonAsciiKey),
        (b"bytes", noncanonical.NotJsonType),
        ({"a": {1, 2}}, noncanonical.NotJsonType),
    ],
)
def test_encode_refuses_what_has_no_place_in_the_encoding(value: Any, reason: type[NotCanonical]) -> None:
    with pytest.raises(reason):
        encode(value)


def nested(depth: int) -> Value:
    value: Value = 1
    for _ in range(depth):
        value = [value]
    return value


def test_the_depth_limit_is_the_same_for_both_directions() -> None:
    deepest = encode(nested(MAX_DEPTH))
    assert decode(deepest) == nested(MAX_DEPTH)
    with pytest.raises(noncanonical.TooDeep):
        encode(nested(MAX_DEPTH + 1))
    with pytest.raises(noncanonical.TooDeep):
        decode(b"[" + deepest + b"]")


def test_the_largest_integers_pass() -> None:
    assert decode(encode([MAX_INTEGER, -MAX_INTEGER])) == [MAX_INTEGER, -MAX_INTEGER]


def test_true_is_not_one() -> None:
    assert encode(True) == b"true"
    assert decode(b"true") is True


def test_a_long_refused_value_is_explained_in_bounded_time() -> None:
    keys = ",".join(f'"{number:05}":1' for number in range(50_000))
    with pytest.raises(noncanonical.Blank, match=f"byte {len(keys) + 1}"):
        decode(("{" + keys + " }").encode())
    with pytest.raises(NotCanonical, match="beyond byte"):
        decode(b"[" + b"1," * MAX_EXPLAINED + b" 1]")
