"""Pages to read a question's documents comfortably: a list, and a page for each, so that a large batch opens at once.

They need no network and no script, and their policy forbids both. A page shows a document's text, escaped. The same
texts give the same bytes, so that a party's program can tell that what was read is what is proven.
"""

import base64
import hashlib
import html
import re
from collections.abc import Sequence

from ledger.plain import shown
from protocol.exchange import filenames
from protocol.exchange.filenames import ShownDocument
from protocol.matter.statements import Kind
from protocol.parties.question import Request

NEIGHBOURS = 15
"""So many documents before and after one stand in the list beside it."""

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
_HELD = {True: "responsive", False: "not responsive"}
_NOTE = "What was said of it"
_NOTES: dict[str, str] = {Kind.PRIVILEGE: "Basis of the claim", Kind.RULINGS: "What the parties hold"}
_HEAD = 4000  # characters of a text in which its beginning is looked for
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def disagreement(*, alice: bool, bob: bool) -> str:
    """What the court is told of a document on which Alice and Bob disagree."""
    return f"Alice holds it {_HELD[alice]}, Bob {_HELD[bob]}"


def render(asked: Request, documents: Sequence[ShownDocument], case: str, sought: str = "") -> dict[str, bytes]:
    """The list, and a page for each document, by file; `sought` is the request for production."""
    title = f"{case}, round {asked.round}: {len(documents)} document{'' if len(documents) == 1 else 's'}"
    found = {filenames.INDEX: _page(title, _index(asked, documents, title, sought))}
    for place, document in enumerate(documents):
        name = f"{document.position}: {shown(document.name)}"
        found[document.page] = _page(name, _document(asked, documents, place))
    return found


def _index(asked: Request, documents: Sequence[ShownDocument], title: str, sought: str) -> str:
    noted = any(each.note for each in documents)
    rows = [
        f'<tr><td>{each.position}</td><td><a href="{each.page}">{_name(each)}</a></td>'
        f"{f'<td>{_escaped(each.note)}</td>' if noted else ''}<td>{_escaped(_beginning(each.text))}</td>"
        f'<td><a href="{each.file(asked.round)}">file</a></td></tr>'
        for each in documents
    ]
    responsive = f'<p class="note">What is responsive:</p><p class="text">{_escaped(sought.strip())}</p>'
    return (
        f"<header><h1>{_escaped(title)}</h1>{responsive if sought.strip() else ''}"
        "<p>Choose a document to read its text. The files themselves are in the folder documents.</p></header>"
        "<main><table><thead><tr><th>Position</th><th>Document</th>"
        f"{f'<th>{_NOTES.get(asked.kind, _NOTE)}</th>' if noted else ''}<th>Begins</th><th>Original</th></tr></thead>"
        f"<tbody>\n{chr(10).join(rows)}\n</tbody></table></main>"
    )


def _beginning(text: str) -> str:
    """The first words of a document; of a mail, its subject, and what comes after its head."""
    head, _, rest = text[:_HEAD].partition("\n\n")
    subject = re.search(r"^subject:[^\S\n]*(\S.*)$", head, re.IGNORECASE | re.MULTILINE)
    return " ".join((f"{subject[1]} | {rest}" if subject else text[:_HEAD]).split())[:120]


def _document(asked: Request, documents: Sequence[ShownDocument], place: int) -> str:
    document = documents[place]
    steps = ['<a href="../index.html" accesskey="l">List</a>']
    if place:
        steps.append(f'<a href="../{documents[place - 1].page}" rel="prev" accesskey="p">Previous</a>')
    if place + 1 < len(documents):
        steps.append(f'<a href="../{documents[place + 1].page}" rel="next" accesskey="n">Next</a>')
    near = documents[max(0, place - NEIGHBOURS) : place + NEIGHBOURS + 1]
    items = [
        f'<li><a href="../{each.page}"{" aria-current=page" if each is document else ""}>'
        f"{each.position}: {_name(each)}</a></li>"
        for each in near
    ]
    note = f'<p class="note">{_escaped(document.note)}</p>' if document.note else ""
    return (
        f'<header><p class="steps">{"".join(steps)}</p><h1>{document.position}: {_name(document)}</h1>'
        f'<p>Document {place + 1} of {len(documents)}. <a href="../{document.file(asked.round)}">Original file</a></p>'
        f'{note}</header><div class="columns"><nav aria-label="Documents nearby"><ol>{"".join(items)}</ol></nav>'
        f'<main><pre class="text" dir="auto">\n{_escaped(document.text)}</pre></main></div>'
    )


def _page(title: str, body: str) -> bytes:
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="referrer" content="no-referrer"><title>{_escaped(title)}</title><style>{_STYLE}</style>'
    )
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'.encode()


def _name(document: ShownDocument) -> str:
    return f"<bdi>{_escaped(shown(document.name)) or 'without a name'}</bdi>"


def _escaped(text: str) -> str:
    return html.escape(_CONTROLS.sub("\ufffd", text))
