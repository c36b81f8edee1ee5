"""Every feature row once more, from the texts; and the row of a query.

One reading of the texts is nearly always enough: rows are made by the term table in the folder while tokens are
counted. If the counts give the same table, the rows are right. If not, the texts are read again, and the rows are made
by the counted table. So nothing of a document has to be kept except what it adds to the counts.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from heapq import nsmallest

import numpy as np
from numpy.typing import NDArray

from verifier.corpus import reading
from verifier.corpus.crew import PIECE, Crew
from verifier.corpus.folder import SealedCorpus
from verifier.corpus.others import Others
from verifier.corpus.rows import Integers
from verifier.corpus.shard import pieces
from verifier.corpus.team import Team
from verifier.corpus.terms import TermTable
from verifier.corpus.tokens import tokens
from verifier.corpus.weighing import Weigher

MOST_LISTED = reading.MOST_LISTED
LEAST_FREQUENCY = 2
"""A token that fewer documents have is not a term."""

Told = Callable[[int], None]


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


class _Reading:
    """One reading of all texts. With a table that is a guess, `wrong` counts only if it proves right."""

    def __init__(self, table: TermTable) -> None:
        self.table = table
        self.damaged, self.wrong = list[int](), list[int]()
        self.damaged_count = self.wrong_count = 0
        self.frequencies = np.zeros(len(table), np.int64)

    def read(self, corpus: SealedCorpus, team: Team, others: Others, told: Told) -> None:
        """Read every document once."""
        shared, done = team.share(self.table), 0
        for found in team.in_order(reading.read, ((each, shared) for each in pieces(corpus.shards, PIECE))):
            self.damaged = nsmallest(MOST_LISTED, (*self.damaged, *found.damaged))
            self.wrong = nsmallest(MOST_LISTED, (*self.wrong, *found.wrong))
            self.damaged_count += found.damaged_count
            self.wrong_count += found.wrong_count
            self.frequencies += found.frequencies
            others.add(found.others)
            done += found.size
            told(done)


def recompute(corpus: SealedCorpus, progress: Told = lambda _: None, crew: Crew | None = None) -> Recomputed:
    """All rows and the term table, from the bytes of the texts; `progress` is told how many documents are done."""
    with (crew or Crew()).reading(corpus.size) as team, Others() as others:
        first = _Reading(stored_table(corpus))
        first.read(corpus, team, others, progress)
        if first.damaged:
            return _judged(first, b"")
        repeated = others.repeated()
        known = Counter(dict(zip(first.table.columns(), first.frequencies.tolist(), strict=True)))
        if len(repeated):
            shared, suspects = team.share(first.table), team.share(repeated)
            tasks = ((each, shared, suspects) for each in pieces(corpus.shards, PIECE))
            for some in team.in_order(reading.count, tasks):
                known.update(some)
        true = _table({term: count for term, count in known.items() if count >= LEAST_FREQUENCY}, corpus.size)
        table = table_digest(true.listed(), true.frequencies.tolist())
        if table == stored_table_digest(corpus):
            return _judged(first, table)
        second = _Reading(true)
        second.read(corpus, team, others, progress)
        return _judged(second, table)


def _table(frequencies: dict[bytes, int], documents: int) -> TermTable:
    terms = sorted(frequencies)
    counts = np.array([frequencies[term] for term in terms], np.int64)
    return TermTable(b"".join(term + b"\n" for term in terms), counts, documents)


def _judged(found: _Reading, table: bytes) -> Recomputed:
    if found.damaged:
        return Recomputed(damaged=tuple(found.damaged), damaged_count=found.damaged_count)
    return Recomputed(table=table, wrong=tuple(found.wrong), wrong_count=found.wrong_count)


def stored_table(corpus: SealedCorpus) -> TermTable:
    """The term table in the folder, whatever it holds."""
    return TermTable(corpus.terms, corpus.frequencies, corpus.size)


def stored_table_digest(corpus: SealedCorpus) -> bytes:
    """The digest of the term table in the folder, whatever it holds."""
    return table_digest(stored_table(corpus).listed(), corpus.frequencies.tolist())


def query_row(corpus: SealedCorpus, query: str) -> tuple[Integers, NDArray[np.integer]]:
    """The query as if it were a document: columns and values of its row, by the term table in the folder."""
    counts = Counter(tokens(query.encode()))
    terms = enumerate(stored_table(corpus).listed())
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
