"""One way to walk through a ledger, whether it is Trent's file or somebody's copy."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ledger import reading
from ledger.copyreader import CopyReader
from ledger.entries import OpenedEntry
from ledger.errors import LedgerError, Refused
from ledger.hashing import Digest
from ledger.history import History
from ledger.keys import PublicKey
from ledger.lines import GZIP_MAGIC, Unreadable
from ledger.matterreader import MatterReader
from ledger.roles import Audience, Role
from ledger.schema import MAGIC

_OTHER_KINDS = {
    b"%PDF": "a PDF",
    b"PK": "a ZIP archive or an office document; unpack it first",
    b"Tallystick": "a Tallystick key file; see `tallystick key show`",
    b"-----BEGIN": "a key file; see `tallystick key show`",
}


class NotALedger(LedgerError):
    """The file is neither a matter nor a copy; it may be perfectly good."""


class Reader(Protocol):
    """Iterate to read and check; when the iteration has ended without an error, all is as it was signed."""

    history: History
    checkpoints: list[tuple[int, list[Role]]]
    conflicts: int  # second answers that the log holds as evidence
    progress: Callable[[int], None]

    def __iter__(self) -> Iterator[OpenedEntry]: ...

    @property
    def total(self) -> int:
        """What progress counts up to: bytes of a copy, entries of a matter."""

    @property
    def audience(self) -> Audience | None:
        """For whom a copy was cut; None for a matter's own file."""

    @property
    def opening_count(self) -> int:
        """How many openings have passed."""

    @property
    def attachment_count(self) -> int:
        """How many attachments have passed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a whole ledger holds."""

    audience: Audience | None  # None: Trent's own file
    matter: Digest
    size: int
    head: Digest
    root: Digest
    openings: int
    attachments: int
    conflicts: int
    checkpoints: list[tuple[int, list[Role]]]
    keys: dict[Role, PublicKey]

    @property
    def cosigned(self) -> int:
        """For how many entries somebody besides Trent vouches."""
        return max((size for size, signers in self.checkpoints if set(signers) - {Role.TRENT}), default=0)


def open_reader(path: Path) -> Reader:
    """The reader for a matter's file or a copy, by what the file begins with."""
    try:
        with reading.opened(path) as stream:
            start = stream.read(len(MAGIC))
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}") from None
    if start == MAGIC:
        return MatterReader(path)
    if start[:1] == b"{" or start[:2] == GZIP_MAGIC or not start:
        return CopyReader(path)
    guess = next((f": it looks like {kind}" for mark, kind in _OTHER_KINDS.items() if start.startswith(mark)), "")
    raise NotALedger(f"{path} is neither a copy (.jsonl, .jsonl.gz) nor a matter's file{guess}")


def examine(reader: Reader) -> Summary:
    """Read to the end, and say what was there."""
    for _ in reader:
        pass
    history = reader.history
    if not history.size:
        raise Refused(
            "the file has no entries: the matter was never opened, or the file was copied without its -wal file"
        )
    return Summary(
        audience=reader.audience,
        matter=history.matter,
        size=history.size,
        head=history.head,
        root=history.tree.root(),
        openings=reader.opening_count,
        attachments=reader.attachment_count,
        conflicts=reader.conflicts,
        checkpoints=reader.checkpoints,
        keys=history.keys,
    )
