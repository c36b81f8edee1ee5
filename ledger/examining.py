"""One way to walk through a ledger, whether it is Trent's file or somebody's copy."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from ledger import entries, records
from ledger.attachments import CHUNK
from ledger.canonical import NotCanonical
from ledger.entitlement import Entitlement, NotDue
from ledger.entries import Body
from ledger.errors import Damaged
from ledger.hashing import Digest
from ledger.history import History
from ledger.keys import PublicKey
from ledger.lines import Unreadable
from ledger.reading import CopiedEntry, CopyReader, check_note
from ledger.records import Malformed
from ledger.roles import Audience, Role
from ledger.schema import MAGIC
from ledger.store import Store, StoredEntry


class Reader(Protocol):
    """Iterate to read and check; when the iteration has ended without an error, all is as it was signed."""

    history: History
    checkpoints: list[tuple[int, list[Role]]]
    total: int  # what progress counts up to: bytes of a copy, entries of a matter
    progress: Callable[[int], None]

    def __iter__(self) -> Iterator[CopiedEntry]: ...

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
    checkpoints: list[tuple[int, list[Role]]]
    keys: dict[Role, PublicKey]


def open_reader(path: Path) -> Reader:
    """The reader for a matter's file or a copy, by what the file begins with."""
    try:
        with path.open("rb") as stream:
            start = stream.read(len(MAGIC))
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}") from None
    if start == MAGIC:
        return MatterReader(path)
    return CopyReader(path)


def examine(reader: Reader) -> Summary:
    """Read to the end, and say what was there."""
    for _ in reader:
        pass
    history = reader.history
    return Summary(
        audience=reader.audience,
        matter=history.matter,
        size=history.size,
        head=history.head,
        root=history.tree.root(),
        openings=reader.opening_count,
        attachments=reader.attachment_count,
        checkpoints=reader.checkpoints,
        keys=history.keys,
    )


class MatterReader:
    """Trent's own file: the chain by its rules, every opening, every attachment, every checkpoint."""

    audience = None

    def __init__(self, path: Path) -> None:
        self.history = History()
        self.checkpoints: list[tuple[int, list[Role]]] = []
        self.opening_count = 0
        self._released = 0
        self.progress: Callable[[int], None] = lambda _: None
        self._path = path
        with Store.open(path) as store:
            self.total = store.size()
        self._attachments: set[Digest] = set()

    @property
    def attachment_count(self) -> int:
        """How many attachments the openings refer to."""
        return len(self._attachments)

    def __iter__(self) -> Iterator[CopiedEntry]:
        with Store.open(self._path) as store:
            store.check_file()
            notes = store.notes(size=self.total)
            for stored in store.entries(size=self.total):
                try:
                    copied = self._admit(store, stored)
                except (Malformed, NotCanonical, NotDue) as error:
                    raise Damaged(f"{self._path}: entry {stored.sequence}: {error}") from None
                if self.history.size in notes:
                    signers = check_note(notes[self.history.size], self.history)
                    self.checkpoints.append((self.history.size, signers))
                self.progress(self.history.size)
                yield copied
            if self._released != store.release_count():
                raise Damaged(f"{self._path}: more has been released than the entries say")

    def _admit(self, store: Store, stored: StoredEntry) -> CopiedEntry:
        wire = entries.read_body(stored.body, stored.signature)
        digest = self.history.admit(wire)
        commitments = [entries.commitment_of(opening) for opening in stored.openings]
        Entitlement(None).pass_entry(wire.entry.body, stored.openings, commitments)
        self._check_releases(store, wire.entry.body)
        self.opening_count += len(stored.openings)
        for opening in stored.openings:
            reference = entries.attachment_in(opening)
            if reference is not None and reference.attachment not in self._attachments:
                self._attachments.add(reference.attachment)
                _check_attachment(store, reference.attachment)
        return CopiedEntry(entry=wire.entry, hash=digest, openings=stored.openings)

    def _check_releases(self, store: Store, body: Body) -> None:
        """The file's list of releases, from which copies are cut, must say what the entry says."""
        for release in body.releases:
            kept = store.released(release.entry, release.field, release.audience)
            by_this = sorted(index for index, entry in kept.items() if entry == body.sequence)
            stated = release.indices
            if stated is None:
                target = records.decode(Body, store.body(release.entry)).statement.sealed.get(release.field)
                stated = tuple(range(len(target.commitments))) if target else ()
            if tuple(by_this) != stated:
                raise Damaged(f"{self._path}: what entry {body.sequence} releases is not kept")
            self._released += len(stated)


def _check_attachment(store: Store, digest: Digest) -> None:
    found = sha256()
    for piece in store.attachment(digest, CHUNK):
        found.update(piece)
    if found.digest() != digest:
        raise Damaged(f"{store.path}: the attachment {digest.hex()} does not have its hash")
