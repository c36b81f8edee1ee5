"""Openings one by one, as forgers change them, and as a copy's line has them."""

from typing import Any

from ledger.openings import Openings
from ledger.records import Malformed


def spread(line: Any) -> Any:
    """The line, with its openings as a list, each an object with `field`, `index`, `salt` and `value`."""
    if isinstance(line, dict) and isinstance(line.get("openings"), dict):
        line["openings"] = one_by_one(line["openings"])
    return line


def one_by_one(openings: Any) -> Any:
    """Openings as a list, if they have their shape."""
    try:
        found = Openings.parse(openings)
    except (Malformed, ValueError):
        return openings
    return [{"field": each.field, "index": each.index, "salt": each.salt.hex(), "value": each.value} for each in found]


def gathered(line: Any) -> Any:
    """A line as it is written: its openings by field, if each of them can be read."""
    if not isinstance(line, dict) or not isinstance(line.get("openings"), list):
        return line
    return line | {"openings": together(line["openings"])}


def together(openings: list[Any]) -> Any:
    """Openings by field, if each of them can be read, else as they are."""
    found: dict[str, Any] = {}
    for each in openings:
        if not isinstance(each, dict) or each.keys() != {"field", "index", "salt", "value"}:
            return openings
        if not isinstance(each["field"], str) or not isinstance(each["salt"], str):
            return openings
        group = found.setdefault(each["field"], {"indices": [], "salts": [], "values": []})
        group["indices"].append(each["index"])
        group["salts"].append(each["salt"])
        group["values"].append(each["value"])
    for group in found.values():
        group["salts"] = "".join(group["salts"][:1] if len(set(group["salts"])) == 1 else group["salts"])
    return found
