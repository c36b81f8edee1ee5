"""Trent's log: the one place where a matter grows.

`prepare` checks what is to be added by the same rules that every reader applies, and signs it. When `write` returns,
it is on disk. A refusal says why and leaves the matter as it was.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Self

from ledger import checkpoints, entries, records
from ledger.entitlement import Entitlement, NotDue
from ledger.entries import Addition, Attached, Body, OpenedEntry, Opening
from ledger.errors import Damaged, Fault, Refused, WrongKey
from ledger.hashing import Digest
from ledger.history import History, enrolled
from ledger.keys import SigningKey
from ledger.matterreader import MatterReader
from ledger.notes import BadNote, Note, NoteSignature
from ledger.records import Malformed
from ledger.roles import Role
from ledger.store import ReleasedValue, Store, StoredEntry

_RECENT = 16  # entries; a round has fewer, unless there are many disputes
_place = attrgetter("field", "index")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Entries that are checked and signed, but not stored yet."""

    history: History  # as it will stand
    hashes: tuple[Digest, ...]
    stored: tuple[StoredEntry, ...]
    released: tuple[ReleasedValue, ...]
    attachments: tuple[Attached, ...]
    bodies: tuple[Body, ...]


class Log:
    """A matter's file, open for writing with Trent's key."""

    def __init__(self, store: Store, key: SigningKey, clock: Callable[[], int], history: History) -> None:
        self.store = store
        self.history = history
        self._key = key
        self._clock = clock
        self._recent: dict[int, Body] = {}  # the last entries, which the next ones release most

    @classmethod
    def create(cls, path: Path, key: SigningKey, clock: Callable[[], int]) -> Self:
        """A new matter without an entry."""
        return cls(Store.create(path), key, clock, History())

    @classmethod
    def open(
        cls,
        path: Path,
        key: SigningKey,
        clock: Callable[[], int],
        visit: Callable[[OpenedEntry], None] = lambda _: None,
    ) -> Self:
        """Go on with a matter, wherever it stopped, after checking all of it; `visit` is told each entry."""
        store = Store.open(path, writable=True)
        try:
            reader = MatterReader(path)
            for opened in reader.read(store):
                visit(opened)
            history = reader.history
            if history.keys and history.keys[Role.TRENT] != key.public:
                raise WrongKey(f"{path}: this is not Trent's key in this matter")
        except BaseException:
            store.close()
            raise
        return cls(store, key, clock, history)

    def close(self) -> None:
        """Let go of the file."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(self, additions: Sequence[Addition]) -> list[Digest]:
        """Add entries, all or none, and return their hashes. When this returns, they are on disk."""
        return self.write(self.prepare(additions))

    def prepare(self, additions: Sequence[Addition]) -> Prepared:
        """Check and sign entries, all or none: every signature, every opening. Writes nothing."""
        history = self.history.copy()
        time = self._clock()
        hashes: list[Digest] = []
        unsigned: list[tuple[bytes, tuple[Opening, ...]]] = []
        released: list[ReleasedValue] = []
        bodies: list[Body] = []
        for addition in additions:
            openings = tuple(sorted(addition.openings, key=_place))
            try:
                # as every reader will parse it: what does not fit the types is refused here
                body_bytes, body = records.encode_typed(Body, _body(addition, history, time))
                self._check(history, body, body_bytes, openings)
                _check_attachments(body.sequence, addition)
                released += self._released(body, bodies, released)
            except (Fault, Damaged, NotDue, Malformed) as error:
                raise Refused(str(error)) from None
            unsigned.append((body_bytes, openings))
            bodies.append(body)
            hashes.append(history.head)
        return Prepared(
            history=history,
            hashes=tuple(hashes),
            stored=tuple(self._signed(unsigned)),
            released=tuple(released),
            attachments=tuple(brought for each in additions for brought in each.attachments),
            bodies=tuple(bodies),
        )

    def write(self, prepared: Prepared) -> list[Digest]:
        """Store what was prepared, all or none, if nothing else was stored since. When this returns, it is on disk."""
        if prepared.stored and prepared.stored[0].sequence != self.history.size:
            raise Refused("the matter has grown since these entries were prepared")
        self.store.append(prepared.stored, prepared.released, prepared.attachments)
        self.history = prepared.history
        for body in prepared.bodies[-_RECENT:]:
            self._recent[body.sequence] = body
            self._recent.pop(body.sequence - _RECENT, None)
        return list(prepared.hashes)

    def checkpoint(self) -> Note:
        """Trent's signed checkpoint of the matter as it stands, kept beside the chain."""
        if not self.history.size:
            raise Refused("a matter without entries cannot have a checkpoint")
        note = checkpoints.sign(self.history.state(), self._key)
        if self.history.size not in self.store.notes():
            self.store.add_note(self.history.size, note)
        return note

    def cosign(self, size: int, role: Role, line: NoteSignature) -> None:
        """Keep a party's cosignature of the checkpoint of `size` entries, which may be an earlier one."""
        kept = self.store.notes().get(size)
        if kept is None:
            raise Refused(f"there is no checkpoint of {size} entries to cosign")
        if line.name in {each.name for each in kept.signatures}:
            raise Refused(f"{role.called} has signed this checkpoint already")
        note = Note(text=kept.text, signatures=(line,))
        try:
            if checkpoints.signers(note, self.history.keys_at(size)) != [role]:
                raise Refused(f"the line is not {role.called}'s signature of the checkpoint of {size} entries")
        except BadNote as error:
            raise Refused(str(error)) from None
        self.store.add_note(size, note)

    def _signed(self, unsigned: Sequence[tuple[bytes, tuple[Opening, ...]]]) -> Iterator[StoredEntry]:
        """The next entries, signed at the end: an entry names the body before it, not its signature."""
        for sequence, (body, openings) in enumerate(unsigned, self.history.size):
            signature = entries.sign_entry(self._key, body)
            yield StoredEntry(sequence=sequence, body=body, signature=signature, openings=openings)

    def _check(self, history: History, body: Body, body_bytes: bytes, openings: Sequence[Opening]) -> None:
        if not history.keys and enrolled(body.statement)[Role.TRENT] != self._key.public:
            raise WrongKey("the key that the opening enrols for Trent is not the one that signs it")
        history.extend(body, body_bytes)
        Entitlement(None).pass_entry(body, openings)

    def _stored(self, sequence: int) -> Body:
        found = self._recent.get(sequence)
        return records.decode(Body, self.store.body(sequence)) if found is None else found

    def _released(self, body: Body, batch: Sequence[Body], so_far: Sequence[ReleasedValue]) -> list[ReleasedValue]:
        """The single values that an entry releases; `batch` and `so_far` are what is not stored yet."""
        found: list[ReleasedValue] = []
        for release in body.releases:
            whom = release.audience.called
            where = f"entry {body.sequence} releases {release.field!r} of entry {release.entry} to {whom}"
            stored = body.sequence - len(batch)
            earlier = batch[release.entry - stored] if release.entry >= stored else self._stored(release.entry)
            sealed = earlier.statement.sealed.get(release.field)
            if sealed is None or release.audience in sealed.audiences:
                raise Refused(f"{where}: there is no such field, or they have it already")
            place = (release.entry, release.field, release.audience)
            known = set(self.store.released(*place))
            known |= {each.index for each in (*so_far, *found) if (each.entry, each.field, each.audience) == place}
            indices = entries.released_indices(release, sealed)
            if indices[-1] >= len(sealed.commitments) or not known.isdisjoint(indices):
                raise Refused(f"{where}: some of it is missing, or was released before")
            found += [
                ReleasedValue(
                    entry=release.entry,
                    field=release.field,
                    index=index,
                    audience=release.audience,
                    released_by=body.sequence,
                )
                for index in indices
            ]
        return found


def _body(addition: Addition, history: History, time: int) -> Body:
    return Body(
        asks=addition.asks,
        matter=history.matter if history.size else addition.statement.matter,
        previous=history.head,
        releases=addition.releases,
        sequence=history.size,
        signature=addition.signature,
        statement=addition.statement,
        time=time,
    )


def _check_attachments(sequence: int, addition: Addition) -> None:
    """The attachments are exactly those that the openings refer to."""
    referred = set(filter(None, map(entries.attachment_in, addition.openings)))
    if {brought.reference for brought in addition.attachments} != referred:
        raise Refused(f"entry {sequence}: the attachments are not those that its openings refer to")
