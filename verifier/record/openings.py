"""Openings: what a copy shows of sealed fields (specification, "Sealed fields and releases").

By field, the indices, salts and values of its openings stand side by side. There are very many of them, so all of a
field are read at a time.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from verifier.record import encoding
from verifier.record.entries import CONTENT_DEPTH
from verifier.record.hashing import COMMITMENT, integer, split, tagged_hash
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
    heads = _heads(hex_bytes(salts), len(values))
    if not len(indices) == len(values) == len(heads):
        raise Malformed(f"the openings of {field!r} have not as many indices and salts as values")
    listed(natural)(indices)
    check_depth(values, CONTENT_DEPTH + 1)
    texts = list(map(encoding.dump, values))
    try:
        encoded = [text.encode() for text in texts]
    except UnicodeEncodeError:
        raise Malformed("a text holds a lone surrogate") from None
    commitments = [
        sha256(head + len(data).to_bytes(8, "big") + data).digest() for head, data in zip(heads, encoded, strict=True)
    ]
    numbers = ",".join(map(str, indices))
    return (
        Opened(field, indices, values, commitments),
        f'{{"indices":[{numbers}],"salts":"{salts}","values":[{",".join(texts)}]}}',
    )


def _heads(raw: bytes, count: int) -> list[bytes]:
    """What each value's commitment begins with: one salt for each, or one for all.

    Salts that are all equal must not stand there singly.
    """
    found = split(raw) if len(raw) % 32 == 0 else []
    if not found or (len(found) > 1 and len(set(found)) == 1):
        raise Malformed("salts have 64 hex digits each, and one that all values have in common stands there once")
    heads = [COMMITMENT + salt for salt in found]
    return heads * count if len(heads) == 1 else heads
