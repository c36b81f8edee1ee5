"""What a document is, for people: the fields of its parts, and the tree that they form."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from verifier.plural import count
from verifier.record.parts import Part

MOST_PARTS = 50
"""Parts that are shown of one document; the others are counted."""
_MOST_FIELDS = 12
_LONGEST = 200  # characters of a field


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A part for people to read."""

    number: int
    depth: int  # in the tree: part 0 has 0
    name: str  # empty if the part is withheld
    fields: dict[str, str]  # by what they are called; the empty ones are left out
    withheld: bool


def parts(document: Sequence[Part]) -> list[Shown]:
    """The parts in order, each after its parent, as many as are shown."""
    depths, found = list[int](), []
    for number, part in enumerate(document):
        parent = part.log.parent
        depths.append(0 if parent is None else depths[parent] + 1)
        if number < MOST_PARTS:
            fields = {name: _cut(said) for name, said in _fields(part) if said}
            shown = Shown(
                number=number,
                depth=depths[-1],
                name=_cut(part.rest.name) if part.rest else "",
                fields=fields,
                withheld=part.withheld,
            )
            found.append(shown)
    return found


def _fields(part: Part) -> Iterator[tuple[str, str]]:
    log, rest = part.log, part.rest
    yield from (("From", log.author), ("To", log.recipients), ("Date", log.date))
    if rest is None:
        yield "Type", log.type
        return
    others = dict(rest.fields)
    yield "Subject", others.pop("subject", "")
    yield "Custodian" if len(rest.custodians) == 1 else "Custodians", ", ".join(rest.custodians)
    yield "Type", log.type
    yield "Pages", "" if rest.pages is None else str(rest.pages)
    yield from [(_called(name), said) for name, said in sorted(others.items())][:_MOST_FIELDS]
    yield "Path" if len(rest.paths) == 1 else "Paths", ", ".join(rest.paths)


def _called(name: str) -> str:
    words = name.replace("_", " ").replace("-", " ")
    return f"{words[0].upper()}{words[1:]}"


def _cut(said: str) -> str:
    """A text in one line, not too long."""
    text = " ".join(said.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def summary(document: Sequence[Part]) -> str:
    """How many parts there are, and how many are withheld, in a sentence; empty if there is one open part."""
    withheld = sum(part.withheld for part in document)
    if len(document) == 1 and not withheld:
        return ""
    said = count(len(document), "part")
    return f"{said}, {withheld} of them withheld" if withheld else said


def lines(document: Sequence[Part]) -> Iterator[str]:
    """The document for a terminal: a line for each part, indented by its place in the tree."""
    for each in parts(document):
        fields = "; ".join(f"{name}: {said}" for name, said in each.fields.items())
        said = f"{each.name!r}{f' ({fields})' if fields else ''}"
        if each.withheld:
            said = f"withheld{f' ({fields})' if fields else ''}"
        yield f"{'  ' * each.depth}Part {each.number}: {said}"
    if len(document) > MOST_PARTS:
        yield f"and {count(len(document) - MOST_PARTS, 'more part')}"
