"""Which documents of a load file are one family, and which is attached to which.

Load files say it in several ways, and often in more than one: by the range of the family's numbers (BEGATTACH to
ENDATTACH), by the number of the parent (PARENTID), by the numbers of the attachments (ATTACHIDS), or by a text that the
family has in common (FAMILYID). Documents that any of these connects are one family. Its first document is the parent
of those whose parent is not told.

Of each document only its numbers are held in memory, never its other fields.
"""

from array import array
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from itertools import accumulate, groupby

from ledger.plain import shown
from protocol.loadfile.lines import Flaw, FlawKind

_NONE = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Kin:
    """What a line says of its document's number and family; a text that it does not say is empty."""

    begin: str
    end: str = ""
    begin_family: str = ""
    end_family: str = ""
    parent: str = ""
    attachments: tuple[str, ...] = ()
    family: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A document of a family: its line and where that begins, and its parent's place in the family."""

    line: int
    start: int
    parent: int | None


@dataclass(slots=True)
class Grouping:
    """The documents so far, in the order of the load file."""

    file: str
    _lines: "array[int]" = field(default_factory=lambda: array("q"))
    _starts: "array[int]" = field(default_factory=lambda: array("q"))
    _rows: dict[str, int] = field(default_factory=dict)  # by first number
    _ends: dict[str, int] = field(default_factory=dict)  # by last number, where it is another
    _ranges: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    _parents: dict[int, str] = field(default_factory=dict)
    _attachments: dict[int, tuple[str, ...]] = field(default_factory=dict)
    _first_of: dict[str, int] = field(default_factory=dict)  # by the text in common
    _above: "array[int]" = field(default_factory=lambda: array("q"))  # union-find
    _parent_of: "array[int]" = field(default_factory=lambda: array("q"))  # once all documents are there

    def __contains__(self, number: str) -> bool:
        return number in self._rows

    def add(self, line: int, start: int, kin: Kin) -> Iterator[Flaw]:
        """Take the next document."""
        row = len(self._lines)
        self._lines.append(line)
        self._starts.append(start)
        self._above.append(row)
        if not kin.begin:
            yield self._flaw(row, FlawKind.REPEATED_NUMBER, "it has no number")
        elif (first := self._rows.setdefault(kin.begin, row)) != row:
            detail = f"its number {shown(kin.begin)} is that of line {self._lines[first]}"
            yield self._flaw(row, FlawKind.REPEATED_NUMBER, detail)
        if kin.end not in ("", kin.begin):
            self._ends.setdefault(kin.end, row)
        if kin.begin_family or kin.end_family:
            self._ranges.setdefault((kin.begin_family or kin.begin, kin.end_family), []).append(row)
        if kin.parent not in ("", kin.begin):
            self._parents[row] = kin.parent
        if kin.attachments:
            self._attachments[row] = kin.attachments
        if kin.family:
            self._join(row, self._first_of.setdefault(kin.family, row))

    def close(self) -> Iterator[Flaw]:
        """Connect the families, once all documents are there."""
        yield from self._join_ranges()
        self._parent_of = yield from self._find_parents()
        for row, parent in enumerate(self._parent_of):
            if parent != _NONE:
                self._join(row, parent)

    def families(self) -> Iterator[tuple[Place, ...]]:
        """Every family, in the order of their first documents. A parent comes before what is attached to it."""
        rows = sorted(
            range(len(self._lines)), key=self._root
        )  # a root is its family's first row, and sorting is stable
        for _, members in groupby(rows, key=self._root):
            yield tuple(self._ordered(list(members)))

    def _ordered(self, members: list[int]) -> Iterator[Place]:
        parents = {row: self._parent_of[row] for row in members}
        if any(parent > row for row, parent in parents.items()):
            members = _parents_first(members, parents)
        place_of: dict[int, int] = {}
        for place, row in enumerate(members):
            place_of[row] = place
            told = parents[row]
            parent = place_of[told] if told != _NONE else (0 if place else None)
            yield Place(line=self._lines[row], start=self._starts[row], parent=parent)

    def _join_ranges(self) -> Iterator[Flaw]:
        """Join the rows of each range. A range that cannot be found is a flaw of the first line that names it."""
        steps = array("q", bytes(8 * (len(self._lines) + 1)))
        found: list[tuple[int, int, int]] = []
        for (begin, end), rows in self._ranges.items():
            first = self._rows.get(begin)
            last = first if not end else self._ends.get(end, self._rows.get(end))
            for row in rows:
                if first is not None:
                    self._join(row, first)
            if first is None or last is None or last < first:
                missing = begin if first is None else end
                detail = (
                    f"its family begins or ends with {shown(missing)}, which is no document's number"
                    if first is None or last is None
                    else f"its family ends with {shown(end)}, which comes before {shown(begin)}"
                )
                yield self._flaw(rows[0], FlawKind.BAD_FAMILY, detail)
                continue
            steps[first] += 1
            steps[last] -= 1
            found.append((first, last, rows[0]))
        for row, together in enumerate(accumulate(steps)):
            if together:
                self._join(row, row + 1)
        yield from self._overlaps(found)

    def _overlaps(self, found: list[tuple[int, int, int]]) -> Iterator[Flaw]:
        """Ranges that share documents, though neither holds the other."""
        reached = _NONE
        for first, last, row in sorted(found, key=lambda each: (each[0], -each[1])):
            if first <= reached < last:
                yield self._flaw(row, FlawKind.BAD_FAMILY, "its family overlaps the one before; they are read as one")
            reached = max(reached, last)

    def _find_parents(self) -> Generator[Flaw, None, "array[int]"]:
        """Each row's parent, where it is told."""
        parents = array("q", [_NONE]) * len(self._lines)
        for row, children in self._attachments.items():
            for child in children:
                found = self._rows.get(child)
                if found is None:
                    detail = f"its attachment {shown(child)} is not in the load file"
                    yield self._flaw(row, FlawKind.BAD_FAMILY, detail)
                elif found != row:
                    parents[found] = row
        for row, number in self._parents.items():
            found = self._rows.get(number)
            if found is None:
                detail = f"its parent {shown(number)} is not in the load file"
                yield self._flaw(row, FlawKind.BAD_FAMILY, detail)
            elif found != row:
                parents[row] = found
        for row in _in_circles(parents):
            yield self._flaw(row, FlawKind.BAD_FAMILY, "it is attached to itself through others; its parent is ignored")
            parents[row] = _NONE
        return parents

    def _flaw(self, row: int, kind: FlawKind, detail: str) -> Flaw:
        return Flaw(file=self.file, line=self._lines[row], kind=kind, detail=detail)

    def _root(self, row: int) -> int:
        above = self._above
        while above[row] != row:
            above[row] = above[above[row]]
            row = above[row]
        return row

    def _join(self, one: int, other: int) -> None:
        one, other = self._root(one), self._root(other)
        self._above[max(one, other)] = min(one, other)


def _parents_first(members: list[int], parents: dict[int, int]) -> list[int]:
    """The members, each after its parent, otherwise in their order."""
    children: dict[int, list[int]] = {}
    for row in members:
        children.setdefault(parents[row], []).append(row)
    ordered: list[int] = []
    waiting = children.get(_NONE, [])[::-1]
    while waiting:
        row = waiting.pop()
        ordered.append(row)
        waiting += children.get(row, [])[::-1]
    return ordered


def _in_circles(parents: "array[int]") -> list[int]:
    """One row of each circle of parents."""
    found = []
    seen = array("q", [_NONE]) * len(parents)  # in whose walk a row was seen
    for start in range(len(parents)):
        row = start
        while row != _NONE and seen[row] == _NONE:
            seen[row] = start
            row = parents[row]
        if row != _NONE and seen[row] == start:
            found.append(row)
    return found
