"""What a value of `privilege` says: a claim for a document, a claim for some of its parts, or a class."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from verifier.record.parts import MOST_PARTS
from verifier.replay.commitment import Unit
from verifier.rules.terms import Classes

LONGEST_BASIS = 2000  # characters
BASIS = f"a text of 1 to {LONGEST_BASIS} characters"


def is_claim(value: Any, unit: Unit, classes: Classes | None) -> bool:
    """Whether a value claims something: privilege for a document or for parts of a family, or one of these classes."""
    return is_text(value) or (unit is Unit.FAMILY and _is_for_parts(value)) or _is_class(value, classes)


def is_text(value: Any) -> bool:
    """Whether a value claims privilege for a whole document."""
    return type(value) is str and 0 < len(value) <= LONGEST_BASIS


def _is_class(value: Any, classes: Classes | None) -> bool:
    named = value.get("class") if type(value) is dict and value.keys() == {"class"} else None
    return classes is not None and type(named) is str and named in classes.names


def _is_for_parts(value: Any) -> bool:
    if type(value) is not dict or value.keys() != {"basis", "parts"} or not is_text(value["basis"]):
        return False
    parts = value["parts"]
    if type(parts) is not list or not parts or any(type(part) is not int for part in parts):
        return False
    return all(one < other for one, other in pairwise((-1, *parts, MOST_PARTS)))


def names_class(value: Any) -> bool:
    """Whether a claim names a class."""
    return type(value) is dict and "class" in value


def class_of(value: Any) -> str | None:
    """The class that a claim names, if it names one."""
    return str(value["class"]) if names_class(value) else None


def parts_of(value: Any) -> tuple[int, ...]:
    """The parts that a claim is for; none if it is for the whole document, or names a class."""
    return tuple(value["parts"]) if type(value) is dict and "parts" in value else ()


def parts_named(parts: Sequence[int]) -> str:
    """Parts by their numbers, for people."""
    if not parts:
        return "no part"
    return f"part{'' if len(parts) == 1 else 's'} {', '.join(map(str, parts[:8]))}{', …' if len(parts) > 8 else ''}"


def text_of(value: Any) -> str:
    """The basis of a claim of privilege, in words."""
    return str(value["basis"]) if type(value) is dict and "basis" in value else str(value)
