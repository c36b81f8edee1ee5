"""A corpus to experiment on where none is given: made-up mail, the same on every machine."""

from pathlib import Path

from ledger.commitments import Secret
from ledger.hashing import tagged_hash
from protocol.corpus import build
from protocol.sources import synthetic

LABEL = synthetic.LABEL
QUERY = synthetic.QUERY


def corpus(folder: Path, *, documents: int, responsive: int) -> Path:
    """The corpus of that size in `folder`, made unless an earlier run left it there."""
    path = folder / f"corpus-{documents}-{responsive}"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        mails = synthetic.documents(documents=documents, responsive=responsive, seed="experiment")
        build.build(mails, path, secret=Secret(tagged_hash("corpus-secret", b"experiment")))
    return path
