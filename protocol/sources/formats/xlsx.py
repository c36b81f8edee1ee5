"""Excel files (.xlsx, .xlsm, .xltx): all sheets in their order, hidden ones too, with comments, drawings and charts."""

import re
from collections.abc import Iterator, Mapping

from protocol.sources.formats.cellformats import date_styles
from protocol.sources.formats.drawing import drawn_text, graphics, vml_text
from protocol.sources.formats.officefile import finished
from protocol.sources.formats.ooxml import Package, kind_of, opened
from protocol.sources.formats.sheet import SheetReader, Workbook, rich_texts
from protocol.sources.formats.story import MAX_TEXT, in_one_line, section
from protocol.sources.parts import Extracted, Extractor, File, Unextractable
from protocol.sources.problems import Cause

KIND = "xlsx"
_STATES = {"hidden": " (hidden)", "veryHidden": " (very hidden)"}
_THREADED = "[Threaded comment]"
"""How the copy of a comment for older programs begins."""
_CELL = re.compile(r"[\t\n]")
_SHEETS = r"xl/(?:worksheets|chartsheets|dialogsheets|macrosheets)/[^/]*\.xml"


def _extract(file: File) -> Extracted:
    package = opened(file)
    if package.main.endswith(".bin"):
        detail = "a binary workbook (.xlsb); install LibreOffice (soffice) and build again, or save it as .xlsx"
        raise Unextractable(Cause.NEEDS_TOOL, detail)
    listed, since_1904 = _listed(package)
    workbook = _workbook(package, since_1904=since_1904)
    persons = _persons(package)
    texts, length = [], 0
    unlisted = {name: "Sheet that is not in the workbook" for name in package.named(_SHEETS) if name not in listed}
    for name, heading in {**listed, **unlisted}.items():
        texts.append(f"{heading}:\n{_sheet(package, name, workbook, persons)}")
        length += len(texts[-1])
        if length > MAX_TEXT:
            raise Unextractable(Cause.TOO_LARGE, f"its text is longer than {MAX_TEXT} characters")
    text = "\n".join(texts)
    return finished(package, KIND, text + "\n" + section("Data of pivot tables", _pivot_data(package, text)))


def _listed(package: Package) -> tuple[dict[str, str], bool]:
    """The headings of the sheets that the workbook names, by part, in its order; and where dates are counted from."""
    related = package.related(package.main)
    found: dict[str, str] = {}
    since_1904 = False
    for event in package.events(package.main):
        if event.attributes is None:
            continue
        if event.tag == "x:workbookPr":
            since_1904 = event.attributes.get("date1904", "0") in ("1", "true", "on")
        elif event.tag == "x:sheet":
            name, state = event.attributes.get("name", ""), event.attributes.get("state", "")
            item = related.get(event.attributes.get("r:id", ""))
            if item and not item.is_external:
                found.setdefault(item.target, f"Sheet {in_one_line(name)}{_STATES.get(state, '')}")
            else:
                package.note(Cause.UNREAD_PART, f"the sheet {name[:100]!r} is missing")
    return found, since_1904


def _workbook(package: Package, *, since_1904: bool) -> Workbook:
    strings: list[str] = []
    for part in package.targets(package.main, "sharedStrings"):
        strings += [text for _, text in rich_texts(package.optional_events(part), "x:si")]
    styles = package.targets(package.main, "styles")
    dates = date_styles(package, styles[0]) if styles else frozenset()
    return Workbook(strings=strings, date_styles=dates, since_1904=since_1904)


def _sheet(package: Package, name: str, workbook: Workbook, persons: Mapping[str, str]) -> str:
    """A sheet with everything that hangs at it."""
    reader = SheetReader(workbook)
    for event in package.optional_events(name):
        reader.take(event)
    reader.finish()
    text = reader.story.text()
    sections = [section("Headers and footers", reader.header_lines())]
    for drawing in package.targets(name, "drawing"):
        sections.append(section("Drawings", drawn_text(package.optional_events(drawing))))
        sections += graphics(package, drawing)
    sections.append(section("Text boxes", "\n".join(vml_text(package, name))))
    sections.append(section("Comments", "\n".join(_comments(package, name, persons))))
    return f"{text}\n{''.join(sections)}"


def _pivot_data(package: Package, text: str) -> str:
    """What pivot tables keep of their source, as far as no sheet shows it: the source may have been deleted."""
    shown = set(_CELL.split(text))
    found: dict[str, None] = {}
    for part in package.named(r"xl/pivotcache/pivotcache(?:definition|records)[^/]*\.xml"):
        for event in package.optional_events(part):
            if event.tag == "x:s" and event.attributes and (value := in_one_line(event.attributes.get("v", ""))):
                found[value] = None
    return "\n".join(value for value in found if value not in shown)


def _comments(package: Package, sheet: str, persons: Mapping[str, str]) -> Iterator[str]:
    """The comments of a sheet, each with its cell and its author."""
    threads = package.targets(sheet, "threadedComment")
    for part in threads:
        yield from _thread(package, part, persons)
    for part in package.targets(sheet, "comments"):
        authors = _comment_authors(package, part)
        for about, text in rich_texts(package.optional_events(part), "x:comment"):
            if not (threads and text.startswith(_THREADED)):
                author = authors.get(about.get("authorId", ""), "")
                yield _comment(about.get("ref", ""), author, text)


def _thread(package: Package, part: str, persons: Mapping[str, str]) -> Iterator[str]:
    """The comments of newer programs, with their answers."""
    about: Mapping[str, str] = {}
    pieces: list[str] = []
    for event in package.optional_events(part):
        if event.attributes is not None and event.tag == "tc:threadedComment":
            about, pieces = event.attributes, []
        elif not event.tag:
            pieces.append(event.text)
        elif event.tag == "tc:threadedComment" and event.attributes is None:
            yield _comment(about.get("ref", ""), persons.get(about.get("personId", ""), ""), "".join(pieces))


def _comment(place: str, author: str, text: str) -> str:
    said = in_one_line(text)
    return f"{place} {author}: {said}" if author and not said.startswith(author) else f"{place} {said}"


def _comment_authors(package: Package, part: str) -> dict[str, str]:
    """The authors of a part of comments, by their number in it."""
    names: list[list[str]] = []
    is_author = False
    for event in package.optional_events(part):
        if event.tag == "x:author":
            is_author = event.opens
            names += [[]] if is_author else []
        elif event.tag == "x:commentList":
            break
        elif is_author:
            names[-1].append(event.text)
    return {str(number): in_one_line("".join(name)) for number, name in enumerate(names)}


def _persons(package: Package) -> dict[str, str]:
    """The names of those who commented, by id."""
    found = {}
    for part in package.targets(package.main, "person"):
        for event in package.optional_events(part):
            if event.tag == "tc:person" and event.attributes is not None:
                found[event.attributes.get("id", "")] = in_one_line(event.attributes.get("displayName", ""))
    return found


EXTRACTOR = Extractor(
    name=KIND,
    described="Excel workbooks (.xlsx, .xlsm, .xltx)",
    recognises=lambda file: kind_of(file) == KIND,
    extract=_extract,
)
