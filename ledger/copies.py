"""Cutting a copy: one chain, with the openings of one audience.

The matter is read twice, since the manifest stands before what it vouches for; neither pass keeps more than a line.
"""

import gzip
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ledger import attachments, canonical, entries, records
from ledger.copylines import FORMAT, CheckpointLine, Manifest, ManifestLine, hash_note
from ledger.entries import Body, Opening
from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.merkle import Frontier
from ledger.roles import Audience, Role
from ledger.store import Store, StoredEntry


def write_copy(
    store: Store,
    audience: Audience,
    key: SigningKey,
    path: Path,
    *,
    progress: Callable[[int], None] = lambda _: None,
) -> Manifest:
    """Cut a copy of the matter as it stands; gzip if the name ends in .gz. A file appears whole or not at all."""
    with _replacing(path) as stream:
        cutter = _Cutter(store, audience, key)
        for line in cutter.lines(progress):
            stream.write(line + b"\n")
        return cutter.manifest


class _Cutter:
    def __init__(self, store: Store, audience: Audience, key: SigningKey) -> None:
        self.store = store
        self.audience = audience
        self.key = key
        self.size = store.size()
        self.notes = store.notes(size=self.size)
        self.manifest = self._manifest()

    def _entries(self) -> Iterator[tuple[StoredEntry, Body, list[Opening]]]:
        for stored in self.store.entries(size=self.size, released_to=self.audience):
            body = records.decode(Body, stored.body)
            fields = {name for name, sealed in body.statement.sealed.items() if self.audience in sealed.audiences}
            yield (
                stored,
                body,
                [
                    each
                    for each in stored.openings
                    if each.field in fields or (each.field, each.index) in stored.released
                ],
            )

    def _manifest(self) -> Manifest:
        """The first of two passes: the manifest stands before what it vouches for."""
        chain, openings = Frontier(), Frontier()
        head = matter = None
        for stored, body, chosen in self._entries():
            if body.sequence == 0:
                self._check_key(body)
            head, matter = entries.hash_entry(stored.body), body.matter
            chain.add(head)
            for each in chosen:
                openings.add(entries.opening_leaf(body.sequence, each, entries.commitment_of(each)))
        if head is None or matter is None:
            raise Refused(f"{self.store.path}: the matter has no entries yet, so there is nothing to copy")
        return Manifest(
            audience=self.audience,
            checkpoints=tuple(map(hash_note, self.notes.values())),
            format=FORMAT,
            head=head,
            matter=matter,
            openings=openings.size,
            openings_root=openings.root(),
            root=chain.root(),
            size=self.size,
        )

    def _check_key(self, opening: Body) -> None:
        enrolment = records.from_value(entries.Enrolment, opening.statement.content)
        if enrolment.keys[Role.TRENT] != self.key.public:
            raise Refused(f"{self.store.path}: this is not the key that the matter enrolled for Trent")

    def lines(self, progress: Callable[[int], None]) -> Iterator[bytes]:
        signature = self.key.sign("manifest", records.encode(self.manifest))
        yield records.encode(ManifestLine(manifest=self.manifest, signature=signature))
        written: set[Digest] = set()
        for stored, body, chosen in self._entries():
            yield _entry_line(stored, chosen)
            for opening in chosen:
                reference = entries.attachment_in(opening)
                if reference is not None and reference.attachment not in written:
                    written.add(reference.attachment)
                    yield from self._attachment_lines(reference.attachment)
            if body.sequence + 1 in self.notes:
                yield records.encode(CheckpointLine(checkpoint=str(self.notes[body.sequence + 1])))
            progress(body.sequence + 1)

    def _attachment_lines(self, digest: Digest) -> Iterator[bytes]:
        for number, piece in enumerate(self.store.attachment(digest, attachments.CHUNK)):
            yield records.encode(attachments.cut(digest, number, piece))


def _entry_line(stored: StoredEntry, openings: list[Opening]) -> bytes:
    """The line around the body's stored bytes, which are canonical already."""
    opened = canonical.encode_checked([records.to_value(each) for each in openings])
    signature = stored.signature.hex().encode()
    return b'{"entry":{"body":' + stored.body + b',"signature":"' + signature + b'"},"openings":' + opened + b"}"


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream into a file beside `path` that takes its place at the end."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as raw:
            if path.suffix == ".gz":
                with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed:
                    yield packed  # type: ignore[misc]
            else:
                yield raw
            raw.flush()
            os.fsync(raw.fileno())
        Path(name).replace(path)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}") from None
    finally:
        Path(name).unlink(missing_ok=True)
