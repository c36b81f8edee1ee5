"""The rows of S, the labelled documents, as integers and as floats, kept from one round to the next.

S grows by a batch in each round; reading and converting all of its rows anew would take a fifth of the training time.
What is kept depends only on the documents and their order, not on the steps in which they came.
"""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_matrix

from protocol.corpus.features import Features
from protocol.corpus.rows import Rows
from protocol.learning.model import ROW_BITS, Integers, Mask, TrainingSet


class LabelledRows:
    """The rows of the labelled documents of one corpus, in the order of review."""

    def __init__(self, features: Features | Rows) -> None:
        self._features = features
        self._begin()

    def _begin(self) -> None:
        self._documents, self._labels = _Growing(np.int64), _Growing(np.bool_)
        self._signs, self._starts = _Growing(np.int64), _Growing(np.int64)
        self._columns, self._values = _Growing(np.int32), _Growing(np.uint16)
        self._numbers, self._floats = _Growing(np.int32), _Growing(np.float64)
        self._starts.extend([0])
        self._number_of = np.zeros(self._features.terms, np.int32)
        self._width = 1

    def hold(self, documents: Integers, labels: Mask) -> None:
        """Hold the rows of exactly these documents. Rows that are held already are not read again."""
        held = len(self._documents.all)
        if not (
            np.array_equal(documents[:held], self._documents.all) and np.array_equal(labels[:held], self._labels.all)
        ):
            self._begin()
            held = 0
        self._documents.extend(documents[held:])
        self._labels.extend(labels[held:])
        self._add(TrainingSet.of(self._features, documents[held:], labels[held:]))

    @property
    def integers(self) -> TrainingSet:
        """The rows x as the model's definition has them."""
        return TrainingSet(
            signs=self._signs.all,
            starts=self._starts.all,
            columns=self._columns.all,
            values=self._values.all,
            terms=self._features.terms,
        )

    @property
    def floats(self) -> Any:
        """The rows y x as a matrix. Column 0 is the bias; the others are the terms that occur, as they first occur,
        which keeps the frequent ones together in the processor's cache.
        """
        starts = self._starts.all + np.arange(len(self._starts.all))
        return csr_matrix((self._floats.all, self._numbers.all, starts), shape=(len(starts) - 1, self._width))

    def _add(self, rows: TrainingSet) -> None:
        begins = rows.starts[:-1]
        signed = np.repeat(rows.signs, rows.lengths) * rows.values / 2.0**ROW_BITS
        self._floats.extend(np.insert(signed, begins, rows.signs))
        self._numbers.extend(np.insert(self._numbered(rows.columns), begins, 0))
        self._starts.extend(rows.starts[1:] + len(self._columns.all))
        self._signs.extend(rows.signs)
        self._columns.extend(rows.columns)
        self._values.extend(rows.values)

    def _numbered(self, columns: NDArray[np.int32]) -> NDArray[np.int32]:
        new, first = np.unique(columns[self._number_of[columns] == 0], return_index=True)
        self._number_of[new[np.argsort(first)]] = np.arange(self._width, self._width + len(new))
        self._width += len(new)
        numbers: NDArray[np.int32] = self._number_of[columns]
        return numbers


class _Growing:
    """An array that grows at its end, and is seldom copied to do so."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._space = np.empty(0, dtype)
        self._used = 0

    @property
    def all(self) -> NDArray[Any]:
        return self._space[: self._used]

    def extend(self, items: Any) -> None:
        end = self._used + len(items)
        if end > len(self._space):
            space = np.empty(max(end, 2 * self._used), self._space.dtype)
            space[: self._used] = self.all
            self._space = space
        self._space[self._used : end] = items
        self._used = end
