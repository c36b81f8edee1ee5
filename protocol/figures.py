"""How figures look, and how they are saved: the same data give the same SVG, wherever matplotlib draws it."""

import io
from typing import Any

from matplotlib.figure import Figure

STYLE: Any = {
    "svg.hashsalt": "tallystick",  # else the names inside an SVG are random
    "svg.fonttype": "none",  # text stays text
    "axes.grid": True,
    "grid.alpha": 0.3,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.size": 9,
    "legend.framealpha": 0.75,
    "legend.edgecolor": "none",
}

# Distinguishable with every common kind of colour blindness (Okabe and Ito), and in grey by their markers.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "x")


def saved(figure: Figure, kind: str) -> bytes:
    """A figure as the bytes of a file of this kind, without a date or a program's name in it."""
    out = io.BytesIO()
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    figure.savefig(out, format=kind, dpi=150, metadata=metadata)
    return out.getvalue()
