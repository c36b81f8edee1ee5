"""What is stated of each part in the folder, read strictly, and what the population account counts of it."""

import re
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.record import encoding
from verifier.record.encoding import NotCanonical
from verifier.record.parts import Log, Rest, check_parent
from verifier.record.shapes import Malformed, read, record, shaped

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_EMPTY = np.frombuffer(sha256(b"").digest(), np.uint8)


@dataclass(frozen=True, slots=True)
class _Fields:
    log: Log = shaped(record(Log))
    rest: Rest = shaped(record(Rest))


@dataclass(frozen=True, slots=True)
class Fields:
    """What is stated of a part, with the canonical JSON of both objects."""

    log: Log
    rest: Rest
    log_bytes: bytes
    rest_bytes: bytes


def read_fields(data: bytes, number: int) -> Fields:
    """The fields of a document's part with this number; `Malformed` or `NotCanonical` if they are none."""
    value: Any = encoding.load(data)
    found = read(_Fields, value)
    check_parent(number, found.log)
    log, rest = encoding.encode_or_refuse(value["log"]), encoding.encode_or_refuse(value["rest"])
    encoding.check_same(b'{"log":%b,"rest":%b}' % (log, rest), data)
    return Fields(found.log, found.rest, log, rest)


@dataclass(slots=True)
class Counting:
    """What the population account states of the parts that entered."""

    parts: int = 0
    unread: int = 0  # parts without text
    named: set[str] = field(default_factory=set)  # custodians
    first: str = ""  # the least date, and the greatest
    last: str = ""

    def add(self, fields: Fields) -> None:
        """Count a part."""
        self.parts += 1
        self.named.update(fields.rest.custodians)
        if _DATE.match(fields.log.date):
            date = fields.log.date[:10]
            self.first, self.last = min(self.first or date, date), max(self.last, date)

    def add_texts(self, digests: NDArray[np.uint8]) -> None:
        """Count the parts whose text is empty, by the hashes that were committed to."""
        self.unread += int((digests[:, 1] == _EMPTY).all(axis=1).sum())

    def merge(self, other: "Counting") -> None:
        """Count what was counted elsewhere."""
        self.parts += other.parts
        self.unread += other.unread
        self.named |= other.named
        self.first = min(filter(None, (self.first, other.first)), default="")
        self.last = max(self.last, other.last)


Unfit = (Malformed, NotCanonical)
"""What `read_fields` raises."""
