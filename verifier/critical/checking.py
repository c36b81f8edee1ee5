"""Check a list of critical points without solving anything.

A set of points is split by a plane into positives and negatives. A negative is critical if its label could be flipped
and some plane would still split the set. The file claims of every negative that it is critical or that it is not, and
brings a proof of each claim:

    {"format": "tallystick critical points 1",
     "unit": u, "positive": [[x, ...], ...], "negative": [[x, ...], ...],
     "separator": [h, ...],
     "interior": {"basis": [i, ...], "inverse": [[m, ...], ...], "scale": D} or null,
     "critical": [{"point": j, "plane": [h, ...]}, ...],
     "other": [{"point": j, "times": c, "of": [[i, c], ...], "interior": t}, ...]}

All numbers are whole. Points are counted from 0, the negatives first. With u > 0, write z = (u, x) for a positive and
z = -(u, x) for a negative point; u has no influence on the answer, only on the size of numbers. A plane h splits the
set if h z > 0 for all points.

What is checked, and why it suffices:

* The separator h has h z > 0 for all points, so the set is split by it.
* j is critical: its plane h has h z_i > 0 for all other points, and h z_j < 0. With the label of j flipped, z_j
  becomes -z_j, and h splits the set.
* j is not critical. Let z_j be a sum of non-negative multiples of other z_i. A plane with h z_i > 0 for all others then
  has h z_j >= 0, so none splits the set with j flipped. It suffices that c z_j is such a sum for one c > 0; and the
  proof gives c, some c_i >= 0 and t >= 0 with the rest

      r = c z_j - sum of c_i z_i - t G      (i other than j)

  so small that t G + r is a sum of non-negative multiples of the basis; j is not in the basis, or else t = 0. With
  t = 0, the rest must be zero. With t > 0 it must fulfil  |r| max|M| <= t (D - eta),  where |r| is the sum of the
  absolute values. Here G is the sum of the basis' vectors, Z0 the matrix that has them as columns, M the "inverse", D
  the "scale", and eta the largest column sum of absolute values of E = D I - Z0 M, which must be below D.

  Proof. In the norm |v|, a matrix' norm is its largest column sum, so |E| = eta < D, and D I - E = Z0 M has the inverse
  (1/D)(I + E/D + (E/D)^2 + ...) of norm at most 1/(D - eta). So Z0 is regular, with the inverse M (D I - E)^-1, and
  x = Z0^-1 r has no entry larger than max|M| |r| / (D - eta) <= t. Hence t G + r = Z0 (t 1 + x), and no entry of
  t 1 + x is negative.
* Every negative is claimed exactly once.

Points that are there twice are different points here; a negative with a twin is never critical.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from verifier.critical.arithmetic import combined, effort, is_long, is_long_sum, signs
from verifier.critical.form import LARGEST_LONG_WORK, Disproved, Interior, PointList, Unreadable, Witness, read

_BLOCK = 128  # planes checked at a time,
_ENTRIES = 1 << 22  # or fewer, for so many products at most
_SHOWN = 20  # critical points


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What was proven."""

    positives: int
    negatives: int
    dimension: int
    critical: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Room:
    """How large a rest the basis allows."""

    basis: frozenset[int]
    centre: list[int]  # G
    steepness: int  # max|M|
    room: int  # D - eta


def check(path: Path, progress: Callable[[int, int], None] = lambda *_: None) -> Checked:
    """Check a file. Raises Disproved if a claim is not proven, Unreadable if the file does not have the form.

    `progress` is told how many negative points are proven, and how many there are.
    """
    claims = read(path)
    _check_complete(claims)
    _check_work(claims)
    _check_separator(claims)
    _check_planes(claims, progress)
    room = None if claims.interior is None else _room(claims, claims.interior)
    for done, (point, witness) in enumerate(claims.other.items(), start=len(claims.critical)):
        progress(done, claims.negatives)
        _check_witness(claims, room, point, witness)
    count, size = claims.rows.shape
    return Checked(
        positives=count - claims.negatives,
        negatives=claims.negatives,
        dimension=size - 1,
        critical=tuple(sorted(claims.critical)),
    )


def words(found: Checked) -> str:
    """What was proven, for a reader."""
    share = 100 * len(found.critical) / found.negatives
    listed = ", ".join(str(each) for each in found.critical[:_SHOWN]) or "none"
    more = f" and {len(found.critical) - _SHOWN} more, all in the file" if len(found.critical) > _SHOWN else ""
    return (
        f"PROVEN: of {found.negatives} negative points, {len(found.critical)} are critical ({share:.1f} %), "
        f"the other {found.negatives - len(found.critical)} are not.\n"
        f"{found.positives} positive points, {found.dimension} dimensions. Every plane and every combination in the "
        f"file was checked in exact arithmetic.\n"
        f"This is proven of the points as they stand in the file. The file does not show which documents they stand "
        f"for, or that none is missing.\n"
        f"Critical: {listed}{more}"
    )


def _check_complete(claims: PointList) -> None:
    for point in range(claims.negatives):
        if point not in claims.critical and point not in claims.other:
            raise Disproved(f"the file says nothing about negative point {point}")


def _check_separator(claims: PointList) -> None:
    wrong = np.flatnonzero(signs(claims.rows, claims.largest, [claims.separator])[:, 0] <= 0)
    if len(wrong):
        raise Disproved(f"the separator does not have point {wrong[0]} on the right side, so it does not split the set")


def _check_planes(claims: PointList, progress: Callable[[int, int], None]) -> None:
    done = 0
    for chosen in _blocks(claims):
        progress(done, claims.negatives)
        done += len(chosen)
        sides = signs(claims.rows, claims.largest, [claims.critical[point] for point in chosen])
        for column, point in enumerate(chosen):
            if sides[point, column] >= 0:
                raise Disproved(f"the plane of point {point} does not flip it, so it proves nothing")
            wrong = [each for each in np.flatnonzero(sides[:, column] <= 0).tolist() if each != point]
            if wrong:
                raise Disproved(
                    f"the plane of point {point} does not keep point {wrong[0]} on its side, so it proves nothing"
                )


def _blocks(claims: PointList) -> list[list[int]]:
    """The critical points whose planes are checked together: short ones as memory allows, each long one alone."""
    short: list[int] = []
    long: list[int] = []
    for point, plane in claims.critical.items():
        (long if is_long(claims.largest, plane) else short).append(point)
    block = max(1, min(_BLOCK, _ENTRIES // len(claims.rows)))
    return [short[start : start + block] for start in range(0, len(short), block)] + [[each] for each in long]


def _check_work(claims: PointList) -> None:
    """Raise if the products of long numbers would take too long."""
    largest, (count, size) = claims.largest, claims.rows.shape
    longest, work = largest, 0
    for plane in (claims.separator, *claims.critical.values()):
        if is_long(largest, plane):
            work += effort(count * size, largest, max(abs(each) for each in plane))
    if claims.interior is not None:
        steepness = max(abs(each) for row in claims.interior.inverse for each in row)
        work += effort(size**3, largest, steepness)
        longest = max(largest, steepness, claims.interior.scale)  # a rest is multiplied by these too
    for witness in claims.other.values():
        factors = [witness.times, witness.interior, *witness.parts.values()]
        if is_long_sum(largest, factors):
            work += effort(len(factors) * size, longest, max(factors))
    if work > LARGEST_LONG_WORK:
        raise Unreadable("the numbers are too long for so many points to be checked in reasonable time")


def _room(claims: PointList, interior: Interior) -> _Room:
    """How large the basis allows the rests to be."""
    scale = interior.scale
    corners = claims.rows[list(interior.basis)].astype(object).T  # Z0
    inverse = np.array(interior.inverse, object)  # M
    rest = -(corners @ inverse)
    rest[np.diag_indices(len(rest))] += scale  # E
    eta = int(np.abs(rest).sum(axis=0).max())
    if eta >= scale:
        raise Disproved(
            "the interior's inverse is not close enough to one, so its basis is not shown to be independent"
        )
    return _Room(
        basis=frozenset(interior.basis),
        centre=[int(each) for each in corners.sum(axis=1)],
        steepness=int(np.abs(inverse).max()),
        room=scale - eta,
    )


def _check_witness(claims: PointList, room: _Room | None, point: int, witness: Witness) -> None:
    if point in witness.parts:
        raise Disproved(f"the witness of point {point} uses the point itself")
    factors = [witness.times, *(-part for part in witness.parts.values())]
    rest = combined(claims.rows[[point, *witness.parts]], claims.largest, factors)
    if not witness.interior:
        if any(rest):
            raise Disproved(f"the witness of point {point} leaves a rest, and uses no interior")
        return
    if room is None:
        raise Disproved(f"the witness of point {point} uses an interior, which the file does not have")
    if point in room.basis:
        raise Disproved(f"the witness of point {point} uses the interior, whose basis has the point itself")
    size = sum(abs(each - witness.interior * centre) for each, centre in zip(rest, room.centre, strict=True))  # |r|
    if size * room.steepness > witness.interior * room.room:
        raise Disproved(f"the witness of point {point} leaves a rest that is too large for its interior")
