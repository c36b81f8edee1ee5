"""The documents of a shard: the parts of each, with content, text and what is stated of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from verifier.corpus.counting import Unfit, read_fields
from verifier.corpus.errors import CorpusDamaged, shown
from verifier.corpus.files import forget
from verifier.corpus.rows import Integers
from verifier.record.parts import MOST_PARTS

_NEWLINE = 10
_AS_TEXT = -1  # both offsets of a content that is stored as the text only
_READ_AT_ONCE = 4096  # parts' places
_MAPPED = 2**26  # bytes of contents and texts that stay in memory behind the reader

Document = tuple[list[tuple[memoryview, memoryview]], memoryview]
"""Content and text of its parts, and the text of all of it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Listing:
    """The open files of a shard that hold its documents, by their place in it."""

    path: Path
    numbers: NDArray[np.int32]
    """The number of each document."""
    parts: Integers
    """Where the parts of each document begin in the next two arrays, and where the last one's end."""
    places: Integers
    """Of each part six offsets: begin and end of its content, its text and its fields."""
    digests: NDArray[np.uint8]
    """Of each part two times 32 bytes: the SHA-256 of its content and of its text."""
    contents: memoryview
    texts: memoryview
    fields: memoryview

    def name(self, row: int) -> str:
        """A document's name: that of its part 0."""
        start, end = self.places[self.parts[row], 4:6].tolist()
        try:
            return read_fields(bytes(self.fields[start:end]), 0).rest.name
        except Unfit as error:
            raise CorpusDamaged(f"document {self.numbers[row]} in {shown(self.path)} has no name: {error}") from None

    def documents(self, first: int, last: int) -> Iterator[Document]:
        """Content and text of parts as they stand in the folder, of the documents from `first` up to `last`.

        Content and text of a part are one and the same where the text is both.
        """
        places = self._listed_places(int(self.parts[first]), int(self.parts[last]))
        read = 0
        for count in np.diff(self.parts[first : last + 1]).tolist():
            found, ends = [], list[int]()
            for begin, end, text_begin, text_end, _, _ in islice(places, count):
                text = self.texts[text_begin:text_end]
                found.append((text if begin == _AS_TEXT else self.contents[begin:end], text))
                ends += (text_begin, text_end)
                read += end - begin + text_end - text_begin
            yield found, self.texts[ends[0] : ends[-1]]
            if read > _MAPPED:
                read = 0
                forget(self.contents)
                forget(self.texts)

    def check(self) -> None:
        """Raise `CorpusDamaged` unless all arrays and files fit together."""
        self._check_parts()
        self._check_places()
        self._check_texts()

    def _listed_places(self, first: int, last: int) -> Iterator[list[int]]:
        for start in range(first, last, _READ_AT_ONCE):  # far faster than one by one
            yield from self.places[start : min(start + _READ_AT_ONCE, last)].tolist()

    def _check_parts(self) -> None:
        if len(self.parts) != len(self.numbers) + 1:
            raise CorpusDamaged(
                f"the numbers of documents in {shown(self.path)} do not fit together: {len(self.numbers)} in "
                f"numbers.npy, {len(self.parts) - 1} in parts.npy"
            )
        counts = {
            "parts.npy": int(self.parts[-1]),
            "places.npy": len(self.places),
            "digests.npy": len(self.digests),
        }
        if len(set(counts.values())) > 1:
            found = ", ".join(f"{count} in {name}" for name, count in counts.items())
            raise CorpusDamaged(f"the numbers of parts in {shown(self.path)} do not fit together: {found}")
        lengths = self.parts[1:] - self.parts[:-1]
        wrong = (self.parts[1:] <= self.parts[:-1]) | (lengths > MOST_PARTS)
        if self.parts[0] or wrong.any():
            document = int(self.numbers[np.argmax(wrong)])
            raise CorpusDamaged(
                f"parts.npy in {shown(self.path)} does not ascend from 0 with 1 to {MOST_PARTS} parts a document, see "
                f"document {document}"
            )

    def _check_places(self) -> None:
        as_text = (self.places[:, 0] == _AS_TEXT) & (self.places[:, 1] == _AS_TEXT)
        for place, (name, data) in enumerate(
            (("contents.bin", self.contents), ("texts.bin", self.texts), ("fields.bin", self.fields))
        ):
            begins, ends = self.places[:, 2 * place], self.places[:, 2 * place + 1]
            fitting = (begins >= 0) & (begins <= ends) & (ends <= len(data))
            if not place:
                fitting |= as_text
            if not fitting.all():
                part = int(np.argmin(fitting))
                raise CorpusDamaged(
                    f"places.npy in {shown(self.path)} says that {self._called(part)} lies from {begins[part]} to "
                    f"{ends[part]} in {name}, which has {len(data)} bytes"
                )

    def _check_texts(self) -> None:
        """The texts of one document lie one after the other, with one newline between two."""
        inner = np.ones(len(self.places), np.bool_)
        inner[self.parts[:-1]] = False
        later = np.flatnonzero(inner)
        ends = self.places[later - 1, 3]
        fitting = self.places[later, 2] == ends + 1
        fitting[fitting] = np.frombuffer(self.texts, np.uint8)[ends[fitting]] == _NEWLINE if len(self.texts) else False
        if not fitting.all():
            part = int(later[np.argmin(fitting)])
            raise CorpusDamaged(
                f"the text of {self._called(part)} in {shown(self.path)} does not follow that of the part before, with "
                "one newline between the two"
            )

    def _called(self, part: int) -> str:
        row = int(np.searchsorted(self.parts, part, side="right")) - 1
        return f"document {self.numbers[row]}, part {part - int(self.parts[row])},"
