"""Files with critical points and their proofs, genuine ones to forge from, and why a forged one is refused."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from protocol.paper.geometry import certificate
from protocol.paper.geometry.gaussians import Cut, Shift, two_gaussians
from protocol.paper.geometry.points import on_grid
from verifier import critical as checker
from verifier.critical import form

Value = dict[str, Any]


def encoded(value: object) -> bytes:
    return json.dumps(value).encode()


@cache
def genuine() -> Value:
    made = two_gaussians(dimension=3, size=80, ratio=0.2, distance=3, cut=Cut.BAYES, shift=Shift.MIRROR, seed=4)
    value: Value = json.loads(certificate.encode(certificate.certified(made.points)))
    assert value["critical"]
    assert any(each["interior"] for each in value["other"])
    return value


@cache
def degenerate() -> Value:
    """All witnesses are exact, and there are twins."""
    points = on_grid([[3.0, 0.0]], [[0.0, 0.0], [0.0, 2.0], [0.0, 1.0], [0.0, 0.0], [-1.0, 1.0]])
    value: Value = json.loads(certificate.encode(certificate.certified(points)))
    assert any(not each["interior"] for each in value["other"])
    return value


def refused(value: object, folder: Path) -> str:
    """Why the checker does not accept a file."""
    path = folder / "forged.json"
    path.write_bytes(value if isinstance(value, bytes) else encoded(value))
    with pytest.raises((checker.Disproved, checker.Unreadable)) as caught:
        checker.check(path)
    return str(caught.value)


def flipped_plane(value: Value) -> None:
    value["critical"][0]["plane"] = [-each for each in value["critical"][0]["plane"]]


def on_a_line(witness: Value) -> Value:
    """Written by hand: the points 0 and -2 are negative, 4 is positive, and 0 is critical."""
    value = {"format": form.FORMAT, "unit": 2, "positive": [[4]], "negative": [[0], [-2]], "separator": [-1, 1]}
    return value | {"interior": None, "critical": [{"point": 0, "plane": [1, 2]}], "other": [witness]}
