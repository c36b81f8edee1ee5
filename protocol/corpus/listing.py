"""The parts of a shard's documents: fields, places and hashes of each.

`parts.npy` says where the parts of each document begin in the next arrays. `places.npy` has six offsets for each part:
where its content begins and ends in `contents.bin`, its text in `texts.bin`, its fields in `fields.bin` (the canonical
JSON of an object with `log` and `rest`). A content that equals its text's bytes is stored as the text only, and has the
offsets -1 and -1. `digests.npy` has the SHA-256 of content and text. The texts of one document lie one after the other,
with a newline between two.
"""

from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from ledger import records
from ledger.hashing import Digest
from ledger.records import Record
from protocol.corpus.arrays import open_array
from protocol.corpus.leaves import Log, Rest
from protocol.corpus.manifest import CONTENTS, DIGESTS, FIELDS, PARTS, PLACES, TEXTS

CONTENT, TEXT, FIELD = (slice(first, first + 2) for first in (0, 2, 4))
AS_TEXT = -1

Place = tuple[str, int, int]
"""A file, and where something begins and ends in it."""


class PartFields(Record, frozen=True, kw_only=True):
    """What is known about a part: what a privilege log states, and the rest."""

    log: Log
    rest: Rest


class RawFields(Record, frozen=True, kw_only=True):
    """The same, as it was written."""

    log: msgspec.Raw
    rest: msgspec.Raw


_raw = msgspec.json.Decoder(RawFields)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Listing:
    """Fields, places and hashes, memory-mapped. Documents and parts are counted within the shard here."""

    starts: NDArray[np.int64]
    places: NDArray[np.int64]
    digests: NDArray[np.uint8]
    fields: mmap

    @classmethod
    def open(cls, shard: Path) -> Self:
        """What is stored in the folder of a shard."""
        with (shard / FIELDS).open("rb") as file:
            fields = mmap(file.fileno(), 0, access=ACCESS_READ)
        return cls(
            starts=open_array(shard / PARTS, "<i8"),
            places=open_array(shard / PLACES, "<i8", 6),
            digests=open_array(shard / DIGESTS, "u1", 2, Digest.size),
            fields=fields,
        )

    def fits(self, documents: int, parts: int) -> bool:
        """Whether every document has a part, and every array a row for each part."""
        each_has_one = len(self.starts) == documents + 1 and bool((np.diff(self.starts) > 0).all())
        ends = self.starts[[0, -1]].tolist() if each_has_one else []
        return ends == [0, parts] and {len(self.places), len(self.digests)} == {parts}

    def parts(self, row: int) -> range:
        """The parts of a document."""
        return range(*self.starts[row : row + 2].tolist())

    def spans(self) -> NDArray[np.int64]:
        """Where the text of each document, which is that of all its parts, begins and ends."""
        texts = self.places[:, TEXT]
        return np.stack((texts[self.starts[:-1], 0], texts[self.starts[1:] - 1, 1]), axis=1)

    def raw_fields(self, part: int) -> RawFields:
        """What is known about a part, in canonical JSON."""
        return _raw.decode(self._field(part))

    def read_fields(self, part: int) -> PartFields:
        """What is known about a part."""
        return records.decode(PartFields, self._field(part))

    def _field(self, part: int) -> bytes:
        start, end = self.places[part, FIELD].tolist()
        return self.fields[start:end]

    def content_place(self, part: int) -> Place:
        """Where the content is."""
        start, end = self.places[part, CONTENT].tolist()
        return self.text_place(part) if start == AS_TEXT else (CONTENTS, start, end)

    def text_place(self, part: int) -> Place:
        """Where the text is."""
        start, end = self.places[part, TEXT].tolist()
        return TEXTS, start, end

    def sizes(self) -> dict[str, int]:
        """How long the files of contents and texts are."""
        longest = self.places.max(axis=0, initial=0)
        return {CONTENTS: int(longest[CONTENT].max()), TEXTS: int(longest[TEXT].max())}

    def content_digest(self, part: int) -> Digest:
        """The SHA-256 of the content."""
        return Digest(self.digests[part, 0].tobytes())

    def text_digest(self, part: int) -> Digest:
        """The SHA-256 of the text in UTF-8."""
        return Digest(self.digests[part, 1].tobytes())
