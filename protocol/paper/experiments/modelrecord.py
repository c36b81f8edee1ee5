"""The batches of a stored matter that a model chose, each with what Trent knew when he chose it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ledger import entries
from ledger.attachments import CHUNK
from ledger.errors import Damaged, Refused
from ledger.hashing import Digest
from ledger.matterreader import MatterReader
from ledger.store import Store
from protocol.corpus.corpus import Corpus
from protocol.learning.model import Integers, Mask
from protocol.matter import fold, summary
from protocol.matter.kind import Entry
from protocol.matter.kinds import batch
from protocol.matter.kinds import open as opening
from protocol.matter.state import Matter


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chosen:
    """One such batch."""

    round: int
    batch: Integers
    """Its documents in the order of the record."""
    most: int
    """How many it could hold."""
    near_cut: int
    documents: Integers
    """S: what the model was trained on."""
    labels: Mask
    put_up: Mask
    """Of all documents of the corpus, those that could not be chosen any more."""
    model: bytes
    """As it is attached."""
    previous: bytes | None
    """The model of the batch before, from which the search began."""


def rounds(path: Path, corpus: Corpus, wanted: Collection[int] = ()) -> list[int]:
    """The rounds whose batches a model chose, or those of them that are wanted; refused if there are none."""
    state = summary.read(path)
    corpus.check_committed(state.opening.corpus.root, state.opening.corpus.documents)
    found = [each.number for each in state.rounds if each.model is not None]
    if not found:
        raise Refused(f"no model has chosen a batch of {path} so far: there is nothing to train again")
    if missing := sorted(set(wanted).difference(found)):
        raise Refused(
            f"no model chose the batch of round {', '.join(map(str, missing))} in {path}; models chose those of "
            f"{len(found)} rounds, from {found[0]} to {found[-1]}"
        )
    return [each for each in found if each in wanted or not wanted]


def chosen(path: Path, corpus: Corpus, wanted: Collection[int]) -> Iterator[Chosen]:
    """The batches of these rounds. The record is checked on the way, up to the last of them."""
    state, left = Matter(), set(wanted)
    with Store.open(path) as store:
        for opened in MatterReader(path).read(store):
            entry = Entry.stored(opened)
            if entry.statement.round in left and _by_model(entry.statement):
                checked = fold.check(state, entry)
                yield _chosen(state, entry, checked.content, corpus.size, store)
                left.discard(entry.statement.round)
            if not left:
                return
            fold.follow(state, entry)
            if entry.statement.kind == opening.KIND.name:
                committed = state.opening.corpus
                corpus.check_committed(committed.root, committed.documents, entry.values("vocabulary")[0])
    raise Damaged(f"{path} lacks the batches of some rounds")


def _by_model(said: entries.Statement) -> bool:
    return said.kind == batch.KIND.name and "model" in said.sealed


def _chosen(state: Matter, entry: Entry, content: batch.Batch, size: int, store: Store) -> Chosen:
    reviewed, labels = state.labelled()
    put_up = np.zeros(size, dtype=bool)
    put_up[list(state.put_up_documents)] = True
    (model,) = filter(None, map(entries.attachment_in, entry.openings or ()))
    before = state.batches[-1].model if state.batches else None
    return Chosen(
        round=entry.statement.round,
        batch=np.array(entry.values("numbers")[0], dtype=np.int64),
        most=state.terms.batch,
        near_cut=content.near_cut or 0,
        documents=np.array(reviewed, dtype=np.int64),
        labels=np.array(labels, dtype=bool),
        put_up=put_up,
        model=_attached(store, model.attachment),
        previous=None if before is None else _attached(store, before.attachment),
    )


def _attached(store: Store, digest: Digest) -> bytes:
    return b"".join(store.attachment(digest, CHUNK))
