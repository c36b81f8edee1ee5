"""Exact products of rows with weights."""

from collections.abc import Sequence

import numpy as np

from verifier.corpus.rows import HasRows, Integers, Span, in_threads, sums

ROW_BITS = 15
"""A 1 in a row, as the bias has it, is 2^15 units."""


def scores(rows: HasRows, blocks: Sequence[Span], weights: Integers) -> Integers:
    """The score of each row, in blocks that cover all of them; the last of the weights is the bias.

    The rows are sound, and the scores are known to fit 64 bits. Blocks of the length of `rows.BLOCK` are fastest.
    """
    starts = rows.starts
    found = np.full(len(starts) - 1, int(weights[-1]) << ROW_BITS)

    def add(share: Sequence[Span]) -> None:
        longest = max((int(starts[last] - starts[first]) for first, last in share), default=0)
        space = np.empty(longest, np.int64), np.empty(longest + 1, np.int64)  # used again for every block
        for first, last in share:
            begin, end = int(starts[first]), int(starts[last])
            operand, products = space[0][: end - begin], space[1][: end - begin]
            operand[:] = rows.columns[begin:end]
            np.take(weights, operand, out=products, mode="clip")  # with "raise" numpy would copy once more
            operand[:] = rows.values[begin:end]
            products *= operand
            space[1][end - begin] = 0
            found[first:last] += sums(space[1][: end - begin + 1], starts[first : last + 1] - begin)

    in_threads(add, blocks)
    return found
