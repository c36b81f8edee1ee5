"""A document that Alice asked back after Bob was shown it, as a reader is told of it."""

from dataclasses import dataclass
from typing import Any, NamedTuple


class ShownAt(NamedTuple):
    """Where a wave showed Bob a document."""

    round: int
    position: int


@dataclass(slots=True, kw_only=True)
class AskedBack:
    """What Alice asked back, and what the court ruled on it."""

    place: ShownAt
    asked_in: int  # the entry of her `reclaim`
    basis: Any = None  # None if the copy does not show it
    upheld: bool | None = None  # None while the court has not ruled
    ruled_in: int = -1  # the entry of its `returned`
    reason: str = ""  # the court's, if it gave one and the copy shows it
