"""Whether waves, and what went to the court in camera before them, are what the rule and the coins say (V13, V25)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from verifier.checks import Check
from verifier.replay.contents import Kind
from verifier.replay.rounds import Round, Step
from verifier.rules.base import Examined

Examine = Callable[[Mapping[int, bool], frozenset[int]], Examined]
"""What is due, from what is settled and what counts as drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """A step of a round that is not what was due."""

    check: Check
    wave: int  # counted from 1
    omitted: list[int]
    added: list[int]


def first_wrong(current: Round, examine: Examine) -> Wrong | None:
    """The first wave or camera that is not as it must be, once all coins are known."""
    known, settled = current.settled, dict[int, bool]()
    claimed, counted = set(current.claimed), frozenset[int]()
    ruled, withheld, number = set[int](), set[int](), 1
    for step in (*current.steps, Step(Kind.DISCLOSURE, ())):
        positions = set(step.positions)
        if step.kind is Kind.CLAIM:
            claimed |= positions
            counted |= positions
            continue
        due = examine(settled, counted).due - settled.keys() - withheld
        if step.kind is Kind.CAMERA:
            omitted, added = (due & claimed) - ruled - positions, positions - due
            check = Check.PRIVILEGE
            ruled |= positions
            withheld |= step.upheld
        elif added := (positions & claimed) - ruled:
            return Wrong(check=Check.PRIVILEGE, wave=number, omitted=[], added=sorted(added))
        else:
            omitted, added = due - positions, positions - due
            check = Check.DISCLOSURES
        if omitted or added:
            return Wrong(check=check, wave=number, omitted=sorted(omitted), added=sorted(added))
        if step.kind is Kind.DISCLOSURE:
            settled |= {position: known[position] for position in step.positions}
            number += 1
    return None
