"""The names of the files in a question, and the documents among them.

All names are ASCII and safe on every system, whatever the documents are called. A system chooses by a name's ending
what it does with the file. So a document's file has one of two endings with which nothing in it runs.
"""

import re
import unicodedata
from dataclasses import dataclass

REQUEST, ENTRIES = "question.json", "entries.jsonl"
LABELS, CLAIMS, WITHHELD = "labels.csv", "privilege.csv", "withheld.csv"
INDEX, INSTRUCTIONS, CHECKPOINT = "index.html", "README.txt", "checkpoint.txt"
DEPOSITS, DEPOSIT = "deposits.json", "deposit.json"
COPY = "copy.jsonl.gz"
PROOFS = "proofs.json"
DOCUMENTS, TEXTS, PAGES = "documents", "texts", "pages"

PASSIVE = ("txt", "eml")
"""The endings that documents keep: a browser and an editor show a text as it is, and mail programs run no scripts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDocument:
    """A document to read, at its position in the batch."""

    position: int
    name: str
    content: bytes
    text: str
    note: str = ""  # a note about it, such as the basis of a claim of privilege
    judged: bool = False  # the court is asked whether it is responsive, and not whether it is privileged

    def file(self, number: int) -> str:
        """Its file in a question of round `number`."""
        return f"{DOCUMENTS}/{file_name(number, self.position, self.name)}"

    @property
    def is_text(self) -> bool:
        """Whether its bytes are its text. If so, the text needs no file of its own."""
        return self.text.encode() == self.content

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


def file_name(number: int, position: int, name: str) -> str:
    """A name for a document's file that is unique in a matter, safe on every system, and inert.

    It begins with the position, so no system reserves it, and contains the round, so a form of another round is
    recognised. An ending with which a system might run the file becomes part of the name: `memo.html` is
    `0003-r1-memo-html.txt`.
    """
    whole = re.split(r"[/\\]", name)[-1]
    stem, _, ending = whole.rpartition(".")
    if not stem or ending.lower() not in PASSIVE:
        stem, ending = whole, "txt"
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode()
    kept = re.sub("[^A-Za-z0-9]+", "-", plain)[:50].strip("-") or "document"
    return f"{position:04d}-r{number}-{kept}.{ending.lower()}"


def text_file(position: int) -> str:
    """The file with a document's text, if the text differs from the document's bytes."""
    return f"{TEXTS}/{position:04d}.txt"


def position_of(file: str) -> int | None:
    """The position at the beginning of a document's file name, if there is one."""
    number = re.match("[0-9]+(?=-)", file.removeprefix(f"{DOCUMENTS}/"))
    return None if number is None else int(number[0])
