"""The projective map P that turns critical points into corners of a convex hull (Theorem "crit" of the paper).

Its denominator is the max-margin classifier, so that it stays away from zero, and its other functions complete that to
an orthogonal matrix, so that nothing becomes nearly collinear that was not.
"""

from dataclasses import dataclass

import numpy as np

from protocol.paper.geometry.maxmargin import max_margin
from protocol.paper.geometry.points import UNIT, Floats, Labelled, NotSeparable


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapped:
    """All points, negatives first, behind the map."""

    rotation: Floats  # U in the paper
    denominators: Floats  # the first column of V before the division, as distances: all are positive
    homogeneous: Floats  # V in the paper, with its first column, which is all ones

    @property
    def points(self) -> Floats:
        """PX in the paper."""
        return self.homogeneous[:, 1:]

    def plane(self, functional: Floats) -> Floats:
        """The plane before the map of a functional on homogeneous rows: the same signs on all lifted points."""
        return np.asarray(self.rotation @ functional, np.float64)


def mapped(points: Labelled) -> Mapped:
    """Map the points with their own max-margin classifier."""
    classifier = max_margin(points.positive / UNIT, points.negative / UNIT)
    first = np.concatenate(([classifier.offset], classifier.weights))
    rotation, triangle = np.linalg.qr(np.column_stack((first, np.eye(len(first)))))
    rotation[:, 0] *= np.sign(triangle[0, 0])
    rows = points.lifted() / UNIT @ rotation
    if rows[:, 0].min() <= 0:
        raise NotSeparable("the plane between the points is too narrow for floats; scale the points, or use fewer")
    return Mapped(rotation=rotation, denominators=rows[:, 0].copy(), homogeneous=rows / rows[:, :1])
