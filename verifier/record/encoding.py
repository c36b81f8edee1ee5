"""Canonical JSON (specification, section "Canonical JSON"), on the standard library's `json`.

`decode` takes exactly the bytes that `encode` gives: the value is encoded again and compared, so that blanks,
repeated or unsorted keys, long escapes and trailing bytes need no rule of their own.
"""

import json
from collections.abc import Callable
from typing import Any, NoReturn

from verifier.findings import VerifierError

MAX_INTEGER = 2**53 - 1
MAX_DEPTH = 32


class NotCanonical(VerifierError, ValueError):
    """The bytes are not the canonical encoding of a value; the message says why, if that is known."""


def _no_float(literal: str) -> NoReturn:
    raise NotCanonical(f"the number {literal[:40]} is not an integer")


_load = json.JSONDecoder(parse_float=_no_float, parse_constant=_no_float).decode
_encoder = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), sort_keys=True, check_circular=False, allow_nan=False
)


_SAMPLE = {"b": [1, 'é"\n', True], "a": None}


def _dumper() -> Callable[[Any], str]:
    """The encoder's work, without making its machine anew for each value, if this Python lets us."""
    make, as_text = (getattr(json.encoder, name, None) for name in ("c_make_encoder", "encode_basestring"))
    sorts, skips, not_a_number = True, False, False
    try:
        machine = make(None, _encoder.default, as_text, None, ":", ",", sorts, skips, not_a_number)  # type: ignore[misc]
        same = "".join(machine(_SAMPLE, 0)) == _encoder.encode(_SAMPLE)
    except TypeError:
        same = False
    return (lambda value: "".join(machine(value, 0))) if same else _encoder.encode


dump = _dumper()
"""The encoding of a value as a text, which may hold half a surrogate pair."""


def encode(value: Any) -> bytes:
    """The one encoding of a value that was decoded, or is made of the same parts."""
    return dump(value).encode()


def decode(data: bytes) -> Any:
    """The value of canonical bytes."""
    value = load(data)
    check_same(encode_or_refuse(value), data)
    check_free(value)
    return value


def load(data: bytes) -> Any:
    """The value of JSON bytes. Whether they are canonical, and its numbers and depth within bounds, is yet to be
    checked: for what goes into a record, by the record's shape.
    """
    try:
        return _load(data.decode())
    except UnicodeDecodeError as error:
        raise NotCanonical(f"byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise NotCanonical(f"character {error.pos} is not JSON: {error.msg.lower()}") from None
    except RecursionError:
        raise NotCanonical(f"more than {MAX_DEPTH} objects and arrays within one another") from None
    except ValueError as error:
        raise NotCanonical(str(error)) from None


def encode_or_refuse(value: Any) -> bytes:
    """The encoding of what `load` gave, which may hold half a surrogate pair or be too deep."""
    try:
        return encode(value)
    except UnicodeEncodeError:
        raise NotCanonical("a text holds a lone surrogate") from None
    except RecursionError:
        raise NotCanonical(f"more than {MAX_DEPTH} objects and arrays within one another") from None


def check_same(encoded: bytes, data: bytes) -> None:
    """Raise unless `data` is the encoding of its value."""
    if encoded != data:
        place = next((at for at, pair in enumerate(zip(encoded, data, strict=False)) if pair[0] != pair[1]), None)
        where = f"byte {min(len(encoded), len(data)) if place is None else place}"
        raise NotCanonical(f"{where} differs from the canonical encoding of the same value")


def check_free(value: Any, depth: int = MAX_DEPTH) -> None:
    """Raise unless a value is within bounds: safe integers, ASCII keys, at most `depth` objects and arrays deep.

    It goes down level by level, which is faster than a call for each object and array.
    """
    level = [value]
    while level:
        below: list[Any] = []
        nested = False
        for item in level:
            kind = type(item)
            if kind is dict:
                nested = True
                if not "".join(item).isascii():
                    raise NotCanonical("an object key is not ASCII")
                below += item.values()
            elif kind is list:
                nested = True
                below += item
            elif kind is int and not -MAX_INTEGER <= item <= MAX_INTEGER:
                raise NotCanonical(f"an integer of {len(str(abs(item)))} digits is beyond 2^53 - 1")
        if nested and not depth:
            raise NotCanonical(f"more than {MAX_DEPTH} objects and arrays within one another")
        level, depth = below, depth - 1
