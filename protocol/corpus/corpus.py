"""A corpus folder: documents, features and the tree that commits to them, open for reading.

Opening a corpus checks every array against the manifest, and reading a document checks it against its committed
hash, so an edit of any file is found before anything is decided with it. The true labels, which a simulation may
have, are not part of the commitment.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Self

import msgspec

from ledger import reading
from ledger.commitments import Secret
from ledger.hashing import Digest
from protocol.corpus import manifest
from protocol.corpus.features import Features
from protocol.corpus.leaves import DocumentOpening, StoredTree, document_salt, opens, row_half, row_salt
from protocol.corpus.listing import Listing
from protocol.corpus.manifest import FEATURES, LABELS, REMEDY, TREE, read_secret
from protocol.corpus.term_table import TermTable
from protocol.errors import BadCorpus, BadTerms, ProtocolError

__all__ = ["Corpus", "DocumentOpening", "NoSuchDocument", "TermTable", "opens"]

LABELS_SHOWN = 10
MAX_LABELS = 2**30
"""Largest list of true labels in bytes."""


class NoSuchDocument(ProtocolError, IndexError):
    """A number that no document of the corpus has."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Corpus:
    """A corpus; made by `build`, opened by `Corpus.open`. It has no repr, since it knows a secret."""

    path: Path
    root: Digest
    secret: Secret
    features: Features
    terms: TermTable
    oversized: tuple[int, ...]
    """Documents with so many different terms that their rows are empty."""
    extraction: str
    """How the texts were made from the contents, in words."""
    _listing: Listing
    _tree: StoredTree

    @classmethod
    def open(cls, path: Path) -> Self:
        """The corpus in a folder, or `BadCorpus` with what was changed."""
        listed = manifest.read(path)
        try:
            terms = TermTable.open(path / FEATURES)
            corpus = cls(
                path=path,
                root=listed.root,
                secret=read_secret(path),
                features=Features.open(path / FEATURES, len(terms)),
                terms=terms,
                oversized=listed.oversized,
                extraction=listed.extraction,
                _listing=Listing.open(path),
                _tree=StoredTree(path / TREE, listed.documents),
            )
        except (OSError, ValueError) as error:
            raise BadCorpus(f"{path} holds an array of another shape or kind ({error}); {REMEDY}") from None
        if not corpus._fits(listed):
            raise BadCorpus(f"the files in {path} do not fit together as {manifest.NAME} says; {REMEDY}")
        return corpus

    @property
    def size(self) -> int:
        """The number of documents; their numbers go from 0 to one less."""
        return self.features.size

    @property
    def term_table_digest(self) -> bytes:
        """The SHA-256 of the term table with its document frequencies."""
        return self.terms.digest

    def name(self, document: int) -> str:
        """What the source called the document."""
        self._check(document)
        return self._listing.name(document).decode()

    def content(self, document: int) -> bytes:
        """The document's exact bytes, which are the committed ones."""
        self._check(document)
        return self._read(self._listing.content_place(document), self._listing.content_digest(document), document)

    def text(self, document: int) -> str:
        """The text that the document's features are made of, which is the committed one."""
        self._check(document)
        return self._read(self._listing.text_place(document), self._listing.text_digest(document), document).decode()

    def labels(self, label: str) -> frozenset[int]:
        """The documents that have this label according to the source."""
        try:
            data = reading.whole(self.path / LABELS, MAX_LABELS, "a list of labels")
            known = msgspec.json.decode(data, type=dict[str, list[int]])
        except OSError as error:
            raise BadCorpus(f"{self.path / LABELS} cannot be read ({error.strerror}); {REMEDY}") from None
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise BadCorpus(f"{self.path / LABELS} cannot be read ({error}); {REMEDY}") from None
        if label in known:
            return frozenset(known[label])
        frequent = sorted(known, key=lambda each: (-len(known[each]), each))[:LABELS_SHOWN]
        choice = (
            f"choose a label that occurs, such as {', '.join(frequent)}" if frequent else "its source had no labels"
        )
        raise BadTerms(f"no document in {self.path} is labelled {label!r}; {choice}")

    def opening(self, document: int) -> DocumentOpening:
        """The proof, for somebody who has the root, that this document has that number."""
        self._check(document)
        return DocumentOpening(
            content=self._listing.content_digest(document),
            path=self._tree.path(document),
            row=row_half(row_salt(self.secret, document), self.features.row_bytes(document)),
            salt=document_salt(self.secret, document),
            text=self._listing.text_digest(document),
        )

    def _fits(self, listed: manifest.Manifest) -> bool:
        """Whether the arrays have the lengths, and the tree the root, that the manifest states."""
        features, listing = self.features, self._listing
        return (
            {len(listing.places), len(listing.digests), features.size} == {listed.documents}
            and {len(self.terms), len(self.terms.frequencies)} == {listed.terms}
            and {len(features.columns), len(features.values), *features.starts[-1:].tolist()} == {listed.nnz}
            and self._tree.root == self.root
            and all(_size(self.path / name) == size for name, size in listing.sizes().items())
        )

    def _check(self, document: int) -> None:
        if not 0 <= document < self.size:
            raise NoSuchDocument(
                f"there is no document {document} in {self.path}: the numbers go from 0 to {self.size - 1}"
            )

    def _read(self, place: tuple[str, int, int], committed: Digest, document: int) -> bytes:
        name, start, end = place
        path = self.path / name
        try:
            with reading.opened(path) as file:
                file.seek(start)
                data = file.read(end - start)
        except OSError as error:
            raise BadCorpus(f"{path} cannot be read ({error.strerror}); {REMEDY}") from None
        if sha256(data).digest() != committed:
            raise BadCorpus(
                f"document {document} in {path} is not the one that was committed to: "
                f"the file was changed after the corpus was made; {REMEDY}"
            )
        return data


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None
