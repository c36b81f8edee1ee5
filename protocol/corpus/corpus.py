"""A corpus folder: documents, features and the tree that commits to them, open for reading.

Opening a corpus checks every array against the manifest, and reading a document checks it against its committed
hash, so an edit of any file is found before anything is decided with it. The true labels, which a simulation may
have, are not part of the commitment.
"""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Self

import msgspec

from ledger import reading
from ledger.commitments import Secret
from ledger.hashing import Digest
from protocol.corpus import images, leaves, manifest
from protocol.corpus.account import Account, Unit
from protocol.corpus.alike import Alike
from protocol.corpus.features import Features
from protocol.corpus.leaves import NOT_LOGGED, DocumentProof, OpenPart, Parts, part_salt, row_half, row_salt
from protocol.corpus.listing import Listing, PartFields, Place
from protocol.corpus.manifest import ACCOUNT, FEATURES, LABELS, REMEDY, TREE, read_secret
from protocol.corpus.paths import ProofPath
from protocol.corpus.term_table import TermTable
from protocol.corpus.tree import StoredTree
from protocol.errors import BadCorpus, BadTerms, ProtocolError
from protocol.sources.pictures import PAGE_IMAGES

__all__ = ["Corpus", "NoSuchDocument", "TermTable"]

LABELS_SHOWN = 10
MAX_LABELS = 2**30
"""Largest list of true labels in bytes."""

_NO_TEXT = sha256(b"").digest()


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
    unit: Unit
    account: Account
    """What was received, and what became of it."""
    alike: Alike
    """Which parts and documents are equal, or nearly the same."""
    _listing: Listing
    _tree: StoredTree

    @classmethod
    def open(cls, path: Path) -> Self:
        """The corpus in a folder, or `BadCorpus` with what was changed."""
        listed = manifest.read(path)
        try:
            listing = Listing.open(path)
            terms = TermTable.open(path / FEATURES)
            corpus = cls(
                path=path,
                root=listed.root,
                secret=read_secret(path),
                features=Features.open(path / FEATURES, len(terms)),
                terms=terms,
                oversized=listed.oversized,
                unit=listed.unit,
                account=listed.account,
                alike=Alike.open(path, listing),
                _listing=listing,
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
        """What the source called the document: the name of its part 0."""
        return self.fields(document).rest.name

    def parts(self, document: int) -> int:
        """How many parts the document has; their numbers go from 0 to one less."""
        self._check(document)
        return len(self._listing.parts(document))

    def fields(self, document: int, part: int = 0) -> PartFields:
        """What is known about a part."""
        return self._listing.read_fields(self._part(document, part))

    def content(self, document: int, part: int = 0) -> bytes:
        """The exact bytes of a part, which are the committed ones."""
        place = self._part(document, part)
        return self._read(self._listing.content_place(place), self._listing.content_digest(place), document)

    def part_text(self, document: int, part: int = 0) -> str:
        """The text of a part, which is the committed one."""
        place = self._part(document, part)
        return self._read(self._listing.text_place(place), self._listing.text_digest(place), document).decode()

    def is_blank(self, document: int, part: int = 0) -> bool:
        """Whether a part has no text."""
        return self._listing.text_digest(self._part(document, part)) == _NO_TEXT

    def is_text(self, document: int, part: int = 0) -> bool:
        """Whether the bytes of a part are its text."""
        place = self._part(document, part)
        return self._listing.content_digest(place) == self._listing.text_digest(place)

    def images(self, document: int, part: int = 0) -> tuple[bytes, ...]:
        """Pictures of the first pages of a part that is a PDF, for reading; those that were sealed."""
        place = self._part(document, part)
        return images.read(self.path, place, self._listing.read_fields(place).rest.fields.get(PAGE_IMAGES))

    def text(self, document: int) -> str:
        """The text that the document's features are made of: that of all its parts, with a newline between two."""
        return "\n".join(self.part_text(document, part) for part in range(self.parts(document)))

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

    def proof(self, document: int, withheld: Container[int] = ()) -> DocumentProof:
        """What leads, for somebody who knows the document's number, to its leaf; of the parts that are withheld, only
        the log is opened.
        """
        self._check(document)
        parts = (self._open_part(document, part) for part in range(self.parts(document)))
        return DocumentProof(
            parts=Parts(leaves.withheld(each) if part in withheld else each for part, each in enumerate(parts)),
            row=row_half(row_salt(self.secret, document), self.features.row_bytes(document)),
        )

    def _open_part(self, document: int, part: int) -> OpenPart:
        place = self._part(document, part)
        known = self._listing.read_fields(place)
        content, text = self._listing.content_digest(place), self._listing.text_digest(place)
        return OpenPart(
            content=content,
            log=NOT_LOGGED if known.log == NOT_LOGGED else known.log,
            rest=known.rest,
            salt=part_salt(self.secret, document, part),
            text=None if text == content else text,
        )

    def paths(self, documents: Iterable[int]) -> ProofPath:
        """The one path that leads from the leaves of these documents to the root."""
        documents = tuple(documents)
        for document in documents:
            self._check(document)
        return self._tree.path(documents)

    def check_committed(self, root: Digest, documents: int, vocabulary: str | None = None) -> None:
        """Raise unless a matter with this commitment was opened with this corpus; `vocabulary` is the hash of its term
        table, where it is known.
        """
        other_terms = vocabulary is not None and vocabulary != self.term_table_digest.hex()
        if (self.root, self.size) != (root, documents) or other_terms:
            raise BadCorpus(
                f"{self.path} is not the corpus that the matter was opened with: its root is {self.root.hex()}, the "
                f"matter's is {root.hex()}. Use the corpus that the matter was opened with"
            )

    def items(self) -> bytes:
        """The list of all that was received."""
        return self._file(ACCOUNT)

    def _fits(self, listed: manifest.Manifest) -> bool:
        """Whether the arrays have the lengths, and the tree the root, that the manifest states."""
        features, listing = self.features, self._listing
        return (
            {len(listing.starts) - 1, features.size} == {listed.documents}
            and listing.fits()
            and self.alike.fits()
            and {len(self.terms), len(self.terms.frequencies)} == {listed.terms}
            and {len(features.columns), len(features.values), *features.starts[-1:].tolist()} == {listed.nnz}
            and self._tree.root == self.root
            and all(_size(self.path / name) == size for name, size in listing.sizes().items())
        )

    def _part(self, document: int, part: int) -> int:
        """The number of a part over all documents."""
        self._check(document)
        parts = self._listing.parts(document)
        if not 0 <= part < len(parts):
            raise NoSuchDocument(f"there is no part {part} of document {document} in {self.path}: it has {len(parts)}")
        return parts[part]

    def _check(self, document: int) -> None:
        if not 0 <= document < self.size:
            raise NoSuchDocument(
                f"there is no document {document} in {self.path}: the numbers go from 0 to {self.size - 1}"
            )

    def _file(self, name: str, start: int = 0, end: int | None = None) -> bytes:
        path = self.path / name
        try:
            with reading.opened(path) as file:
                file.seek(start)
                return file.read(-1 if end is None else end - start)
        except OSError as error:
            raise BadCorpus(f"{path} cannot be read ({error.strerror}); {REMEDY}") from None

    def _read(self, place: Place, committed: Digest, document: int) -> bytes:
        data = self._file(*place)
        if sha256(data).digest() != committed:
            raise BadCorpus(
                f"document {document} in {self.path / place[0]} is not the one that was committed to: "
                f"the file was changed after the corpus was made; {REMEDY}"
            )
        return data


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None
