"""What Alice asks back of what Bob was shown, and what the court rules on it.

What is clawed back still counts as shown, so no number of the review depends on it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from protocol.matter.books import Seat


@dataclass(slots=True, kw_only=True)
class Clawbacks:
    """All that was asked back, by the round and the position at which Bob was shown it."""

    bases: dict[Seat, tuple[int, int]] = field(default_factory=dict)  # where the basis stands: the entry, the index
    asked: tuple[Seat, ...] = ()  # what the court was asked about last
    upheld: dict[Seat, bool] = field(default_factory=dict)  # what it ruled
    ruled_in: dict[Seat, tuple[int, int]] = field(default_factory=dict)  # where: the entry, the index

    @property
    def returned(self) -> frozenset[Seat]:
        """What is clawed back: whoever has it must return or destroy it."""
        return frozenset(seat for seat, upheld in self.upheld.items() if upheld)

    def ask(self, entry: int, seats: tuple[Seat, ...]) -> None:
        """Alice asks these back."""
        self.bases |= {seat: (entry, index) for index, seat in enumerate(seats)}
        self.asked = seats

    def hear(self, entry: int, upheld: Sequence[bool]) -> None:
        """The court's ruling on what she asked back last."""
        self.upheld |= dict(zip(self.asked, upheld, strict=True))
        self.ruled_in |= {seat: (entry, index) for index, seat in enumerate(self.asked)}
