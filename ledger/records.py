"""Typed records and their canonical bytes.

Whatever is read from or written into a ledger is a `Record`: a frozen struct with strict types, from which msgspec
makes the converters, so that nobody writes them by hand. Bytes are lowercase hex in JSON.
"""

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, TypeVar

import msgspec

from ledger import canonical
from ledger.canonical import MAX_DEPTH, MAX_INTEGER, Value
from ledger.errors import LedgerError
from ledger.hashing import FixedBytes
from ledger.plain import shown


class Malformed(LedgerError):
    """Canonical JSON, but not of the record's shape."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The base of all that a ledger's bytes hold. Records hold no cycles, so the garbage collector can skip them.

    A record with a field of free JSON must pass it to `check_free` in `__post_init__`.
    """


MAX_FREE_DEPTH = MAX_DEPTH - 8
"""Free JSON may be this deep, so that with the records around it the whole stays within MAX_DEPTH."""


def check_free(value: Value, *, spare: int = 0) -> None:
    """Raise unless a record may hold `value`, even nested `spare` levels deeper."""
    canonical.check(value, MAX_DEPTH - MAX_FREE_DEPTH + spare)


R = TypeVar("R", bound=Record)

Natural = Annotated[int, msgspec.Meta(ge=0, le=MAX_INTEGER)]
Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_-]{0,63}\Z")]


def to_value(record: Record) -> dict[str, Value]:
    """The record as plain JSON values."""
    value: dict[str, Value] = msgspec.to_builtins(record, enc_hook=_written)
    return value


def from_value(kind: type[R], value: Value) -> R:
    """The record that `value` describes, or `Malformed` with the place of what does not fit, in one line."""
    try:
        return msgspec.convert(value, kind, dec_hook=_parsed)
    except (msgspec.ValidationError, LedgerError) as error:
        raise Malformed(shown(str(error))) from None  # it may quote a name of a field, with an end of a line in it


def from_values(kind: type[R], values: Sequence[Value]) -> list[R]:
    """Many records of one kind, faster than one by one."""
    try:
        return msgspec.convert(values, list[kind], dec_hook=_parsed)  # type: ignore[valid-type]
    except (msgspec.ValidationError, LedgerError):
        return [from_value(kind, value) for value in values]  # which tells what is wrong


def encode(record: Record) -> bytes:
    """The record's canonical bytes."""
    return canonical.encode(to_value(record))


def encode_typed(kind: type[R], record: R) -> tuple[bytes, R]:
    """A record's canonical bytes, and the record as every reader will parse them, or `Malformed`.

    Free JSON in it was checked when the record was made. A field may be `msgspec.Raw`, with canonical bytes.
    """
    data = _typed_encoder.encode(record)
    try:
        return data, _decoder(kind).decode(data)
    except (msgspec.ValidationError, LedgerError) as error:
        raise Malformed(shown(str(error))) from None


@cache
def _decoder(kind: type[R]) -> msgspec.json.Decoder[R]:
    return msgspec.json.Decoder(kind, dec_hook=_parsed, float_hook=canonical.refuse_float)


def decode(kind: type[R], data: bytes) -> R:
    """The record that the bytes encode; whatever decodes re-encodes to the same bytes.

    Bytes that the record itself is written as are canonical. All others go the long way, which says what is wrong.
    """
    try:
        found: R = _decoder(kind).decode(data)
        if _typed_encoder.encode(found) == data:
            return found
    except (msgspec.MsgspecError, LedgerError, ValueError, RecursionError):
        pass
    return from_value(kind, canonical.decode_for_record(data))


def _written(value: Any) -> Value:
    """Our own types know how to write themselves, too."""
    if isinstance(value, FixedBytes):
        return value.hex()
    written: Value = value.to_value()
    return written


def _parsed(kind: Any, value: Any) -> object:
    """Our own types know how to read themselves."""
    return kind.parse(value)


_typed_encoder = msgspec.json.Encoder(enc_hook=_written, order="sorted")
