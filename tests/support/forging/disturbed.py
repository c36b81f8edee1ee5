"""Stored transcripts that were changed: in their bytes, or in their values and then signed again with every key."""

import gzip
from copy import deepcopy
from functools import cache, lru_cache
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

from tests.support.builders import KEYS
from tests.support.forging.forger import Forger, disturb
from tests.support.forging.mutations import Lines
from tests.vectors import FOLDER

STORED = sorted(path for path in (FOLDER / "transcripts").iterdir() if not path.match("edge-*.gz"))
"""All but those that are compressed since they are large."""
WELL_FORMED = [path for path in STORED if path.name.startswith(("valid", "trent", "alice", "bob", "court"))]

_TOKENS = [
    b"{",
    b"}",
    b"[" * 3000,
    b'{"a":' * 3000,
    b'"',
    b"\\u0000",
    b"\\ud800",
    b"1e5",
    b"-0",
    b"NaN",
    b"9" * 5000,
    b"\n",
    b"\r\n",
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b'"entry":',
    b'{"attachment":1}',
    b"\x1f\x8b\x08",
    b" " * 100,
]
_HEX = "0123456789abcdef"
_LONG = 32  # characters from which a text of hex digits is a hash, a key or a salt
_WORDS = ("alice", "bob", "court", "trent", "0.5", "0.05", "label", "family")


def content(path: Path) -> bytes:
    """What a stored copy says, whether it is compressed or not."""
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def spoiled(data: bytes, random: Random) -> bytes:
    """Some bytes of a file changed, cut, doubled or replaced."""
    changed = bytearray(data)
    for _ in range(random.randrange(1, 5)):
        at = random.randrange(len(changed) + 1)
        match random.randrange(6):
            case 0 if at < len(changed):
                changed[at] ^= 1 << random.randrange(8)
            case 1:
                changed[at:at] = random.choice(_TOKENS)
            case 2:
                del changed[at : at + random.choice([1, 10, 1000])]
            case 3:
                changed[at:at] = changed[at : at + random.choice([5, 500])]
            case 4:
                changed[at : at + 4] = random.randbytes(4)
            case _:
                changed[at : at + 1] = b"\n"
    return bytes(changed)


def forged(stored: Path, random: Random) -> Lines | None:
    """A transcript with one or two odd values anywhere."""
    forger = _forger(stored)
    for _ in range(random.randrange(1, 3)):
        disturb(random.choice(forger.values), random)
    return _signed(forger, random, 0.8)


def nudged(stored: Path, random: Random) -> Lines | None:
    """A transcript with one or two values changed to others of the same kind, or entries lost, doubled or swapped.

    Most of it keeps its form, so that the rules behind the form are reached.
    """
    forger = _forger(stored)
    for _ in range(random.randrange(1, 3)):
        if random.random() < 0.15 and len(forger.values) > 1:
            displace(forger.values, random)
        else:
            nudge(random.choice(forger.values), random)
    return _signed(forger, random, 0.9)


def earlier(stored: Path, random: Random) -> Lines | None:
    """A transcript as it is, or as it was some entries before, under the keys of those that are changed here."""
    forger = _forger(stored)
    if random.random() < 0.5:
        forger.values = forger.values[: random.randrange(1, len(forger.values) + 1)]
    return _signed(forger, random, 0)


def chosen(random: Random) -> Path:
    """A well-formed transcript, a short one more often: the work on one grows with its length."""
    return random.choices(WELL_FORMED, cum_weights=_weights())[0]


@cache
def _weights() -> list[float]:
    return list(accumulate(1 / len(content(path)) ** 2 for path in WELL_FORMED))


def _forger(stored: Path) -> Forger:
    return Forger.of_kept(_kept(stored), KEYS)


@lru_cache(8)
def _kept(stored: Path) -> bytes:
    forger = Forger(content(stored).splitlines(), KEYS)
    first = forger.values[0]["entry"]["body"]["statement"]["content"]
    first["keys"] = {role: key.public.hex() for role, key in KEYS.items()}
    return forger.keep()


def _signed(forger: Forger, random: Random, share: float) -> Lines | None:
    if random.random() < share:
        forger.commit_again()
    try:
        return forger.sign()
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None  # nothing that can be written or signed


def displace(values: list[Any], random: Random) -> None:
    """A line lost, doubled, or swapped with the next one; the first stays."""
    place = random.randrange(1, len(values))
    match random.randrange(3):
        case 0:
            del values[place]
        case 1 if place + 1 < len(values):
            values[place : place + 2] = values[place + 1], values[place]
        case _:
            values.insert(place, deepcopy(values[place]))


def nudge(line: Any, random: Random) -> None:
    """One value of a line, another of the same kind; mostly in what a statement says or what is opened."""
    root = line
    if "entry" in line:
        body = line["entry"]["body"]
        said = body["statement"]
        choices = [said.get("content"), said.get("content"), line.get("openings"), said.get("sealed"), body]
        choices.append(body.get("releases"))
        root = random.choice([each for each in choices if isinstance(each, dict | list) and each])
    holder, key = random.choice(list(_places(root)))
    holder[key] = _other(holder[key], random)


def _places(value: Any) -> Any:
    """Every value below an object or array, as its holder and its key."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


def _other(value: Any, random: Random) -> Any:
    match value:
        case bool():
            return not value
        case None:
            return random.choice([0, 1, "", [], {}, True])
        case int():
            return value + random.choice([-2, -1, 1, 2, 10])
        case str() if len(value) >= _LONG and set(value) <= set(_HEX):
            place = random.randrange(len(value))
            return value[:place] + random.choice(_HEX) + value[place + 1 :]
        case str():
            return random.choice([value + "x", value[:-1], value.upper(), *_WORDS])
        case list() if value:
            place = random.randrange(len(value))
            others = value[:place] + value[place + 1 :]
            return random.choice([others, value[:-1], value[::-1], [*value, value[place]]])
        case dict() if value:
            left_out = random.choice(sorted(value))
            return {key: inner for key, inner in value.items() if key != left_out}
        case _:
            return [value]
