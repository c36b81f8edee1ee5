"""The leaf of a document: what the root of a corpus commits to.

    first   H("document", salt_a, document number, name, SHA-256 of the content, SHA-256 of the text)
    second  H("row", salt_b, the bytes of its feature row)
    leaf    H("leaf", first, second), the data of leaf number i in the tree of RFC 9162

An opening shows the first half and only the hash of the second: a bare hash of the row would let its holder
search for the words of documents that he was never shown. All salts derive from the corpus's secret.

A party checks openings with this module on a machine without numpy, so it imports nothing that needs it.
"""

from collections.abc import Iterable
from itertools import accumulate
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Self

from ledger import merkle
from ledger.commitments import Salt, Secret, derived_salt
from ledger.hashing import Digest, integer, tagged_hash
from ledger.records import Record

MAX_DOCUMENTS = 2**31 - 1


class ProofPath(bytes):
    """The hashes of an inclusion proof one after the other, in JSON as one text of hex digits.

    A matter shows thousands of documents, each with some twenty hashes.
    """

    @classmethod
    def parse(cls, text: str) -> Self:
        """The path that lowercase hex digits spell, 64 a hash."""
        raw = bytes.fromhex(text)
        if len(raw) % Digest.size or raw.hex() != text:
            raise ValueError(f"a multiple of {2 * Digest.size} lowercase hex digits was expected")
        return cls(raw)

    def hashes(self) -> list[bytes]:
        """The proof, from the leaf's sibling upward."""
        return [self[start : start + Digest.size] for start in range(0, len(self), Digest.size)]


class DocumentOpening(Record, frozen=True, kw_only=True):
    """What proves, together with its name, that a document has its number in a corpus."""

    content: Digest
    path: ProofPath
    row: Digest
    salt: Salt
    text: Digest


def opens(root: Digest, size: int, document: int, name: str, opening: DocumentOpening) -> bool:
    """Whether the opening shows that `document` of the corpus with this root and size has this name."""
    if not 0 <= document < size <= MAX_DOCUMENTS:
        return False
    try:
        first = document_half(opening.salt, document, name.encode(), opening.content, opening.text)
    except UnicodeEncodeError:  # no name in a corpus holds a lone surrogate
        return False
    data = leaf(first, opening.row)
    return merkle.verify_inclusion(data=data, index=document, size=size, proof=opening.path.hashes(), root=root)


def document_half(salt: Salt, document: int, name: bytes, content: bytes, text: bytes) -> Digest:
    """The first half: what the document is."""
    return tagged_hash("document", salt, integer(document), name, content, text)


def row_half(salt: Salt, row: bytes) -> Digest:
    """The second half: what the model knows about it."""
    return tagged_hash("row", salt, row)


def leaf(first: Digest, second: Digest) -> Digest:
    """The leaf's data."""
    return tagged_hash("leaf", first, second)


def document_salt(secret: Secret, document: int) -> Salt:
    """The salt of a first half."""
    return derived_salt(secret, "document", document)


def row_salt(secret: Secret, document: int) -> Salt:
    """The salt of a second half."""
    return derived_salt(secret, "row", document)


def numbering(secret: Secret, size: int) -> list[int]:
    """The place in the source of each document by its number: a permutation that only the secret's holder knows.

    The documents are in ascending order of keys that derive from the secret and the place, counted from 0.
    """
    keys = [bytes(derived_salt(secret, "order", place)) for place in range(size)]
    return sorted(range(size), key=keys.__getitem__)


def write_tree(path: Path, leaves: Iterable[bytes]) -> Digest:
    """Store the hashes of all levels, from at least one leaf up to the root, 32 bytes each. Returns the root."""
    levels = merkle.levels(leaves)
    with path.open("wb") as file:
        for level in levels:
            file.write(b"".join(level))
    return Digest(levels[-1][0])


class StoredTree:
    """A Merkle tree in a file, memory-mapped."""

    def __init__(self, path: Path, leaves: int) -> None:
        sizes = [leaves]
        while sizes[-1] > 1:
            sizes.append((sizes[-1] + 1) // 2)
        with path.open("rb") as file:
            nodes = mmap(file.fileno(), 0, access=ACCESS_READ)
        if len(nodes) != sum(sizes) * Digest.size:
            raise ValueError(f"{len(nodes)} bytes, where a tree of {leaves} leaves has {sum(sizes) * Digest.size}")
        self._nodes = nodes
        self._levels = [(end - size, size) for size, end in zip(sizes, accumulate(sizes), strict=True)]

    @property
    def root(self) -> Digest:
        """The root over all leaves."""
        return Digest(self._node(self._levels[-1][0]))

    def path(self, leaf: int) -> ProofPath:
        """The inclusion proof of one leaf: its siblings on the way up, where it has one."""
        place, found = leaf, []
        for first, size in self._levels[:-1]:
            sibling = place ^ 1
            if sibling < size:
                found.append(self._node(first + sibling))
            place >>= 1
        return ProofPath(b"".join(found))

    def _node(self, number: int) -> bytes:
        return self._nodes[number * Digest.size : (number + 1) * Digest.size]
