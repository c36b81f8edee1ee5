"""Continuous Active Learning (Algorithm CAL of the paper), exactly.

S is the set of documents with output labels. While S has both classes, a linear support vector machine is trained on
it, every remaining document is scored, and the N highest go into the next batch. Before that, batches are drawn by coin
from the results of the seed query: the documents with at least one of its terms.
"""

from collections import Counter
from collections.abc import Sequence
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
    """Chooses batches from one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._scorer: Scorer | None = None
        self._trainer = Trainer(corpus.features)

    @property
    def scorer(self) -> Scorer:
        """Made when it is first needed, since it takes memory."""
        if self._scorer is None:
            self._scorer = Scorer(self.corpus.features)
        return self._scorer

    def check_query(self, query: str) -> None:
        """Raise unless the first batch can be drawn from the query's results."""
        if query and not self._query_scores(query).any():
            raise BadTerms(
                f"no document holds a term of the query {query!r}; use other words, or an empty query to begin with a "
                "draw from all documents"
            )

    def by_coin(self, query: str, put_up: Sequence[int], count: int, seed: Digest) -> Selection:
        """A batch from the remaining results of the seed query, by exact score; if none remain, from all documents.

        `put_up` are the documents that were in a batch, or drawn or called in a validation.
        """
        remaining = ~self._mask(put_up)
        scores = self._query_scores(query)
        pool = np.flatnonzero(remaining & (scores > 0))
        if not len(pool):
            everything = np.flatnonzero(remaining).tolist()
            return Selection(documents=coins.draw(seed, min(count, len(everything)), everything))
        drawn = pool.tolist() if len(pool) <= count else coins.draw(seed, count, pool.tolist())
        return Selection(documents=scoring.top(scores, ~self._mask(drawn), count).tolist())

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
        scores = self.scorer.scores(found.weights)
        mask = self._mask([*reviewed, *unlabelled])
        batch = scoring.top(scores, mask, count)
        return Selection(
            documents=batch.tolist(),
            model=model_bytes(documents, found.alphas),
            near_cut=model.near_cut(scores, mask, batch, found.certificate.gap, self.scorer.largest_norm),
        )

    def _mask(self, documents: Sequence[int]) -> NDArray[np.bool_]:
        mask = np.zeros(self.corpus.size, dtype=bool)
        mask[np.array(documents, dtype=np.int64)] = True
        return mask

    def _query_scores(self, query: str) -> NDArray[np.int64]:
        """Each document's product with the query's own feature row: positive where they share a term."""
        if not query:
            return np.zeros(self.corpus.size, dtype=np.int64)
        return self.scorer.scores(query_weights(self.corpus, query))


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
