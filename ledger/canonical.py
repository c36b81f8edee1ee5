"""One JSON encoding: RFC 8785 restricted to ASCII keys and safe integers, without floats.

Two different byte strings never mean the same thing: `decode` accepts exactly the bytes that `encode`
gives. msgspec does the work at speed; since it is more lenient than we are (repeated keys, blanks), the
re-encoding is compared, and only where that fails does `ledger.noncanonical` look for the reason.
"""

from typing import Any, NoReturn, TypeAlias

import msgspec

from ledger.noncanonical import (
    MAX_DEPTH,
    MAX_INTEGER,
    FloatNumber,
    LoneSurrogate,
    NonAsciiKey,
    NotCanonical,
    NotJsonType,
    TooDeep,
    UnsafeInteger,
    explain,
)

Value: TypeAlias = "bool | int | str | list[Value] | tuple[Value, ...] | dict[str, Value] | None"
"""What the encoding can hold; a tuple is written as an array, and read back as a list."""


def _refuse_float(literal: str) -> NoReturn:
    raise FloatNumber(literal)


_decoder = msgspec.json.Decoder(float_hook=_refuse_float)
_encoder = msgspec.json.Encoder(order="deterministic")


def encode(value: Value) -> bytes:
    """The one encoding of `value`, or the reason why it has none."""
    check(value)
    return _encoder.encode(value)


def encode_checked(value: Any) -> bytes:
    """The encoding of a value that `decode` or `check` has passed already."""
    return _encoder.encode(value)


def decode(data: bytes) -> Value:
    """The value that `data` encodes; raises a `NotCanonical` that names what was found, and where."""
    value = decode_for_record(data)
    try:
        check(value)
    except NotCanonical:
        raise explain(data) from None
    return value


def decode_for_record(data: bytes) -> Value:
    """As `decode`, for a value that goes into a record at once: the record's types check the rest.

    That rest is the size of integers, the keys, and the depth; walking every value twice would cost more than
    all other parsing.
    """
    try:
        value: Value = _decoder.decode(data)
        if _encoder.encode(value) == data:
            return value
    except (msgspec.MsgspecError, NotCanonical, ValueError, RecursionError):
        pass  # the reason is found below, with its place
    raise explain(data)


def check(value: Any, depth: int = 0) -> None:
    """Raise unless `value`, at `depth` within others, is made of what the encoding can hold."""
    kind = type(value)
    if kind is str:
        if not value.isascii():
            _check_text(value)
    elif kind is int:
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise UnsafeInteger(f"the integer {value} is beyond 2^53 - 1; write it as a string")
    elif kind is dict or kind is list or kind is tuple:
        if depth == MAX_DEPTH:
            raise TooDeep(f"more than {MAX_DEPTH} objects and arrays within one another")
        if kind is not dict:
            _check_items(value, depth + 1)
        else:
            for key, item in value.items():
                if type(key) is not str or not key.isascii():
                    raise NonAsciiKey(f"the key {key!r} is not an ASCII string")
                check(item, depth + 1)
    elif kind is float:
        raise FloatNumber(f"the float {value!r}: only integers are exact everywhere")
    elif kind is not bool and value is not None:
        raise NotJsonType(f"a {kind.__name__} has no place in the encoding")


def _check_items(items: list[Any] | tuple[Any, ...], depth: int) -> None:
    """Long lists hold integers, texts or truth values only, and need no look at each item."""
    kinds = set(map(type, items))
    if kinds == {int}:
        items = (min(items), max(items))
    elif kinds == {bool} or (kinds == {str} and "".join(items).isascii()):
        return
    for item in items:
        check(item, depth)


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise LoneSurrogate(f"a lone surrogate at character {error.start} of a string") from None
