"""The signed request of a question: what is asked of whom, after which history, with which files.

The names of all files are ASCII and safe on every system, whatever the documents are called.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Annotated

import msgspec

from ledger import keys, records
from ledger.hashing import Digest
from ledger.keys import PublicKey, Signature, SigningKey
from ledger.records import Name, Natural, Record
from ledger.roles import Role

FORMAT = 1

REQUEST, ENTRIES, LABELS, CLAIMS = "question.json", "entries.jsonl", "labels.csv", "privilege.csv"
INDEX, INSTRUCTIONS, CHECKPOINT = "index.html", "README.txt", "checkpoint.txt"
DEPOSITS, DEPOSIT = "deposits.json", "deposit.json"
PROOFS = "proofs.json"
DOCUMENTS, TEXTS, PAGES = "documents", "texts", "pages"

COSIGN = "cosign"
"""The kind of a question that asks for the cosignature of a checkpoint."""

FilePath = Annotated[
    str, msgspec.Meta(pattern=r"^((documents|texts|pages)/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?\Z")
]


class Request(Record, frozen=True, kw_only=True):
    """What Trent signs of a question."""

    entry: Digest  # the entry that asks; for a cosignature the head
    files: dict[FilePath, Digest]  # the SHA-256 of every other file
    format: Natural
    head: Digest  # of entry size - 1
    kind: Name  # of the answer wanted
    matter: Digest
    role: Role
    round: Natural
    size: Natural
    start: Natural  # the first entry that the question carries


class SignedRequest(Record, frozen=True, kw_only=True):
    """`question.json`."""

    question: Request
    signature: Signature


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDocument:
    """A document to read, at its position in the batch."""

    position: int
    name: str
    content: bytes
    text: str
    note: str = ""  # what to say beside it, such as the basis of a claim of privilege

    def file(self, number: int) -> str:
        """Its file in a question of round `number`."""
        return f"{DOCUMENTS}/{file_name(number, self.position, self.name)}"

    @property
    def is_text(self) -> bool:
        """Whether its bytes are its text, which needs no file of its own then."""
        return self.text.encode() == self.content

    @property
    def page(self) -> str:
        """The page that shows it."""
        return f"{PAGES}/{self.position:04d}.html"


def sign(key: SigningKey, request: Request) -> SignedRequest:
    """The request under Trent's signature."""
    return SignedRequest(question=request, signature=key.sign("question", records.encode(request)))


def is_signed(found: SignedRequest, trent: PublicKey) -> bool:
    """Whether this is Trent's signature of the request."""
    return keys.holds(keys.signed(trent, "question", records.encode(found.question), found.signature))


def file_name(number: int, position: int, name: str) -> str:
    """A name for a document's file that is unique in a matter, and safe on every system.

    It begins with the position, so that it is no name that a system reserves, and holds the round, so that a list of
    another round can be told by it.
    """
    stem, dot, ending = re.split(r"[/\\]", name)[-1].rpartition(".")
    if not (dot and stem and re.fullmatch("[A-Za-z0-9]{1,10}", ending)):
        stem, ending = f"{stem}{dot}{ending}", "txt"
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode()
    kept = re.sub("[^A-Za-z0-9]+", "-", plain)[:50].strip("-") or "document"
    return f"{position:04d}-r{number}-{kept}.{ending.lower()}"


def text_file(position: int) -> str:
    """Where the text of a document stands that is not the document's very bytes."""
    return f"{TEXTS}/{position:04d}.txt"


def position_of(file: str) -> int | None:
    """The position that a document's file name begins with, if it begins with one."""
    number = re.match("[0-9]+(?=-)", file.removeprefix(f"{DOCUMENTS}/"))
    return None if number is None else int(number[0])
