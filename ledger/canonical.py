"""One JSON encoding: RFC 8785 restricted to ASCII keys and safe integers, without floats.

Two different byte strings never mean the same thing: `decode` accepts exactly the bytes that `encode` gives.
msgspec decodes fast but accepts more (repeated keys, white space), so the value is encoded again and compared.
"""

from collections.abc import Collection
from itertools import takewhile
from typing import Any, NoReturn, TypeAlias

import msgspec

from ledger.errors import LedgerError

MAX_DEPTH = 32
"""How deep objects and arrays may be nested; more is refused before it can exhaust a stack."""

MAX_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly."""

_TOO_DEEP = f"objects and arrays are nested more than {MAX_DEPTH} deep"
_SHOWN = 10  # bytes on either side of a difference


class NotCanonical(LedgerError):
    """The value has no canonical encoding, or the bytes are not the canonical encoding of a value."""


Value: TypeAlias = "bool | int | str | list[Value] | tuple[Value, ...] | dict[str, Value] | None"
"""What the encoding can hold; a tuple is written as an array, and read back as a list."""


def refuse_float(literal: str) -> NoReturn:
    """What a decoder does with a number that is not an integer."""
    raise NotCanonical(f"the number {literal[:40]} is not an integer")


_decoder = msgspec.json.Decoder(float_hook=refuse_float)
_encoder = msgspec.json.Encoder(order="deterministic")


def encode(value: Value) -> bytes:
    """The one encoding of `value`, or the reason why it has none."""
    check(value)
    return _encoder.encode(value)


def encode_checked(value: Any) -> bytes:
    """The encoding of a value that `decode` or `check` has passed already."""
    return _encoder.encode(value)


def decode(data: bytes) -> Value:
    """The value that `data` encodes; raises a `NotCanonical` that says what was found."""
    value = decode_for_record(data)
    check(value)
    return value


def decode_for_record(data: bytes) -> Value:
    """Like `decode`, for a value that becomes a record at once: the record's types check the rest.

    That rest is the size of integers, the keys, and the depth; walking every value twice would cost more than
    all other parsing.
    """
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise NotCanonical("it begins with a byte order mark; save it as plain UTF-8")
    try:
        value: Value = _decoder.decode(data)
        encoded = _encoder.encode(value)
    except RecursionError:
        raise NotCanonical(_TOO_DEEP) from None
    except UnicodeDecodeError:
        raise NotCanonical("a text in it is not UTF-8") from None
    except (msgspec.MsgspecError, ValueError) as error:
        raise NotCanonical(f"not readable as JSON: {str(error).removeprefix('JSON is malformed: ')}") from None
    if encoded != data:
        raise NotCanonical(_difference(encoded, data))
    return value


def _difference(encoded: bytes, data: bytes) -> str:
    """Where `data` first differs from the encoding of its value."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(encoded, data, strict=False))
    place = sum(1 for _ in same)
    found, expected = (text[place : place + _SHOWN].decode("utf-8", "replace") for text in (data, encoded))
    return (
        f"byte {place} is not canonical JSON: {found!r} was found, but {expected!r} was expected "
        "(keys sorted and unique, no white space, the shortest form of every text and number)"
    )


def check(value: Any, depth: int = 0) -> None:
    """Raise unless the encoding can hold `value`, nested `depth` levels deep."""
    kind = type(value)
    if kind is str:
        if not value.isascii():
            _check_text(value)
    elif kind is int:
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise NotCanonical(f"the integer {value} is beyond 2^53 - 1; write it as a string")
    elif kind is dict or kind is list or kind is tuple:
        if depth == MAX_DEPTH:
            raise NotCanonical(_TOO_DEEP)
        if kind is dict:
            for key in value:
                if type(key) is not str or not key.isascii():
                    raise NotCanonical(f"the key {key!r} is not an ASCII string")
            value = value.values()
        _check_items(value, depth + 1)
    elif kind is float:
        raise NotCanonical(f"{value!r} is a float; only integers are exact everywhere")
    elif kind is not bool and value is not None:
        raise NotCanonical(f"the encoding cannot hold a {kind.__name__}")


def _check_items(items: Collection[Any], depth: int) -> None:
    """Most objects and arrays hold texts, or integers, or truth values only, and need no look at each item."""
    kinds = set(map(type, items))
    if kinds == {int}:
        items = (min(items), max(items))
    elif kinds == {bool} or (kinds == {str} and "".join(items).isascii()):
        return
    for item in items:
        kind = type(item)
        if kind is str:
            passed = item.isascii()
        elif kind is int:
            passed = -MAX_INTEGER <= item <= MAX_INTEGER
        else:
            passed = kind is bool
        if not passed:
            check(item, depth)


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise NotCanonical(f"a lone surrogate at character {error.start} of a string") from None
