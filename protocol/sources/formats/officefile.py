"""What .docx, .xlsx and .pptx files have in common besides their text: properties, files inside them, and links."""

import re
from collections.abc import Iterator

from protocol.sources.formats.ole import unwrapped
from protocol.sources.formats.ooxml import TOOL, Package
from protocol.sources.formats.story import MAX_TEXT, in_one_line, section, tidied
from protocol.sources.parts import Extracted, File, Unextractable
from protocol.sources.problems import Cause
from protocol.sources.text import replace_surrogates

_PICTURES = re.compile(
    r".*\.(?:png|jpe?g|jpe|jfif|gif|bmp|dib|tiff?|emf|wmf|emz|wmz|svg|webp|wdp|jxr|pcz|pct|pict|ico|heic)"
)
_FIELDS = {"dc:title": "title", "dc:creator": "author", "dcterms:modified": "date", "dc:subject": "subject"}
_SAID = {"dc:description": "Comments", "cp:keywords": "Keywords", "cp:category": "Category"}
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?")
_MENTIONED = re.compile(r"[^\s<>]+")
_MAX_VALUE = 10_000
"""Characters of one property."""


def finished(package: Package, kind: str, text: str, inside: tuple[File, ...] = ()) -> Extracted:
    """The result, with the properties and links that the text does not mention, and the files inside."""
    fields, said = _core(package)
    said += _custom(package)
    mentioned = set(_MENTIONED.findall(text))
    links = [link for link in package.links() if link not in mentioned]
    children = (*inside, *_embedded(package, {file.name for file in inside}))
    _note_pictures(package)
    if len(text) > MAX_TEXT:
        raise Unextractable(Cause.TOO_LARGE, f"its text is longer than {MAX_TEXT} characters")
    sections = section("Properties", "\n".join(said)) + section("Links", "\n".join(links))
    return Extracted(
        kind=kind,
        text=replace_surrogates(tidied(text + "\n" + sections))[0],
        tool=TOOL,
        fields=fields,
        children=children,
        notes=tuple(package.notes),
    )


def _core(package: Package) -> tuple[dict[str, str], list[str]]:
    """The properties that are fields, and those that are said in the text."""
    fields: dict[str, str] = {}
    said: list[str] = []
    for part in package.targets("", "core-properties") or package.named("docprops/core.xml"):
        for tag, value in _values(package, part):
            if field := _FIELDS.get(tag):
                if field != "date" or _DATE.fullmatch(value):
                    fields.setdefault(field, value)
            elif name := _SAID.get(tag):
                said.append(f"{name}: {value}")
    return fields, said


def _values(package: Package, part: str) -> Iterator[tuple[str, str]]:
    """Each element of a flat part with its text."""
    pieces: list[str] = []
    for event in package.optional_events(part):
        if not event.tag:
            pieces.append(event.text)
            continue
        if not event.opens and (value := in_one_line("".join(pieces))):
            yield event.tag, value[:_MAX_VALUE]
        pieces = []


def _custom(package: Package) -> list[str]:
    """The properties that somebody added, by name."""
    said = []
    for part in package.targets("", "custom-properties") or package.named("docprops/custom.xml"):
        name, pieces = "", [""]
        for event in package.optional_events(part):
            if event.attributes is not None and event.tag.endswith(":property"):
                name, pieces = event.attributes.get("name", ""), []
            elif not event.tag:
                pieces.append(event.text)
            elif event.tag.endswith(":property") and (value := in_one_line("".join(pieces))):
                said.append(f"{name}: {value[:_MAX_VALUE]}")
    return said


def _embedded(package: Package, taken: set[str]) -> Iterator[File]:
    """The files inside: embedded objects, sounds and films; not the pictures, which are part of what is seen."""
    for part in package.named(r"(?:.*/)?(?:embeddings|media)/[^/]+"):
        if (part not in taken and "/embeddings/" in f"/{part}") or not _PICTURES.fullmatch(part):
            name = package.members[part].filename.replace("\\", "/").rpartition("/")[2]
            content = package.content(part)
            if content:
                yield unwrapped(File(name=name, content=content))


def _note_pictures(package: Package) -> None:
    """How many pictures there are, since nobody reads the words in them."""
    pictures = [part for part in package.named(r".*/media/[^/]+") if _PICTURES.fullmatch(part)]
    if pictures:
        many = "1 picture" if len(pictures) == 1 else f"{len(pictures)} pictures"
        package.note(Cause.UNREAD_PART, f"{many}: words in pictures were not read")
