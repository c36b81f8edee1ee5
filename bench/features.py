"""Building the exact features of generated texts against scikit-learn's floats on the same texts."""

import itertools
import tempfile
from pathlib import Path
from random import Random

from sklearn.feature_extraction.text import TfidfVectorizer

from bench.timing import ratio
from protocol.corpus import featurebuild
from protocol.corpus.taking import Taking
from protocol.sources.source import SourceDocument
from protocol.workers import pool

DOCUMENTS = 20_000
WORDS = 100_000
LENGTH = 140  # words of a document, as abstracts and short mails have


def run(documents: int = DOCUMENTS) -> None:
    """Measure from texts to weighted rows."""
    texts = _texts(documents)
    with tempfile.TemporaryDirectory() as folder:
        shards = _written(texts, Path(folder))
        fresh = (Path(folder) / f"features{number}" for number in itertools.count())
        name = f"Features of {documents:,} documents / TfidfVectorizer"
        vectorizer = TfidfVectorizer(sublinear_tf=True)
        ratio(
            name,
            lambda: _built(shards, documents, next(fresh)),
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


def _written(texts: list[str], folder: Path) -> list[Path]:
    """The texts in shards."""
    found = (SourceDocument.of_one(name=str(number), content=b"", text=text) for number, text in enumerate(texts))
    taking = Taking(folder, "family", None, -(-len(texts) // pool.cores()))
    taking.take(found, lambda _: None)
    return [shard.path for shard in taking.shards]


def _built(shards: list[Path], documents: int, folder: Path) -> None:
    folder.mkdir()
    with featurebuild.Counting(folder, pool.cores()) as counting:
        for shard in shards:
            counting.add(shard, more=False)
        counting.finish()
    featurebuild.build(shards, counting.stems, documents, folder, workers=pool.cores())
