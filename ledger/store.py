"""A matter's file as Python sees it: entries with their openings, attachments and checkpoints, only ever added to.

An entry is on disk before anyone is told of it. Files are read as streams, so a long matter needs no more memory than
a short one.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Self

from ledger import layout, notes, schema
from ledger.canonical import NotCanonical
from ledger.commitments import Salt
from ledger.entries import Attached, Opening, read_opening
from ledger.errors import Damaged, Refused
from ledger.hashing import Digest
from ledger.keys import Signature
from ledger.lines import MAX_LINE
from ledger.notes import Note
from ledger.roles import Audience

MAX_ATTACHMENT = 10**9 - 1000
"""Bytes of the largest attachment: SQLite holds no row of more than 10^9."""

_OPENING_FRAME = 256  # bytes of an opening's line around its value, at most


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEntry:
    """An entry as bytes, with all its openings."""

    sequence: int
    body: bytes
    signature: Signature
    openings: tuple[Opening, ...]
    released: frozenset[tuple[str, int]] = frozenset()  # which of them a later entry released to an audience


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedValue:
    """One value of a sealed field that an audience gets by a later entry."""

    entry: int
    field: str
    index: int
    audience: Audience
    released_by: int


class Store:
    """A matter's file. Use it as a context manager, or call `close`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._checked: int | None = None  # SQLite's number for what other programs have written so far

    @classmethod
    def create(cls, path: Path) -> Self:
        """A new, empty matter, open for writing."""
        schema.create(path)
        return cls.open(path, writable=True)

    @classmethod
    def open(cls, path: Path, *, writable: bool = False) -> Self:
        """An existing matter, for reading or as its one writer."""
        return cls(path, schema.connect(path, writable=writable))

    def close(self) -> None:
        """Let go of the file."""
        with suppress(sqlite3.Error):
            self._connection.rollback()
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def append(
        self, added: Sequence[StoredEntry], released: Sequence[ReleasedValue], attachments: Iterable[Attached]
    ) -> None:
        """Add entries with all that belongs to them, or nothing; when this returns, they are on disk."""
        openings: list[tuple[Any, ...]] = []
        for entry in added:
            rows = [(entry.sequence, each.field, each.index, each.salt, each.encoded) for each in entry.openings]
            _check_length(entry, sum(len(value) for *_, value in rows))
            openings += rows
        with self._transaction() as insert:
            insert("entries", [(entry.sequence, entry.body, entry.signature) for entry in added])
            insert("openings", openings)
            insert("releases", [(r.entry, r.field, r.index, r.audience, r.released_by) for r in released])
            for attached in attachments:
                self._attach(attached)

    def add_note(self, size: int, note: Note) -> None:
        """Keep a checkpoint's signatures; its text the first time."""
        known = self.notes()
        with self._transaction() as insert:
            if size not in known:
                insert("checkpoints", [(size, note.text)])
            insert("note_signatures", [(size, line.name, str(line)) for line in note.signatures])

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """What is read within is the file as it was at one moment, whatever a writer adds in the meantime."""
        with schema.translated(self.path):
            if self._connection.in_transaction:
                yield
                return
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                self._connection.rollback()

    def size(self) -> int:
        """How many entries there are."""
        with schema.translated(self.path):
            return int(self._connection.execute("SELECT count(*) FROM entries").fetchone()[0])

    def chain(self, *, size: int) -> Iterator[tuple[bytes, Signature]]:
        """The first `size` entries in order: body and signature."""
        with schema.translated(self.path):
            rows = self._connection.cursor().execute(
                "SELECT sequence, body, signature FROM entries WHERE sequence < ? ORDER BY sequence", (size,)
            )
            for sequence, body, signature in rows:
                yield body, _signature(sequence, signature)

    def entries(self, *, size: int, released_to: Audience | None = None) -> Iterator[StoredEntry]:
        """The first `size` entries with all their openings, and which of these were released to an audience."""
        with schema.translated(self.path):
            openings = self._connection.cursor().execute(
                "SELECT o.entry, o.field, o.position, o.salt, o.value, r.released_by IS NOT NULL"
                " FROM openings o LEFT JOIN releases r ON r.entry = o.entry AND r.field = o.field"
                " AND r.position = o.position AND r.audience = ?"
                " WHERE o.entry < ? ORDER BY o.entry, o.field, o.position",
                (released_to, size),
            )
            by_entry = groupby(openings, key=itemgetter(0))
            ahead = next(by_entry, None)
            for sequence, (body, signature) in enumerate(self.chain(size=size)):
                rows: list[Any] = []
                if ahead is not None and ahead[0] == sequence:
                    rows = list(ahead[1])
                    ahead = next(by_entry, None)
                yield StoredEntry(
                    sequence=sequence,
                    body=body,
                    signature=signature,
                    openings=tuple(_opening(row) for row in rows),
                    released=frozenset((row[1], row[2]) for row in rows if row[5]),
                )

    def released(self, entry: int, field: str, audience: Audience) -> dict[int, int]:
        """Which values of a field have been released to an audience, and by which entry."""
        with schema.translated(self.path):
            rows = self._connection.execute(
                "SELECT position, released_by FROM releases WHERE entry = ? AND field = ? AND audience = ?",
                (entry, field, audience),
            )
            return dict(rows.fetchall())

    def body(self, sequence: int) -> bytes:
        """The bytes of one entry's body."""
        with schema.translated(self.path):
            row = self._connection.execute("SELECT body FROM entries WHERE sequence = ?", (sequence,)).fetchone()
        if row is None:
            raise Damaged(f"{self.path}: entry {sequence} is missing")
        return bytes(row[0])

    def has_attachment(self, digest: bytes) -> bool:
        """Whether an attachment is kept."""
        with schema.translated(self.path):
            found = self._connection.execute("SELECT 1 FROM attachments WHERE digest = ?", (digest,)).fetchone()
            return found is not None

    def attachment(self, digest: Digest, chunk: int) -> Iterator[bytes]:
        """An attachment's bytes in pieces of `chunk`."""
        with schema.translated(self.path):
            row = self._connection.execute("SELECT rowid FROM attachments WHERE digest = ?", (digest,)).fetchone()
            if row is None:
                raise Damaged(f"{self.path}: the attachment {digest.hex()} is missing")
            with self._connection.blobopen("attachments", "content", row[0], readonly=True) as blob:
                while piece := blob.read(chunk):
                    yield piece

    def _attach(self, attached: Attached) -> None:
        """Keep an attachment unless it is there, and refuse it if its bytes are not those of its reference."""
        digest, size = attached.reference.attachment, attached.reference.size
        if size > MAX_ATTACHMENT:
            raise Refused(
                f"an attachment has {size} bytes, and a matter's file holds at most {MAX_ATTACHMENT} in one; a list of "
                "what was received that is so long needs several matters"
            )
        if self.has_attachment(digest):
            return
        added = "INSERT INTO attachments VALUES (?, zeroblob(?)) RETURNING rowid"
        ((place,),) = self._connection.execute(added, (digest, size)).fetchall()
        found, left = sha256(), size
        with self._connection.blobopen("attachments", "content", place) as blob:
            for piece in attached.pieces():
                found.update(piece)
                left -= len(piece)
                if left < 0:
                    break
                blob.write(piece)
        if left or found.digest() != digest:
            raise Refused(f"the attachment {digest.hex()} was changed while it was stored; run the command again")

    def notes(self) -> dict[int, Note]:
        """The checkpoints by their size, with all signatures, Trent's first."""
        with schema.translated(self.path):
            found: dict[int, Note] = {}
            for size, text in self._connection.execute("SELECT size, text FROM checkpoints ORDER BY size").fetchall():
                lines = self._connection.execute(
                    "SELECT line FROM note_signatures WHERE size = ? ORDER BY name", (size,)
                )
                try:
                    found[size] = notes.parse(text + "\n" + "".join(line for (line,) in lines))
                except notes.BadNote as error:
                    raise Damaged(f"{self.path}: the checkpoint of {size} entries is damaged: {error}") from None
            return found

    def check_file(self) -> None:
        """SQLite's own check of the whole file; and no entry is missing to which something else belongs."""
        with schema.translated(self.path):
            found = self._connection.execute("PRAGMA integrity_check").fetchone()[0]
            expected = self._connection.execute(
                "SELECT max((SELECT coalesce(max(size), 0) FROM checkpoints),"
                " (SELECT coalesce(max(entry) + 1, 0) FROM openings),"
                " (SELECT coalesce(max(released_by) + 1, 0) FROM releases),"
                " (SELECT coalesce(max(sequence) + 1, 0) FROM entries))"
            ).fetchone()[0]
        if found != "ok":
            raise Damaged(f"{self.path} is damaged: {found}")
        if self.size() < expected:
            raise Damaged(f"{self.path} is damaged: {self.size()} of at least {expected} entries are there")

    def release_count(self) -> int:
        """How many values have been released to anyone."""
        with schema.translated(self.path):
            return int(self._connection.execute("SELECT count(*) FROM releases").fetchone()[0])

    @contextmanager
    def _transaction(self) -> Iterator[Callable[[str, list[tuple[Any, ...]]], None]]:
        """Inserts that reach the disk together, or not at all; then the write lock is taken again at once."""
        connection = self._connection

        def insert(table: str, rows: list[tuple[Any, ...]]) -> None:
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 (our own table names)

        with schema.translated(self.path):
            if not connection.in_transaction:
                connection.execute("BEGIN IMMEDIATE")
            try:
                self._check_layout()
                yield insert
                connection.execute("COMMIT")
            except BaseException:
                connection.rollback()
                raise
            finally:
                with suppress(sqlite3.Error):  # the next transaction tries again, and says so if it cannot
                    connection.execute("BEGIN IMMEDIATE")

    def _check_layout(self) -> None:
        """Check it again if another program had the lock since the last write, and wrote."""
        written = self._connection.execute("PRAGMA main.data_version").fetchone()[0]
        if written != self._checked:
            layout.check(self.path, self._connection)
            self._checked = written


def _check_length(entry: StoredEntry, value_bytes: int) -> None:
    """A copy's line must stay readable, even one with all openings."""
    if len(entry.body) + value_bytes + _OPENING_FRAME * (len(entry.openings) + 1) > MAX_LINE:
        raise Refused(
            f"entry {entry.sequence} is too long for a line of a copy, at most {MAX_LINE} bytes; "
            "make a large value an attachment"
        )


def _signature(sequence: int, raw: bytes) -> Signature:
    try:
        return Signature(raw)
    except ValueError as error:
        raise Damaged(f"entry {sequence}: the signature is damaged ({error})") from None


def _opening(row: tuple[Any, ...]) -> Opening:
    entry, field, index, salt, value, _ = row
    try:
        return read_opening(field, index, Salt(salt), value)
    except (ValueError, NotCanonical) as error:
        raise Damaged(f"entry {entry}: the opening of {field!r} {index} is damaged ({error})") from None
