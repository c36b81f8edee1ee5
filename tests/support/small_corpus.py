"""A corpus of a few documents with everything in it that documents have, the same in every run."""

from pathlib import Path

from ledger.commitments import Secret
from protocol.corpus import build
from protocol.corpus.corpus import Corpus
from protocol.sources.source import SourceDocument

SECRET = Secret(bytes(range(32)))

DOCUMENTS = [
    SourceDocument(name="plain.txt", content=b"Gas storage and gas prices", text="Gas storage and gas prices"),
    SourceDocument(name="mail/1", content=b"From: a\n\nPrices of gas", text="Prices of gas", labels=("energy", "mail")),
    SourceDocument(name="mail/2", content=b"From: b\n\nlunch?", text="lunch?", labels=("mail",)),
    SourceDocument(name="naïve/Ä", content="Prüfung der Ölpreise".encode("latin-1"), text="Prüfung der Ölpreise"),
    SourceDocument(name="empty", content=b"", text=""),
    SourceDocument(name="scan.pdf", content=b"%PDF-1.7 \x00\xff", text="", labels=("scan",)),
    SourceDocument(name="again", content=b"Gas storage and gas prices", text="Gas storage and gas prices"),
    SourceDocument(name="\U0001f4e7", content=b"x", text="Prüfung: der Preis, lunch and mail", labels=("mail", "mail")),
    SourceDocument(name="long", content=b"y", text="and " * 70_000 + "of gas", labels=("energy",)),
]


def make(path: Path, documents: list[SourceDocument] = DOCUMENTS) -> Corpus:
    return build.build(documents, path, secret=SECRET, extraction="as written")
