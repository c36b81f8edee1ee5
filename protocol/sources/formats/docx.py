"""Word files (.docx, .docm, .dotx): all text that anybody may have seen or hidden in them.

The order: body, footnotes, endnotes, comments, headers, footers, charts and diagrams, building blocks. Deleted and
inserted text is marked as such, with who did it.
"""

from collections.abc import Iterator

from protocol.sources.formats.charsets import decoded
from protocol.sources.formats.drawing import graphics
from protocol.sources.formats.markup import html_text
from protocol.sources.formats.officefile import finished
from protocol.sources.formats.ooxml import Package, kind_of, opened
from protocol.sources.formats.story import section, tidied
from protocol.sources.formats.wordnumbers import Numbers
from protocol.sources.formats.wordstory import WordReader
from protocol.sources.parts import Extracted, Extractor, File

KIND = "docx"
_SOURCES = {"w:sourceFileName", "w:query", "w:connectString"}
_INLINED = (".html", ".htm", ".xhtml", ".txt")


def _extract(file: File) -> Extracted:
    package = opened(file)
    numbers = Numbers(package, package.main)
    body = _WordPart(package, package.main, numbers)
    text = body.read(is_main=True)
    sections = "".join(_sections(package, package.main, numbers)) + section("Sources", _sources(package))
    chunks = tuple(body.chunks)
    for glossary in package.targets(package.main, "glossaryDocument"):
        own = Numbers(package, glossary)
        blocks = _WordPart(package, glossary, own).read()
        sections += section("Building blocks", blocks + "\n" + "".join(_sections(package, glossary, own)))
    return finished(package, KIND, f"{text}\n{sections}", inside=chunks)


def _sections(package: Package, main: str, numbers: Numbers) -> Iterator[str]:
    """The parts beside the body, each kind with its heading; a header that several pages share is said once."""
    kinds = (
        ("footnotes", "Footnotes"),
        ("endnotes", "Endnotes"),
        ("comments", "Comments"),
        ("header", "Header"),
        ("footer", "Footer"),
    )
    parts = [main]
    for kind, heading in kinds:
        said: set[str] = set()
        for part in package.targets(main, kind):
            parts.append(part)
            text = tidied(_WordPart(package, part, numbers).read())
            if text not in said:
                said.add(text)
                yield section(heading, text)
    for part in parts:
        yield from graphics(package, part)


def _sources(package: Package) -> str:
    """Where frames and mail merges take their contents from."""
    found: dict[str, None] = {}
    for part in package.targets(package.main, "settings", "webSettings"):
        for event in package.optional_events(part):
            if event.attributes and event.tag in _SOURCES:
                found[event.attributes.get("w:val", "")] = None
    return "\n".join(found)


class _WordPart:
    """One part, with what it is related to."""

    def __init__(self, package: Package, name: str, numbers: Numbers) -> None:
        self.package = package
        self.numbers = numbers
        self.name = name
        self.related = package.related(name)
        self.chunks: list[File] = []

    def read(self, *, is_main: bool = False) -> str:
        """Its text."""
        links = {key: item.target for key, item in self.related.items() if item.is_external}
        reader = WordReader(links=links, chunk=self.chunk, label=self.numbers.label)
        for event in self.package.events(self.name) if is_main else self.package.optional_events(self.name):
            reader.take(event)
        return reader.story.text()

    def chunk(self, key: str) -> str:
        """A file that stands in for a part of the text: what it says, or a file inside if it is no plain text."""
        item = self.related.get(key)
        if item is None or item.is_external or item.target not in self.package.members:
            return ""
        content = self.package.content(item.target)
        if item.target.endswith(_INLINED):
            text = decoded(content).text
            return text if item.target.endswith(".txt") else html_text(text)
        self.chunks.append(File(name=item.target.rpartition("/")[2], content=content))
        return ""


EXTRACTOR = Extractor(
    name=KIND,
    described="Word documents (.docx, .docm, .dotx)",
    recognises=lambda file: kind_of(file) == KIND,
    extract=_extract,
)
