"""Critical points with their proof in whole numbers, for a checker that solves nothing (`verifier/critical/`).

A critical point's proof is a plane that has it, and no other point, on the wrong side. Any other negative's is a
combination of other points that is nearly it, where "nearly" is made up for by a bit of G, the sum of d + 1 independent
points: see the checker for the argument. What floats found is rounded and tried here; what fails is decided exactly.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from protocol.errors import ProtocolError
from protocol.paper.geometry import exact
from protocol.paper.geometry.cone import Shot
from protocol.paper.geometry.critical import Decision, decide
from protocol.paper.geometry.integral import combinations, products, rounded
from protocol.paper.geometry.points import UNIT, Floats, Integers, Labelled, NotSeparable

FORMAT = "tallystick critical points 1"
LARGEST_FILE = 1 << 27
"""Bytes that the checker reads."""
MOST = {"{": 1 << 19, '"': 1 << 22, "[": 1 << 22, ",": 1 << 24}
"""How often a sign may be in a file for the checker."""
DIGITS = 4000
"""Of a number that the checker reads."""
_PLANE_BITS = (30, 52)  # the second where the first is too coarse
_WITNESS_BITS = 44
_INVERSE_BITS = 50
_BLOCK = 256  # planes tried at a time
_SMALL = 20_000  # numbers of a set that is left to exact arithmetic as a whole, where floats see no plane
_UNDECIDED = (
    "floats find no plane between the points: there is none, or it is too narrow for them, and exact arithmetic would "
    f"take too long for more than {_SMALL} numbers; move the points apart, or use fewer"
)


class TooLong(ProtocolError):
    """A proof that the checker would not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interior:
    """d + 1 independent points, and what bounds the coefficients of any vector in them."""

    basis: Sequence[int]
    inverse: Sequence[Sequence[int]]  # M in the checker: D times the inverse, rounded
    scale: int  # D in the checker
    reach: Fraction  # max|M| / (D - eta) in the checker


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """times * z = sum of parts * z_i + interior * G + a rest that so much of G makes up for."""

    times: int
    parts: dict[int, int]
    interior: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """The critical points of a set, proven."""

    points: Labelled
    separator: Sequence[int]
    interior: Interior | None
    planes: dict[int, Sequence[int]]  # of the critical points
    witnesses: dict[int, Witness]  # of all other negatives
    by_exact: int  # how many were decided by exact arithmetic

    @property
    def critical(self) -> list[int]:
        """The critical points, as places among the negatives."""
        return sorted(self.planes)


def certified(points: Labelled) -> Certificate:
    """Find the critical points and prove them."""
    lifted = points.lifted()
    planes: dict[int, Sequence[int]] = {}
    witnesses: dict[int, Witness] = {}
    interior = None
    try:
        decision = decide(points)
        separator = _separator(decision, lifted)
    except NotSeparable as error:
        if lifted.size > _SMALL:
            raise NotSeparable(_UNDECIDED) from error
        separator = exact.separator(lifted)
    else:
        planes = _planes(decision, lifted)
        interior = None if decision.basis is None else interior_of(lifted, decision.basis)
        witnesses = {} if interior is None else _witnesses(decision, lifted, interior)
    left = [each for each in range(len(points.negative)) if each not in planes and each not in witnesses]
    for each in left:
        proof = exact.membership(lifted, each)
        if isinstance(proof, exact.Combination):
            witnesses[each] = Witness(times=proof.times, parts=proof.parts, interior=0)
        else:
            planes[each] = _strict(proof.plane, separator, lifted, each)
    return Certificate(
        points=points,
        separator=separator,
        interior=interior,
        planes=planes,
        witnesses=witnesses,
        by_exact=len(left),
    )


def encode(certificate: Certificate) -> bytes:
    """The file that the checker reads; TooLong if it would not."""
    _check_digits(certificate)
    interior = certificate.interior
    value: dict[str, Any] = {
        "format": FORMAT,
        "unit": UNIT,
        "positive": certificate.points.positive.tolist(),
        "negative": certificate.points.negative.tolist(),
        "separator": list(certificate.separator),
        "interior": None
        if interior is None
        else {"basis": list(interior.basis), "inverse": interior.inverse, "scale": interior.scale},
        "critical": [{"point": point, "plane": list(certificate.planes[point])} for point in certificate.critical],
        "other": [
            {
                "point": point,
                "times": each.times,
                "of": [list(pair) for pair in each.parts.items()],
                "interior": each.interior,
            }
            for point, each in sorted(certificate.witnesses.items())
        ],
    }
    content = json.dumps(value, separators=(",", ":")).encode("ascii")
    if len(content) > LARGEST_FILE or any(content.count(sign.encode()) > most for sign, most in MOST.items()):
        raise TooLong(f"the proof has {len(content)} bytes, more than the checker reads; use fewer points")
    return content


def _check_digits(certificate: Certificate) -> None:
    planes = (certificate.separator, *certificate.planes.values())
    shares = ((each.times, each.interior, *each.parts.values()) for each in certificate.witnesses.values())
    if max(abs(each) for each in chain.from_iterable(chain(planes, shares))) >= 10**DIGITS:
        raise TooLong(
            f"the proof needs a number of more than {DIGITS} digits, which the checker does not read: points in one "
            "plane, in hundreds of dimensions, are proven by exact numbers only; leave out dimensions, or digits"
        )


def interior_of(lifted: Integers, basis: Sequence[int]) -> Interior | None:
    """The bound that a basis gives; None if rounding leaves none."""
    corners = lifted[list(basis)].T  # Z0 in the checker
    scale = 1 << _INVERSE_BITS
    try:
        near = np.linalg.inv(corners / UNIT) * (scale / UNIT)
    except np.linalg.LinAlgError:
        return None
    inverse = np.array([[int(each) for each in row] for row in np.rint(near).tolist()], object)
    rest = -(corners.astype(object) @ inverse)
    rest[np.diag_indices(len(rest))] += scale  # E in the checker
    eta = int(np.abs(rest).sum(axis=0).max())
    if eta >= scale:
        return None
    reach = Fraction(int(np.abs(inverse).max()), scale - eta)
    return Interior(basis=tuple(basis), inverse=inverse.tolist(), scale=scale, reach=reach)


def _plane_bits(lifted: Integers) -> tuple[int, int]:
    """Of the largest number of a plane: few enough for products to fit 63 bits, then as many as floats have."""
    coarse, fine = _PLANE_BITS
    return min(coarse, 62 - (lifted.shape[1] * int(np.abs(lifted).max())).bit_length()), fine


def _separator(decision: Decision, lifted: Integers) -> Sequence[int]:
    first = np.zeros(lifted.shape[1])
    first[0] = 1.0
    for bits in _plane_bits(lifted):
        plane = rounded(decision.mapped.plane(first), bits)
        if np.all(products(lifted, np.array([plane], np.int64)) > 0):
            return plane
    raise NotSeparable("the plane between the points is too narrow for floats; scale the points, or use fewer")


def _planes(decision: Decision, lifted: Integers) -> dict[int, Sequence[int]]:
    """Rounded planes, of those for which one is right."""
    found: dict[int, Sequence[int]] = {}
    for bits in _plane_bits(lifted):
        left = [each for each in decision.functionals if each not in found]
        for start in range(0, len(left), _BLOCK):
            chosen = left[start : start + _BLOCK]
            planes = [rounded(decision.mapped.plane(decision.functionals[each]), bits) for each in chosen]
            values = products(lifted, np.array(planes, np.int64))
            wrong = np.sum(np.asarray(values <= 0), axis=0) == 1
            flipped = np.asarray(values[chosen, np.arange(len(chosen))] < 0)
            good = np.flatnonzero(wrong & flipped).tolist()
            found |= {chosen[each]: planes[each] for each in good}
    return found


def _witnesses(decision: Decision, lifted: Integers, interior: Interior) -> dict[int, Witness]:
    """Rounded combinations, of those for which the rest is small enough."""
    denominators = decision.mapped.denominators
    whole = float(denominators[list(interior.basis)].sum())  # that of G
    rows = sorted(decision.shots.keys() - set(interior.basis))
    tried = [_rounded_witness(row, decision.shots[row], denominators, whole) for row in rows]
    if not tried:
        return {}
    rests = _rests(rows, tried, lifted, interior)
    sizes = np.abs(rests).sum(axis=1)
    numerator, denominator = interior.reach.as_integer_ratio()
    return {
        row: each
        for row, each, size in zip(rows, tried, sizes.tolist(), strict=True)
        if each.times > 0 and numerator * size <= each.interior * denominator
    }


def _rounded_witness(row: int, shot: Shot, denominators: Floats, whole: float) -> Witness:
    """The same combination of vectors as they were before the division."""
    members = shot.members.tolist()
    values = np.concatenate(([1 / denominators[row]], shot.parts / denominators[shot.members], [shot.depth / whole]))
    times, *parts, interior = rounded(values, _WITNESS_BITS)
    kept = {member: part for member, part in zip(members, parts, strict=True) if part > 0}
    return Witness(times=times, parts=kept, interior=interior)


def _rests(rows: Sequence[int], tried: Sequence[Witness], lifted: Integers, interior: Interior) -> NDArray[np.object_]:
    """What is left of each combination: r in the checker."""
    centre = lifted[list(interior.basis)].sum(axis=0)
    every = np.concatenate((lifted, centre[None, :]))
    entries, columns, starts = [], [], [0]
    for row, each in zip(rows, tried, strict=True):
        entries += [each.times, *(-part for part in each.parts.values()), -each.interior]
        columns += [row, *each.parts, len(lifted)]
        starts.append(len(entries))
    factors = csr_array((np.array(entries, np.int64), columns, starts), shape=(len(rows), len(every)))
    return combinations(factors, every)


def _strict(plane: Sequence[int], separator: Sequence[int], lifted: Integers, chosen: int) -> Sequence[int]:
    """A plane that touches some points, moved off them towards the separator, but not across the chosen one."""
    row = [int(each) for each in lifted[chosen]]
    below = -sum(a * b for a, b in zip(plane, row, strict=True))
    above = sum(a * b for a, b in zip(separator, row, strict=True))
    times = above // below + 1
    return exact.reduced([times * a + b for a, b in zip(plane, separator, strict=True)])
