"""Is a vector in the cone of others? Decided exactly, in whole numbers, where floats leave doubt.

Phase 1 of the revised simplex method. The basis' inverse is kept as its adjugate, whose entries are determinants and
so whole numbers, over the determinant (Edmonds' integer pivoting): every division below leaves no rest.
"""

from dataclasses import dataclass
from math import gcd

import numpy as np
from numpy.typing import NDArray

from protocol.paper.geometry.points import Integers, NotSeparable


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """times * z = sum of parts[i] * z_i, with whole numbers, times > 0 and all parts > 0."""

    times: int
    parts: dict[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """A plane h of whole numbers with h z < 0, and h z_i >= 0 for all others."""

    plane: tuple[int, ...]


def membership(rows: Integers, chosen: int) -> Combination | Separation:
    """Either how the chosen row is a sum of non-negative multiples of the others, or a plane that shows it is not."""
    basis = _Basis(rows, chosen)
    degenerate = False
    while True:
        prices = basis.prices()
        gains = basis.columns @ prices
        gains[chosen] = 0
        better = [each for each in np.flatnonzero(gains > 0).tolist() if each not in basis.members]
        if not better:
            break
        # The largest gain is quick; the smallest index (Bland's rule) does not cycle.
        degenerate = basis.enter(better[0] if degenerate else max(better, key=lambda each: int(gains[each])))
    parts = basis.parts()
    if parts is None:
        signed = [int(-price) for price in prices * basis.signs]
        return Separation(plane=reduced(signed))
    numbers = reduced([basis.determinant, *parts.values()])
    return Combination(times=numbers[0], parts=dict(zip(parts, numbers[1:], strict=True)))


def separator(rows: Integers) -> tuple[int, ...]:
    """A plane h of whole numbers with h z > 0 for all rows; NotSeparable if there is none.

    If minus the sum of some rows is not in the cone of all, a plane has none of them below and one of them above; such
    planes are added up, each for the rows that are still on the sum. If it is, no plane has those rows above.
    """
    total = np.zeros(rows.shape[1], object)
    left = np.arange(len(rows))
    while len(left):
        opposite = -rows[left].sum(axis=0, keepdims=True)
        found = membership(np.concatenate((opposite, rows)), 0)
        if isinstance(found, Combination):
            raise NotSeparable("no plane has all responsive points on one side and all others on the other")
        total = total + np.array(found.plane, object)
        left = np.flatnonzero(rows.astype(object) @ total <= 0)
    return reduced([int(each) for each in total])


def reduced(numbers: list[int]) -> tuple[int, ...]:
    """The same ratios in the smallest whole numbers."""
    divisor = gcd(*numbers) or 1
    return tuple(each // divisor for each in numbers)


class _Basis:
    """A feasible basis of: rows' combination + artificial variables = the chosen row, all of them non-negative."""

    def __init__(self, rows: Integers, chosen: int) -> None:
        size = rows.shape[1]
        self.signs = np.where(rows[chosen] < 0, -1, 1).astype(object)  # make the right-hand side non-negative
        self.columns = rows.astype(object) * self.signs
        self._wanted = self.columns[chosen].copy()
        self._adjugate: NDArray[np.object_] = np.array(
            [[int(i == j) for j in range(size)] for i in range(size)], object
        )
        self.determinant = 1
        self.members: list[int | None] = [None] * size  # None: artificial

    def prices(self) -> NDArray[np.object_]:
        """The dual of phase 1, times the determinant."""
        costly = [row for row, member in enumerate(self.members) if member is None]
        return np.asarray(self._adjugate[costly].sum(axis=0) if costly else self._adjugate[0] * 0)

    def enter(self, column: int) -> bool:
        """Exchange a column for the one that first reaches zero; whether nothing moved."""
        values = self._adjugate @ self._wanted
        pivots = self._adjugate @ self.columns[column]
        row = -1
        for each in range(len(pivots)):
            if pivots[each] <= 0:
                continue
            if row >= 0:
                left, right = values[each] * pivots[row], values[row] * pivots[each]
                if left > right or (left == right and self._rank(each) > self._rank(row)):
                    continue
            row = each
        pivot = pivots[row]
        own = self._adjugate[row].copy()
        self._adjugate = (self._adjugate * pivot - np.outer(pivots, own)) // self.determinant
        self._adjugate[row] = own
        self.determinant = int(pivot)
        self.members[row] = column
        return bool(values[row] == 0)

    def _rank(self, row: int) -> int:
        """Among equals, artificial variables leave first, then the smallest index."""
        member = self.members[row]
        return -1 if member is None else member

    def parts(self) -> dict[int, int] | None:
        """The positive parts times the determinant; None if artificial variables are left with a value."""
        values = self._adjugate @ self._wanted
        found = {member: int(value) for member, value in zip(self.members, values, strict=True) if value}
        return None if None in found else {member: value for member, value in found.items() if member is not None}
