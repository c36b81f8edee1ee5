"""The file with critical points and their proofs, read strictly: what parses has the form that `checking` shows.

Nothing in it is trusted, so there are limits to the size of the file, of numbers and of the work. Whether the claims
hold is not decided here.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from verifier.findings import VerifierError
from verifier.reading import at_most

FORMAT = "tallystick critical points 1"
LARGEST_FILE = 1 << 27
"""Bytes."""
MOST = {"{": 1 << 19, '"': 1 << 22, "[": 1 << 22, ",": 1 << 24}
"""How often a sign may be in a file, since what is parsed takes many times its bytes: about a gigabyte then. 16,000
points in 100 dimensions take a third of that at most."""
LARGEST_WORK = 1 << 37
"""Multiplications for the planes: some minutes."""
LARGEST_LONG_WORK = 1 << 28
"""The same where numbers outgrow the processor's, counted as `arithmetic.effort` does."""
DIGITS = 4000
"""Of a number; Python itself reads 4,300."""
_OVERHEAD = 16  # multiplications in whose time the sum of a row's products is looked at

Integers = NDArray[np.int64] | NDArray[np.object_]


class Unreadable(VerifierError):
    """The file is not what it should be, or too large to check."""


class Disproved(VerifierError):
    """A claim, or its proof, is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interior:
    """A basis and what shows that it is one."""

    basis: tuple[int, ...]
    inverse: list[list[int]]  # M in `checking`
    scale: int  # D in `checking`


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """How a negative is made of other points."""

    times: int  # c in `checking`
    parts: dict[int, int]  # c_i
    interior: int  # t


@dataclass(frozen=True, slots=True, kw_only=True)
class PointList:
    """What the file claims."""

    rows: Integers  # z of all points, negatives first
    largest: int  # of the absolute values of their entries
    negatives: int
    separator: list[int]
    interior: Interior | None
    critical: dict[int, list[int]]  # planes
    other: dict[int, Witness]


def read(path: Path) -> PointList:
    """The file's claims. Raises Unreadable if the file does not have the form."""
    return _claims(_parsed(path))


def _parsed(path: Path) -> Any:
    try:
        content = at_most(path, LARGEST_FILE)
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}") from None
    for sign, most in MOST.items():
        if content.count(sign.encode()) > most:
            raise Unreadable(f"{path} is too large to check: it has the sign {sign} more than {most} times")
    try:
        return json.loads(
            content.decode("ascii"),
            object_pairs_hook=_unique,
            parse_float=_no_number,
            parse_constant=_no_number,
            parse_int=_number,
        )
    except RecursionError:
        raise Unreadable(f"{path} is not JSON of the form asked for: it is nested too deeply") from None
    except ValueError as error:
        raise Unreadable(f"{path} is not JSON of the form asked for: {error}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text[:40]} is not a whole number")


def _number(text: str) -> int:
    if len(text.lstrip("-")) > DIGITS:
        raise ValueError(f"a number has more than {DIGITS} digits")
    return int(text)


def _claims(value: Any) -> PointList:
    """Everything in the file has the form that the module's docstring shows."""
    names = ("format", "unit", "positive", "negative", "separator", "interior", "critical", "other")
    value = _object(value, "the file", names)
    if value["format"] != FORMAT:
        raise Unreadable(f"the format is not {FORMAT!r}")
    unit = _whole(value["unit"], "the unit", least=1)
    negative, positive = (
        _list(value["negative"], "the negative points"),
        _list(value["positive"], "the positive points"),
    )
    if not negative or not isinstance(negative[0], list):
        raise Unreadable("the negative points must be lists of numbers, at least one")
    if not negative[0]:
        raise Unreadable("the points have no coordinates; at least one is needed")
    size = len(negative[0]) + 1
    points = [_row(point, size - 1, "a point") for point in (*negative, *positive)]
    count = len(points)
    critical = _claimed(value["critical"], "critical", ("point", "plane"), len(negative))
    other = _claimed(value["other"], "other", ("point", "times", "of", "interior"), len(negative))
    if twice := sorted(critical.keys() & other.keys()):
        raise Disproved(f"point {twice[0]} is listed both as critical and as not critical")
    witnesses = {point: _witness(each, point, count) for point, each in other.items()}
    used = sum(len(each.parts) + 1 for each in witnesses.values())
    if len(critical) * count * (size + _OVERHEAD) > LARGEST_WORK or used * size > LARGEST_WORK >> 4:
        raise Unreadable("there are too many points, planes and parts to check in reasonable time")
    largest = max(unit, max(abs(each) for point in points for each in point))
    return PointList(
        rows=_lifted(points, unit, len(negative), np.dtype(np.int64 if largest < 2**62 else object)),
        largest=largest,
        negatives=len(negative),
        separator=_row(value["separator"], size, "the separator"),
        interior=None if value["interior"] is None else _interior(value["interior"], size, count),
        critical={point: _row(each["plane"], size, f"the plane of point {point}") for point, each in critical.items()},
        other=witnesses,
    )


def _lifted(points: list[list[int]], unit: int, negatives: int, kind: np.dtype[Any]) -> Integers:
    rows = np.concatenate((np.full((len(points), 1), unit, kind), np.array(points, kind)), axis=1)
    rows[:negatives] *= -1
    return rows


def _claimed(value: Any, name: str, names: tuple[str, ...], negatives: int) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for each in _list(value, f"{name!r}"):
        claim = _object(each, f"an entry of {name!r}", names)
        point = _whole(claim["point"], f"a point of {name!r}", least=0, below=negatives)
        if point in found:
            raise Disproved(f"point {point} is listed twice in {name!r}")
        found[point] = claim
    return found


def _witness(value: dict[str, Any], point: int, count: int) -> Witness:
    where = f"the witness of point {point}"
    parts: dict[int, int] = {}
    for pair in _list(value["of"], f"the parts of {where}"):
        index, part = _row(pair, 2, f"a part of {where}")
        _whole(index, f"a part's point of {where}", least=0, below=count)
        if index in parts:
            raise Disproved(f"{where} uses point {index} twice")
        parts[index] = _whole(part, f"a part of {where}", least=0)
    return Witness(
        times=_whole(value["times"], f"the times of {where}", least=1),
        parts=parts,
        interior=_whole(value["interior"], f"the interior's share of {where}", least=0),
    )


def _interior(value: Any, size: int, count: int) -> Interior:
    found = _object(value, "the interior", ("basis", "inverse", "scale"))
    if size**3 > LARGEST_LONG_WORK:
        raise Unreadable("there are too many coordinates to check the interior in reasonable time")
    basis = _row(found["basis"], size, "the interior's basis")
    rows = _list(found["inverse"], "the interior's inverse")
    if len(rows) != size:
        raise Unreadable(f"the interior's inverse must have {size} rows, {len(rows)} found")
    return Interior(
        basis=tuple(_whole(each, "a point of the interior's basis", least=0, below=count) for each in basis),
        inverse=[_row(row, size, "a row of the interior's inverse") for row in rows],
        scale=_whole(found["scale"], "the interior's scale", least=1),
    )


def _object(value: Any, what: str, names: Sequence[str]) -> dict[str, Any]:
    if not isinstance(value, dict) or sorted(value) != sorted(names):
        raise Unreadable(f"{what} must be an object with {', '.join(names)}")
    return value


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise Unreadable(f"{what} must be a list")
    return value


def _row(value: Any, size: int, what: str) -> list[int]:
    row = _list(value, what)
    if len(row) != size:
        raise Unreadable(f"{what} must have {size} numbers, {len(row)} found")
    for each in row:
        if type(each) is not int:  # a boolean is not a number
            raise Unreadable(f"{what} must be whole numbers only")
    return row


def _whole(value: Any, what: str, *, least: int, below: int | None = None) -> int:
    if type(value) is not int:
        raise Unreadable(f"{what} must be a whole number")
    if value < least or (below is not None and value >= below):
        raise Disproved(f"{what} must be at least {least}{'' if below is None else f' and below {below}'}")
    return value
