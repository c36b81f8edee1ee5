"""A corpus of a few documents with everything in it that documents have, the same in every run."""

from pathlib import Path

from ledger.commitments import Secret
from protocol.corpus import build
from protocol.corpus.corpus import Corpus
from protocol.sources.source import SourceDocument, SourcePart

SECRET = Secret(bytes(range(32)))

FAMILY = SourceDocument(
    parts=(
        SourcePart(
            name="offer.eml",
            content=b"From: ann\n\nSee the offer",
            text="See the offer of gas",
            type="mail",
            author="Ann <ann@example.org>",
            date="2001-05-04T10:00:00+02:00",
            recipients="bob@example.org; Ölpreis <oil@example.org>",
            custodians=("Ann", "Bob"),
            paths=("ann/sent/1", "bob/inbox/7"),
            fields={"subject": "The offer", "cc": "carol"},
            tool="reader 1.0",
            options="as mail",
        ),
        SourcePart(name="offer.zip", content=b"PK\3\4", text="", type="zip", parent=0),
        SourcePart(name="prices.pdf", content=b"%PDF", text="prices of gas", type="pdf", parent=1, pages=3),
        SourcePart(name="Prüfung.txt", content=b"lunch", text="lunch", parent=0, date="2001-05-03"),
    ),
    labels=("energy",),
)
"""A mail with an archive, what was in that, and a text."""

DOCUMENTS = [
    SourceDocument.of_one(name="plain.txt", content=b"Gas storage and gas prices", text="Gas storage and gas prices"),
    SourceDocument.of_one(
        name="mail/1", content=b"From: a\n\nPrices of gas", text="Prices of gas", labels=("energy", "mail")
    ),
    SourceDocument.of_one(name="mail/2", content=b"From: b\n\nlunch?", text="lunch?", labels=("mail",)),
    SourceDocument.of_one(
        name="naïve/Ä", content="Prüfung der Ölpreise".encode("latin-1"), text="Prüfung der Ölpreise"
    ),
    SourceDocument.of_one(name="empty", content=b"", text=""),
    SourceDocument.of_one(name="scan.pdf", content=b"%PDF-1.7 \x00\xff", text="", labels=("scan",)),
    SourceDocument.of_one(name="again", content=b"Gas storage and gas prices", text="Gas storage and gas prices"),
    SourceDocument.of_one(
        name="\U0001f4e7", content=b"x", text="Prüfung: der Preis, lunch and mail", labels=("mail", "mail")
    ),
    SourceDocument.of_one(name="long", content=b"y", text="and " * 70_000 + "of gas", labels=("energy",)),
    FAMILY,
]


def make(path: Path, documents: list[SourceDocument] = DOCUMENTS) -> Corpus:
    return build.build(documents, path, secret=SECRET)
