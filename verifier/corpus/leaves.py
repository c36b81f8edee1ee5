"""The root that commits to a corpus: of each document number, name, hashes and feature row.

    first half   H("document", salt, number, name, SHA-256 of the content, SHA-256 of the text)
    second half  H("row", salt, the row: of each entry its column in 4 bytes and its value in 2, big-endian)
    leaf         H("leaf", first half, second half)

The salts derive from the secret in the folder, for the purposes "document" and "row" and the document's number. H is
written out, its constant beginnings made once, which saves two fifths of the time.
"""

from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import pairwise

import numpy as np

from verifier.corpus.folder import SealedCorpus
from verifier.corpus.rows import spans
from verifier.record.hashing import document_leaf, domain, integer
from verifier.record.trees import GrowingTree

_ENTRY = np.dtype([("column", ">u4"), ("value", ">u2")])


def root(corpus: SealedCorpus, progress: Callable[[int], None] = lambda _: None) -> bytes:
    """The root over all documents' leaves (RFC 9162); `progress` is told how many are done."""
    tree = GrowingTree()
    for first, last in spans(corpus.starts):
        tree.extend(_leaves(corpus, first, last))
        progress(last)
    return tree.root()


def _leaves(corpus: SealedCorpus, first: int, last: int) -> Iterator[bytes]:
    """The data of these documents' leaves."""
    names = [bytes(corpus.names[start:end]) for start, end in corpus.places[first:last, 4:6].tolist()]
    digests = corpus.digests[first:last].tobytes()
    salt, row_salt = _salts(corpus.secret, "document"), _salts(corpus.secret, "row")
    row = domain("row") + integer(32)
    for place, entries in enumerate(_rows(corpus, first, last)):
        number = integer(first + place)
        content, text = digests[64 * place : 64 * place + 32], digests[64 * place + 32 : 64 * place + 64]
        row_half = sha256(b"".join((row, row_salt(number), integer(len(entries)), entries))).digest()
        yield document_leaf(salt(number), first + place, names[place], content, text, row_half)


def _rows(corpus: SealedCorpus, first: int, last: int) -> Iterator[bytes]:
    """The bytes of each row."""
    starts = corpus.starts[first : last + 1].tolist()
    entries = np.empty(starts[-1] - starts[0], _ENTRY)
    entries["column"], entries["value"] = corpus.columns[starts[0] : starts[-1]], corpus.values[starts[0] : starts[-1]]
    data = entries.tobytes()
    for start, end in pairwise((each - starts[0]) * _ENTRY.itemsize for each in starts):
        yield data[start:end]


def _salts(secret: bytes, purpose: str) -> Callable[[bytes], bytes]:
    """HMAC-SHA-256 under the secret, of 32 bytes, of H("salt", purpose, index), as a function of the index's bytes."""
    inner, outer = (bytes(byte ^ pad for byte in secret.ljust(64, b"\0")) for pad in (0x36, 0x5C))
    beginning = domain("salt") + integer(len(purpose)) + purpose.encode() + integer(8)

    def salt(index: bytes) -> bytes:
        message = sha256(beginning + index).digest()
        return sha256(outer + sha256(inner + message).digest()).digest()

    return salt
