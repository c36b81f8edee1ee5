"""Pages to read a question's documents in: a list, and a page for each, so that a large batch opens quickly.

They need no network and no script, and their policy forbids both. A page shows a document's text, escaped, whatever
kind of file the document is, and links to nothing but other pages and files with inert names. The same texts give the
same bytes, so a party's program can tell that the pages show what was proven.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from ledger.plain import shown
from protocol.exchange import filenames
from protocol.exchange.filenames import ListedDocument, ShownDocument
from protocol.exchange.markup import Markup, element, joined, paragraph, text
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
.text { white-space: pre-wrap; overflow-wrap: anywhere; max-width: 52rem; margin: 0; font: inherit; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #999; padding: .25rem .6rem .25rem 0; text-align: left; vertical-align: top; }
td { overflow-wrap: anywhere; }
@media (max-width: 50rem) { .columns { display: block; } .columns nav { display: none; } }
@media print { .steps, .columns nav { display: none; } .columns { display: block; } }
"""

_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"
_STRANGE = "noopener noreferrer"  # of a link to a file that strangers wrote: it learns nothing of the page
_HELD = {True: "responsive", False: "not responsive"}
_NOTE = "What was said of it"
_NOTES: dict[str, str] = {"privilege": "Basis of the claim, or question", "rulings": "What the parties hold"}
_HEAD = 4000  # how many characters of a text are searched for its first words


def disagreement(*, alice: bool, bob: bool) -> str:
    """What the court is told of a document on which Alice and Bob disagree."""
    return f"Alice holds it {_HELD[alice]}, Bob {_HELD[bob]}"


def in_camera(basis: object) -> tuple[str, bool]:
    """What the court is told of a document that it reads alone, and whether it is asked if that is responsive.

    `basis` is what Alice claims: a basis is a claim of privilege, a class is not, and neither is nothing.
    """
    if isinstance(basis, str):
        return basis, False
    if isinstance(basis, dict):
        return f"class {basis.get('class')}: is it responsive?", True
    return "is it responsive?", True


def render(asked: Request, documents: Sequence[ShownDocument], case: str, sought: str = "") -> dict[str, bytes]:
    """The list, and a page for each document, by file; `sought` is the request for production."""
    title = f"{case}, round {asked.round}: {len(documents)} document{'' if len(documents) == 1 else 's'}"
    found = {filenames.INDEX: _page(title, _index(asked, documents, title, sought))}
    for place, document in enumerate(documents):
        name = f"{document.position}: {shown(document.name)}"
        found[document.page] = _page(name, _document(asked, documents, place))
    return found


def listing(asked: Request, documents: Sequence[ListedDocument], case: str, sought: str = "") -> dict[str, bytes]:
    """The page for a second look: all that is withheld, by round, with the names of the files that Alice has."""
    title = f"{case}, round {asked.round}: {len(documents)} withheld document{'' if len(documents) == 1 else 's'}"
    rounds = [(number, list(each)) for number, each in groupby(documents, key=lambda document: document.round)]
    links = (element("a", f"Round {number}: {len(each)}", href=f"#round-{number}") for number, each in rounds)
    header = element(
        "header",
        element("h1", _whole(title)),
        *_sought(sought),
        paragraph(
            "These are the documents that you labelled not responsive and that Bob has not been shown. They are not "
            "in this package: you have them from the rounds in which you labelled them, under the names in the last "
            "column."
        ),
        element("p", *links, class_="steps"),
    )
    tables = (_withheld(number, each) for number, each in rounds)
    return {filenames.INDEX: _page(title, joined([header, element("main", *tables)]))}


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
        _beginning(document.text),
        element("a", "file", href=document.file(asked.round), rel=_STRANGE),
    ]
    return element("tr", *(element("td", cell) for cell in cells))


def _beginning(text: str) -> str:
    """The first words of a document; for a mail, its subject, and what comes after its head."""
    head, _, rest = text[:_HEAD].partition("\n\n")
    subject = re.search(r"^subject:[^\S\n]*(\S.*)$", head, re.IGNORECASE | re.MULTILINE)
    return " ".join((f"{subject[1]} | {rest}" if subject else text[:_HEAD]).split())[:120]


def _document(asked: Request, documents: Sequence[ShownDocument], place: int) -> Markup:
    document = documents[place]
    near = documents[max(0, place - NEIGHBOURS) : place + NEIGHBOURS + 1]
    items = (element("li", _neighbour(each, current=each is document)) for each in near)
    original = element("a", "Original file", href=f"../{document.file(asked.round)}", rel=_STRANGE)
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
                element("main", element("pre", "\n", _whole(document.text), class_="text", dir="auto")),
                class_="columns",
            ),
        ]
    )


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


def _page(title: str, body: Markup) -> bytes:
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="format-detection", content="telephone=no, date=no, address=no, email=no, url=no"),
        element("title", _whole(title)),
        element("style", Markup(_STYLE)),
    )
    whole = joined((Markup("<!DOCTYPE html>\n"), element("html", head, element("body", body), lang="en"), "\n"))
    return whole.encode()


def _name(document: ShownDocument | ListedDocument) -> Markup:
    return element("bdi", _whole(shown(document.name) or "without a name"))


def _whole(words: str) -> Markup:
    """A text that is not shortened, however long it is."""
    return text(words, len(words))
