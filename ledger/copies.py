"""Cutting a copy: one chain, with the openings of one audience.

The matter is read twice, since the manifest comes before what it vouches for; neither pass keeps more than a line.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from ledger import attachments, entries, files, openings, records
from ledger import tokens as token_lines
from ledger.copylines import FORMAT, CheckpointLine, Manifest, ManifestLine, entry_line, hash_note
from ledger.entitlement import Entitlement
from ledger.entries import Body, Opening
from ledger.errors import Refused, WrongKey
from ledger.hashing import Digest
from ledger.history import History
from ledger.keys import SigningKey
from ledger.matterreader import MatterReader
from ledger.merkle import Frontier
from ledger.roles import Audience, Role
from ledger.store import Store, StoredEntry

Tokens = Callable[[Digest], bytes | None]


def write_copy(
    store: Store,
    audience: Audience,
    key: SigningKey,
    path: Path,
    *,
    tokens: Tokens = lambda _: None,
    progress: Callable[[int], None] = lambda _: None,
) -> Manifest:
    """Cut a copy of the matter as it stands; gzip if the name ends in .gz. A file appears whole or not at all.

    `tokens` gives the bytes of a token that an entry names, if they are at hand.
    """
    with store.snapshot(), files.replaced_file(path) as file, files.packed(file, path) as stream:
        cutter = _Cutter(store, audience, key, tokens)
        for line in cutter.lines(progress):
            stream.write(line + b"\n")
        return cutter.manifest


def copied(store: Store, audience: Audience, key: SigningKey, tokens: Tokens = lambda _: None) -> bytes:
    """The bytes of a copy of the matter as it stands."""
    with store.snapshot():
        return b"".join(line + b"\n" for line in _Cutter(store, audience, key, tokens).lines(lambda _: None))


class _Cutter:
    def __init__(self, store: Store, audience: Audience, key: SigningKey, tokens: Tokens) -> None:
        self.store = store
        self.tokens = tokens
        self.audience = audience
        self.key = key
        self.size = store.size()
        self.notes = store.notes()
        self.manifest = self._manifest()

    def _entries(self) -> Iterator[tuple[StoredEntry, Body, list[Opening]]]:
        """The entries, each with the openings that the audience may have."""
        for stored in self.store.entries(size=self.size, released_to=self.audience):
            body = records.decode(Body, stored.body)
            fields = {name for name, sealed in body.statement.sealed.items() if self.audience in sealed.audiences}
            chosen = [
                each for each in stored.openings if each.field in fields or (each.field, each.index) in stored.released
            ]
            yield stored, body, chosen

    def _manifest(self) -> Manifest:
        """The first pass, which checks the whole matter, so Trent never signs for a damaged file."""
        reader, tree, entitlement = MatterReader(self.store.path), Frontier(), Entitlement(self.audience)
        opened = 0
        for _, (_, body, chosen) in zip(reader.read(self.store), self._entries(), strict=True):
            if body.sequence == 0:
                self._check_key(reader.history)
            entitlement.pass_entry(body, chosen)
            if chosen:
                opened += len(chosen)
                tree.add(openings.leaf(body.sequence, chosen))
        entitlement.finish()
        if not self.size:
            raise Refused(f"{self.store.path}: the matter has no entries yet, so there is nothing to copy")
        state = reader.history.state()
        return Manifest(
            audience=self.audience,
            checkpoints=tuple(map(hash_note, self.notes.values())),
            format=FORMAT,
            head=state.head,
            matter=state.matter,
            openings=opened,
            openings_root=tree.root(),
            root=state.root,
            size=state.size,
        )

    def _check_key(self, history: History) -> None:
        if history.keys[Role.TRENT] != self.key.public:
            raise WrongKey(f"{self.store.path}: this is not Trent's key in this matter")

    def lines(self, progress: Callable[[int], None]) -> Iterator[bytes]:
        signature = self.key.sign("manifest", records.encode(self.manifest))
        yield records.encode(ManifestLine(manifest=self.manifest, signature=signature))
        written: set[Digest] = set()
        for stored, body, chosen in self._entries():
            yield entry_line(stored.body, stored.signature, chosen)
            for opening in chosen:
                reference = entries.attachment_in(opening)
                if reference is not None and reference.attachment not in written:
                    written.add(reference.attachment)
                    yield from self._attachment_lines(reference.attachment)
            named = token_lines.named(body)
            token = None if named is None else self.tokens(named)
            if token is not None:
                yield records.encode(token_lines.line(token))
            if body.sequence + 1 in self.notes:
                yield records.encode(CheckpointLine(checkpoint=str(self.notes[body.sequence + 1])))
            progress(body.sequence + 1)

    def _attachment_lines(self, digest: Digest) -> Iterator[bytes]:
        for number, piece in enumerate(self.store.attachment(digest, attachments.CHUNK)):
            yield records.encode(attachments.cut(digest, number, piece))
