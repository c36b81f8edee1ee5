"""Text in drawings: shapes, tables, groups, diagrams and charts, as any office file writes them in DrawingML."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from protocol.sources.formats.markup import html_text
from protocol.sources.formats.ooxml import Package
from protocol.sources.formats.story import Story, in_one_line, section
from protocol.sources.formats.xmlevents import Event

_TEXT = {"a:t", "m:t", "cx:v", "p:text", "p188:text", "tc:text"}
_CHART_VALUES = {"c:strCache", "c:tx", "cx:strDim"}
"""Within these, the values of a chart are words; elsewhere they are numbers, which the workbook beside it holds."""
_SHAPES = {"p:sp", "p:pic", "p:graphicFrame", "p:cxnSp"}
_DESCRIBED = {"p:cNvPr", "xdr:cNvPr", "wp:docPr", "pic:cNvPr", "a:cNvPr"}


class DrawingReader:
    """Walks through one part; `is_background` leaves out the placeholders, which say only where slides have text."""

    def __init__(self, *, is_background: bool = False) -> None:
        self.story = Story()
        self.is_background = is_background
        self.open: list[str] = []
        self.unread = ""
        self.placeholders: list[bool] = []

    def take(self, event: Event) -> None:
        """The next event of the part."""
        if not event.tag:
            self.text(event.text)
        elif event.opens:
            self.open.append(event.tag)
            self.start(event.tag, event.attributes or {})
        else:
            if self.open:
                self.open.pop()
            self.end(event.tag)

    def text(self, text: str) -> None:
        """Characters, if they stand where people write."""
        tag = self.open[-1] if self.open else ""
        if self.unread:
            return
        if tag in _TEXT or (tag in ("c:v", "cx:pt") and not _CHART_VALUES.isdisjoint(self.open)):
            self.story.say(text)

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An opening tag."""
        if tag in ("mc:Choice", "mc:Fallback", "a:tc"):
            self.story.push()
        elif tag == "mc:AlternateContent":
            self.story.begin_choice()
        elif tag in _SHAPES:
            self.placeholders.append(False)
            self.story.push()
        elif tag == "p:ph" and self.placeholders:
            self.placeholders[-1] = True
        elif tag == "a:fld" and attributes.get("type") == "slidenum":
            self.unread = self.unread or tag
        elif tag in _DESCRIBED:
            for name in ("title", "descr"):
                if attributes.get(name, "").strip():
                    self.story.label(f"{name if name == 'title' else 'alt text'}: {attributes[name]}")
        elif tag in ("a:br", "a:tab"):
            self.story.say("\n" if tag == "a:br" else "\t")

    def end(self, tag: str) -> None:
        """A closing tag."""
        if tag in ("mc:Choice", "mc:Fallback"):
            self.story.pop_wording()
        elif tag == "mc:AlternateContent":
            self.story.end_choice()
        elif tag == "a:tc":
            self.story.say(in_one_line(self.story.pop()) + "\t")
        elif tag in _SHAPES:
            self.end_shape()
        elif tag == self.unread:
            self.unread = ""
        elif tag in ("a:p", "a:tr", "c:pt", "cx:pt", "c:v", "cx:v", "p:text", "tc:text"):
            self.story.end_paragraph()

    def end_shape(self) -> None:
        """A shape's text is taken, unless it is a placeholder of the background."""
        is_placeholder = self.placeholders.pop() if self.placeholders else False
        text = self.story.pop()
        if not (is_placeholder and self.is_background):
            self.story.say(text + "\n")


def drawn_text(source: Iterable[Event], *, is_background: bool = False) -> str:
    """The text of a drawing."""
    reader = DrawingReader(is_background=is_background)
    for event in source:
        reader.take(event)
    return reader.story.text()


def graphics(package: Package, name: str) -> Iterator[str]:
    """The charts and diagrams of a part, each with its heading; a chart may hold drawings of its own."""
    for kind, heading in (("chart", "Chart"), ("chartEx", "Chart"), ("diagramData", "Diagram")):
        for target in package.targets(name, kind):
            inner = package.targets(target, "chartUserShapes")
            found = chain.from_iterable(package.optional_events(part) for part in (target, *inner))
            lines = dict.fromkeys(drawn_text(found).split("\n"))  # each series of a chart repeats the categories
            if text := section(heading, "\n".join(lines)):
                yield text


def vml_text(package: Package, name: str) -> Iterator[str]:
    """The text boxes and buttons of an old drawing, which is often not well-formed XML."""
    for target in package.targets(name, "vmlDrawing"):
        markup = package.content(target).decode("utf-8", "replace")
        place = 0
        while (start := markup.find("<v:textbox", place)) >= 0:
            end = markup.find("</v:textbox>", start)
            if end < 0:
                break
            if text := html_text(markup[start:end]):
                yield text
            place = end
