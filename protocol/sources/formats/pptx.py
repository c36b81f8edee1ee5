"""PowerPoint files (.pptx, .pptm, .potx, .ppsx): slides in their order, with notes, comments, diagrams and charts."""

from collections.abc import Iterator

from protocol.sources.formats.drawing import drawn_text, graphics
from protocol.sources.formats.officefile import finished
from protocol.sources.formats.ooxml import Package, in_order, kind_of, opened
from protocol.sources.formats.story import section
from protocol.sources.formats.xmlevents import Event
from protocol.sources.parts import Extracted, Extractor, File

KIND = "pptx"
_AUTHORS = {"p:cmAuthor", "p188:author"}
_COMMENTS = {"p:cm", "p188:cm", "p188:reply"}


def _extract(file: File) -> Extracted:
    package = opened(file)
    authors = _authors(package)
    listed = _listed(package)
    unlisted = [name for name in package.named(r"ppt/slides/[^/]*\.xml") if name not in listed]
    texts = [_slide(package, name, f"Slide {number}", authors) for number, name in enumerate(listed, 1)]
    texts += [_slide(package, name, "Slide that is not in the presentation", authors) for name in unlisted]
    texts += _backgrounds(package, [*listed, *unlisted])
    return finished(package, KIND, "\n".join(texts))


def _listed(package: Package) -> dict[str, None]:
    """The slides that the presentation names, in its order."""
    related = package.related(package.main)
    found: dict[str, None] = {}
    for event in package.events(package.main):
        if event.tag == "p:sldId" and event.attributes is not None:
            item = related.get(event.attributes.get("r:id", ""))
            if item and not item.is_external:
                found[item.target] = None
    return found


def _slide(package: Package, name: str, heading: str, authors: dict[str, str]) -> str:
    """A slide with everything that hangs at it; nothing if it has only pictures, so that nobody takes it for read."""
    hidden: list[str] = []
    text = drawn_text(_watched(package.optional_events(name), hidden))
    sections = list(graphics(package, name))
    for notes in package.targets(name, "notesSlide"):
        sections.append(section("Notes", drawn_text(package.optional_events(notes))))
        sections += graphics(package, notes)
    comments = [line for part in package.targets(name, "comments") for line in _comments(package, part, authors)]
    sections.append(section("Comments", "\n".join(comments)))
    return section(heading + (" (hidden)" if hidden else ""), text + "\n" + "".join(sections))


def _watched(source: Iterator[Event], hidden: list[str]) -> Iterator[Event]:
    """The events of a slide; remembers whether the slide is left out of the show."""
    for event in source:
        if event.tag == "p:sld" and (event.attributes or {}).get("show") in ("0", "false"):
            hidden.append(event.tag)
        yield event


def _authors(package: Package) -> dict[str, str]:
    """The names of those who commented, by id."""
    found = {}
    for part in package.targets(package.main, "commentAuthors", "authors"):
        for event in package.optional_events(part):
            if event.tag in _AUTHORS and event.attributes is not None:
                found[event.attributes.get("id", "")] = event.attributes.get("name", "")
    return found


def _comments(package: Package, part: str, authors: dict[str, str]) -> Iterator[str]:
    """The comments on a slide, each with who wrote it; an answer stands inside the comment that it answers."""
    held: list[Event] = []
    around: list[str] = []
    for event in package.optional_events(part):
        if event.tag not in _COMMENTS:
            held.append(event)
            continue
        yield from _comment(around[-1] if around else "", held)
        held = []
        if event.attributes is not None:
            around.append(authors.get(event.attributes.get("authorId", ""), ""))
        else:
            around.pop()
    yield from _comment(around[-1] if around else "", held)


def _comment(author: str, held: list[Event]) -> Iterator[str]:
    text = drawn_text(held)
    if text:
        yield f"{author}: {text}" if author else text


def _backgrounds(package: Package, slides: list[str]) -> Iterator[str]:
    """What layouts and masters of the slides show on each of them, besides their placeholders; each once."""
    layouts = [part for name in slides for part in package.targets(name, "slideLayout")]
    masters = [part for name in dict.fromkeys(layouts) for part in package.targets(name, "slideMaster")]
    for part in sorted({*layouts, *masters}, key=in_order):
        text = drawn_text(package.optional_events(part), is_background=True)
        yield section("Background", text)


EXTRACTOR = Extractor(
    name=KIND,
    described="PowerPoint presentations (.pptx, .pptm, .potx, .ppsx)",
    recognises=lambda file: kind_of(file) == KIND,
    extract=_extract,
)
