"""Lists of critical points, each with its proof: read strictly, checked exactly."""

from verifier.critical.checking import Checked, check, words
from verifier.critical.form import Disproved, Unreadable

__all__ = ["Checked", "Disproved", "Unreadable", "check", "words"]
