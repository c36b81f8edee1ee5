"""A corpus folder: documents, features and the tree that commits to them, open for reading.

Each file is compared with the manifest when it is first used, the small ones at once, and reading a document checks it
against its committed hash. So an edit of any file is found before anything is decided with it. The true labels, which a
simulation may have, are not part of the commitment.
"""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Self

import msgspec

from ledger import reading
from ledger.attachments import CHUNK
from ledger.commitments import Secret
from ledger.entries import Attached, Attachment
from ledger.hashing import Digest
from protocol.corpus import images, leaves, manifest
from protocol.corpus.account import Account, Unit
from protocol.corpus.alike import Alike
from protocol.corpus.leaves import NOT_LOGGED, DocumentProof, OpenPart, Parts, part_salt, row_half, row_salt
from protocol.corpus.listing import Listing, PartFields, Place
from protocol.corpus.manifest import (
    ACCOUNT,
    ALIKE,
    FREQUENCIES,
    LABELS,
    REMEDY,
    SECRET,
    SHARDS,
    TERMS,
    TREE,
    Watched,
    read_secret,
)
from protocol.corpus.paths import ProofPath
from protocol.corpus.rows import Places, Rows
from protocol.corpus.shard import Held, Shard, shards
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
    size: int
    """The number of documents; their numbers go from 0 to one less."""
    secret: Secret
    shards: tuple[Shard, ...]
    """The documents in the order of the source, some of them in each."""
    features: Rows
    """The rows by document number."""
    terms: TermTable
    oversized: tuple[int, ...]
    """Documents with so many different terms that their rows are empty."""
    unit: Unit
    account: Account
    """What was received, and what became of it."""
    _held: Held
    _places: Places
    _tree: StoredTree
    _watched: Watched

    @classmethod
    def open(cls, path: Path) -> Self:
        """The corpus in a folder, or `BadCorpus` with what was changed in the small files."""
        listed = manifest.read(path)
        watched = Watched(path, listed.files)
        watched.check(SECRET, TERMS, FREQUENCIES)
        try:
            terms = TermTable.open(path)
            held = Held()
            found = shards(path / SHARDS, listed.shards, len(terms), held)
            places = Places(found)
            corpus = cls(
                path=path,
                root=listed.root,
                size=listed.documents,
                secret=read_secret(path),
                shards=found,
                features=Rows(shards=found, places=places, terms=len(terms)),
                terms=terms,
                oversized=listed.oversized,
                unit=listed.unit,
                account=listed.account,
                _held=held,
                _places=places,
                _tree=StoredTree(path / TREE, listed.documents),
                _watched=watched,
            )
        except (OSError, ValueError) as error:
            raise BadCorpus(f"{path} holds an array of another shape or kind ({error}); {REMEDY}") from None
        if {len(terms), len(terms.frequencies)} != {listed.terms} or corpus._tree.root != corpus.root:
            raise BadCorpus(f"the files in {path} do not fit together as {manifest.NAME} says; {REMEDY}")
        return corpus

    def close(self) -> None:
        """Close what is open of the shards. It is opened again when it is needed."""
        self._held.close()

    def place(self, document: int) -> tuple[Shard, int]:
        """The shard of a document, and its row there."""
        self._check(document)
        return self._places.place(document)

    @property
    def alike(self) -> Alike:
        """Which parts and documents are equal, or nearly the same."""
        return self._held.get(self.path, ALIKE, self._open_alike)

    def _open_alike(self) -> Alike:
        self._watched.check(ALIKE)
        try:
            found = Alike.open(self.path, self.shards, self._places)
        except (OSError, ValueError) as error:
            raise BadCorpus(f"{self.path} holds an array of another shape or kind ({error}); {REMEDY}") from None
        if not found.fits():
            raise BadCorpus(f"{self.path / ALIKE} does not fit together with the documents; {REMEDY}")
        return found

    @property
    def term_table_digest(self) -> bytes:
        """The SHA-256 of the term table with its document frequencies."""
        return self.terms.digest

    def name(self, document: int) -> str:
        """What the source called the document: the name of its part 0."""
        return self.fields(document).rest.name

    def parts(self, document: int) -> int:
        """How many parts the document has; their numbers go from 0 to one less."""
        shard, row = self.place(document)
        return len(shard.listing.parts(row))

    def fields(self, document: int, part: int = 0) -> PartFields:
        """What is known about a part."""
        _, listing, place = self._part(document, part)
        return listing.read_fields(place)

    def content(self, document: int, part: int = 0) -> bytes:
        """The exact bytes of a part, which are the committed ones."""
        shard, listing, place = self._part(document, part)
        return _read(shard, listing.content_place(place), listing.content_digest(place), document)

    def part_text(self, document: int, part: int = 0) -> str:
        """The text of a part, which is the committed one."""
        shard, listing, place = self._part(document, part)
        return _read(shard, listing.text_place(place), listing.text_digest(place), document).decode()

    def is_blank(self, document: int, part: int = 0) -> bool:
        """Whether a part has no text."""
        _, listing, place = self._part(document, part)
        return listing.text_digest(place) == _NO_TEXT

    def is_text(self, document: int, part: int = 0) -> bool:
        """Whether the bytes of a part are its text."""
        _, listing, place = self._part(document, part)
        return listing.content_digest(place) == listing.text_digest(place)

    def images(self, document: int, part: int = 0) -> tuple[bytes, ...]:
        """Pictures of the first pages of a part that is a PDF, for reading; those that were sealed."""
        shard, listing, place = self._part(document, part)
        return images.read(shard.path, place, listing.read_fields(place).rest.fields.get(PAGE_IMAGES))

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
        shard, row = self.place(document)
        listing = shard.listing
        parts = (self._open_part(document, part, listing, place) for part, place in enumerate(listing.parts(row)))
        return DocumentProof(
            parts=Parts(leaves.withheld(each) if part in withheld else each for part, each in enumerate(parts)),
            row=row_half(row_salt(self.secret, document), self.features.row_bytes(document)),
        )

    def _open_part(self, document: int, part: int, listing: Listing, place: int) -> OpenPart:
        known = listing.read_fields(place)
        content, text = listing.content_digest(place), listing.text_digest(place)
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
        self._watched.check(TREE)
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

    def items(self) -> Attached:
        """The list of all that was received."""
        self._watched.check(ACCOUNT)
        path = self.path / ACCOUNT
        size = path.stat().st_size
        return Attached(
            reference=Attachment(attachment=self._watched.files[ACCOUNT], size=size),
            pieces=lambda: (_bytes(path, start, start + CHUNK) for start in range(0, size, CHUNK)),
        )

    def _part(self, document: int, part: int) -> tuple[Shard, Listing, int]:
        """The shard of a part, the listing of that shard, and the part's number there."""
        shard, row = self.place(document)
        listing = shard.listing
        parts = listing.parts(row)
        if not 0 <= part < len(parts):
            raise NoSuchDocument(f"there is no part {part} of document {document} in {self.path}: it has {len(parts)}")
        return shard, listing, parts[part]

    def _check(self, document: int) -> None:
        if not 0 <= document < self.size:
            raise NoSuchDocument(
                f"there is no document {document} in {self.path}: the numbers go from 0 to {self.size - 1}"
            )


def _bytes(path: Path, start: int = 0, end: int | None = None) -> bytes:
    try:
        with reading.opened(path) as file:
            file.seek(start)
            return file.read(-1 if end is None else end - start)
    except OSError as error:
        raise BadCorpus(f"{path} cannot be read ({error.strerror}); {REMEDY}") from None


def _read(shard: Shard, place: Place, committed: Digest, document: int) -> bytes:
    name, start, end = place
    data = _bytes(shard.path / name, start, end)
    if sha256(data).digest() != committed:
        raise BadCorpus(
            f"document {document} in {shard.path / name} is not the one that was committed to: "
            f"the file was changed after the corpus was made; {REMEDY}"
        )
    return data
