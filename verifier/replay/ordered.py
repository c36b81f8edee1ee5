"""The orders on silence, the new keys and the amendments of a matter, as a reader is told of them."""

from dataclasses import dataclass

from verifier.checks import Role
from verifier.replay.forms import Kind

MOST = 2000
"""Once so many are listed, what was not granted is only counted: Trent may ask the court again and again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderDetail:
    """One order on silence, new key, or amendment, granted or not, for a reader."""

    kind: Kind  # of the entry that decides it: `order`, `rekeyed` or `amended`
    entry: int
    role: Role | None  # whom it is about; None if all must agree
    granted: bool
    words: str  # a whole sentence


class OrdersOnRecord:
    """All that was granted, and the rest as long as the list is short."""

    def __init__(self) -> None:
        self.listed: list[OrderDetail] = []
        self.unlisted = 0  # not granted, and only counted

    def add(self, order: OrderDetail) -> None:
        """List an order, or count it."""
        if order.granted or len(self.listed) < MOST:
            self.listed.append(order)
        else:
            self.unlisted += 1
