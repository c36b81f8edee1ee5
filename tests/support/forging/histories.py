"""Histories of one matter as a tree: with Trent's key, any entry can follow any other, and any branch be published.

Everybody signs here but the honest party, whose statements go in as they were signed or not at all.
"""

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from ledger import attachments, canonical, checkpoints, copylines, entries, records
from ledger.copylines import AttachmentLine, CheckpointLine, EntryLine, Manifest, ManifestLine
from ledger.entries import Addition, Body, Entry, Opening, WireEntry
from ledger.errors import LedgerError
from ledger.hashing import Digest
from ledger.history import enrolled
from ledger.keys import PublicKey, SigningKey
from ledger.merkle import Frontier
from ledger.notes import Note
from ledger.openings import leaf
from ledger.roles import Audience, Role
from protocol.parties.history_lines import ServedEntry
from tests.support.forging.mutations import Lines


class Unsignable(Exception):
    """Nobody but the honest party could sign this, or it is not an entry at all."""


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """An entry with all its openings, after the entries before it."""

    before: "Node | None"
    wire: WireEntry
    openings: tuple[Opening, ...]
    hash: Digest
    keys: Mapping[Role, PublicKey]  # in force after it

    @property
    def body(self) -> Body:
        """What Trent signed."""
        return self.wire.entry.body

    @property
    def path(self) -> list["Node"]:
        """All entries up to this one."""
        found: list[Node] = []
        node: Node | None = self
        while node is not None:
            found.append(node)
            node = node.before
        return found[::-1]


def _follow(before: Node | None, wire: WireEntry, openings: tuple[Opening, ...]) -> Node:
    keys = enrolled(wire.entry.body.statement) if before is None else _renewed(before.keys, wire.entry.body)
    return Node(before, wire, openings, entries.hash_entry(wire.body_bytes), keys)


def _renewed(keys: Mapping[Role, PublicKey], body: Body) -> Mapping[Role, PublicKey]:
    """The keys in force after an entry, if it gives somebody one that can be used."""
    said = body.statement
    if said.kind != "rekeyed" or said.author is not Role.COURT or said.content.get("granted") is not True:
        return keys
    try:
        new = records.from_value(entries.NewKey, said.content)
    except LedgerError:
        return keys
    return keys if new.role in (Role.COURT, Role.TRENT) else {**keys, new.role: new.key}


def read(lines: Lines) -> tuple[list[Node], list[bytes]]:
    """The entries of the court's copy, which holds all openings, and the attachments, which are short."""
    nodes: list[Node] = []
    attached: list[bytes] = []
    for line in lines:
        match copylines.parse_line(line):
            case EntryLine(wire=wire, openings=openings):
                nodes.append(_follow(nodes[-1] if nodes else None, wire, openings))
            case AttachmentLine(data=data):
                attached.append(base64.b64decode(data))
    return nodes, attached


@dataclass(slots=True, kw_only=True)
class Pen:
    """The keys of all but the honest party, by their public halves."""

    honest: Role
    keys: dict[PublicKey, SigningKey]
    trent: SigningKey

    def write(self, before: Node | None, addition: Addition) -> Node:
        """An entry of Trent's after any other; whoever speaks in it signs again, unless it is the honest party."""
        said, signature = addition.statement, addition.signature
        try:
            if said.author not in (self.honest, Role.TRENT) and before is not None and signature is None:
                key = self.keys.get(before.keys[said.author])
                signature = None if key is None else entries.sign_statement(key, said).signature
            body = Body(
                asks=addition.asks,
                matter=said.matter if before is None else before.body.matter,
                previous=entries.NO_ENTRY if before is None else before.hash,
                releases=addition.releases,
                sequence=0 if before is None else before.body.sequence + 1,
                signature=signature,
                statement=said,
                time=1_600_000_000 if before is None else before.body.time + 1,
            )
            value = records.to_value(body)
            parsed = records.from_value(Body, value)
            body_bytes = canonical.encode_checked(value)
            wire = WireEntry(
                entry=Entry(body=parsed, signature=entries.sign_entry(self.trent, body_bytes)),
                body_bytes=body_bytes,
                statement_bytes=canonical.encode_checked(value["statement"]),
            )
            openings = tuple(sorted(addition.openings, key=lambda each: (each.field, each.index)))
            return _follow(before, wire, openings)
        except (LedgerError, TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
            raise Unsignable(str(error)) from None


def _due(path: Sequence[Node], audience: Audience) -> list[tuple[Opening, ...]]:
    """For each entry, the openings that the chain gives an audience."""
    released: dict[tuple[int, str], set[int]] = {}
    for node in path:
        for release in node.body.releases:
            if release.audience is audience and release.entry < node.body.sequence:
                sealed = path[release.entry].body.statement.sealed.get(release.field)
                if sealed is not None:
                    places = released.setdefault((release.entry, release.field), set())
                    places.update(entries.released_indices(release, sealed))
    found = []
    for number, node in enumerate(path):
        fields = node.body.statement.sealed.items()
        open_to = {name for name, each in fields if audience in each.audiences}
        found.append(
            tuple(
                each
                for each in node.openings
                if each.field in open_to or each.index in released.get((number, each.field), ())
            )
        )
    return found


def served(path: Sequence[Node], audience: Audience) -> tuple[ServedEntry, ...]:
    """The entries as a party gets them with a question."""
    due = _due(path, audience)
    return tuple(ServedEntry(wire=node.wire, openings=each) for node, each in zip(path, due, strict=True))


def checkpoint(path: Sequence[Node]) -> checkpoints.Checkpoint:
    """What a checkpoint of these entries states."""
    tree = Frontier()
    for node in path:
        tree.add(node.hash)
    return checkpoints.Checkpoint(matter=path[0].body.matter, size=tree.size, root=tree.root(), head=path[-1].hash)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """Cuts copies of any history, under Trent's signature."""

    trent: SigningKey
    attached: dict[Digest, bytes] = field(default_factory=dict)

    def attach(self, contents: Iterable[bytes]) -> None:
        """Keep attachments, for the copies that refer to them."""
        self.attached.update({Digest(sha256(each).digest()): each for each in contents})

    def cut(self, path: Sequence[Node], audience: Audience, note: Note | None = None) -> Lines:
        """The copy for one audience; `note` is a checkpoint, whether it fits or not."""
        openings, opened, written = Frontier(), 0, set[Digest]()
        lines: Lines = []
        size = None if note is None else checkpoints.parse(note).size
        for node, due in zip(path, _due(path, audience), strict=True):
            lines.append(copylines.entry_line(node.wire.body_bytes, node.wire.entry.signature, due))
            if due:
                opened += len(due)
                openings.add(leaf(node.body.sequence, due))
            for each in due:
                lines += self._attachment(each, written)
            if note is not None and node.body.sequence + 1 == size:
                lines.append(records.encode(CheckpointLine(checkpoint=str(note))))
        state = checkpoint(path)
        named = note is not None and size is not None and size <= len(path)
        manifest = Manifest(
            audience=audience,
            checkpoints=(copylines.hash_note(note),) if note is not None and named else (),
            format=copylines.FORMAT,
            head=state.head,
            matter=state.matter,
            openings=opened,
            openings_root=openings.root(),
            root=state.root,
            size=state.size,
        )
        signature = self.trent.sign("manifest", records.encode(manifest))
        return [records.encode(ManifestLine(manifest=manifest, signature=signature)), *lines]

    def _attachment(self, opening: Opening, written: set[Digest]) -> Lines:
        try:
            reference = entries.attachment_in(opening)
        except LedgerError:
            return []
        if reference is None or reference.attachment in written or reference.attachment not in self.attached:
            return []
        written.add(reference.attachment)
        piece = attachments.cut(reference.attachment, 0, self.attached[reference.attachment])
        return [records.encode(piece)]
