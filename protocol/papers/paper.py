"""A paper as paragraphs, and how it is written: as Markdown, and as a Word file with the mark on each page."""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from ledger.plain import shown
from protocol.writing import letter
from protocol.writing.letter import Block

MARK = "DRAFT FOR COUNSEL. NOT LEGAL ADVICE. NOT SIGNED BY ANYBODY."
_WIDTH = 120
_SPECIAL = re.compile(r"[\\`*<|]|(?<!\w)_(?=[^\W_])|(?<=[^\W_])_(?!\w)|\](?=[(\[:])")
_LINE_START = re.compile(r"^(\s*)([-+#>=]|\d+(?=[.)] ))", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Quoted:
    """A text from elsewhere, as it stands there."""

    words: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """A table; the first row has the headings."""

    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Blank:
    """Something that stands without a number, such as a line to sign on."""

    words: str


Piece = str | Quoted | Items | Rows | Blank


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading, and what stands below it. Texts are numbered paragraphs."""

    heading: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A whole paper."""

    name: str  # of its file, without the ending
    title: str
    front: tuple[Piece, ...]  # the caption, and what stands before the first section
    sections: tuple[Section, ...]

    @property
    def file(self) -> str:
        """The name of its file without the ending. Nobody shall take it for a final paper."""
        return f"DRAFT-{self.name}"


def markdown(paper: Paper) -> str:
    """The paper as Markdown."""
    return "\n".join(_markdown(paper)).rstrip("\n") + "\n"


def _markdown(paper: Paper) -> Iterator[str]:
    yield f"**{MARK}**\n"
    yield f"# {_escaped(paper.title)}\n"
    for each in paper.front:
        yield _piece(each, "")
    for number, section in enumerate(paper.sections, start=1):
        yield f"## {number}. {_escaped(section.heading)}\n"
        for label, each in _numbered(number, section):
            yield _piece(each, label)
    yield f"**{MARK}**"


def _numbered(number: int, section: Section) -> Iterator[tuple[str, Piece]]:
    """The pieces of a section; a paragraph gets the next number."""
    last = 0
    for each in section.pieces:
        last += isinstance(each, str)
        yield f"{number}.{last} " if isinstance(each, str) else "", each


def _piece(piece: Piece, label: str) -> str:
    match piece:
        case Quoted(words):
            return "\n".join(_wrapped(line, "> ") or ">" for line in words.strip().splitlines()) + "\n"
        case Items(items):
            return "\n".join(_wrapped(each, "- ", "  ") for each in items) + "\n"
        case Rows(rows):
            heads, *others = ("| " + " | ".join(map(_escaped, row)) + " |" for row in rows)
            return "\n".join([heads, "|" + "---|" * len(rows[0]), *others]) + "\n"
        case Blank(words):
            return "\n".join(f"{_escaped(line)}  " if line else "" for line in words.split("\n")) + "\n"
    return _wrapped(label + piece, "") + "\n"


def _wrapped(words: str, first: str, other: str | None = None) -> str:
    """Lines of a width; no line begins with what Markdown would take for a list or a heading."""
    lines = textwrap.wrap(_escaped(words), _WIDTH - len(first) - 1, break_on_hyphens=False, break_long_words=False)
    safe = [line if not number else _LINE_START.sub(r"\1\\\2", line) for number, line in enumerate(lines)]
    return "\n".join(f"{first if not number else other or first}{line}" for number, line in enumerate(safe))


def _escaped(words: str) -> str:
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", shown(words))


def word_file(paper: Paper) -> bytes:
    """The paper as a Word file."""
    blocks = [Block(style="Title", words=shown(paper.title)), *_blocks("", paper.front)]
    for number, section in enumerate(paper.sections, start=1):
        blocks.append(Block(style="Heading1", words=f"{number}. {shown(section.heading)}"))
        for label, each in _numbered(number, section):
            blocks += _blocks(label, (each,))
    return letter.letter(blocks, MARK)


def _blocks(label: str, pieces: tuple[Piece, ...]) -> Iterator[Block]:
    for piece in pieces:
        match piece:
            case Quoted(words):
                yield from (Block(style="Quote", words=shown(line)) for line in words.strip().splitlines())
            case Items(items):
                yield from (Block(style="Item", words=f"• {shown(each)}") for each in items)
            case Rows(rows):
                yield Block(rows=tuple(tuple(map(shown, row)) for row in rows))
            case Blank(words):
                yield Block(words="\n".join(map(shown, words.split("\n"))))
            case str():
                yield Block(words=label + shown(piece))
