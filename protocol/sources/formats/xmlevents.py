"""XML as a stream of events: nothing is kept, nothing outside is read, and document type declarations are refused.

Without a document type there are no entities but XML's own five, so nothing can grow and nothing can be fetched.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple
from xml.parsers import expat

CHUNK = 64 * 1024
MAX_XML_DEPTH = 400
"""Elements inside each other; office programs need a few dozen."""

_OFFICE = {
    "chart": "c",
    "diagram": "dgm",
    "main": "a",
    "picture": "pic",
    "spreadsheetDrawing": "xdr",
    "wordprocessingDrawing": "wp",
}
_PREFIXES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w",
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main": "x",
    "http://purl.oclc.org/ooxml/spreadsheetml/main": "x",
    "http://schemas.openxmlformats.org/presentationml/2006/main": "p",
    "http://purl.oclc.org/ooxml/presentationml/main": "p",
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "r",
    "http://purl.oclc.org/ooxml/officeDocument/relationships": "r",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
    "http://schemas.openxmlformats.org/package/2006/relationships": "rel",
    "http://schemas.openxmlformats.org/package/2006/metadata/core-properties": "cp",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://schemas.microsoft.com/office/drawing/2014/chartex": "cx",
    "http://schemas.microsoft.com/office/powerpoint/2018/8/main": "p188",
    "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments": "tc",
    "urn:schemas-microsoft-com:vml": "v",
    **{f"http://schemas.openxmlformats.org/drawingml/2006/{name}": prefix for name, prefix in _OFFICE.items()},
    **{f"http://purl.oclc.org/ooxml/drawingml/{name}": prefix for name, prefix in _OFFICE.items()},
}
"""Namespaces that office files use, both of the transitional and the strict kind, by the usual prefix."""


class BadXml(Exception):
    """A part that is not XML, or XML that office programs do not write; the message says what is wrong with it."""


class Event(NamedTuple):
    """A tag that opens (with its attributes), a tag that closes, or a piece of text (no tag)."""

    tag: str
    text: str
    attributes: Mapping[str, str] | None

    @property
    def opens(self) -> bool:
        """Whether it is an opening tag."""
        return self.attributes is not None


def events(read: Callable[[int], bytes]) -> Iterator[Event]:
    """The events of the XML that `read` gives out in pieces.

    Earlier versions of expat look at an unfinished token again with each piece. Therefore each piece is twice as
    long as the last one while nothing comes out.
    """
    reader = _Reader()
    size = CHUNK
    while piece := read(size):
        found = reader.feed(piece, is_last=False)
        size = CHUNK if found else size * 2
        yield from found
        if reader.wrong:
            raise BadXml(reader.wrong)
    yield from reader.feed(b"", is_last=True)
    if reader.wrong:
        raise BadXml(reader.wrong)


class _Reader:
    """Collects what expat calls back."""

    def __init__(self) -> None:
        self.found: list[Event] = []
        self.wrong = ""
        self.depth = 0
        self.names: dict[str, str] = {}
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.doctype

    def feed(self, piece: bytes, *, is_last: bool) -> list[Event]:
        """The events that these bytes complete, up to where something is wrong."""
        self.found = []
        try:
            self.parser.Parse(piece, is_last)
        except BadXml as error:
            self.wrong = str(error)
        except expat.ExpatError as error:
            self.wrong = f"it is not well-formed XML ({expat.ErrorString(error.code)}, line {error.lineno})"
        except (LookupError, ValueError) as error:  # an encoding that Python does not know or cannot map
            self.wrong = f"its XML has an encoding that cannot be read ({error})"
        return self.found

    def name(self, full: str) -> str:
        """A name with the usual prefix of its namespace; `?` for others, none where there is no namespace."""
        if (short := self.names.get(full)) is None:
            namespace, _, local = full.rpartition(" ")
            short = f"{_PREFIXES.get(namespace, '?')}:{local}" if namespace else local
            if len(self.names) < 10_000:
                self.names[full] = short
        return short

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > MAX_XML_DEPTH:
            raise BadXml(f"more than {MAX_XML_DEPTH} elements are inside each other")
        named = {self.name(name): value for name, value in attributes.items()}
        self.found.append(Event(self.name(tag), "", named))

    def end(self, tag: str) -> None:
        self.depth -= 1
        self.found.append(Event(self.name(tag), "", None))

    def characters(self, data: str) -> None:
        self.found.append(Event("", data, None))

    def doctype(self, *_: object) -> None:
        raise BadXml("it declares a document type (DOCTYPE), which office programs never write; nothing of it was read")
