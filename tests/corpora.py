"""Small corpora of generated mail, the same in every run."""

from hashlib import sha256
from pathlib import Path

from ledger.commitments import Secret
from protocol.corpus import building
from protocol.corpus.corpus import Corpus
from protocol.sources import synthetic

QUERY = synthetic.QUERY
SECRET = Secret(sha256(b"secret of the test corpora").digest())


def make(path: Path, documents: int = 300, responsive: int = 60, seed: str = "tests") -> Corpus:
    """A corpus in which CAL has something to learn."""
    return building.build(
        synthetic.documents(documents=documents, responsive=responsive, seed=seed), path, secret=SECRET
    )
