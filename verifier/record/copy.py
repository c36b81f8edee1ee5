"""A copy read to its end: lines, chain, openings, attachments, checkpoints, and the manifest that vouches for them.

Only the manifest's root over all openings can tell, at the end, whose fault a false opening is: if the root covers it,
Trent signed for it; if not, somebody changed the copy, and nobody is blamed. Until then it is a suspicion, and from
that entry on nothing is concluded from openings.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ParamSpec

from verifier.checks import Check, Role
from verifier.findings import Damaged, Fault, Finding
from verifier.plural import count
from verifier.record import keys, notes, tokens
from verifier.record.attachments import Attachments, referred
from verifier.record.chain import Chain
from verifier.record.entitlement import Entitlement, NotDue
from verifier.record.entries import Body, Entry
from verifier.record.hashing import tagged_hash
from verifier.record.lines import (
    AttachmentLine,
    BadEntry,
    CheckpointLine,
    EntryLine,
    Line,
    Manifest,
    ManifestLine,
    TokenLine,
    read_lines,
)
from verifier.record.notes import BadNote, TreeHead
from verifier.record.openings import Openings
from verifier.record.shapes import Malformed
from verifier.record.trees import GrowingTree
from verifier.record.vouched import check_vouched

P = ParamSpec("P")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An entry that the chain admits, with what the copy opens of it."""

    entry: Entry
    hash: bytes
    values: dict[str, dict[int, Any]]  # of sealed fields, by field and index
    openings: Openings
    sound: bool  # whether every opening so far is one that the chain gives this audience
    attachments: dict[str, bytes]  # by the field whose first value refers to it, if they are kept
    root_before: bytes | None = None  # over the entries before it, if it is about what outsiders have seen of them
    token: bytes | None = None  # what an outsider signed, if the copy has it

    def all_of(self, field: str) -> list[Any] | None:
        """A sealed field's values in order, if the copy opens all of them."""
        sealed, values = self.entry.said.sealed.get(field), self.values.get(field, {})
        if sealed is None or len(values) != len(sealed.commitments):
            return None
        return [values[index] for index in range(len(values))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """A checkpoint that states this chain, and who signed it."""

    size: int
    signers: tuple[Role, ...]


class CopyReader:
    """Iterate to read and check. What was told before an exception stands; the copy as a whole, only after the end."""

    def __init__(self, path: Path, *, keep_attachments: bool = False, progress: Callable[[int], None]) -> None:
        self.chain = Chain()
        self.checkpoints: list[Signed] = []
        self.lines = 0
        self.openings, self.opened = GrowingTree(), 0
        self.attachments = Attachments(keep=True)  # the list in the opening is judged by every verification
        self._keep_attachments = keep_attachments
        self.suspicion: str | None = None
        self.manifest: Manifest | None = None  # once it has been read
        self._stated: Manifest
        self._path, self._progress = path, progress
        self._pending: Told | None = None
        self._damage: Damaged | None = None  # what ended the reading of lines

    def __iter__(self) -> Iterator[Told]:
        lines = self._counted()
        first = next(lines, None)
        if self._damage is not None:
            raise self._damage
        if not isinstance(first, ManifestLine):
            raise Damaged(
                Check.FORMAT, "the file is empty" if first is None else "line 1: a copy begins with its manifest"
            )
        self.manifest = self._stated = first.manifest
        self._entitlement = Entitlement(first.manifest.audience)
        self._pending = self._read_first(next(lines, None), first)
        for line in lines:
            if self._belongs(line):
                continue
            yield from self._release_pending()  # first: a fault of the entry before comes before damage in this line
            match line:
                case AttachmentLine():
                    self._attach(self.attachments.add, line)
                case TokenLine():
                    tokens.decoded(line.token, None)
                case EntryLine():
                    self._pending = self._read_entry(line)
                case CheckpointLine():
                    self._read_checkpoint(line)
                case BadEntry():
                    raise self.chain.refuse(line, self.lines)
                case ManifestLine():
                    raise Damaged(Check.FORMAT, f"line {self.lines}: a second manifest")
        yield from self._release_pending()
        if self._damage is not None:
            raise self._damage
        self._finish()

    def _counted(self) -> Iterator[Line]:
        try:
            for line in read_lines(self._path, self._progress):
                self.lines += 1
                yield line
        except Damaged as damage:  # after the entry before it, which may have a worse fault
            self._damage = damage

    def _release_pending(self) -> Iterator[Told]:
        """The last entry, now that all its attachments must be there."""
        self._attach(self.attachments.finish)
        if self._pending is not None:
            told, self._pending = self._pending, None
            for field, values in told.values.items():
                by_trent = told.sound and told.entry.said.author is Role.TRENT
                reference = _reference_or_none(values.get(0)) if by_trent else None
                kept = reference and self.attachments.get(reference)
                if kept is not None:
                    told.attachments[field] = kept
            yield told
            if told.entry.body.sequence == 0:
                self.attachments.forget()
                self.attachments.keep = self._keep_attachments

    def _read_first(self, line: Line | None, first: ManifestLine) -> Told:
        """The first entry brings the keys: before it has passed, nothing is signed by anybody."""
        if isinstance(line, BadEntry):
            raise self.chain.refuse(line, self.lines)
        if self._damage is not None:
            raise self._damage
        if not isinstance(line, EntryLine):
            raise Damaged(Check.FORMAT, "line 2: a copy's second line is the first entry")
        told = self._read_entry(line)
        if not keys.signed(self.chain.keys[Role.TRENT], "manifest", first.signed, first.signature):
            raise Damaged(
                Check.SIGNATURES, "the manifest does not carry the signature of the Trent whom the first entry enrols"
            )
        self.chain.signatures += 1
        if first.manifest.matter != self.chain.matter:
            raise Damaged(Check.CHAIN, "the manifest is of another matter")
        return told

    def _read_entry(self, line: EntryLine) -> Told:
        if self.chain.size == self._stated.size:
            raise Damaged(Check.CHAIN, f"the manifest names {self._stated.size} entries, but more follow")
        outside = line.entry.said.kind in tokens.NAMING
        before = self.chain.tree.root() if outside else None
        digest = self.chain.admit(line.entry)
        body = line.entry.body
        if line.openings.fields:
            self.opened += len(line.openings)
            self.openings.add(line.openings.leaf(body.sequence))
        self._judge_openings(body, line.openings)
        return Told(
            entry=line.entry,
            hash=digest,
            values=line.openings.values,
            openings=line.openings,
            sound=self.suspicion is None,
            attachments={},
            root_before=before,
        )

    def _belongs(self, line: Line) -> bool:
        """Whether a line is a piece or the token that the entry before it waits for; if so, it is taken."""
        pending = self._pending
        if isinstance(line, AttachmentLine) and self.attachments.waits:
            self._attach(self.attachments.add, line)
            return True
        if not isinstance(line, TokenLine) or pending is None or pending.token is not None or self.attachments.waits:
            return False
        try:
            self._pending = replace(pending, token=tokens.decoded(line.token, pending.entry))
        except Damaged:
            return False
        return True

    def _judge_openings(self, body: Body, openings: Openings) -> None:
        if self.suspicion is not None:
            check_vouched(body, openings)
            return
        try:
            self._entitlement.pass_entry(body, openings)
            for opened in openings.fields if body.statement.author is Role.TRENT else ():
                for reference in filter(None, map(referred, opened.values)):
                    self.attachments.expect(reference)
        except (NotDue, Malformed) as reason:
            check_vouched(body, openings)
            self.suspicion = str(reason)

    def _attach(self, step: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Check attachments. After a false opening they need not fit, and must not hide whose fault the opening is."""
        try:
            step(*args, **kwargs)
        except Damaged:
            if self.suspicion is None:
                raise

    def _read_checkpoint(self, line: CheckpointLine) -> None:
        chain, place = self.chain, len(self.checkpoints)
        where = f"the checkpoint after entry {chain.size - 1}"
        try:
            note = notes.parse(line.checkpoint)
        except BadNote as error:
            raise Damaged(Check.COSIGNATURES, f"{where}: {error}") from None
        if place and self.checkpoints[-1].size == chain.size:
            raise Damaged(Check.COSIGNATURES, f"{where} is the second one of {chain.size} entries")
        if tagged_hash("note", line.checkpoint.encode()) not in self._stated.checkpoints[place : place + 1]:
            raise Damaged(Check.COSIGNATURES, f"{where} is not the one that the manifest names")
        if (note.state.matter, note.state.size) != (chain.matter, chain.size):
            raise Damaged(Check.COSIGNATURES, f"{where} is of another matter or size")
        here = TreeHead(matter=chain.matter, size=chain.size, root=chain.tree.root(), head=chain.head)
        try:
            if not note.is_signed_by(Role.TRENT, chain.keys[Role.TRENT]):
                raise BadNote("it does not carry Trent's signature")
            if note.state != here:
                raise BadNote(f"it states another history, with the head {note.state.head.hex()}")
            signers = tuple(notes.signers(note, chain.keys))
        except BadNote as error:  # which Trent's manifest vouches for
            raise self._fault(
                Check.COSIGNATURES,
                "A checkpoint that Trent hands out states this history, and its signatures are true",
                f"a checkpoint of {count(chain.size, 'entry')} with the head {chain.head.hex()}",
                str(error),
            ) from None
        chain.signatures += len(signers)
        self.checkpoints.append(Signed(size=chain.size, signers=signers))

    def _finish(self) -> None:
        manifest, chain = self._stated, self.chain
        if chain.size < manifest.size:
            raise Damaged(Check.CHAIN, f"the copy is cut short: {chain.size} of {manifest.size} entries are there")
        if len(self.checkpoints) != len(manifest.checkpoints):
            raise Damaged(Check.COSIGNATURES, "a checkpoint that the manifest names is missing")
        if (manifest.head, manifest.root) != (chain.head, chain.tree.root()):
            raise self._fault(
                Check.CHAIN,
                "Trent signs one history: his manifest states the head of the "
                f"{count(chain.size, 'entry')} that he signed",
                chain.head.hex(),
                manifest.head.hex(),
            )
        if (manifest.openings, manifest.openings_root) != (self.opened, self.openings.root()):
            detail = f" ({self.suspicion})" if self.suspicion else ""
            raise Damaged(Check.OPENINGS, f"the openings are not those that the manifest names{detail}")
        if self.suspicion is None:
            try:
                self._entitlement.finish()
            except NotDue as reason:
                self.suspicion = str(reason)
        if self.suspicion is not None:
            raise self._fault(
                Check.OPENINGS,
                "Trent signs a manifest over just the openings that the chain gives the audience, as they were sealed",
                f"the openings of {manifest.audience.called}",
                self.suspicion,
            )

    def _fault(self, check: Check, rule: str, expected: str, found: str) -> Fault:
        return Fault(Finding(check=check, rule=rule, expected=expected, found=found, party=Role.TRENT))


def _reference_or_none(value: Any) -> Any:
    try:
        return referred(value)
    except Malformed:
        return None
