"""Pages to read a question's documents in: a list, and a page for each, so that a large batch opens quickly.

They need no network and no script, and their policy forbids both. A page shows what is known about a document, and its
text or, part by part, its texts, escaped, whatever kind of file the document is. It links to nothing but other pages
and files with inert names. The same texts give the same bytes, so a party's program can tell that the pages show what
was proven.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from ledger.plain import shown
from protocol.exchange import details, filenames
from protocol.exchange.filenames import ListedDocument, ShownDocument, ShownPart
from protocol.exchange.markup import Markup, element, joined, paragraph, text
from protocol.matter.books import Seat
from protocol.matter.naming import Telling
from protocol.matter.privilege_log import BASIS, parts_of
from protocol.matter.values import Caption
from protocol.parties.question import Request

NEIGHBOURS = 15
"""How many documents before and after one are in the list beside it."""

_STYLE = """
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: #111; font: 1rem/1.5 "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
header { border-bottom: 2px solid #111; padding: .5rem 1rem; }
header p { margin: .2rem 0; }
h1 { font-size: 1.15rem; margin: .3rem 0; overflow-wrap: anywhere; }
.steps a { display: inline-block; border: 1px solid #111; padding: .15rem .7rem; margin: .2rem .3rem .2rem 0; }
a { color: #003a8c; }
a:focus { outline: 3px solid #c60; outline-offset: 1px; }
.columns { display: flex; align-items: flex-start; }
.columns nav { flex: 0 0 17rem; padding: .8rem 1rem; font-size: .9rem; }
nav ol { list-style: none; margin: 0; padding: 0; }
nav li { padding: .12rem 0; overflow-wrap: anywhere; }
nav [aria-current] { font-weight: 700; }
main { flex: 1 1 auto; min-width: 0; padding: .8rem 1rem 3rem; }
.note { border-left: 6px solid #111; padding-left: .7rem; overflow-wrap: anywhere; }
.about { width: auto; max-width: 52rem; margin: 0 0 1rem; }
.about th { white-space: nowrap; padding-right: 1.2rem; }
.parts { list-style: none; padding: 0; overflow-wrap: anywhere; }
.deep-1 { padding-left: 1.5rem; } .deep-2 { padding-left: 3rem; } .deep-3 { padding-left: 4.5rem; }
.deep-4 { padding-left: 6rem; }
h2 { font-size: 1.05rem; border-top: 2px solid #111; padding-top: .6rem; overflow-wrap: anywhere; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; max-width: 52rem; margin: 0; font: inherit; }
details { margin: 0 0 1rem; } summary { cursor: pointer; }
img { display: block; max-width: 52rem; width: 100%; border: 1px solid #999; margin: .5rem 0; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #999; padding: .25rem .6rem .25rem 0; text-align: left; vertical-align: top; }
td { overflow-wrap: anywhere; }
@media (max-width: 50rem) { .columns { display: block; } .columns nav { display: none; } }
@media print { .steps, .columns nav { display: none; } .columns { display: block; } }
"""

_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"
_PICTURES = "; img-src 'self' file:"
"""What is allowed besides on a page that shows pictures: those of files beside it."""
_STRANGE = "noopener noreferrer"  # of a link to a file that strangers wrote: it learns nothing of the page
_HELD = {True: "responsive", False: "not responsive"}
_NOTE = "What was said of it"
_NOTES: dict[str, str] = {
    "privilege": "Basis of the claim, or question",
    "returned": "Basis on which it is asked back",
    "rulings": "What the parties hold",
}
_SLIP = "Withheld as privileged, by ruling of the court. Nothing of it is shown but what its log states."
_WITHHELD = (
    "These are the documents that you labelled not responsive and that Bob has not been shown. They are not in this "
    "package: you have them from the rounds in which you labelled them, under the names in the last column."
)
_DEEPEST = 4  # parts that lie deeper are shown as if they lay so deep
_HEAD = 4000  # how many characters of a text are searched for its first words


def disagreement(caption: Caption | None, *, alice: bool, bob: bool, reason: str = "") -> str:
    """What the court is told of a document on which Alice and Bob disagree, with the reason that Bob gave, if any."""
    held = f"Alice holds it {_HELD[alice]}, Bob {_HELD[bob]}"
    said = Telling(caption).said(f"{held}. Bob's reason:" if reason else held)
    return f"{said} {reason}" if reason else said


def asked_back(caption: Caption | None, basis: object, seat: Seat) -> str:
    """What the court is told of a document that Alice asks back."""
    shown_in = f"Bob was shown it in round {seat.round}, at position {seat.position}"
    return f"{basis} ({Telling(caption).said(shown_in)})"


def in_camera(basis: Any) -> tuple[str, bool]:
    """What the court is told of a document that it reads alone, and whether it is asked if that is responsive.

    `basis` is what Alice claims: a basis is a claim of privilege, for the document or for parts of it. A class is not,
    and neither is nothing.
    """
    if isinstance(basis, str):
        return basis, False
    if parts := parts_of(basis):
        numbers = ", ".join(map(str, parts))
        words = f"claimed for {'part' if len(parts) == 1 else 'parts'} {numbers} only: {basis[BASIS]}"
        return f"{words}. If a part is upheld: is the document responsive?", False
    if isinstance(basis, dict):
        return f"class {basis.get('class')}: is it responsive?", True
    return "is it responsive?", True


def render(asked: Request, documents: Sequence[ShownDocument], case: str, sought: str = "") -> dict[str, bytes]:
    """The list, and a page for each document, by file; `sought` is the request for production."""
    where = f", round {asked.round}" if asked.round else ""
    title = f"{case}{where}: {len(documents)} document{'' if len(documents) == 1 else 's'}"
    found = {filenames.INDEX: _page(title, _index(asked, documents, title, sought))}
    nearby = [element("li", _neighbour(each, current=False)) for each in documents]
    for place, document in enumerate(documents):
        name = f"{document.position}: {shown(document.name)}"
        pictured = any(part.images for part in document.parts)
        found[document.page] = _page(name, _document(asked, documents, place, nearby), pictured=pictured)
    return found


def listing(
    asked: Request, documents: Sequence[ListedDocument], case: str, sought: str = "", caption: Caption | None = None
) -> dict[str, bytes]:
    """The page for a second look: all that is withheld, by round, with the names of the files that Alice has."""
    title = f"{case}, round {asked.round}: {len(documents)} withheld document{'' if len(documents) == 1 else 's'}"
    rounds = [(number, list(each)) for number, each in groupby(documents, key=lambda document: document.round)]
    links = (element("a", f"Round {number}: {len(each)}", href=f"#round-{number}") for number, each in rounds)
    header = element(
        "header",
        element("h1", _whole(title)),
        *_sought(sought),
        paragraph(Telling(caption).said(_WITHHELD)),
        element("p", *links, class_="steps"),
    )
    tables = (_withheld(number, each) for number, each in rounds)
    return {filenames.INDEX: _page(title, joined([header, element("main", *tables)]))}


def listed(title: str, about: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A page with one table of documents that are not in the package."""
    header = element("header", element("h1", _whole(title)), paragraph(about))
    table = _table(heads, (element("tr", *(element("td", cell) for cell in row)) for row in rows))
    return _page(title, joined([header, element("main", table)]))


def _withheld(number: int, documents: Sequence[ListedDocument]) -> Markup:
    """The withheld documents of one round."""
    heads = (
        "Position in this list",
        "Document",
        f"Position in round {number}",
        f"File in the question of round {number}",
    )
    rows = ((str(each.position), _name(each), str(each.place), each.file) for each in documents)
    table = _table(heads, (element("tr", *(element("td", cell) for cell in row)) for row in rows))
    return joined([element("h1", f"Round {number}", id=f"round-{number}"), table])


def _table(heads: Sequence[str], rows: Iterable[Markup]) -> Markup:
    return element(
        "table",
        element("thead", element("tr", *(element("th", head) for head in heads))),
        element("tbody", *("\n", *(joined((row, "\n")) for row in rows))),
    )


def _sought(sought: str) -> tuple[Markup, ...]:
    """The request for production, which says what is responsive."""
    if not sought.strip():
        return ()
    return element("p", "What is responsive:", class_="note"), element("p", _whole(sought.strip()), class_="text")


def _index(asked: Request, documents: Sequence[ShownDocument], title: str, sought: str) -> Markup:
    noted = any(each.note for each in documents)
    heads = ["Position", "Document", *([_NOTES.get(asked.kind, _NOTE)] if noted else []), "Begins", "Original"]
    rows = [_row(asked, each, noted=noted) for each in documents]
    return joined(
        [
            element(
                "header",
                element("h1", _whole(title)),
                *_sought(sought),
                paragraph(
                    "Choose a document to read its text. The files themselves are in the folder documents. Whatever a "
                    "document is called, its file ends in .txt or .eml, so that nothing in it runs when it is opened."
                ),
            ),
            element("main", _table(heads, rows)),
        ]
    )


def _row(asked: Request, document: ShownDocument, *, noted: bool) -> Markup:
    cells = [
        str(document.position),
        element("a", _name(document), href=document.page),
        *([_whole(document.note)] if noted else []),
        _beginning(document),
        "withheld"
        if document.parts[0].rest is None
        else element("a", "file", href=document.file(asked.round), rel=_STRANGE),
    ]
    return element("tr", *(element("td", cell) for cell in cells))


def _beginning(document: ShownDocument) -> str:
    """The first words of a document; for a mail, its subject, and what comes after its head."""
    text = document.parts[0].text
    head, _, rest = text[:_HEAD].partition("\n\n")
    subject = re.search(r"^subject:[^\S\n]*(\S.*)$", head, re.IGNORECASE | re.MULTILINE)
    return " ".join((f"{subject[1]} | {rest}" if subject else text[:_HEAD]).split())[:120]


def _document(asked: Request, documents: Sequence[ShownDocument], place: int, nearby: Sequence[Markup]) -> Markup:
    """A document's page; `nearby` has the item of each document in the list beside another one."""
    document = documents[place]
    before, after = nearby[max(0, place - NEIGHBOURS) : place], nearby[place + 1 : place + NEIGHBOURS + 1]
    items = (*before, element("li", _neighbour(document, current=True)), *after)
    original = _original(asked, document, 0, "Original file")
    return joined(
        [
            element(
                "header",
                element("p", *_steps(documents, place), class_="steps"),
                element("h1", f"{document.position}: ", _name(document)),
                paragraph(f"Document {place + 1} of {len(documents)}. ", original),
                *([element("p", _whole(document.note), class_="note")] if document.note else []),
            ),
            element(
                "div",
                element("nav", element("ol", *items), aria_label="Documents nearby"),
                element("main", *_parts(asked, document)),
                class_="columns",
            ),
        ]
    )


def _parts(asked: Request, document: ShownDocument) -> Iterator[Markup]:
    """What is known about a document, and its text; for several parts, their tree, and the same for each."""
    if len(document.parts) == 1:
        yield from _part(document, 0)
        return
    yield element("h2", f"This document has {len(document.parts)} parts")
    yield _tree(document)
    for number, part in enumerate(document.parts):
        yield element("h2", f"Part {number}: ", _called(part), id=f"part-{number}")
        if part.rest is not None:
            yield paragraph(_original(asked, document, number, "Original file of this part"))
        if number in document.claimed:
            yield element("p", "Claimed as privileged.", class_="note")
        yield from _part(document, number)


def _original(asked: Request, document: ShownDocument, part: int, words: str) -> Markup:
    """The link to the file of a part, if it has one."""
    shown_part = document.parts[part]
    if shown_part.rest is None:
        return text(_SLIP)
    link = element("a", "Its text" if shown_part.text_only else words, href=_up(asked, document, part), rel=_STRANGE)
    more = ". The original is not handed over, since it may hold a part that is withheld."
    return joined([link, more]) if shown_part.text_only else link


def _up(asked: Request, document: ShownDocument, part: int) -> str:
    return f"../{document.file(asked.round, part)}"


def _tree(document: ShownDocument) -> Markup:
    """A list of the parts, each below the one that it is attached to or inside of."""
    items = (
        element(
            "li",
            element("a", f"Part {number}: ", _called(document.parts[number]), href=f"#part-{number}"),
            class_=f"deep-{min(depth, _DEEPEST)}",
        )
        for number, depth in details.tree(document.parts)
    )
    return element("ul", *items, class_="parts")


def _part(document: ShownDocument, number: int) -> Iterator[Markup]:
    part = document.parts[number]
    rows = [
        element("tr", element("th", name, scope="row"), element("td", element("bdi", _whole(shown(value)))))
        for name, value in details.of_part(part)
    ]
    if rows:
        yield element("table", element("tbody", *rows), class_="about")
    if part.rest is None:
        yield element("p", _SLIP, class_="note")
    else:
        if part.images:
            yield _images(document, number)
        yield element("pre", "\n", _whole(part.text), class_="text", dir="auto")


def _images(document: ShownDocument, number: int) -> Markup:
    """Pictures of the first pages, folded away: the text is what everything else goes by."""
    part = document.parts[number]
    pages, made = part.rest.pages if part.rest else None, len(part.images)
    of_all = f" of {pages}" if pages and pages > made else ""
    named = [(page, f"../{filenames.image_file(document.position, number, page)}") for page in range(1, made + 1)]
    return element(
        "details",
        element("summary", f"Pictures of its pages: {made}{of_all}"),
        *(element("img", src=file, alt=f"Page {page}", loading="lazy") for page, file in named),
    )


def _called(part: ShownPart) -> Markup:
    return element("bdi", _whole(shown(part.called) or "without a name"))


def _steps(documents: Sequence[ShownDocument], place: int) -> Iterator[Markup]:
    """The links to the list, and to the documents before and after."""
    yield element("a", "List", href="../index.html", accesskey="l")
    if place:
        yield element("a", "Previous", href=f"../{documents[place - 1].page}", rel="prev", accesskey="p")
    if place + 1 < len(documents):
        yield element("a", "Next", href=f"../{documents[place + 1].page}", rel="next", accesskey="n")


def _neighbour(document: ShownDocument, *, current: bool) -> Markup:
    attributes = {"aria_current": "page"} if current else {}
    return element("a", f"{document.position}: ", _name(document), href=f"../{document.page}", **attributes)


def _page(title: str, body: Markup, *, pictured: bool = False) -> bytes:
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY + (_PICTURES if pictured else "")),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="format-detection", content="telephone=no, date=no, address=no, email=no, url=no"),
        element("title", _whole(title)),
        element("style", Markup(_STYLE)),
    )
    whole = joined((Markup("<!DOCTYPE html>\n"), element("html", head, element("body", body), lang="en"), "\n"))
    return whole.encode()


def _name(document: ShownDocument | ListedDocument) -> Markup:
    return named(document.name)


def named(name: str) -> Markup:
    """A document's name, which a stranger chose."""
    return element("bdi", _whole(shown(name) or "without a name"))


def _whole(words: str) -> Markup:
    """A text that is not shortened, however long it is."""
    return text(words, len(words))
