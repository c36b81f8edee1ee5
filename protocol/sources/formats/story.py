"""Text as it is collected from an office file: pieces in their order, some of them held back or said twice.

A text box hangs at a place inside a paragraph, and its text must not cut a word there: it follows after the
paragraph. Office files say some things in several ways, for newer and older programs (mc:AlternateContent): each
wording is taken once.
"""

import re
from dataclasses import dataclass, field

from protocol.sources.parts import Unextractable
from protocol.sources.problems import Cause

MAX_TEXT = 64 * 2**20
"""Characters of the text of one file. A part may be used many times, so the size of a file is no limit for its text."""

_TARGETED = re.compile(
    r'\s*(?:HYPERLINK|INCLUDETEXT|INCLUDEPICTURE|INCLUDE|LINK|DDE|DDEAUTO|RD|IMPORT)\s+(?:\\[a-km-z]\s+)*("[^"]*"|[^\s"\\]\S*)',
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Frame:
    """A stretch of text that is looked at before it is taken."""

    pieces: list[str] = field(default_factory=list)
    asides: list[str] = field(default_factory=list)
    """What follows after the paragraph: text boxes."""
    labels: list[str] = field(default_factory=list)
    """What describes pictures and shapes; not compared, since older wordings lack it."""


@dataclass(slots=True)
class Story:
    """Collects text; `push` begins a stretch, and one of the `pop` functions ends it."""

    frames: list[_Frame] = field(default_factory=lambda: [_Frame()])
    wordings: list[set[str]] = field(default_factory=list)
    length: int = 0

    def say(self, text: str) -> None:
        """Add text at this place."""
        self.length += len(text)
        if self.length > MAX_TEXT:
            raise Unextractable(Cause.TOO_LARGE, f"its text is longer than {MAX_TEXT} characters")
        self.frames[-1].pieces.append(text)

    def label(self, text: str) -> None:
        """Add what describes a picture or a shape, after the paragraph, once."""
        line = f"[{' '.join(text.split())}]"
        if line != "[]" and line not in self.frames[-1].labels[-100:]:
            self.length += len(line)
            self.frames[-1].labels.append(line)

    def push(self) -> None:
        """Begin a stretch of text."""
        self.frames.append(_Frame())

    def pop(self) -> str:
        """End a stretch: its text, with everything that hangs at it."""
        self.end_paragraph(mark="")
        return "".join(self._popped().pieces)

    def pop_inline(self) -> str:
        """End a stretch within a paragraph: its text; what hangs at it goes to the paragraph around it."""
        frame = self._popped()
        self.frames[-1].asides += frame.asides
        self.frames[-1].labels += frame.labels
        return "".join(frame.pieces)

    def pop_aside(self) -> None:
        """End a text box: it follows after the paragraph."""
        text = self.pop().strip("\n")
        if text.strip():
            self.frames[-1].asides.append(text)

    def end_paragraph(self, mark: str = "\n") -> None:
        """End a paragraph, and say what was held back until then."""
        frame = self.frames[-1]
        if frame.asides or frame.labels:
            if frame.pieces and not frame.pieces[-1].endswith("\n"):
                frame.pieces.append("\n")
            frame.pieces += [f"{line}\n" for line in (*frame.asides, *frame.labels)]
            frame.asides, frame.labels = [], []
        else:
            frame.pieces.append(mark)

    def begin_choice(self) -> None:
        """Begin a place with several wordings, each of which is a stretch."""
        self.wordings.append(set())

    def pop_wording(self) -> None:
        """End a wording; it is taken unless it says what another one said."""
        frame = self._popped()
        around = self.frames[-1]
        said = " ".join("\n".join(["".join(frame.pieces), *frame.asides]).split())
        seen = self.wordings[-1] if self.wordings else set()
        if said and said not in seen:
            seen.add(said)
            around.pieces += frame.pieces
            around.asides += frame.asides
        around.labels += [line for line in frame.labels if line not in around.labels[-100:]]

    def end_choice(self) -> None:
        """End the place with several wordings."""
        if self.wordings:
            self.wordings.pop()

    def text(self) -> str:
        """All that was said."""
        while len(self.frames) > 1:
            self.say(self.pop())
        self.end_paragraph(mark="")
        return tidied("".join(self.frames[0].pieces))

    def _popped(self) -> _Frame:
        """The last stretch; a file that is cut or mixed up may end more of them than it begins."""
        return self.frames.pop() if len(self.frames) > 1 else _Frame()


def tidied(text: str) -> str:
    """Text without space at the ends of lines, without empty lines, and without characters that XML smuggled in."""
    lines = (line.strip(" \t\r") for line in text.replace("\r\n", "\n").replace("\x0b", "\n").split("\n"))
    return "\n".join(line for line in lines if line)


def in_one_line(text: str) -> str:
    """Text of a cell or a comment, as one line."""
    return " ".join(text.split())


def section(heading: str, text: str) -> str:
    """A part of the text with its heading; nothing for an empty one."""
    return f"{heading}:\n{text}\n" if text.strip() else ""


def field_target(instruction: str) -> str:
    """What the instruction of a field of Word leads to: an address or a file; nothing for other fields."""
    found = _TARGETED.match(instruction[:10_000])
    return found[1].strip('"') if found else ""
