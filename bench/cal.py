"""Rounds of CAL against a bare loop that proves nothing: LinearSVC as it comes, one product, one partition."""

from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.svm import LinearSVC

from bench.timing import ratio
from protocol.corpus.features import Features
from protocol.corpus.taking import SHARD_DOCUMENTS
from protocol.learning import model, scoring
from protocol.learning.scoring import Scorer
from protocol.learning.training import Trainer
from tests.support import loose_shards

TERMS = 181_000
LENGTH = 80
"""Terms of a document."""
TOPICS = 50
RESPONSIVE = 0.003

Labels = NDArray[np.bool_]
Integers = NDArray[np.int64]


def run(documents: int = 45_000, rounds: int = 10, batch: int = 500) -> None:
    """Measure whole rounds, where their time goes, and scoring alone."""
    corpus, labels = make(documents)
    scorer = Scorer(_cut(corpus))
    parts = (corpus.values / 2**15, corpus.columns, corpus.starts)
    matrix = csr_matrix(parts, shape=(corpus.size, corpus.terms))
    first = np.concatenate((np.flatnonzero(labels)[:5], np.flatnonzero(~labels)[: batch - 5]))
    name = f"CAL, {documents:,} documents, {rounds} rounds of {batch:,}"
    shares: dict[str, float] = {}
    ratio(
        f"{name} / bare",
        lambda: exact_rounds(corpus, scorer, labels, first, rounds, batch, shares),
        lambda: bare_rounds(matrix, labels, first, rounds, batch),
        aim=1.3,
        runs=3,
    )
    total = sum(shares.values())
    print("  of which " + ", ".join(f"{step} {100 * share / total:.0f} %" for step, share in shares.items()))

    weights = np.random.default_rng(2).integers(-(2**30), 2**30, corpus.terms + 1)
    columns, values = np.array(corpus.columns), corpus.values.astype(np.float64)
    ratio(
        f"Score {documents:,} documents / read the rows once",
        lambda: scorer.scores(weights),
        lambda: (columns.sum(), values.sum()),
        aim=2.0,
        runs=9,
    )


def exact_rounds(
    corpus: Features,
    scorer: Scorer,
    labels: Labels,
    documents: Integers,
    rounds: int,
    batch: int,
    shares: dict[str, float],
) -> None:
    """Rounds as Trent runs them, each from the model before."""
    trainer, start = Trainer(corpus), None
    firsts = [int(shard.numbers[0]) for shard in _cut(corpus)]
    for _ in range(rounds):
        times = [perf_counter()]
        found = trainer.train(documents, labels[documents], start)
        times.append(perf_counter())
        gap, norm = found.certificate.gap, scorer.largest_norm
        put_up = np.split(np.sort(documents), np.searchsorted(np.sort(documents), firsts[1:]))
        put_up = [rows - first for rows, first in zip(put_up, firsts, strict=True)]
        best = scorer.best(found.weights, put_up, batch, model.radius(gap, norm))
        times.append(perf_counter())
        nothing = np.zeros(len(best.numbers), bool)
        places = scoring.top(best.scores, nothing, batch)
        model.near_cut(best.scores, nothing, places, gap, norm)
        chosen = best.numbers[places]
        times.append(perf_counter())
        documents, start = np.concatenate((documents, chosen)), found.alphas
        for step, begin, end in zip(("training", "scores", "batch"), times, times[1:], strict=False):
            shares[step] = shares.get(step, 0) + end - begin


def _cut(rows: Features) -> list[loose_shards.Loose]:
    """Shards of the usual size."""
    return loose_shards.cut(rows, -(-rows.size // SHARD_DOCUMENTS))


def bare_rounds(matrix: csr_matrix, labels: Labels, documents: Integers, rounds: int, batch: int) -> None:
    """The same without integers, certificates and ties."""
    for _ in range(rounds):
        fitted = LinearSVC().fit(matrix[documents], labels[documents])
        scores = matrix @ fitted.coef_[0]
        scores[documents] = -np.inf
        documents = np.concatenate((documents, np.argpartition(scores, -batch)[-batch:]))


def make(documents: int) -> tuple[Features, Labels]:
    """Documents with words of everyday frequencies and of one topic each; some of one topic are responsive."""
    random = np.random.default_rng(1)
    everyday = np.cumsum(1 / np.arange(1, TERMS + 1) ** 0.9)
    vocabulary = random.integers(200, TERMS, (TOPICS, 1000))
    topic = random.integers(0, TOPICS, documents)
    strength = random.random(documents) ** 2
    pieces = []
    for begin in range(0, documents, 20_000):  # a piece at a time, for memory
        size = min(20_000, documents - begin)
        of = np.repeat(np.arange(size), random.poisson(LENGTH * 1.05, size))
        words = np.searchsorted(everyday, random.random(len(of)) * everyday[-1])
        theirs = vocabulary[topic[begin + of], (1000 * random.random(len(of)) ** 3).astype(np.int64)]
        words = np.where(random.random(len(of)) < strength[begin + of] / 2, theirs, words)
        pieces.append(np.unique((begin + of) * TERMS + words))
    rows, columns = np.divmod(np.concatenate(pieces), TERMS)
    weights = np.log(documents / np.bincount(columns, minlength=TERMS).clip(1))[columns] + 1
    norms = np.sqrt(np.bincount(rows, weights**2, minlength=documents))
    corpus = Features(
        starts=np.searchsorted(rows, np.arange(documents + 1)),
        columns=columns.astype(np.int32),
        values=np.rint(weights / norms[rows] * 2**15).clip(1).astype(np.uint16),
        terms=TERMS,
    )
    share = RESPONSIVE * TOPICS  # of the first topic: the strongest ones, and some more
    labels = (topic == 0) & (strength > np.quantile(strength, 1 - share) + random.normal(0, 0.1, documents))
    return corpus, labels
