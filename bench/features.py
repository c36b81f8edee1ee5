"""Building the exact features of generated texts against scikit-learn's floats on the same texts."""

import itertools
import tempfile
from pathlib import Path
from random import Random

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from bench.timing import ratio
from protocol.corpus import featurebuild

DOCUMENTS = 20_000
WORDS = 100_000
LENGTH = 140  # words of a document, as abstracts and short mails have


def run(documents: int = DOCUMENTS) -> None:
    """Measure from texts to weighted rows."""
    texts = _texts(documents)
    with tempfile.TemporaryDirectory() as folder:
        path, spans = _written(texts, Path(folder))
        fresh = (Path(folder) / f"features{number}" for number in itertools.count())
        name = f"Features of {documents:,} documents / TfidfVectorizer"
        vectorizer = TfidfVectorizer(sublinear_tf=True)
        ratio(
            name,
            lambda: featurebuild.build(path, spans, next(fresh)),
            lambda: vectorizer.fit_transform(texts),
            aim=0.5,
            runs=3,
        )


def _texts(documents: int) -> list[str]:
    """Words by Zipf's law."""
    random = Random(1)
    words = [f"{random.randrange(26**4):x}{number:x}" for number in range(WORDS)]
    heights = list(itertools.accumulate(1 / (number + 2) for number in range(WORDS)))
    return [" ".join(random.choices(words, cum_weights=heights, k=LENGTH)) for _ in range(documents)]


def _written(texts: list[str], folder: Path) -> tuple[Path, np.ndarray[tuple[int, ...], np.dtype[np.int64]]]:
    """The texts in one file, and where each begins and ends."""
    encoded = [text.encode() for text in texts]
    path = folder / "texts"
    path.write_bytes(b"".join(encoded))
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    return path, np.stack([np.concatenate([[0], ends[:-1]]), ends], axis=1)
