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
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from verifier.corpus.errors import CorpusDamaged
from verifier.corpus.files import beginning, mapped, mapped_array, shown
from verifier.corpus.rows import Integers, are_sound, in_threads, spans

__all__ = ["CorpusDamaged", "SealedCorpus"]

_SECRET = re.compile(rb"([0-9a-f]{64})\n?")
_MOST_DOCUMENTS = 2**31 - 1
_AS_TEXT = -1  # both offsets of a content that is stored as the text only
_READ_AT_ONCE = 4096  # documents' places


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SealedCorpus:
    """The documents by number, from 0 to `size` - 1. It has no repr, since it knows a secret."""

    path: Path
    size: int
    secret: bytes
    places: Integers
    """Of each document six offsets: begin and end of its content, its text and its name."""
    digests: NDArray[np.uint8]
    """Of each document two times 32 bytes: the SHA-256 of its content and of its text."""
    contents: memoryview
    texts: memoryview
    names: memoryview
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
        places = mapped_array(path / "places.npy", "<i8", 6)
        corpus = cls(
            path=path,
            size=len(places),
            secret=_secret(path / "secret"),
            places=places,
            digests=mapped_array(path / "digests.npy", "|u1", 2, 32),
            contents=mapped(path / "contents.bin"),
            texts=mapped(path / "texts.bin"),
            names=mapped(path / "names.bin"),
            starts=mapped_array(features / "starts.npy", "<i8"),
            columns=mapped_array(features / "columns.npy", "<i4"),
            values=mapped_array(features / "values.npy", "<u2"),
            terms=bytes(mapped(features / "terms.bin")),
            frequencies=mapped_array(features / "frequencies.npy", "<i4"),
        )
        corpus._check_lengths()
        corpus._check_places()
        corpus._check_names()
        return corpus

    def name(self, document: int) -> bytes:
        """The document's name, which is UTF-8."""
        start, end = self.places[document, 4:6].tolist()
        return bytes(self.names[start:end])

    def documents(self) -> Iterator[tuple[memoryview, memoryview]]:
        """Content and text of each document as they stand in the folder, one and the same where the text is both."""
        for begin, end, text_begin, text_end, _, _ in self._listed_places():
            text = self.texts[text_begin:text_end]
            yield (text if begin == _AS_TEXT else self.contents[begin:end]), text

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
        for first in range(0, self.size, _READ_AT_ONCE):  # far faster than one by one
            yield from self.places[first : first + _READ_AT_ONCE].tolist()

    def _check_lengths(self) -> None:
        counts = {"places.npy": self.size, "digests.npy": len(self.digests), "starts.npy": len(self.starts) - 1}
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

    def _check_places(self) -> None:
        as_text = (self.places[:, 0] == _AS_TEXT) & (self.places[:, 1] == _AS_TEXT)
        for place, (name, data) in enumerate(
            (("contents.bin", self.contents), ("texts.bin", self.texts), ("names.bin", self.names))
        ):
            begins, ends = self.places[:, 2 * place], self.places[:, 2 * place + 1]
            fitting = (begins >= 0) & (begins <= ends) & (ends <= len(data))
            if not place:
                fitting |= as_text
            if not fitting.all():
                document = int(np.argmin(fitting))
                raise CorpusDamaged(
                    f"places.npy in {shown(self.path)} says that document {document} lies from {begins[document]} to "
                    f"{ends[document]} in {name}, which has {len(data)} bytes"
                )

    def _check_names(self) -> None:
        if not len(self.names) or int(np.frombuffer(self.names, np.uint8).max()) < 0x80:
            return
        for document, (*_, begin, end) in enumerate(self._listed_places()):
            try:
                bytes(self.names[begin:end]).decode()
            except UnicodeDecodeError:
                raise CorpusDamaged(f"the name of document {document} in {shown(self.path)} is not UTF-8") from None


def _secret(path: Path) -> bytes:
    found = _SECRET.fullmatch(beginning(path, 66))
    if found is None:
        raise CorpusDamaged(f"{shown(path)} does not hold a secret: 64 lowercase hex digits")
    return bytes.fromhex(found[1].decode())
