"""What a line of the load file states of a part, by the fields that the corpus commits to (docs/production.md)."""

import re
from collections.abc import Sequence

from verifier.record.parts import Part

COLUMNS = (
    "begin",
    "end",
    "begin_family",
    "end_family",
    "parent",
    "custodian",
    "all_custodians",
    "from",
    "to",
    "cc",
    "bcc",
    "author",
    "date_sent",
    "date_received",
    "date_modified",
    "date",
    "subject",
    "title",
    "message_id",
    "file_name",
    "path",
    "all_paths",
    "extension",
    "type",
    "pages",
    "confidentiality",
    "hash",
    "withheld",
    "native_link",
    "text_link",
)
"""The columns in their order."""

WITHHELD = "This document is withheld as privileged."

_FROM_FIELDS = (
    *("from", "to", "cc", "bcc", "date_received", "date_modified"),
    *("subject", "title", "message_id", "confidentiality"),
)
_CANNOT_STAND = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def slip_sheet(number: str) -> bytes:
    """The text of a slip sheet."""
    return f"{number}\n\n{WITHHELD}\n".encode()


def stated(parts: Sequence[Part], part: int, numbers: Sequence[str], native: str | None, text: str) -> dict[str, str]:
    """All fields of a part; `numbers` are those of its document's parts, `native` and `text` the paths of its files."""
    one = parts[part]
    found = dict.fromkeys(COLUMNS, "") | _committed(one, parts[0])
    found |= {"begin": numbers[part], "end": numbers[part], "text_link": text.replace("/", "\\")}
    if len(parts) > 1:
        found |= {"begin_family": numbers[0], "end_family": numbers[-1]}
    if one.log.parent is not None:
        found["parent"] = numbers[one.log.parent]
    if native is not None and not one.withheld:
        link = native.replace("/", "\\")
        found |= {"native_link": link, "hash": one.content.hex(), "extension": native.rpartition(".")[2]}
    return {name: _fitting(value) for name, value in found.items()}


def _committed(part: Part, first: Part) -> dict[str, str]:
    log, rest = part.log, part.rest
    found = {"author": log.author, "date": log.date, "type": log.type}
    if rest is None:
        return found | {"to": log.recipients, "withheld": WITHHELD}
    whose = rest.custodians or (first.rest.custodians if first.rest is not None else ())
    known = rest.fields
    found |= {name: known.get(name, "") for name in _FROM_FIELDS}
    return found | {
        "custodian": whose[0] if whose else "",
        "all_custodians": _together(whose),
        "date_sent": known.get("date_sent", "") or (log.date if known.get("from", "") else ""),
        "file_name": known.get("file_name", "") or rest.name.split("/")[-1],
        "path": rest.paths[0] if rest.paths else "",
        "all_paths": _together(rest.paths),
        "pages": "" if rest.pages is None else str(rest.pages),
    }


def _together(values: Sequence[str]) -> str:
    """Several values in one field."""
    return "; ".join(filter(None, (value.replace(";", ",").strip() for value in values)))


def _fitting(value: str) -> str:
    """A value as a load file can hold it."""
    lines = value.replace("\r\n", "\n").replace("\r", "\n").replace("\xae", "(R)")
    return _CANNOT_STAND.sub("\ufffd", lines)
