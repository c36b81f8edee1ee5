"""The documents of a corpus folder by number: name, place and hashes of each.

`places.npy` has six offsets for each document: where its content begins and ends in `contents.bin`, its text in
`texts.bin`, its name in `names.bin` (the last two in UTF-8). A content that equals its text's bytes is stored as
the text only, and has the offsets -1 and -1. `digests.npy` has the SHA-256 of content and text.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ledger.hashing import Digest
from protocol.corpus.arrays import open_array
from protocol.corpus.manifest import CONTENTS, DIGESTS, NAMES, PLACES, TEXTS

CONTENT, TEXT, NAME = (slice(first, first + 2) for first in (0, 2, 4))
AS_TEXT = -1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Listing:
    """Names, places and hashes; all but the names are memory-mapped."""

    places: NDArray[np.int64]
    digests: NDArray[np.uint8]
    names: bytes

    @classmethod
    def open(cls, folder: Path) -> Self:
        """What is stored in a corpus folder."""
        return cls(
            places=open_array(folder / PLACES, "<i8", 6),
            digests=open_array(folder / DIGESTS, "u1", 2, Digest.size),
            names=(folder / NAMES).read_bytes(),
        )

    def __len__(self) -> int:
        return len(self.places)

    def name(self, document: int) -> bytes:
        """The document's name in UTF-8."""
        start, end = self.places[document, NAME].tolist()
        return self.names[start:end]

    def content_place(self, document: int) -> tuple[str, int, int]:
        """The file that has the content, and where it begins and ends there."""
        start, end = self.places[document, CONTENT].tolist()
        return self.text_place(document) if start == AS_TEXT else (CONTENTS, start, end)

    def text_place(self, document: int) -> tuple[str, int, int]:
        """The file that has the text, and where it begins and ends there."""
        start, end = self.places[document, TEXT].tolist()
        return TEXTS, start, end

    def sizes(self) -> dict[str, int]:
        """How long the files of contents and texts are."""
        longest = self.places.max(axis=0, initial=0)
        return {CONTENTS: int(longest[CONTENT].max()), TEXTS: int(longest[TEXT].max())}

    def content_digest(self, document: int) -> Digest:
        """The SHA-256 of the content."""
        return Digest(self.digests[document, 0].tobytes())

    def text_digest(self, document: int) -> Digest:
        """The SHA-256 of the text in UTF-8."""
        return Digest(self.digests[document, 1].tobytes())
