"""A term table as the readers of texts need it, whatever it holds: the column of each term, and what it weighs."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.corpus.packed import PackedTerms
from verifier.corpus.weighing import Weigher


class TermTable:
    """Terms by column, each with a newline behind it, and their frequencies among so many documents.

    A table that names a term twice is a guess that proves wrong. Its columns are those of the terms that differ, and
    nothing that is made by them is right.
    """

    def __init__(self, terms: bytes, frequencies: NDArray[np.integer], documents: int) -> None:
        self._terms, self.frequencies, self._documents = terms, np.asarray(frequencies), documents

    def __reduce__(self) -> Any:
        """Another process is sent the terms only, and makes the rest itself."""
        return TermTable, (self._terms, self.frequencies, self._documents)

    def __len__(self) -> int:
        """How many different terms there are."""
        return len(self.columns())

    def listed(self) -> list[bytes]:
        """All terms by column."""
        return self._terms.split(b"\n")[:-1]

    def columns(self) -> dict[bytes, int]:
        """The column of each term."""
        return self._columns

    @cached_property
    def _columns(self) -> dict[bytes, int]:
        return {term: column for column, term in enumerate(dict.fromkeys(self.listed()))}

    @cached_property
    def packed(self) -> PackedTerms:
        """What finds short terms in many texts at a time."""
        return PackedTerms(self._columns)

    @cached_property
    def weigher(self) -> Weigher:
        """What makes rows by these frequencies."""
        return Weigher(np.clip(self.frequencies, 1, self._documents), self._documents)
