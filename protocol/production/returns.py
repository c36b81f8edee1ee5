"""RETURN.csv: what Bob was shown and may not keep, since it is not responsive, or was asked or clawed back."""

import csv
import io
from collections.abc import Mapping

from protocol.production.record import Fate, Reading
from protocol.production.register import Register

FILE = "RETURN.csv"
COLUMNS = ("round", "position", "document", "name", "reason", "numbers")

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")


def table(reading: Reading, register: Register, volume: int) -> bytes:
    """The list of the volume with this number; it states the numbers that a document has in earlier volumes."""
    numbers = _numbers(register, volume)
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    writer.writerow(COLUMNS)
    for each in reading.shown:
        if each.fate is not Fate.PRODUCED:
            known = numbers.get(each.document, "")
            writer.writerow((each.round, each.position, each.document, cell(each.name), each.fate.value, known))
    return b"\xef\xbb\xbf" + stream.getvalue().encode()


def cell(text: str) -> str:
    """A name that no spreadsheet takes for a formula: with an apostrophe before it, where it could be one."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _numbers(register: Register, volume: int) -> Mapping[int, str]:
    """The first and the last number of each document in the volumes before this one."""
    named = register.numbers(0).named
    return {
        each.document: f"{named(each.begin)}-{named(each.begin + each.parts - 1)}"
        for each in register.documents
        if each.volume < volume
    }
