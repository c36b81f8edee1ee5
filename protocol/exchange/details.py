"""What is known about a document, as people read it: in pages, beside its text, and in forms, beside its position."""

from collections.abc import Iterator, Sequence

from protocol.corpus.leaves import Log, Rest
from protocol.exchange.filenames import ShownDocument, ShownPart
from protocol.sources.pictures import PAGE_IMAGES

COLUMNS = ("from", "to", "date", "subject", "custodian", "path", "type", "pages", "family")
"""What a form states of a document, as far as any of its documents has it."""

LONGEST_CELL = 200

_STATED = ("author", "custodian", "date", "from", "to")
"""Fields that stand elsewhere under their usual names, if they say the same there."""


def of_part(part: ShownPart) -> Iterator[tuple[str, str]]:
    """The fields of a part under their names, without the empty ones."""
    known = [("From", part.log.author), ("To", part.log.recipients), ("Date", part.log.date)]
    if part.rest is not None:
        known += _others(part.log, part.rest)
    known += [("Type", part.log.type)]
    if part.rest is not None and part.rest.pages is not None:
        known.append(("Pages", str(part.rest.pages)))
    return ((name, value) for name, value in known if value.strip())


def _others(log: Log, rest: Rest) -> Iterator[tuple[str, str]]:
    stated = {log.author, log.recipients, log.date, *rest.custodians}
    for name, value in sorted(rest.fields.items()):
        if name != PAGE_IMAGES and (name not in _STATED or value not in stated):
            yield name.replace("_", " ").capitalize(), value
    yield "Custodian", "; ".join(rest.custodians)
    yield "Path", "; ".join(rest.paths)


def tree(parts: Sequence[ShownPart]) -> Iterator[tuple[int, int]]:
    """Each part and how deep it lies, directly behind the part that it is attached to or inside of."""
    children: dict[int | None, list[int]] = {}
    for number, part in enumerate(parts):
        children.setdefault(part.log.parent, []).append(number)
    left = [(number, 0) for number in reversed(children[None])]
    while left:
        number, depth = left.pop()
        yield number, depth
        left += [(child, depth + 1) for child in reversed(children.get(number, []))]


def columns(documents: Sequence[ShownDocument]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The columns that a form needs for what is known about these documents, and the cells of each."""
    rows = [_row(each) for each in documents]
    used = tuple(name for name in COLUMNS if any(row[name] for row in rows))
    return used, [tuple(row[name] for name in used) for row in rows]


def _row(document: ShownDocument) -> dict[str, str]:
    first = document.parts[0]
    log, rest = first.log, first.rest
    found = {"from": log.author, "to": log.recipients, "date": log.date, "type": log.type}
    found |= dict.fromkeys(("subject", "custodian", "path", "pages"), "")
    if rest is not None:
        pages = "" if rest.pages is None else str(rest.pages)
        found |= {"subject": rest.fields.get("subject", ""), "pages": pages}
        found |= {"custodian": "; ".join(rest.custodians), "path": "; ".join(rest.paths)}
    names = [f"{number} {part.called}" for number, part in enumerate(document.parts[1:], start=1)]
    found["family"] = f"with {len(names)}: {'; '.join(names)}" if names else ""
    return {name: _short(value) for name, value in found.items()}


def _short(value: str) -> str:
    return value if len(value) <= LONGEST_CELL else f"{value[:LONGEST_CELL]}…"
