"""Strict shapes: how a JSON value becomes a typed record, or is refused with the place of the mistake.

A record is a frozen dataclass whose fields say how they are read. An object must have exactly these fields, except
those that may be unknown: they are left out where nothing is known, and never null or empty.
"""

import re
from collections.abc import Callable
from dataclasses import field, fields
from enum import StrEnum
from keyword import iskeyword
from typing import Any, Generic, TypeVar

from verifier.findings import VerifierError
from verifier.record import encoding, hashing
from verifier.record.encoding import MAX_INTEGER

T = TypeVar("T")
W = TypeVar("W", bound=StrEnum)
Parser = Callable[[Any], Any]

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")


class Malformed(VerifierError):
    """A value is not of its shape."""


def shaped(parser: Parser) -> Any:
    """A field of a record that is read by `parser`. A name that Python reserves has an underscore at its end."""
    return field(metadata={"parser": parser})


def unless_unknown(parser: Parser, unknown: Any) -> Any:
    """A field of a record that is left out of the object where nothing is known, and is then `unknown`."""
    return field(metadata={"parser": _Known(parser, unknown)}, default_factory=lambda: unknown)


class _Known:
    """A parser of what is known, which is never null or empty."""

    def __init__(self, parser: Parser, unknown: Any) -> None:
        self.parser, self.unknown = parser, unknown

    def __call__(self, value: Any) -> Any:
        return self.check([self.parser(value)])[0]

    def check(self, found: list[Any]) -> list[Any]:
        """These values, if each is known."""
        if self.unknown in found:
            raise Malformed("what is not known is left out, and never null or empty")
        return found


def read(kind: type[T], value: Any) -> T:
    """The record of this kind that a JSON object describes."""
    if type(value) is not dict:
        raise Malformed(f"an object was expected, {_shown(value)} found")
    parsers, required = _shape(kind)
    if not required <= value.keys() <= parsers.keys():
        lacking, unknown = sorted(required - value.keys()), sorted(value.keys() - parsers.keys())
        raise Malformed(f"the field {lacking[0]!r} is missing" if lacking else f"the field {unknown[0]!r} is unknown")
    try:
        return kind(**{_attribute(name): parsers[name](item) for name, item in value.items()})
    except Malformed:
        for name, item in value.items():  # once more, to tell the place
            _within(name, parsers[name], item)
        raise


def read_all(kind: type[T], values: list[Any]) -> list[T]:
    """Many records of one kind, which takes its fields by position: read field by field, faster than one by one."""
    try:
        if set(map(type, values)) - {dict}:
            raise Malformed("objects were expected")
        columns, left, named = [], sum(map(len, values)), set[str]().union(*values)
        for name, parser in _shape(kind)[0].items():
            if name not in named and isinstance(parser, _Known):
                columns.append([parser.unknown] * len(values))
                continue
            found = [value.get(name) for value in values]
            given = [each for each in found if each is not None]
            left -= len(given)
            column = _column(parser, given)
            if len(given) < len(found):
                if not isinstance(parser, _Known):
                    raise Malformed(f"the field {name!r} is missing")
                known = iter(column)
                column = [parser.unknown if each is None else next(known) for each in found]
            columns.append(column)
        if left:
            raise Malformed("an object has other fields, or null")
    except Malformed:
        return [read(kind, value) for value in values]  # which tells the place
    return list(map(kind, *columns))


def _column(parser: Parser, values: list[Any]) -> list[Any]:
    if isinstance(parser, _Known):
        return parser.check(_column(parser.parser, values))
    if parser is digest:
        return digests(values)
    if (parser is text and set(map(type, values)) <= {str}) or (isinstance(parser, whole) and parser.takes(values)):
        return values
    return read_all(parser.kind, values) if isinstance(parser, record) else list(map(parser, values))


def digests(values: list[Any]) -> list[bytes]:
    """Many hashes, of 64 lowercase hex digits each, in one go."""
    if set(map(type, values)) - {str} or set(map(len, values)) - {64}:
        raise Malformed("hashes of 64 hex digits were expected")
    return hashing.split(hex_bytes("".join(values)))


_known: dict[type[Any], tuple[dict[str, Parser], frozenset[str]]] = {}


def _shape(kind: Any) -> tuple[dict[str, Parser], frozenset[str]]:
    """The parsers of a record's fields by name, and the names of those that an object must have."""
    if kind not in _known:
        parsers = {each.name.rstrip("_"): each.metadata["parser"] for each in fields(kind)}
        required = (name for name, parser in parsers.items() if not isinstance(parser, _Known))
        _known[kind] = parsers, frozenset(required)
    return _known[kind]


def _attribute(name: str) -> str:
    return f"{name}_" if iskeyword(name) else name


def _within(place: str, parser: Parser, value: Any) -> Any:
    try:
        return parser(value)
    except Malformed as error:
        raise Malformed(f"{place}: {error}") from None


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, bool | int | None) else f"a {type(value).__name__}"


class record(Generic[T]):  # noqa: N801 - it is used as the functions around it
    """A parser of objects that are records of this kind."""

    def __init__(self, kind: type[T]) -> None:
        self.kind = kind

    def __call__(self, value: Any) -> T:
        return read(self.kind, value)


class whole:  # noqa: N801 - likewise
    """A parser of integers within bounds."""

    def __init__(self, low: int = 0, high: int = MAX_INTEGER) -> None:
        self.low, self.high = low, high

    def __call__(self, value: Any) -> int:
        if not self.takes([value]):
            raise Malformed(f"an integer from {self.low} to {self.high} was expected, {_shown(value)} found")
        return int(value)

    def takes(self, values: list[Any]) -> bool:
        """Whether all of these are such integers."""
        return set(map(type, values)) <= {int} and (not values or self.low <= min(values) <= max(values) <= self.high)


natural = whole()
positive = whole(1, 2**31)


def truth(value: Any) -> bool:
    """Parses true and false."""
    if type(value) is not bool:
        raise Malformed(f"true or false was expected, {_shown(value)} found")
    return value


def text(value: Any) -> str:
    """Parses any text."""
    if type(value) is not str:
        raise Malformed(f"a text was expected, {_shown(value)} found")
    return value


def name(value: Any) -> str:
    """Parses a lowercase name of a kind or field."""
    if type(value) is not str or not _NAME.fullmatch(value):
        raise Malformed(f"a lowercase name was expected, {_shown(value)} found")
    return value


def hexadecimal(size: int) -> Callable[[Any], bytes]:
    """A parser of this many bytes as lowercase hex digits."""

    def parse(value: Any) -> bytes:
        try:
            raw = bytes.fromhex(value)
        except (TypeError, ValueError):
            raw = b""
        if len(raw) != size or raw.hex() != value:
            raise Malformed(f"{2 * size} lowercase hex digits were expected, {_shown(value)} found")
        return raw

    return parse


def hex_bytes(value: Any) -> bytes:
    """Parses bytes of any number as lowercase hex digits, and in no other spelling."""
    try:
        raw = bytes.fromhex(value)
    except (TypeError, ValueError):
        raise Malformed(f"lowercase hex digits were expected, {_shown(value)} found") from None
    if raw.hex() != value:
        raise Malformed("hex digits must be lowercase, without blanks")
    return raw


digest = hexadecimal(32)
signature = hexadecimal(64)


def word(kind: type[W]) -> Callable[[Any], W]:
    """A parser of the words of an enumeration."""
    words = {str(each): each for each in kind}

    def parse(value: Any) -> W:
        if type(value) is not str or value not in words:
            raise Malformed(f"one of {', '.join(kind)} was expected, {_shown(value)} found")
        return words[value]

    return parse


def maybe(parser: Callable[[Any], T]) -> Callable[[Any], T | None]:
    """A parser that takes null as well."""
    return lambda value: None if value is None else parser(value)


def listed(parser: Callable[[Any], T]) -> Callable[[Any], tuple[T, ...]]:
    """A parser of arrays."""

    def parse(value: Any) -> tuple[T, ...]:
        if type(value) is not list:
            raise Malformed(f"an array was expected, {_shown(value)} found")
        if isinstance(parser, whole) and parser.takes(value):
            return tuple(value)
        return tuple(map(parser, value))

    return parse


def mapped(
    keys: Callable[[Any], W] | Callable[[Any], str], values: Callable[[Any], T]
) -> Callable[[Any], dict[Any, T]]:
    """A parser of objects with keys of one kind and values of another."""

    def parse(value: Any) -> dict[Any, T]:
        if type(value) is not dict:
            raise Malformed(f"an object was expected, {_shown(value)} found")
        return {keys(key): _within(key, values, item) for key, item in value.items()}

    return parse


def free(depth: int) -> Callable[[Any], dict[str, Any]]:
    """A parser of objects whose shape is somebody else's, at most so deep."""

    def parse(value: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise Malformed(f"an object was expected, {_shown(value)} found")
        check_depth(value, depth)
        return value

    return parse


def check_depth(value: Any, depth: int) -> None:
    """Raise unless a free value is within bounds."""
    try:
        encoding.check_free(value, depth)
    except encoding.NotCanonical as error:
        raise Malformed(str(error)) from None
