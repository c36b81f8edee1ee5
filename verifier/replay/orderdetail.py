"""What the court ordered and all agreed on, apart from single documents, for a reader."""

from dataclasses import dataclass

from verifier.checks import Role
from verifier.replay.contents import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderDetail:
    """One order on silence, new key, or amendment, granted or not."""

    kind: Kind  # of the entry that decides it: `order`, `rekeyed` or `amended`
    entry: int
    role: Role | None  # whom it is about; nobody in particular where all agree
    granted: bool
    words: str  # a whole sentence
