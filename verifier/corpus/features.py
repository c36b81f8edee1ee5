"""Every feature row once more, from the texts; and the row of a query.

One reading of the texts is nearly always enough: rows are made by the term table in the folder while tokens are
counted. If the counts give the same table, the rows are right. If not, the texts are read again, and the rows are made
by the counted table. So nothing of a document has to be kept except what it adds to the counts.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from verifier.corpus.folder import SealedCorpus
from verifier.corpus.reading import Reading
from verifier.corpus.rows import Integers
from verifier.corpus.tokens import tokens
from verifier.corpus.weighing import Weigher

MOST_LISTED = 100
"""Documents that a finding names; the others are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recomputed:
    """What the texts say of a corpus folder."""

    damaged: tuple[int, ...] = ()
    """The first documents whose content or text is not the one of `digests.npy`. If any, nothing else is judged."""
    damaged_count: int = 0
    table: bytes = b""
    """The digest of the term table that the texts have."""
    wrong: tuple[int, ...] = ()
    """The first documents whose stored row is not the one that the texts give."""
    wrong_count: int = 0


def recompute(corpus: SealedCorpus, progress: Callable[[int], None] = lambda _: None) -> Recomputed:
    """All rows and the term table, from the bytes of the texts; `progress` is told how many documents are done."""
    reading = Reading(corpus, stored_terms(corpus), corpus.frequencies)
    reading.read(progress)
    terms, frequencies = reading.table()
    table = table_digest(terms, frequencies.tolist())
    if not reading.damaged and table != stored_table_digest(corpus):
        reading = Reading(corpus, terms, frequencies)
        reading.read(progress)
    if reading.damaged:
        return Recomputed(damaged=tuple(reading.damaged[:MOST_LISTED]), damaged_count=len(reading.damaged))
    return Recomputed(table=table, wrong=tuple(reading.wrong[:MOST_LISTED]), wrong_count=len(reading.wrong))


def stored_table_digest(corpus: SealedCorpus) -> bytes:
    """The digest of the term table in the folder, whatever it holds."""
    return table_digest(stored_terms(corpus), corpus.frequencies.tolist())


def query_row(corpus: SealedCorpus, query: str) -> tuple[Integers, Integers]:
    """The query as if it were a document: columns and values of its row, by the term table in the folder."""
    counts = Counter(tokens(query.encode()))
    terms = enumerate(stored_terms(corpus))
    found = [(column, counts[term]) for column, term in terms if term in counts]
    columns, numbers = np.array(found, np.int64).reshape(-1, 2).T
    weigher = Weigher(np.clip(corpus.frequencies[columns], 1, corpus.size), corpus.size)
    row = weigher.rows(np.array([len(columns)]), np.arange(len(columns)), numbers)
    return columns[row.columns], row.values


def table_digest(terms: Iterable[bytes], frequencies: Iterable[int]) -> bytes:
    """A term table's hash: SHA-256 over each term in order, its length, itself, its frequency; numbers in 4 bytes."""
    found = sha256()
    for term, frequency in zip(terms, frequencies, strict=True):
        found.update(b"%b%b%b" % (len(term).to_bytes(4, "big"), term, frequency.to_bytes(4, "big")))
    return found.digest()


def stored_terms(corpus: SealedCorpus) -> list[bytes]:
    """The terms in the folder by column, whatever they are."""
    return corpus.terms.split(b"\n")[:-1]
