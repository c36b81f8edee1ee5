"""Small corpora of generated mail, the same in every run."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np

from ledger.commitments import Secret
from protocol.corpus import build, manifest
from protocol.corpus.account import Unit
from protocol.corpus.corpus import Corpus
from protocol.corpus.sealing import seal
from protocol.sources import synthetic
from protocol.sources.source import SourcePart

QUERY = synthetic.QUERY
SECRET = Secret(sha256(b"secret of the test corpora").digest())


def make(path: Path, documents: int = 300, responsive: int = 60, seed: str = "tests", unit: Unit = "family") -> Corpus:
    """A corpus in which CAL has something to learn."""
    found = synthetic.documents(documents=documents, responsive=responsive, seed=seed)
    return build.build(found, path, secret=SECRET, unit=unit)


def sensitive(path: Path, documents: int = 300, responsive: int = 60, seed: str = "tests") -> Corpus:
    """The same corpus, in which every fourth document carries the label of a sensitive class."""
    plain = synthetic.documents(documents=documents, responsive=responsive, seed=seed)
    marked = [
        replace(each, labels=(*each.labels, "medical")) if number % 4 == 0 else each
        for number, each in enumerate(plain)
    ]
    return build.build(marked, path, secret=SECRET)


def families(path: Path, documents: int = 60, responsive: int = 20, seed: str = "tests") -> Corpus:
    """Mail of which every document has two attachments, the second inside the first."""
    plain = synthetic.documents(documents=documents, responsive=responsive, seed=seed)
    whole = [
        replace(
            each,
            labels=(*each.labels, "medical") if number % 4 == 0 else each.labels,
            parts=(
                each.parts[0],
                SourcePart(name="memo.eml", content=b"the memo, with the table", text=f"memo {number}", parent=0),
                SourcePart(name="table.csv", content=b"1,2", text=f"table {number}", type="csv", parent=1),
            ),
        )
        for number, each in enumerate(plain)
    ]
    return build.build(whole, path, secret=SECRET)


def doubled(path: Path, documents: int = 120, responsive: int = 30, seed: str = "tests") -> Corpus:
    """A corpus in which every text stands twice under two names, so that scores are tied. Some belong into a class."""
    once = list(synthetic.documents(documents=documents, responsive=responsive, seed=seed))
    twice = [
        replace(
            each,
            parts=(replace(each.parts[0], name=f"{each.name}/{copy}"),),
            labels=(*each.labels, *(("medical",) if number % 3 == 0 else ())),
        )
        for number, each in enumerate(once)
        for copy in ("original", "duplicate")
    ]
    return build.build(twice, path, secret=SECRET)


def with_a_wrong_row(corpus: Corpus, document: int) -> Corpus:
    """The same corpus as a cheating Trent commits to it: one value of one document's row is another."""
    shard, row = corpus.place(document)
    number = corpus.shards.index(shard)
    path = shard.path / manifest.VALUES
    values = np.load(path)
    values[int(shard.rows.starts[row])] += 1
    np.save(path, values)
    root = seal(corpus.path)
    listed = manifest.read(corpus.path)
    changed = msgspec.structs.replace(
        listed.shards[number], files=manifest.hashes(shard.path, listed.shards[number].files)
    )
    manifest.write(
        corpus.path,
        msgspec.structs.replace(
            listed,
            root=root,
            files=manifest.hashes(corpus.path, listed.files),
            shards=(*listed.shards[:number], changed, *listed.shards[number + 1 :]),
        ),
    )
    return Corpus.open(corpus.path)
