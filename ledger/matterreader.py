"""Reading a matter's own file: the chain by its rules, every opening, attachment, release and checkpoint.

Nobody signs what this file holds besides the chain, so whatever is wrong there is damage. Copies are cut from the list
of releases, which must agree with the entries.
"""

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

from ledger import checkpoints, entries, records, watching
from ledger.attachments import CHUNK
from ledger.canonical import NotCanonical
from ledger.checkpoints import OtherHistory
from ledger.entitlement import Entitlement, NotDue
from ledger.entries import Attachment, Body, OpenedEntry
from ledger.errors import Damaged, Fault
from ledger.history import History
from ledger.notes import BadNote, Note
from ledger.records import Malformed
from ledger.roles import Role
from ledger.store import Store, StoredEntry


class MatterReader:
    """Iterate to read and check; when the iteration has ended without an error, the matter is whole."""

    audience = None

    def __init__(self, path: Path) -> None:
        self.history = History()
        self.checkpoints: list[tuple[int, list[Role]]] = []
        self.opening_count = 0
        self.conflicts = 0
        self.progress: Callable[[int], None] = lambda _: None
        self._path = path
        self._released = 0
        self._attachments: set[Attachment] = set()

    @property
    def total(self) -> int:
        """How many entries there are to read."""
        with Store.open(self._path) as store:
            return store.size()

    @property
    def attachment_count(self) -> int:
        """How many attachments the openings refer to."""
        return len(self._attachments)

    def __iter__(self) -> Iterator[OpenedEntry]:
        with Store.open(self._path) as store:
            yield from self.read(store)

    def read(self, store: Store) -> Iterator[OpenedEntry]:
        """The entries of a file that is open already."""
        with store.snapshot():
            store.check_file()
            size, notes, tell = store.size(), store.notes(), watching.watcher()
            for stored in store.entries(size=size):
                opened = self._admit(store, stored)
                if self.history.size in notes:
                    self._check_note(notes.pop(self.history.size))
                self.progress(self.history.size)
                tell(self.history.size, size)
                yield opened
            if notes or self.history.size != size:
                raise Damaged(f"{self._path}: a checkpoint lacks its entries, or an entry is out of place")
            if self._released != store.release_count():
                raise Damaged(f"{self._path}: more has been released than the entries say")

    def _admit(self, store: Store, stored: StoredEntry) -> OpenedEntry:
        try:
            wire = entries.read_body(stored.body, stored.signature)
            digest = self.history.admit(wire)
            body = wire.entry.body
            Entitlement(None).pass_entry(body, stored.openings)
            self._check_releases(store, body)
            for reference in filter(None, map(entries.attachment_in, stored.openings)):
                self._check_attachment(store, reference)
        except NotDue as error:
            raise Damaged(f"{self._path} is damaged: {error}") from None
        except (Malformed, NotCanonical) as error:
            raise Damaged(f"{self._path} is damaged: entry {stored.sequence}: {error}") from None
        self.opening_count += len(stored.openings)
        self.conflicts += body.statement.kind == entries.CONFLICT
        return OpenedEntry(entry=wire.entry, hash=digest, openings=stored.openings)

    def _check_note(self, note: Note) -> None:
        size = self.history.size
        try:
            signers = checkpoints.verify(note, self.history.state(), self.history.keys)
        except OtherHistory as error:
            raise Fault(Role.TRENT, f"the checkpoint of {size} entries: {error}") from None
        except BadNote as error:
            raise Damaged(f"{self._path}: the checkpoint of {size} entries is damaged: {error}") from None
        self.checkpoints.append((size, signers))

    def _check_releases(self, store: Store, body: Body) -> None:
        for release in body.releases:
            kept = store.released(release.entry, release.field, release.audience)
            by_this = sorted(index for index, entry in kept.items() if entry == body.sequence)
            target = records.decode(Body, store.body(release.entry)).statement.sealed.get(release.field)
            if target is None or tuple(by_this) != entries.released_indices(release, target):
                raise Damaged(f"{self._path}: what entry {body.sequence} releases is not kept")
            self._released += len(by_this)

    def _check_attachment(self, store: Store, reference: Attachment) -> None:
        if reference in self._attachments:
            return
        self._attachments.add(reference)
        found, size = sha256(), 0
        for piece in store.attachment(reference.attachment, CHUNK):
            found.update(piece)
            size += len(piece)
        if (found.digest(), size) != (reference.attachment, reference.size):
            raise Damaged(f"{self._path}: the attachment {reference.attachment.hex()} has another hash or size")
