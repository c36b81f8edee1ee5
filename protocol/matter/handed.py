"""What a party hands over."""

from dataclasses import dataclass

from ledger.entries import Opening, SignedStatement


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A signed statement with the openings for Trent."""

    signed: SignedStatement
    openings: tuple[Opening, ...] = ()
