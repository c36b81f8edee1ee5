"""Feature rows and labels for tests of scores and models."""

from math import isqrt

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from protocol.corpus.features import Features
from protocol.learning.model import Integers, Mask, Model
from protocol.learning.training import Trainer

Row = dict[int, int]
"""Column to value."""


def features(rows: list[Row], terms: int) -> Features:
    ordered = [sorted(row.items()) for row in rows]
    return Features(
        starts=np.cumsum([0, *map(len, ordered)], dtype=np.int64),
        columns=np.array([column for row in ordered for column, _ in row], dtype=np.int32),
        values=np.array([value for row in ordered for _, value in row], dtype=np.uint16),
        terms=terms,
    )


def rows(terms: int) -> st.SearchStrategy[Row]:
    """Rows of norm 2^15, up to rounding; empty ones too."""
    counts = st.dictionaries(st.integers(0, terms - 1), st.integers(1, 20), max_size=terms)
    return counts.map(_scaled)


def _scaled(counts: Row) -> Row:
    norm = isqrt(2**20 * sum(count**2 for count in counts.values()))
    return {column: (2**26 * count + norm) // (2 * norm) for column, count in counts.items()}


def train(corpus: Features, documents: Integers, labels: Mask, start: Integers | None = None) -> Model:
    """The model that training finds without an earlier model."""
    return Trainer(corpus).train(documents, labels, start)


@st.composite
def labelled(draw: st.DrawFn, documents: int = 8, terms: int = 6) -> tuple[list[Row], list[bool]]:
    """Some rows with labels, among them equal rows with different ones."""
    found = draw(st.lists(rows(terms), min_size=1, max_size=documents))
    return found, draw(st.lists(st.booleans(), min_size=len(found), max_size=len(found)))


def topic(
    documents: int, *, length: int = 80, terms: int = 20_000, share: float = 0.05, seed: int = 1
) -> tuple[Features, NDArray[np.bool_]]:
    """Documents of which some are about one topic, more or less so, with labels that are partly wrong."""
    random = np.random.default_rng(seed)
    frequencies = 1 / np.arange(1, terms + 1)
    theirs = random.permutation(terms)[:200]
    about = random.random(documents) < 2 * share
    strength = np.where(about, random.random(documents) / 2, 0)
    found: list[Row] = []
    for each in strength:
        words = random.choice(terms, length, p=frequencies / frequencies.sum())
        words = np.where(random.random(length) < each, random.choice(theirs, length), words)
        found.append(_scaled({int(word): 1 + int(word) % 7 for word in words}))
    labels = np.where(random.random(documents) < 0.02, ~about, about & (strength > 0.15))
    return features(found, terms), labels
