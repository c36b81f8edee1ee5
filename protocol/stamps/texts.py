"""What is stamped for a matter: the text of a checkpoint at one size, in UTF-8, without signatures.

Everybody who holds any copy of the matter can compute it, for every size up to the copy's own.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ledger import entries, reading, records
from ledger.checkpoints import Checkpoint
from ledger.entries import Body
from ledger.errors import Damaged, Refused
from ledger.hashing import Digest
from ledger.matterreader import MatterReader
from ledger.merkle import Frontier
from ledger.records import Malformed
from ledger.schema import MAGIC
from ledger.store import Store


def is_matter(path: Path) -> bool:
    """Whether a file is a matter's own, by its first bytes."""
    with suppress(OSError), reading.opened(path) as file:
        return file.read(len(MAGIC)) == MAGIC
    return False


def checked(path: Path, size: int | None = None) -> Checkpoint:
    """The state of a matter at a size, by default as it stands, after checking all of it."""
    reader, found = MatterReader(path), None
    for _ in reader:
        if reader.history.size == size:
            found = reader.history.state()
    if not reader.history.size:
        raise Refused(f"{path} has no entries yet, so there is nothing to stamp")
    if size is not None and found is None:
        raise Refused(f"{path} has {reader.history.size} entries, and no state of {size}")
    return found or reader.history.state()


def stamped_text(path: Path, size: int | None = None) -> bytes:
    """What is stamped for a matter's file at a size, by default as it stands; all of it is checked first."""
    return checked(path, size).text.encode()


def states(store: Store) -> Iterator[Checkpoint]:
    """The state at each size from 1 on. Checks nothing but that a matter is there: it is for a matter that is whole."""
    with store.snapshot():
        chain = (body for body, _ in store.chain(size=store.size()))
        matter: Digest | None = None
        tree = Frontier()
        for body in chain:
            matter = matter or _matter(body, store.path)
            head = entries.hash_entry(body)
            tree.add(head)
            yield Checkpoint(matter=matter, size=tree.size, root=tree.root(), head=head)


def _matter(body: bytes, path: Path) -> Digest:
    try:
        return records.decode(Body, body).matter
    except Malformed as error:
        raise Damaged(f"{path} is damaged: entry 0: {error}") from None
