"""A made-up corpus of e-mail with a hidden topic, of any size, for trials and demonstrations.

The same arguments give the same documents on every machine: all choices are integers cut from SHAKE-128 of the
seed and the document's number. The topic has five sides, each with its own words, so that a learner finds it bit by
bit. Three things keep it from ever being learnt completely: responsive documents with few of the topic's words,
other documents with some of them, and a share of plainly wrong labels.
"""

import gzip
import json
import struct
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from fractions import Fraction
from functools import cache
from hashlib import shake_128
from pathlib import Path
from typing import IO

from ledger import files
from ledger.hashing import integer, tagged_hash
from protocol.sources import synthetic_words
from protocol.sources.mixture import LABEL, NOISE, Kind, counts, kind_at
from protocol.sources.source import SourceDocument

__all__ = ["LABEL", "NOISE", "QUERY", "documents", "write"]

QUERY = synthetic_words.QUERY

_SIDES = (0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4)
_HEAD = 64  # draws for all but the body
_SHORTEST, _LONGEST = 20, 130
_DRAWS = struct.Struct(f"<{_HEAD + _LONGEST}H")
_COMPRESSION = 3
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = 1096

_encoded = json.JSONEncoder(separators=(",", ":")).encode  # one for all lines


def documents(*, documents: int, responsive: int, seed: str, noise: Fraction = NOISE) -> Iterator[SourceDocument]:
    """The corpus, document by document; exactly `responsive` of them carry the label."""
    return _corpus(documents, responsive, seed, noise)


def write(
    out: Path,
    *,
    documents: int,
    responsive: int,
    seed: str,
    noise: Fraction = NOISE,
    progress: Callable[[int], None] = lambda _: None,
) -> None:
    """The corpus as JSON Lines, packed if the name ends in .gz; the file appears whole or not at all."""
    made = _corpus(documents, responsive, seed, noise)
    with files.new_file(out) as file, files.packed(file, out, level=_COMPRESSION) as stream:
        _write_lines(stream, made, progress)


def _write_lines(
    stream: IO[bytes] | gzip.GzipFile, made: Iterator[SourceDocument], progress: Callable[[int], None]
) -> None:
    for number, document in enumerate(made, 1):
        line = {"id": document.name, "text": document.text, "labels": list(document.labels)}
        stream.write(_encoded(line).encode() + b"\n")
        if number % 1000 == 0:
            progress(number)


def _corpus(size: int, responsive: int, seed: str, noise: Fraction) -> Iterator[SourceDocument]:
    """The documents; raises at once if they cannot be made."""
    left = counts(size, responsive, noise)
    root = tagged_hash("synthetic", seed.encode(), integer(size), integer(responsive), str(noise).encode())
    return _mails(root, left)


def _mails(root: bytes, left: list[int]) -> Iterator[SourceDocument]:
    """All remaining documents, with the right number of each kind."""
    for number in range(sum(left)):
        draws = _DRAWS.unpack(shake_128(root + integer(number)).digest(_DRAWS.size))
        kind = _drawn_kind(left, draws)
        left[kind] -= 1
        text = _text(kind, draws)
        yield SourceDocument.of_one(name=f"mail-{number:07}", content=text.encode(), text=text, labels=kind.labels)


def _drawn_kind(left: list[int], draws: tuple[int, ...]) -> Kind:
    """The kind of the next document, chosen so that each kind gets exactly its number in the end."""
    number = draws[0] << 48 | draws[1] << 32 | draws[2] << 16 | draws[3]
    return kind_at(left, number * sum(left) >> 64)


def _text(kind: Kind, draws: tuple[int, ...]) -> str:
    """One e-mail: a header, and a body of a few sentences."""
    department = draws[4] % synthetic_words.DEPARTMENTS
    side = _SIDES[draws[5] % len(_SIDES)]
    if kind in (Kind.RESPONSIVE, Kind.MISLABELLED) and draws[6] % 2:
        department = 2 * side  # the department that this side of the topic belongs to
    length = _SHORTEST + draws[7] % (_LONGEST - _SHORTEST)
    words = list(map(synthetic_words.table(department).__getitem__, draws[_HEAD : _HEAD + length]))
    _speak_of_the_topic(words, kind, side, draws)
    people = synthetic_words.people(department)
    others = synthetic_words.people(draws[8] % synthetic_words.DEPARTMENTS)
    to = [people[draws[9] % len(people)], others[draws[10] % len(others)]][: 1 + draws[11] % 2]
    prefix = ("", "", "Re: ", "Fwd: ")[draws[11] // 2 % 4]
    return (
        f"From: {people[draws[12] % len(people)]}\n"
        f"To: {', '.join(to)}\n"
        f"Date: {_days()[draws[13] % _DAYS]} {draws[14] % 24:02}:{draws[15] % 60:02}:00 +0000\n"
        f"Subject: {prefix}{' '.join(words[: 3 + draws[16] % 3])}\n\n"
        f"{_sentences(words, draws[17:36])}\n"
    )


def _speak_of_the_topic(words: list[str], kind: Kind, side: int, draws: tuple[int, ...]) -> None:
    """Put the topic's words in place of some others, as many as the kind of document has."""
    sides = synthetic_words.sides()
    strength = draws[36]
    if kind in (Kind.RESPONSIVE, Kind.MISLABELLED):
        count = 2 + min(strength % 12, (strength >> 8) % 12)
    elif kind == Kind.NEAR_MISS:
        count = 1 + strength % 3
    else:
        count = strength % 2 if kind == Kind.FAINT else 0
    for place, choice in zip(draws[37 : 37 + count], draws[50 : 50 + count], strict=True):
        elsewhere = kind == Kind.NEAR_MISS or place % 4 == 0
        telling = sides[choice % len(sides) if elsewhere else side]
        words[place % len(words)] = telling[min((choice & 255) % len(telling), (choice >> 8) % len(telling))]


def _sentences(words: list[str], draws: tuple[int, ...]) -> str:
    """The words with capitals and full stops, in two paragraphs."""
    made = []
    place = 0
    for draw in draws:
        if place >= len(words):
            break
        end = place + 6 + draw % 12
        made.append(" ".join(words[place:end]).capitalize() + ".")
        place = end
    half = len(made) // 2
    return " ".join(made[:half]) + "\n\n" + " ".join(made[half:])


@cache
def _days() -> list[str]:
    """Three years of dates, as mail writes them in every country."""
    first = date(1999, 1, 1)
    days = (first + timedelta(days=number) for number in range(_DAYS))
    return [f"{_WEEKDAYS[day.weekday()]}, {day.day} {_MONTHS[day.month - 1]} {day.year}" for day in days]
