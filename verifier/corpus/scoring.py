"""Exact products of rows with weights."""

from collections.abc import Iterable

import numpy as np

from verifier.corpus.rows import HasRows, Integers, Span, sums

ROW_BITS = 15
"""A 1 in a row, as the bias has it, is 2^15 units."""


def scores(rows: HasRows, blocks: Iterable[Span], weights: Integers) -> Integers:
    """The score of each row of these blocks, one after the other; the last of the weights is the bias.

    The rows are sound, and the scores are known to fit 64 bits. Blocks of the length of `rows.BLOCK` are fastest.
    """
    starts, found = rows.starts, [np.zeros(0, np.int64)]
    space = np.empty(0, np.int64), np.empty(1, np.int64)  # used again for every block
    for first, last in blocks:
        begin, end = int(starts[first]), int(starts[last])
        if end - begin > len(space[0]):
            space = np.empty(end - begin, np.int64), np.empty(end - begin + 1, np.int64)
        operand, products = space[0][: end - begin], space[1][: end - begin]
        operand[:] = rows.columns[begin:end]
        np.take(weights, operand, out=products, mode="clip")  # with "raise" numpy would copy once more
        operand[:] = rows.values[begin:end]
        products *= operand
        space[1][end - begin] = 0
        found.append(sums(space[1][: end - begin + 1], starts[first : last + 1] - begin))
        found[-1] += int(weights[-1]) << ROW_BITS
    return np.concatenate(found)
