"""What an experiment on documents looks for, and the made-up corpus that it takes if none is given."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ledger import progress
from ledger.commitments import Secret
from ledger.errors import Refused
from ledger.hashing import tagged_hash
from protocol.corpus import build
from protocol.sources import synthetic

MADE_UP = (20_000, 600)
"""How many documents, and how many responsive ones, are made up if no corpus is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What is looked for: the label of the responsive documents, and the seed query."""

    label: str
    query: str = ""
    name: str = ""  # for the figure, where the label says too little

    @property
    def title(self) -> str:
        """What the figure calls it."""
        return self.name or self.label


def chosen(
    corpus: Path | None, labels: tuple[str, ...], queries: tuple[str, ...], out: Path
) -> tuple[Path, list[Topic]]:
    """The corpus and the topics in it; without a corpus, one is made up and kept beside the results in `out`."""
    if corpus is None:
        if labels:
            raise Refused("--responsive names a label of a corpus; give that with --corpus")
        documents, responsive = MADE_UP
        query = queries[0] if queries else synthetic.QUERY
        topic = Topic(label=synthetic.LABEL, query=query, name=f"{documents:,} made-up mails")
        return _made_up(out, documents=documents, responsive=responsive), [topic]
    if not labels:
        raise Refused("--corpus needs --responsive LABEL: which documents are looked for?")
    if queries and len(queries) != len(labels):
        raise Refused(f"{len(labels)} topics and {len(queries)} queries; give one for each topic, or none")
    pairs = zip(labels, queries or [""] * len(labels), strict=True)
    return corpus, [Topic(label=label, query=query) for label, query in pairs]


def _made_up(folder: Path, *, documents: int, responsive: int) -> Path:
    """The corpus of that size in `folder`, the same on every machine; made unless an earlier run left it there."""
    path = folder / f"corpus-{documents}-{responsive}"
    if not path.exists():
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        mails = synthetic.documents(documents=documents, responsive=responsive, seed="experiment")
        try:
            with progress.bar(documents, "Building") as done, progress.stages() as stage:
                secret = Secret(tagged_hash("corpus-secret", b"experiment"))
                build.build(mails, path, secret=secret, progress=done, stage=stage)
        except KeyboardInterrupt:
            if is_new:
                with suppress(OSError):
                    folder.rmdir()
            raise
    return path
