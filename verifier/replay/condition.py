"""A condition that an entry must meet: its sentence, its check, and who is blamed when it is broken.

A condition is a function that looks at an entry and changes nothing. Its docstring states what is required to the
letter, for the specification's table. The conditions of a kind of entry are tried in the order of the catalogue, and
the first that is broken is the finding: the order decides who is blamed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, Generic, TypeVar

from verifier.checks import Check, Role
from verifier.findings import Finding
from verifier.record.copy import Told
from verifier.record.entries import Body, Statement
from verifier.record.shapes import read
from verifier.replay.forms import FORMS, Form, Kind
from verifier.replay.rounds import Round
from verifier.replay.state import State

C = TypeVar("C")
T = TypeVar("T")


class Candidate(Generic[C]):
    """An entry that the chain has admitted, and the matter as it stands before the entry."""

    def __init__(self, state: State, told: Told) -> None:
        self.state, self.told = state, told
        self._found: dict[Any, Any] = {}

    @property
    def body(self) -> Body:
        """What Trent signed."""
        return self.told.entry.body

    @property
    def said(self) -> Statement:
        """What its author signed."""
        return self.told.entry.said

    @property
    def sequence(self) -> int:
        """The entry's number."""
        return self.body.sequence

    @cached_property
    def kind(self) -> Kind | None:
        """The entry's kind, if there is such a kind."""
        try:
            return Kind(self.said.kind)
        except ValueError:
            return None

    @property
    def form(self) -> Form:
        """The form that entries of its kind have."""
        if self.kind is None:
            raise RuntimeError("the kind of an entry is looked at first")
        return FORMS[self.kind]

    @cached_property
    def content(self) -> C:
        """What the entry says; raises `Malformed` if it does not have the shape of its kind."""
        found: C = read(self.form.content, self.said.content)
        return found

    @property
    def current(self) -> Round:
        """The round that is open."""
        if self.state.current is None:
            raise RuntimeError("whether a round is open is looked at first")
        return self.state.current

    def sealed(self, field: str) -> int:
        """How many values the entry seals in a field."""
        found = self.said.sealed.get(field)
        return len(found.commitments) if found else 0

    def once(self, find: Callable[["Candidate[C]"], T]) -> T:
        """What a function finds in this entry, computed once for all conditions and for what the entry changes."""
        if find not in self._found:
            self._found[find] = find(self)
        found: T = self._found[find]
        return found


class Blamed(StrEnum):
    """Whose signature proves the fault, in words for the specification."""

    AUTHOR = "the author"
    TRENT = "Trent"
    ALICE = "Alice"
    BOB = "Bob"
    COURT = "the court"
    BOTH = "the author of both answers"


_ROLES = {Blamed.TRENT: Role.TRENT, Blamed.ALICE: Role.ALICE, Blamed.BOB: Role.BOB, Blamed.COURT: Role.COURT}


class Broken:
    """What was expected of an entry, and what was found instead."""

    def __init__(self, expected: object, found: object, *, party: Role | None = None) -> None:
        self.expected, self.found = str(expected), str(found)
        self.party = party  # if the entry alone does not tell whom the condition blames


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition, as the specification states it."""

    check: Check
    blames: Blamed
    sentence: str
    shown: str = ""  # what the copy must show for it to be tried
    stops: bool = True  # whether the replay ends if it is broken

    def finding(self, told: Told, broken: Broken) -> Finding:
        """The finding that an entry breaks it."""
        return Finding(
            check=self.check,
            rule=self.sentence,
            expected=broken.expected,
            found=broken.found,
            entry=told.entry.body.sequence,
            party=broken.party or _ROLES.get(self.blames, told.entry.said.author),
        )


Test = Callable[[Candidate[Any]], Broken | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayCondition(Condition):
    """A condition with the function that tests it."""

    test: Test

    @property
    def exactly(self) -> str:
        """What is required, to the letter: the docstring of the test, and the specification's words for it."""
        return " ".join((self.test.__doc__ or "").split())

    def broken_by(self, entry: Candidate[Any]) -> Finding | None:
        """The finding, if the entry breaks it."""
        broken = self.test(entry)
        return None if broken is None else self.finding(entry.told, broken)


def condition(
    check: Check, blames: Blamed, sentence: str, *, shown: str = "", stops: bool = True
) -> Callable[[Test], ReplayCondition]:
    """Make a condition of the function that tests it."""
    return lambda test: ReplayCondition(
        check=check, blames=blames, sentence=sentence, test=test, shown=shown, stops=stops
    )


def some(positions: Sequence[int]) -> str:
    """Positions for a person to read."""
    shown = ", ".join(map(str, positions[:8]))
    return f"positions {shown}{', ...' if len(positions) > 8 else ''}" if positions else "no position"
