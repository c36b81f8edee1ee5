"""From how often terms occur to feature rows, in integers (specification, section "The corpus").

    TF(t)    round(2^14 (1 + ln t)), with 65535 for a larger t
    IDF(df)  round(2^14 (1 + ln((1 + n) / (1 + df)))), n the number of documents
    v        floor(TF IDF / 2^14)
    norm     floor(sqrt(sum of v^2 over the document's terms))
    x        2^15 v / norm, rounded half up

A document's row has its x > 0 by ascending column; with more than 2^17 different terms the row is empty. For n < 2^31,
TF < 198,100 and IDF < 357,100, so v < 4,320,000, and the sum of 2^17 squares stays below 2^62.
"""

import numpy as np
from numpy.typing import NDArray

from verifier.corpus.rows import Integers, Rows, starts_of, sums
from verifier.logarithms import ln_round

MOST_TERMS = 2**17
MOST_COUNTED = 65535

_BITS = 14


class Weigher:
    """Makes rows by one term table's document frequencies, each from 1 to the number of documents."""

    def __init__(self, frequencies: NDArray[np.integer], documents: int) -> None:
        different, places = np.unique(frequencies, return_inverse=True)
        idfs = [(1 << _BITS) + ln_round(1 + documents, 1 + each, _BITS) for each in different.tolist()]
        self._idf: Integers = np.array(idfs, np.int64)[places.reshape(-1)]
        self._tf = np.zeros(MOST_COUNTED + 1, np.int64)

    def rows(self, lengths: Integers, columns: Integers, counts: Integers) -> Rows:
        """The rows of documents of which each has so many different terms: their columns, ascending, and how often."""
        oversized = lengths > MOST_TERMS
        if oversized.any():
            kept = np.repeat(~oversized, lengths)
            columns, counts, lengths = columns[kept], counts[kept], np.where(oversized, 0, lengths)
        weights = self._tfs(np.minimum(counts, MOST_COUNTED)) * self._idf[columns] >> _BITS
        starts = starts_of(lengths)
        norms = np.repeat(_roots(sums(np.append(weights * weights, 0), starts)), lengths)
        values = ((weights << 16) + norms) // (2 * norms)
        filled = values > 0
        if not filled.all():
            columns, values, starts = columns[filled], values[filled], starts_of(sums(np.append(filled, 0), starts))
        return Rows(starts=starts, columns=columns, values=values)

    def _tfs(self, counts: Integers) -> Integers:
        found: Integers = self._tf[counts]
        if not found.all():
            for count in np.unique(counts[found == 0]).tolist():
                self._tf[count] = (1 << _BITS) + ln_round(count, 1, _BITS)
            found = self._tf[counts]
        return found


def _roots(numbers: Integers) -> Integers:
    """The square roots, rounded down. A float comes within 1 of each, and integers decide."""
    root = np.sqrt(numbers.astype(np.float64)).astype(np.int64)
    root -= root * root > numbers
    root += (root + 1) * (root + 1) <= numbers
    return root
