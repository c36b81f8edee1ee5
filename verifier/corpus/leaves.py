"""The root that commits to a corpus: of each document its number, its parts and its feature row.

    part         H("part", log node, rest node, body node): what is stated of it, and the hashes of its bytes
    first half   H("document", number, part 0, part 1, ...)
    second half  H("row", salt, the row: of each entry its column in 4 bytes and its value in 2, big-endian)
    leaf         H("leaf", first half, second half)

The salts derive from the secret in the folder, for the purpose "part" and the index 2^16 times the document's number
plus the part's, and for the purpose "row" and the document's number. H is written out, its constant beginnings made
once, which saves two fifths of the time.
"""

from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import pairwise

import numpy as np

from verifier.corpus.counting import Counting, Unfit, read_fields
from verifier.corpus.errors import CorpusDamaged
from verifier.corpus.files import shown
from verifier.corpus.folder import SealedCorpus
from verifier.corpus.rows import spans
from verifier.record.hashing import document_leaf, domain, integer, open_part
from verifier.record.parts import MOST_PARTS
from verifier.record.trees import GrowingTree

_ENTRY = np.dtype([("column", ">u4"), ("value", ">u2")])


def root(
    corpus: SealedCorpus, progress: Callable[[int], None] = lambda _: None, counting: Counting | None = None
) -> bytes:
    """The root over all documents' leaves (RFC 9162); `progress` is told how many are done.

    `counting` is told each part, which is read only once.
    """
    tree, counting = GrowingTree(), counting or Counting()
    for first, last in spans(corpus.starts):
        tree.extend(_leaves(corpus, first, last, counting))
        progress(last)
    counting.add_texts(corpus.digests)
    return tree.root()


def _leaves(corpus: SealedCorpus, first: int, last: int, counting: Counting) -> Iterator[bytes]:
    """The data of these documents' leaves."""
    parts = _parts(corpus, first, last, counting)
    row_salt, row = _salts(corpus.secret, "row"), domain("row") + integer(32)
    begins = corpus.parts[first : last + 1].tolist()
    for place, entries in enumerate(_rows(corpus, first, last)):
        number = integer(first + place)
        row_half = sha256(b"".join((row, row_salt(number), integer(len(entries)), entries))).digest()
        count = begins[place + 1] - begins[place]
        yield document_leaf(first + place, [next(parts) for _ in range(count)], row_half)


def _parts(corpus: SealedCorpus, first: int, last: int, counting: Counting) -> Iterator[bytes]:
    """The parts of these documents, one after the other."""
    salt = _salts(corpus.secret, "part")
    begins = corpus.parts[first : last + 1].tolist()
    places = corpus.places[begins[0] : begins[-1], 4:6].tolist()
    digests = corpus.digests[begins[0] : begins[-1]].tobytes()
    at = 0
    for document, (begin, end) in enumerate(pairwise(begins), start=first):
        for number in range(end - begin):
            start, stop = places[at]
            try:
                fields = read_fields(bytes(corpus.fields[start:stop]), number)
            except Unfit as error:
                where = f"part {number} of document {document} in {shown(corpus.path)}"
                raise CorpusDamaged(f"what is stated of {where} does not have its form: {error}") from None
            counting.add(fields)
            content, text = digests[64 * at : 64 * at + 32], digests[64 * at + 32 : 64 * at + 64]
            index = integer(MOST_PARTS * document + number)
            yield open_part(salt(index), fields.log_bytes, fields.rest_bytes, content, text)
            at += 1


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
