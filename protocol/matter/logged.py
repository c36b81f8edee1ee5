"""What the operator's log says of matters: a leaf for each opening, and one for each later state that was added."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ledger.errors import Damaged
from ledger.hashing import Digest
from ledger.matterreader import MatterReader
from protocol.matter import fold
from protocol.matter.kind import Entry
from protocol.matter.leaf import BadLeaf, Leaf, State, parse
from protocol.matter.state import Matter


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A matter's file as it was read: its states at the sizes that were asked for, its opening and its present one."""

    states: dict[int, Leaf]  # by size, ascending
    size: int

    @property
    def matter(self) -> Digest:
        """The matter's number."""
        return self.states[1].matter

    @property
    def opened(self) -> Leaf:
        """The leaf for its opening."""
        return self.states[1]

    @property
    def present(self) -> Leaf:
        """The leaf for where it stands."""
        return self.states[self.size]


def read(path: Path, sizes: Collection[int] = ()) -> Known:
    """A stored matter, checked by its rules; `sizes` are those of earlier states to return besides."""
    reader, matter = MatterReader(path), Matter()
    found, last = dict[int, Leaf](), None
    for opened in reader:
        fold.follow(matter, Entry.stored(opened))
        last = _leaf(reader, matter)
        if last.size == 1 or last.size in sizes:
            found[last.size] = last
    if last is None:
        raise Damaged(
            f"{path} has no entries: the matter was never opened, or the file was copied without its -wal file"
        )
    found[last.size] = last
    return Known(states=found, size=last.size)


def _leaf(reader: MatterReader, matter: Matter) -> Leaf:
    size = reader.history.size
    state = State.OPENED if size == 1 else State.CLOSED if matter.concluded else State.OPEN
    return Leaf(checkpoint=reader.history.state(), state=state)


@dataclass(slots=True, kw_only=True)
class Account:
    """What a log's leaves say of one matter, in the log's order."""

    matter: Digest
    leaves: dict[int, Leaf] = field(default_factory=dict)  # by index
    troubles: list[str] = field(default_factory=list)

    @property
    def last(self) -> Leaf:
        """The leaf of the largest size."""
        return max(self.leaves.values(), key=lambda leaf: leaf.size)

    @property
    def has_opening(self) -> bool:
        """Whether its opening is in the log."""
        return any(leaf.state is State.OPENED for leaf in self.leaves.values())

    @property
    def ended(self) -> bool:
        """Whether its end is in the log."""
        return any(leaf.state is State.CLOSED for leaf in self.leaves.values())

    def sizes(self) -> set[int]:
        """The sizes of its states in the log."""
        return {leaf.size for leaf in self.leaves.values()}

    def index(self, leaf: Leaf) -> int | None:
        """Where this very leaf stands first, if it is in the log."""
        return next((index for index, each in self.leaves.items() if each == leaf), None)


def accounts(leaves: Iterable[bytes]) -> tuple[dict[Digest, Account], list[int]]:
    """What a log says of each matter, by the order of their first leaves, and which leaves are about none."""
    found, strange = dict[Digest, Account](), list[int]()
    for index, data in enumerate(leaves):
        try:
            leaf = parse(data)
        except BadLeaf:
            strange.append(index)
            continue
        account = found.setdefault(leaf.matter, Account(matter=leaf.matter))
        _check(account, index, leaf)
        account.leaves[index] = leaf
    return found, strange


def _check(account: Account, index: int, leaf: Leaf) -> None:
    """Note what cannot be if the log follows one history of the matter. The log's key vouches for all of it."""
    for earlier, each in account.leaves.items():
        if each == leaf:
            account.troubles.append(f"leaf {index} repeats leaf {earlier}")
        elif each.size == leaf.size:
            account.troubles.append(f"leaves {earlier} and {index} state two histories of {leaf.size} entries")
    if account.leaves and leaf.size < account.last.size:
        account.troubles.append(f"leaf {index} goes back to {leaf.size} entries")
    if account.ended and leaf.state is not State.CLOSED:
        account.troubles.append(f"leaf {index} is not closed, and an earlier one is")
    if not account.leaves and leaf.state is not State.OPENED:
        account.troubles.append(f"leaf {index} is its first, and not its opening")
