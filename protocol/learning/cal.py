"""Continuous Active Learning (Algorithm CAL of the paper), exactly.

S is the set of documents with output labels. While S has both classes, a linear support vector machine is trained on
it, every remaining document is scored, and the N highest go into the next batch. Before that, batches are drawn by coin
from the results of the seed query: the documents with at least one of its terms.
"""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ledger import canonical, coins
from ledger.hashing import Digest
from protocol.corpus import features
from protocol.corpus.corpus import Corpus
from protocol.errors import BadTerms
from protocol.learning import model, scoring
from protocol.learning.scoring import Scorer
from protocol.learning.training import Trainer
from protocol.tokens import tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """A batch: its documents in order and, if a model chose them, the model's bytes."""

    documents: list[int]
    model: bytes | None = None
    near_cut: int | None = None


class Cal:
    """Chooses batches from one corpus, whose shards are scored here or by the workers of a cluster."""

    def __init__(self, corpus: Corpus, cluster: Executor | None = None) -> None:
        self.corpus = corpus
        self.scorer = Scorer(corpus.shards, cluster)
        self._trainer = Trainer(corpus.features)

    def check_query(self, query: str) -> None:
        """Raise unless the first batch can be drawn from the query's results."""
        if query and not (self.scorer.best(self._weights(query), self._rows(()), 1, 0).scores > 0).any():
            raise BadTerms(
                f"no document holds a term of the query {query!r}; use other words, or an empty query to begin with a "
                "draw from all documents"
            )

    def by_coin(self, query: str, put_up: Sequence[int], count: int, seed: Digest) -> Selection:
        """A batch from the remaining results of the seed query, by exact score; if none remain, from all documents.

        `put_up` are the documents that were in a batch, or drawn or called in a validation.
        """
        if query:
            found = self.scorer.drawn(self._weights(query), self._rows(put_up), count, seed)
            if len(found.numbers):
                drawn = np.sort(np.lexsort((found.numbers, found.coins))[:count])
                order = scoring.top(found.scores[drawn], np.zeros(len(drawn), bool), count)
                return Selection(documents=found.numbers[drawn][order].tolist())
        known = set(put_up)
        remaining = (number for number in range(self.corpus.size) if number not in known)
        return Selection(documents=coins.smallest(seed, count, remaining))

    def by_model(
        self,
        reviewed: Sequence[int],
        labels: Sequence[bool],
        count: int,
        previous: bytes | None,
        unlabelled: Sequence[int] = (),
    ) -> Selection:
        """The unreviewed documents with the highest scores by the model that is trained on S, the labelled documents.

        `previous` is the model of the batch before, if there is one: a good point to start from. `unlabelled` were put
        up as well, but have no label to train on.
        """
        documents = np.array(reviewed, dtype=np.int64)
        start = None if previous is None else dual_values(previous, reviewed)
        found = self._trainer.train(documents, np.array(labels, dtype=bool), start)
        gap, norm = found.certificate.gap, self.scorer.largest_norm
        put_up = self._rows([*reviewed, *unlabelled])
        candidates = self.scorer.best(found.weights, put_up, count, model.radius(gap, norm))
        scores, nothing = candidates.scores, np.zeros(len(candidates.numbers), bool)
        batch = scoring.top(scores, nothing, count)
        return Selection(
            documents=candidates.numbers[batch].tolist(),
            model=model_bytes(documents, found.alphas),
            near_cut=model.near_cut(scores, nothing, batch, gap, norm),
        )

    def _weights(self, query: str) -> NDArray[np.int64]:
        return query_weights(self.corpus, query)

    def _rows(self, documents: Sequence[int]) -> list[NDArray[np.int64]]:
        """The rows of these documents in each shard."""
        shards = self.corpus.shards
        found = {shard.first: np.zeros(0, np.int64) for shard in shards}
        for shard, _, rows in self.corpus.features.places.split(np.array(documents, np.int64)):
            found[shard.first] = rows
        return [found[shard.first] for shard in shards]


def query_weights(corpus: Corpus, query: str) -> NDArray[np.int64]:
    """The query as if it were a document: its feature row, without a bias."""
    counts = Counter(tokens(query.encode()))
    found = {column: count for token, count in counts.items() if (column := corpus.terms.find(token)) is not None}
    weights = np.zeros(len(corpus.terms) + 1, dtype=np.int64)
    if found:
        columns = np.array(sorted(found), dtype=np.int64)
        tfs = features.mapped(features.tf, np.array([found[column] for column in columns.tolist()]))
        frequencies = corpus.terms.frequencies[columns]
        idfs = features.mapped(lambda frequency: features.idf(frequency, corpus.size), frequencies)
        weights[columns] = features.row_values(tfs, idfs, np.array([len(columns)]))
    return weights


def model_bytes(documents: NDArray[np.int64], alphas: NDArray[np.int64]) -> bytes:
    """A model for the transcript: the documents with a dual value that is not 0, in the order of review."""
    used = np.flatnonzero(alphas)
    return canonical.encode({"alphas": alphas[used].tolist(), "documents": documents[used].tolist()})


def dual_values(stored: bytes, reviewed: Sequence[int]) -> NDArray[np.int64]:
    """A stored model's dual values for the documents in the order of review."""
    found: Any = canonical.decode(stored)
    known = dict(zip(found["documents"], found["alphas"], strict=True))
    return np.array([known.get(document, 0) for document in reviewed], dtype=np.int64)
