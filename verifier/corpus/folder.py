"""A sealed corpus: the folder that Trent keeps, and gives to the court.

Nothing in it is trusted. `open` only makes sure that every array has the right shape, and that every offset lies within
its file. The root shows whether these are the documents and rows of a matter (`leaves`), and recomputing the rows
shows whether they are those of the texts (`features`). `manifest.json` and `tree.bin` repeat what follows from the
other files, so they are not read.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from verifier.corpus.counting import Unfit, read_fields
from verifier.corpus.errors import CorpusDamaged
from verifier.corpus.files import beginning, mapped, mapped_array, shown
from verifier.corpus.rows import Integers, are_sound, in_threads, spans
from verifier.record.parts import MOST_PARTS

__all__ = ["CorpusDamaged", "SealedCorpus"]

_SECRET = re.compile(rb"([0-9a-f]{64})\n?")
_MOST_DOCUMENTS = 2**31 - 1
_NEWLINE = 10
_AS_TEXT = -1  # both offsets of a content that is stored as the text only
_READ_AT_ONCE = 4096  # parts' places


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SealedCorpus:
    """The documents by number, from 0 to `size` - 1. It has no repr, since it knows a secret."""

    path: Path
    size: int
    secret: bytes
    parts: Integers
    """Where the parts of each document begin in the next two arrays, and where the last one's end."""
    places: Integers
    """Of each part six offsets: begin and end of its content, its text and its fields."""
    digests: NDArray[np.uint8]
    """Of each part two times 32 bytes: the SHA-256 of its content and of its text."""
    contents: memoryview
    texts: memoryview
    fields: memoryview
    account: memoryview
    """The list of what was received."""
    starts: Integers
    """Where each row begins in the two arrays below, and where the last one ends."""
    columns: NDArray[np.int32]
    values: NDArray[np.uint16]
    terms: bytes
    """Each term, by column, followed by a newline."""
    frequencies: NDArray[np.int32]
    """The number of documents of each term, none negative; there are as many as terms."""

    @classmethod
    def open(cls, path: Path) -> Self:
        """The corpus in a folder, or `CorpusDamaged`."""
        features = path / "features"
        parts = mapped_array(path / "parts.npy", "<i8")
        corpus = cls(
            path=path,
            size=len(parts) - 1,
            secret=_secret(path / "secret"),
            parts=parts,
            places=mapped_array(path / "places.npy", "<i8", 6),
            digests=mapped_array(path / "digests.npy", "|u1", 2, 32),
            contents=mapped(path / "contents.bin"),
            texts=mapped(path / "texts.bin"),
            fields=mapped(path / "fields.bin"),
            account=mapped(path / "account.jsonl"),
            starts=mapped_array(features / "starts.npy", "<i8"),
            columns=mapped_array(features / "columns.npy", "<i4"),
            values=mapped_array(features / "values.npy", "<u2"),
            terms=bytes(mapped(features / "terms.bin")),
            frequencies=mapped_array(features / "frequencies.npy", "<i4"),
        )
        corpus._check_lengths()
        corpus._check_parts()
        corpus._check_places()
        corpus._check_texts()
        return corpus

    def name(self, document: int) -> str:
        """The document's name: that of its part 0."""
        start, end = self.places[self.parts[document], 4:6].tolist()
        try:
            return read_fields(bytes(self.fields[start:end]), 0).rest.name
        except Unfit as error:
            raise CorpusDamaged(f"document {document} in {shown(self.path)} has no name: {error}") from None

    def documents(self) -> Iterator[tuple[list[tuple[memoryview, memoryview]], memoryview]]:
        """Of each document content and text of its parts as they stand in the folder, and the text of all of it.

        Content and text of a part are one and the same where the text is both.
        """
        places = self._listed_places()
        for count in np.diff(self.parts).tolist():
            found, ends = [], list[int]()
            for begin, end, text_begin, text_end, _, _ in islice(places, count):
                text = self.texts[text_begin:text_end]
                found.append((text if begin == _AS_TEXT else self.contents[begin:end], text))
                ends += (text_begin, text_end)
            yield found, self.texts[ends[0] : ends[-1]]

    def rows_are_sound(self) -> bool:
        """Whether every row's columns ascend and are columns of the term table. Else nothing may be scored."""
        terms = len(self.frequencies)
        work = in_threads(lambda blocks: all(are_sound(self, each, terms) for each in blocks), list(spans(self.starts)))
        return all(work)

    def labels(self, label: str) -> frozenset[int] | None:
        """The documents that truly have this label, as far as the folder tells; nothing commits to that.

        None if the folder does not tell, or if the file is not an object of lists of document numbers.
        """
        try:
            known = json.loads(bytes(mapped(self.path / "labels.json")))
        except (CorpusDamaged, ValueError, RecursionError):
            return None
        numbers = known.get(label) if isinstance(known, dict) else None
        if not isinstance(numbers, list) or not all(type(each) is int and 0 <= each < self.size for each in numbers):
            return None
        return frozenset(numbers)

    def _listed_places(self) -> Iterator[list[int]]:
        for first in range(0, len(self.places), _READ_AT_ONCE):  # far faster than one by one
            yield from self.places[first : first + _READ_AT_ONCE].tolist()

    def _check_lengths(self) -> None:
        counts = {"parts.npy": self.size, "starts.npy": len(self.starts) - 1}
        if len(set(counts.values())) > 1 or not 1 <= self.size <= _MOST_DOCUMENTS:
            found = ", ".join(f"{count} in {name}" for name, count in counts.items())
            raise CorpusDamaged(f"the numbers of documents in {shown(self.path)} do not fit together: {found}")
        entries = {"columns.npy": len(self.columns), "values.npy": len(self.values), "starts.npy": int(self.starts[-1])}
        if len(set(entries.values())) > 1:
            found = ", ".join(f"{count} in {name}" for name, count in entries.items())
            raise CorpusDamaged(f"the entries of feature rows in {shown(self.path)} do not fit together: {found}")
        if self.starts[0] or (self.starts[1:] < self.starts[:-1]).any():
            raise CorpusDamaged(f"starts.npy in {shown(self.path)} does not ascend from 0")
        terms = self.terms.count(b"\n")
        if terms != len(self.frequencies) or self.terms[-1:] not in (b"", b"\n"):
            raise CorpusDamaged(
                f"the term table in {shown(self.path)} does not fit together: {terms} lines in terms.bin and "
                f"{len(self.frequencies)} numbers in frequencies.npy"
            )
        if self.frequencies.min(initial=0) < 0:
            raise CorpusDamaged(f"frequencies.npy in {shown(self.path)} has numbers below 0")

    def _check_parts(self) -> None:
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
            document = int(np.argmax(wrong))
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
        document = int(np.searchsorted(self.parts, part, side="right")) - 1
        return f"document {document}, part {part - int(self.parts[document])},"


def _secret(path: Path) -> bytes:
    found = _SECRET.fullmatch(beginning(path, 66))
    if found is None:
        raise CorpusDamaged(f"{shown(path)} does not hold a secret: 64 lowercase hex digits")
    return bytes.fromhex(found[1].decode())
