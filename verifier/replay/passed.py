"""An escalation by its numbers, kept for people to read: what was drawn, what it brought, what is proven after it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """A closed escalation."""

    round: int
    given_up: int  # by Alice, in her second look
    chance: int  # of 2^64, for each of the others; 0 if nothing was drawn
    drawn: int  # by coin, or counted as drawn since Alice claimed them late
    hits: int  # D grew by so many
    at_most: int  # how many can be hidden after it
    reached: bool  # whether the target is reached then
    limited: bool  # whether the limit lowered the chance, and is used up
