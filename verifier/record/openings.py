"""Openings: what a copy shows of sealed fields (specification, "Sealed fields and releases").

By field, the indices, salts and values of its openings stand side by side. There are very many of them, so all of a
field are read at a time.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from verifier.record import encoding
from verifier.record.encoding import MAX_INTEGER
from verifier.record.entries import CONTENT_DEPTH
from verifier.record.hashing import COMMITMENT, integer, tagged_hash
from verifier.record.shapes import Malformed, check_depth, hex_bytes, listed, name, natural

_FORM = {"indices", "salts", "values"}


@dataclass(slots=True)
class Opened:
    """What is opened of one field."""

    field: str
    indices: list[int]
    values: list[Any]
    commitments: list[bytes]  # what each salt and value commit to


@dataclass(slots=True)
class Openings:
    """What is opened of one entry."""

    fields: list[Opened]
    encoded: bytes  # all of it, in canonical JSON

    def __len__(self) -> int:
        return sum(len(each.indices) for each in self.fields)

    @property
    def hash(self) -> bytes:
        """What Alice signs of the openings that she hands over."""
        return tagged_hash("openings", self.encoded)

    def leaf(self, entry: int) -> bytes:
        """The leaf of an entry's openings in the tree whose root the manifest signs."""
        return tagged_hash("opened", integer(entry), self.hash)

    @property
    def places(self) -> list[tuple[str, int]]:
        """Field and index of each opening."""
        return [(each.field, index) for each in self.fields for index in each.indices]

    @property
    def values(self) -> dict[str, dict[int, Any]]:
        """The values by field and index."""
        return {each.field: dict(zip(each.indices, each.values, strict=True)) for each in self.fields}


def read_openings(value: Any) -> Openings:
    """Openings of their shape; whether they open anything is not looked at."""
    if type(value) is not dict:
        raise Malformed("openings are an object, by field")
    fields, texts = [], []
    for field in sorted(value):
        opened, text = _read_field(name(field), value[field])
        fields.append(opened)
        texts.append(f'"{field}":{text}')
    return Openings(fields, f"{{{','.join(texts)}}}".encode())


def _read_field(field: str, group: Any) -> tuple[Opened, str]:
    if type(group) is not dict or group.keys() != _FORM:
        raise Malformed(f"the openings of {field!r} have indices, salts and values, and nothing else")
    indices, salts, values = group["indices"], group["salts"], group["values"]
    if type(indices) is not list or type(values) is not list or not values:
        raise Malformed(f"the openings of {field!r} are at least one index and one value")
    raw = _salts(hex_bytes(salts), len(values))
    if not len(indices) == len(values) == len(raw):
        raise Malformed(f"the openings of {field!r} have not as many indices and salts as values")
    if set(map(type, indices)) - {int} or not 0 <= min(indices) <= max(indices) <= MAX_INTEGER:
        listed(natural)(indices)
    check_depth(values, CONTENT_DEPTH + 1)
    texts = list(map(encoding.dump, values))
    try:
        encoded = [text.encode() for text in texts]
    except UnicodeEncodeError:
        raise Malformed("a text holds a lone surrogate") from None
    commitments = [
        sha256(b"%b%b%b%b" % (COMMITMENT, salt, len(data).to_bytes(8, "big"), data)).digest()
        for salt, data in zip(raw, encoded, strict=True)
    ]
    numbers = ",".join(map(str, indices))
    return (
        Opened(field, indices, values, commitments),
        f'{{"indices":[{numbers}],"salts":"{salts}","values":[{",".join(texts)}]}}',
    )


def _salts(raw: bytes, count: int) -> list[bytes]:
    """The salts, one for each value, or one for all of them. Those that are all equal must not stand there singly."""
    found = [raw[start : start + 32] for start in range(0, len(raw), 32)]
    if not found or len(raw) % 32 or (len(found) > 1 and len(set(found)) == 1):
        raise Malformed("salts have 64 hex digits each, and one that all values have in common stands there once")
    return found * count if len(found) == 1 else found
