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
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from verifier.corpus import tree
from verifier.corpus.counting import Counting, Unfit, read_fields
from verifier.corpus.crew import PIECE, Crew
from verifier.corpus.errors import CorpusDamaged, shown
from verifier.corpus.folder import SealedCorpus
from verifier.corpus.listing import Listing
from verifier.corpus.rows import Rows, Span, spans
from verifier.corpus.shard import Piece, pieces
from verifier.record.hashing import document_leaf, domain, integer, open_part
from verifier.record.parts import MOST_PARTS

_ENTRY = np.dtype([("column", ">u4"), ("value", ">u2")])
_LEAF = b"\x00"  # before the data of a leaf


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sealed:
    """The leaves of some documents."""

    numbers: NDArray[np.int32]
    hashes: bytes
    """32 for each document."""
    counting: Counting


def root(
    corpus: SealedCorpus,
    progress: Callable[[int], None] = lambda _: None,
    counting: Counting | None = None,
    crew: Crew | None = None,
) -> bytes:
    """The root over all documents' leaves (RFC 9162); `progress` is told how many are done.

    `counting` is told each part, which is read only once.
    """
    counting, leaves, done = counting or Counting(), np.empty((corpus.size, 32), np.uint8), 0
    with (crew or Crew()).sealing(corpus.size) as team:
        work = pieces(corpus.shards, PIECE)
        for sealed in team.in_order(seal, ((piece, corpus.secret) for piece in work)):
            leaves[sealed.numbers] = np.frombuffer(sealed.hashes, np.uint8).reshape(-1, 32)
            counting.merge(sealed.counting)
            done += len(sealed.numbers)
            progress(done)
        return tree.root(leaves, team)


def seal(piece: Piece, secret: bytes) -> Sealed:
    """The leaves of a piece. This is the only work that needs the secret."""
    listing, rows, counting = piece.shard.listing(), piece.shard.rows(), Counting()
    hashes = [
        sha256(_LEAF + leaf).digest()
        for span in spans(rows.starts, piece.first, piece.last)
        for leaf in _leaves(listing, rows, span, secret, counting)
    ]
    begin, end = int(listing.parts[piece.first]), int(listing.parts[piece.last])
    counting.add_texts(listing.digests[begin:end])
    numbers = listing.numbers[piece.first : piece.last].copy()
    return Sealed(numbers=numbers, hashes=b"".join(hashes), counting=counting)


def _leaves(listing: Listing, rows: Rows, span: Span, secret: bytes, counting: Counting) -> Iterator[bytes]:
    """The data of these documents' leaves."""
    first, last = span
    parts = _parts(listing, span, secret, counting)
    row_salt, row = _salts(secret, "row"), domain("row") + integer(32)
    counts = np.diff(listing.parts[first : last + 1]).tolist()
    numbers = listing.numbers[first:last].tolist()
    for number, count, entries in zip(numbers, counts, _rows(rows, span), strict=True):
        row_half = sha256(b"".join((row, row_salt(integer(number)), integer(len(entries)), entries))).digest()
        yield document_leaf(number, [next(parts) for _ in range(count)], row_half)


def _parts(listing: Listing, span: Span, secret: bytes, counting: Counting) -> Iterator[bytes]:
    """The parts of these documents, one after the other."""
    first, last = span
    salt = _salts(secret, "part")
    begins = listing.parts[first : last + 1].tolist()
    places = listing.places[begins[0] : begins[-1], 4:6].tolist()
    digests = listing.digests[begins[0] : begins[-1]].tobytes()
    at = 0
    for document, (begin, end) in zip(listing.numbers[first:last].tolist(), pairwise(begins), strict=True):
        for number in range(end - begin):
            start, stop = places[at]
            try:
                fields = read_fields(bytes(listing.fields[start:stop]), number)
            except Unfit as error:
                where = f"part {number} of document {document} in {shown(listing.path)}"
                raise CorpusDamaged(f"what is stated of {where} does not have its form: {error}") from None
            counting.add(fields)
            content, text = digests[64 * at : 64 * at + 32], digests[64 * at + 32 : 64 * at + 64]
            index = integer(MOST_PARTS * document + number)
            yield open_part(salt(index), fields.log_bytes, fields.rest_bytes, content, text)
            at += 1


def _rows(rows: Rows, span: Span) -> Iterator[bytes]:
    """The bytes of each row."""
    starts = rows.starts[span[0] : span[1] + 1].tolist()
    entries = np.empty(starts[-1] - starts[0], _ENTRY)
    entries["column"], entries["value"] = rows.columns[starts[0] : starts[-1]], rows.values[starts[0] : starts[-1]]
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
