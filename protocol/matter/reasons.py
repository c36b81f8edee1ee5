"""Reasons that Bob and the court may give for each document, as a sealed field of an answer.

A reason is filled up with blanks, and who gives none is filled up too, so that the size of a file or of a line tells
nobody who gave reasons where.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ledger.canonical import Value
from ledger.errors import Refused
from ledger.records import Malformed
from protocol.matter.asking import Asked, Said
from protocol.matter.kind import Entry, Kind

FIELD = "reasons"
LONGEST_REASON = 2000
"""The most characters of a reason: a line of a list, not an opinion."""

_BLOCK = 256


def filled(reason: str) -> str:
    """A reason with the blanks that hide how long it is; empty: none is given."""
    said = reason.rstrip(" ")
    return said.ljust(_BLOCK * max(1, -(-len(said) // _BLOCK)), " ")


def said(value: Any) -> str:
    """The reason in a filled-up value; raises `Malformed` if it is none."""
    if not isinstance(value, str) or filled(value) != value or len(value.rstrip(" ")) > LONGEST_REASON:
        raise Malformed(
            f"a reason is a text of at most {LONGEST_REASON} characters, filled up with blanks to the next multiple of "
            f"{_BLOCK}"
        )
    return value.rstrip(" ")


def by_place(values: Mapping[int, Any]) -> dict[int, str]:
    """The reasons by index, without those that were not given."""
    return {index: reason for index, value in values.items() if (reason := said(value))}


def check_number(entry: Entry, due: int) -> None:
    """Raise unless the answer seals a reason for each document that it is about, or none at all."""
    if entry.sealed(FIELD) not in (0, due):
        raise Malformed(f"it seals {entry.sealed(FIELD)} reasons, but {due} documents were asked about")


def check(entry: Entry) -> None:
    """Raise unless each reason has its form, and at least one is given."""
    values = entry.values(FIELD)
    given = [said(value) for value in values]
    if values and not any(given):
        raise Malformed("an answer without any reason must not seal 'reasons'")


def with_reasons(
    asked: Asked, answer: Said, kind: Kind[Any], given: Mapping[int, str] | None, about: Sequence[int]
) -> Said:
    """The answer with the reasons that were given, if any, for these positions in their order."""
    found = {position: reason.rstrip(" ") for position, reason in (given or {}).items() if reason.strip()}
    if odd := sorted(found.keys() - set(about)):
        raise Refused(f"a reason is given for position {odd[0]}, which was not asked about")
    if long := [position for position, reason in found.items() if len(reason) > LONGEST_REASON]:
        raise Refused(f"the reason for position {long[0]} is longer than {LONGEST_REASON} characters; shorten it")
    if not found:
        return answer
    values: list[Value] = [filled(found.get(position, "")) for position in about]
    sealed, openings = asked.sealed(f"{kind.name}/{asked.hash.hex()}", kind.seals, {FIELD: values})
    return Said(content=answer.content, sealed=sealed, openings=openings)
