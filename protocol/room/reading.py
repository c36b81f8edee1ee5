"""The documents of a question as a page shows them: fields, family, text, and where words are found.

All of it is proven. It is text, whatever kind of file a document is; a page escapes it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ledger import plain
from ledger.roles import Role
from protocol.exchange import details, filenames
from protocol.exchange.answering import Ready
from protocol.exchange.filenames import ShownDocument
from protocol.parties.alike import Alike, described
from protocol.parties.whereabouts import Whereabouts

FIRST = 60_000
"""Characters of a text that are shown at once: enough to read, and quick to lay out."""

_PIECE = 4000
"""Characters after which a text is cut at the next end of a line: a browser lays out only the pieces that it shows."""

_ADDRESS = re.compile(r"(?<=\S)\s*<[^<>]*>$")
"""What stands behind a sender's name, for which the list has no room."""

_DEEPEST = 4
_STATED = ("From", "To", "Date")
_SHORT = 3  # letters of a word that says little
_COMMON = frozenset(
    re.findall(
        "[a-z]+",
        "about after against alice also been before between concerning document documents during "
        "each email emails every from have including into mail mails more other "
        "party plaintiff defendant regarding related relating responsive shall such than that their "
        "them these they this those through under were what when where which "
        "whom whose with within without would attachment attachments communication communications all and "
        "any are for not the was who our its his her ",
    )
)
"""Words of a request that stand in every request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartShown:
    """A part of a document."""

    number: int
    depth: int
    name: str
    fields: tuple[tuple[str, str], ...]
    text: tuple[str, ...] | None  # in pieces, each without the end of its last line; None: withheld
    cut: int  # how many characters are left out
    images: int  # pictures of pages


def listed(ready: Ready) -> list[dict[str, str | int | bool]]:
    """What the list says of each document. `title` and `about` are shown, the fields are sorted by."""
    counted = Counter(row.position for row in ready.alike)
    if not ready.shown:
        return [_line(position, each.name) for position, each in ready.documents.items()]
    return [_shown_line(each, counted[each.position]) for each in ready.shown]


def _shown_line(document: ShownDocument, alike: int) -> dict[str, str | int | bool]:
    first = document.parts[0]
    return _line(
        document.position,
        document.name,
        sender=first.log.author,
        date=first.log.date,
        subject="" if first.rest is None else first.rest.fields.get("subject", ""),
    ) | {
        "family": len(document.parts) - 1,
        "alike": alike,
        "claimed": bool(document.claimed),  # for the court: for parts
        "judged": document.judged,
    }


def _line(
    position: int, name: str, *, sender: str = "", date: str = "", subject: str = ""
) -> dict[str, str | int | bool]:
    return {
        "position": position,
        "name": name,
        "sender": sender,
        "date": date,
        "subject": subject,
        "title": plain.shown(subject or name),
        "about": plain.shown(f"{_ADDRESS.sub('', sender)} {date[:16].replace('T', ' ')}".strip()),
        "family": 0,
        "alike": 0,
        "claimed": False,
        "judged": False,
    }


def parts(document: ShownDocument, *, whole: bool = False, stated: bool = False) -> list[PartShown]:
    """The parts in the order of the family tree. `stated`: from, to and date of the first stand elsewhere."""
    found = []
    for number, depth in details.tree(document.parts):
        part = document.parts[number]
        text = None if part.rest is None else part.text
        shown = text if text is None or whole else text[:FIRST]
        found.append(
            PartShown(
                number=number,
                depth=min(depth, _DEEPEST),
                name=part.called,
                fields=tuple(
                    each for each in details.of_part(part) if not (stated and number == 0 and each[0] in _STATED)
                ),
                text=None if shown is None else tuple(pieces(shown)),
                cut=len(text or "") - len(shown or ""),
                images=len(part.images),
            )
        )
    return found


def pieces(text: str) -> Iterator[str]:
    """A text cut at ends of lines; none if it has no letters."""
    if not text.strip():
        return
    start = 0
    while (end := text.find("\n", start + _PIECE)) != -1:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def image(ready: Ready, position: int, part: int, page: int) -> bytes | None:
    """A picture of a page, checked against Trent's request; None if there is none."""
    name = filenames.image_file(position, part, page)
    if name not in ready.asked.request.files:
        return None
    return next(ready.asked.contents([name]))


def request_terms(ready: Ready) -> list[str]:
    """Words of the request and of the seed query that say something, to be highlighted."""
    caption = ready.view.opening.caption
    text = f"{caption.request if caption else ''} {ready.view.opening.terms.query}"
    words = re.findall(r"[^\W_]+(?:[-'][^\W_]+)*", text.casefold())
    return list(dict.fromkeys(word for word in words if len(word) > _SHORT and word not in _COMMON))[:40]


class Search:
    """Finds words in a question's documents, in what is known about them as in their texts."""

    def __init__(self, ready: Ready) -> None:
        self._texts = {each.position: _searched(each) for each in ready.shown} or {
            position: each.name.casefold() for position, each in ready.documents.items()
        }
        self._found = lru_cache(maxsize=64)(self._search)

    def found(self, words: str) -> tuple[int, ...]:
        """The positions of the documents that hold these words as they are written, in any case."""
        return self._found(words.casefold().strip())

    def _search(self, words: str) -> tuple[int, ...]:
        return tuple(position for position, text in self._texts.items() if words in text) if words else ()


def _searched(document: ShownDocument) -> str:
    known = (value for part in document.parts for _, value in details.of_part(part))
    return "\n".join((document.name, *known, *(part.text for part in document.parts))).casefold()


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """What the court is told of a document that it reads in camera, in the same place for each."""

    sender: str
    recipients: str
    date: str
    basis: str
    parts: tuple[str, ...]  # the names of the parts that are claimed, if not all are
    asks: str  # what is asked, if that is not whether the claim is upheld


def camera(ready: Ready, document: ShownDocument) -> Camera | None:
    """The block above a document in camera; None elsewhere."""
    if ready.view.kind != "privilege":
        return None
    log = document.parts[0].log
    return Camera(
        sender=log.author,
        recipients=log.recipients,
        date=log.date,
        basis=document.note,
        parts=tuple(f"{number} {document.parts[number].called}" for number in document.claimed),
        asks="whether it is responsive" if document.judged else "",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What one side says of a document before the court."""

    who: Role
    responsive: bool
    reason: str


def sides(ready: Ready, where: Whereabouts, position: int) -> tuple[Held, ...]:
    """Both labels and reasons, for the court's ruling."""
    number = ready.asked.request.round
    if ready.view.kind != "rulings" or number not in where.rounds:
        return ()
    sitting = where.rounds[number]
    return (
        Held(who=Role.ALICE, responsive=where.alice(number, position), reason=""),
        Held(who=Role.BOB, responsive=sitting.bob.get(position) is True, reason=sitting.reasons.get(position, "")),
    )


def rows(ready: Ready, position: int) -> Iterator[tuple[int, Alike, str]]:
    """What the question asks about a document because it is like another: the row, and why in words."""
    for number, row in enumerate(ready.alike, start=1):
        if row.position == position:
            yield number, row, described(row)


def neighbours(rows: Sequence[Alike], position: int) -> list[int]:
    """Other positions of this question that are like one."""
    pairs = [(row.position, row.other.position) for row in rows if row.other is not None and row.reason == "together"]
    found = {two if one == position else one for one, two in pairs if position in (one, two)}
    return sorted(found - {position})
