"""One JSON encoding: RFC 8785 restricted to ASCII keys and safe integers, without floats.

Two different byte strings never mean the same thing: `decode` accepts exactly the bytes that `encode`
gives. msgspec does the work at speed; since it is more lenient than we are (repeated keys, blanks), the
re-encoding is compared, and only where that fails does `ledger.noncanonical` look for the reason.
"""

from typing import Any, NoReturn, TypeAlias

import msgspec

from ledger.errors import LedgerError

Value: TypeAlias = "bool | int | str | list[Value] | tuple[Value, ...] | dict[str, Value] | None"
"""What the encoding can hold; a tuple is written as an array, and read back as a list."""

MAX_DEPTH = 32
"""Objects and arrays within one another; more is refused before it can exhaust a stack."""

MAX_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly."""


class NotCanonical(LedgerError):
    """Base: the value or the bytes are outside the one encoding. One subclass a cause."""


class FloatNumber(NotCanonical):
    """A number with a fraction or an exponent."""


class NotANumber(NotCanonical):
    """NaN or Infinity, which JSON does not have."""


class UnsafeInteger(NotCanonical):
    """An integer beyond 2^53 - 1 in size."""


class LoneSurrogate(NotCanonical):
    """Half of a UTF-16 pair, which no UTF-8 text can hold."""


class NonAsciiKey(NotCanonical):
    """An object key outside ASCII, for which languages sort differently."""


class TooDeep(NotCanonical):
    """More than MAX_DEPTH objects and arrays within one another."""


class NotJsonType(NotCanonical):
    """A Python value that has no place in the encoding."""


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


def explain(data: bytes) -> NotCanonical:
    """The reason why `data` is refused, with its place."""
    from ledger.noncanonical import explain

    return explain(data)


def check(value: Value, depth: int = 0) -> None:
    """Raise unless `value`, at `depth` within others, is made of what the encoding can hold."""
    kind = type(value)
    if kind is str:
        if not value.isascii():  # type: ignore[union-attr]
            _check_text(value)  # type: ignore[arg-type]
    elif kind is int:
        if not -MAX_INTEGER <= value <= MAX_INTEGER:  # type: ignore[operator]
            raise UnsafeInteger(f"the integer {value} is beyond 2^53 - 1; write it as a string")
    elif kind is dict or kind is list or kind is tuple:
        if depth == MAX_DEPTH:
            raise TooDeep(f"more than {MAX_DEPTH} objects and arrays within one another")
        if kind is not dict:
            for item in value:  # type: ignore[union-attr]
                check(item, depth + 1)
        else:
            for key, item in value.items():  # type: ignore[union-attr]
                if type(key) is not str or not key.isascii():
                    raise NonAsciiKey(f"the key {key!r} is not an ASCII string")
                check(item, depth + 1)
    elif kind is float:
        raise FloatNumber(f"the float {value!r}: only integers are exact everywhere")
    elif kind is not bool and value is not None:
        raise NotJsonType(f"a {kind.__name__} has no place in the encoding")


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise LoneSurrogate(f"a lone surrogate at character {error.start} of a string") from None
