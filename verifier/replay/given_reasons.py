"""The reasons that Bob and the court may give for what they say of each document: sealed, and filled up with blanks.

Nothing follows from a reason. So only its form is judged, where the copy opens it.
"""

from typing import Any

from verifier.plural import count
from verifier.replay.condition import Broken, Candidate

FIELD = "reasons"
LONGEST = 2000
_FILLED = 256
_BLANK = " "


def reason(value: Any) -> str | None:
    """The reason in a filled-up value, empty if none is given; None if the value does not have the form."""
    if type(value) is not str:
        return None
    said = value.rstrip(_BLANK)
    due = _FILLED * max(1, -(-len(said) // _FILLED))
    return said if len(said) <= LONGEST and len(value) == due else None


def given(entry: Candidate[Any], asked: tuple[Any, ...]) -> dict[Any, str]:
    """The reasons that an entry gives, by what was asked about, as far as the copy shows them."""
    opened = entry.told.values.get(FIELD, {})
    found = {asked[index]: reason(value) for index, value in opened.items()}
    return {about: said for about, said in found.items() if said}


def _asked_about(entry: Candidate[Any]) -> int:
    """How many answers the entry has, each of which may have a reason."""
    content = entry.content
    return len(content.labels if hasattr(content, "labels") else content.upheld)


def too_few(entry: Candidate[Any]) -> Broken | None:
    """What is wrong if an answer seals a reason for some of its documents only: even who gives none seals a blank."""
    due, found = _asked_about(entry), entry.sealed(FIELD)
    return None if found in (0, due) else Broken(f"{count(due, 'value')}, or none", count(found, "value"))


def malformed(entry: Candidate[Any]) -> Broken | None:
    """What is wrong with the reasons that the copy shows."""
    opened = entry.told.values.get(FIELD, {})
    found = {index: reason(value) for index, value in opened.items()}
    wrong = next((opened[index] for index, said in found.items() if said is None), None)
    if None in found.values():
        return Broken(f"a text, filled up to a multiple of {_FILLED} code points", repr(wrong)[:80])
    return Broken("at least one reason", "none") if opened and not any(found.values()) else None
