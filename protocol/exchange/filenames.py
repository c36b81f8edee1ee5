"""The names of the files in a question, and the documents among them.

All names are ASCII and safe on every system, whatever the documents are called. A system chooses by a name's ending
what it does with the file. So a document's file has one of two endings with which nothing in it runs.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from protocol.corpus.leaves import Log, Rest

REQUEST, ENTRIES = "question.json", "entries.jsonl"
LABELS, CLAIMS, WITHHELD, ALIKE = "labels.csv", "privilege.csv", "withheld.csv", "alike.csv"
LIKENESSES = "alike.json"
INDEX, INSTRUCTIONS, CHECKPOINT = "index.html", "README.txt", "checkpoint.txt"
DEPOSITS, DEPOSIT = "deposits.json", "deposit.json"
COPY = "copy.jsonl.gz"
PROOFS = "proofs.json"
DOCUMENTS, TEXTS, PAGES, IMAGES = "documents", "texts", "pages", "images"

PASSIVE = ("txt", "eml")
"""The endings that documents keep: a browser and an editor show a text as it is, and mail programs run no scripts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPart:
    """A part of a document to read: what is known about it, its bytes and its text."""

    log: Log
    rest: Rest | None  # None: the part is withheld, and nothing but its log is known
    content: bytes = b""
    text: str = ""
    text_only: bool = False  # a part that is withheld lies inside it, so that its bytes are not handed over
    images: tuple[bytes, ...] = ()
    """Pictures of its first pages; in a party's program, which only names them, their hashes."""

    @property
    def called(self) -> str:
        """Its name, for people."""
        return "withheld as privileged" if self.rest is None else self.rest.name

    @property
    def is_text(self) -> bool:
        """Whether its bytes are its text. If so, the text needs no file of its own."""
        return self.text.encode() == self.content


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDocument:
    """A document to read, at its position in the batch."""

    position: int
    name: str
    parts: tuple[ShownPart, ...]
    note: str = ""  # a note about it, such as the basis of a claim of privilege
    judged: bool = False  # the court is asked whether it is responsive, and not whether it is privileged
    claimed: tuple[int, ...] = ()  # for the court: the parts that Alice claims as privileged, if she does not claim all

    def file(self, number: int, part: int = 0) -> str:
        """The file of a part in a question of round `number`."""
        shown = self.parts[part]
        name = self.name if part == 0 or shown.rest is None else shown.rest.name
        return f"{DOCUMENTS}/{file_name(number, self.position, part_name(name, text_only=shown.text_only), part)}"

    def open_parts(self) -> Iterator[tuple[int, ShownPart]]:
        """The parts that are not withheld, by number."""
        return ((number, part) for number, part in enumerate(self.parts) if part.rest is not None)

    @property
    def page(self) -> str:
        """The page that shows it."""
        return f"{PAGES}/{self.position:04d}.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDocument:
    """A withheld document in the list of a second look. Alice has it from the round in which she labelled it."""

    position: int  # in the list
    name: str
    round: int  # in which she labelled it
    place: int  # its position in that round

    @property
    def file(self) -> str:
        """Its file in the question of that round."""
        return f"{DOCUMENTS}/{file_name(self.round, self.place, self.name)}"


def file_name(number: int, position: int, name: str, part: int = 0) -> str:
    """A name for the file of a document's part that is unique in a matter, safe on every system, and inert.

    It begins with the position and, but for part 0, the part, so no system reserves it, and contains the round, so a
    form of another round is recognised. An ending with which a system might run the file becomes part of the name:
    `memo.html` is `0003-r1-memo-html.txt`, and as part 2 of its document `0003-2-r1-memo-html.txt`.
    """
    whole = re.split(r"[/\\]", name)[-1]
    stem, _, ending = whole.rpartition(".")
    if not stem or ending.lower() not in PASSIVE:
        stem, ending = whole, "txt"
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode()
    kept = re.sub("[^A-Za-z0-9]+", "-", plain)[:50].strip("-") or "document"
    return f"{_place(position, part)}-r{number}-{kept}.{ending.lower()}"


def part_name(name: str, *, text_only: bool) -> str:
    """The name that a part's file is called by: the text of a mail is no mail."""
    return f"{name}.txt" if text_only else name


def text_file(position: int, part: int = 0) -> str:
    """The file with a part's text, if the text differs from the part's bytes."""
    return f"{TEXTS}/{_place(position, part)}.txt"


def image_file(position: int, part: int, page: int) -> str:
    """The file with the picture of a page, which counts from 1."""
    return f"{IMAGES}/{_place(position, part)}-p{page:03d}.png"


def _place(position: int, part: int) -> str:
    return f"{position:04d}-{part}" if part else f"{position:04d}"


def place_of(file: str) -> tuple[int, int] | None:
    """The position and the part at the beginning of a document's file name, if they are there."""
    found = re.match("([0-9]{1,12})(?:-([0-9]{1,12}))?-r", file.removeprefix(f"{DOCUMENTS}/"))
    return None if found is None else (int(found[1]), int(found[2] or 0))
