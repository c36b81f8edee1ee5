"""Reading a copy back: everything that the ledger itself can check, in one pass.

1. Every line is canonical and of a known shape.
2. The entries are a chain by the rules of `ledger.history`, from the first to the manifest's head.
3. Trent signed the manifest. The openings are those under its root, the checkpoints those that it names, and every
   attachment has its hash.
4. The openings open their commitments, and are exactly those that the chain gives the audience.
5. Every checkpoint states this chain, and its signatures are valid.

What fails without anyone's signature is damage. What fails although Trent signed it (an entry, a checkpoint, or
a manifest over just these openings) is his fault. Until the last line has passed, nothing is vouched for.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from ledger import canonical, checkpoints, copylines, entries, keys, notes, records
from ledger.attachments import Assembly
from ledger.checkpoints import Checkpoint
from ledger.copylines import AttachmentLine, BadLine, CheckpointLine, EntryLine, Line, Manifest, ManifestLine
from ledger.entitlement import Entitlement, NotDue
from ledger.entries import Body, Entry, Opening
from ledger.errors import Damaged, Fault, LedgerError
from ledger.hashing import Digest
from ledger.history import History, UnknownFormat
from ledger.keys import PublicKey, Signed
from ledger.lines import read_lines
from ledger.merkle import Frontier
from ledger.notes import BadNote, Note
from ledger.records import Malformed
from ledger.roles import Audience, Role

_BLOCK = 256  # lines that are parsed, and their signatures verified together, before the rules are applied
_BLOCK_BYTES = 2**23  # or this many bytes, so that memory stays small however long the lines


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiedEntry:
    """One entry of a copy, with the openings that came with it."""

    entry: Entry
    hash: Digest
    openings: tuple[Opening, ...]


class CopyReader:
    """Iterate to read and check; when the iteration has ended without an error, the copy is whole."""

    manifest: Manifest

    def __init__(self, path: Path) -> None:
        self.history = History(holds=self._holds)
        self.openings = Frontier()
        self.attachments = Assembly()
        self.checkpoints: list[tuple[int, list[Role]]] = []
        self.total = path.stat().st_size
        self.progress: Callable[[int], None] = lambda _: None
        self._path = path
        self._verified: set[Signed] = set()
        self._suspicion: str | None = None

    @property
    def audience(self) -> Audience | None:
        """For whom the copy was cut."""
        return self.manifest.audience

    @property
    def opening_count(self) -> int:
        """How many openings have passed."""
        return self.openings.size

    @property
    def attachment_count(self) -> int:
        """How many attachments have passed."""
        return len(self.attachments.known)

    def __iter__(self) -> Iterator[CopiedEntry]:
        lines = self._verified_lines()
        signed = _manifest_line(next(lines, None))
        self.manifest = signed.manifest
        self._entitlement = Entitlement(self.manifest.audience)
        for number, line in enumerate(lines, 2):
            match line:
                case EntryLine():
                    copied = self._read_entry(line)
                    if self.history.size == 1:
                        self._check_manifest(signed)
                    yield copied
                case AttachmentLine():
                    self.attachments.add(line)
                case CheckpointLine():
                    self._read_checkpoint(line)
                case ManifestLine():
                    raise Damaged(f"line {number}: a second manifest")
                case BadLine():
                    self._refuse(number, line)
        self._finish()

    def _verified_lines(self) -> Iterator[Line]:
        """The lines in order, by blocks whose signatures have been verified together."""
        for block in _blocks(self._path, lambda position: self.progress(position)):
            self._verified = keys.all_that_hold(_asserted(block, self.history.keys))
            yield from block

    def _holds(self, assertion: Signed) -> bool:
        return assertion in self._verified or keys.holds(assertion)

    def _read_entry(self, line: EntryLine) -> CopiedEntry:
        self.attachments.finish()
        if self.history.size == self.manifest.size:
            raise Damaged(f"the manifest speaks of {self.manifest.size} entries, and more follow")
        digest = self.history.admit(line.wire)
        self._read_openings(line.wire.entry.body, line.openings)
        return CopiedEntry(entry=line.wire.entry, hash=digest, openings=line.openings)

    def _read_openings(self, body: Body, openings: tuple[Opening, ...]) -> None:
        """Whose fault a false opening is, only the manifest's root can tell, at the end."""
        commitments = [entries.commitment_of(opening) for opening in openings]
        for opening, commitment in zip(openings, commitments, strict=True):
            self.openings.add(entries.opening_leaf(body.sequence, opening, commitment))
        if self._suspicion is not None:
            return
        try:
            self._entitlement.pass_entry(body, openings, commitments)
            for opening in openings:
                self.attachments.expect(entries.attachment_in(opening))
        except (NotDue, Malformed) as reason:
            self._suspicion = str(reason)

    def _refuse(self, number: int, line: BadLine) -> NoReturn:
        """An entry that is not even well-formed blames Trent if he signed it all the same."""
        trent = self.history.keys.get(Role.TRENT)
        if line.entry and trent:
            body_bytes = canonical.encode_checked(line.entry.body)
            if keys.holds(entries.entry_signed(trent, body_bytes, line.entry.signature)):
                place = self.history.size
                raise Fault(Role.TRENT, f"line {number}: Trent signed what is no entry: {line.reason}", entry=place)
        raise Damaged(f"line {number}: {line.reason}")

    def _check_manifest(self, line: ManifestLine) -> None:
        trent = self.history.keys[Role.TRENT]
        if not keys.holds(keys.signed(trent, "manifest", records.encode(line.manifest), line.signature)):
            raise Damaged("the manifest does not carry the signature of the Trent whom the first entry enrols")
        if line.manifest.matter != self.history.matter:
            raise Damaged("the manifest is of another matter")

    def _read_checkpoint(self, line: CheckpointLine) -> None:
        self.attachments.finish()
        where = f"the checkpoint after entry {self.history.size - 1}"
        try:
            note = notes.parse(line.checkpoint)
        except BadNote as error:
            raise Damaged(f"{where}: {error}") from None
        place = len(self.checkpoints)
        if copylines.hash_note(note) not in self.manifest.checkpoints[place : place + 1]:
            raise Damaged(f"{where} is not the one that the manifest speaks of")
        self.checkpoints.append((self.history.size, check_note(note, self.history)))

    def _finish(self) -> None:
        self.attachments.finish()
        manifest, history = self.manifest, self.history
        if history.size < manifest.size:
            raise Damaged(f"the copy is cut short: {history.size} of {manifest.size} entries are there")
        if len(self.checkpoints) != len(manifest.checkpoints):
            raise Damaged("a checkpoint that the manifest speaks of is missing")
        if (manifest.head, manifest.root) != (history.head, history.tree.root()):
            raise Fault(
                Role.TRENT,
                f"two histories: Trent's manifest states another head of {history.size} entries than those he signed",
            )
        if (manifest.openings, manifest.openings_root) != (self.openings.size, self.openings.root()):
            raise Damaged("the openings are not those that the manifest speaks of")
        if self._suspicion is None:
            try:
                self._entitlement.finish()
            except NotDue as reason:
                self._suspicion = str(reason)
        if self._suspicion is not None:
            raise Fault(Role.TRENT, f"Trent signed a manifest over false openings: {self._suspicion}")


def check_note(note: Note, history: History) -> list[Role]:
    """Who signed a checkpoint of this history as it stands; Trent answers for what his log keeps under his name."""
    where = f"the checkpoint after entry {history.size - 1}"
    here = Checkpoint(matter=history.matter, size=history.size, root=history.tree.root(), head=history.head)
    try:
        stated = checkpoints.parse(note)
        if (stated.matter, stated.size) != (here.matter, here.size):
            raise Damaged(f"{where} is one of {stated.size} entries of the matter {stated.matter.hex()}")
        signers = checkpoints.signers(note, history.keys)
    except BadNote as error:
        raise Fault(Role.TRENT, f"{where}: {error}") from None
    if Role.TRENT not in signers:
        raise Fault(Role.TRENT, f"{where} does not carry Trent's signature")
    if stated != here:
        raise Fault(Role.TRENT, f"{where} states another history")
    return signers


def _manifest_line(line: Line | None) -> ManifestLine:
    match line:
        case ManifestLine(manifest=Manifest(format=copylines.FORMAT)):
            return line
        case ManifestLine():
            raise UnknownFormat(
                f"the copy is of format {line.manifest.format}, this version knows format {copylines.FORMAT}; "
                "install a newer one"
            )
        case BadLine():
            raise Damaged(f"line 1: {line.reason}; is this a copy of a matter?")
        case None:
            raise Damaged("the file is empty")
        case _:
            raise Damaged("line 1: a copy begins with its manifest")


def _blocks(path: Path, progress: Callable[[int], None]) -> Iterator[list[Line]]:
    block: list[Line] = []
    size = 0
    try:
        for value, length in read_lines(path, progress):
            block.append(copylines.parse_line(value))
            size += length
            if len(block) == _BLOCK or size > _BLOCK_BYTES:
                yield block
                block, size = [], 0
    except LedgerError as reason:  # after the lines before it, which may have worse to tell
        yield block
        raise reason from None
    yield block


def _asserted(block: list[Line], enrolment: dict[Role, PublicKey]) -> list[Signed]:
    """The signatures that the rules will ask for; none before the first entry has told the keys."""
    found: list[Signed] = []
    for line in block:
        if isinstance(line, EntryLine) and enrolment:
            wire, body = line.wire, line.wire.entry.body
            found.append(entries.entry_signed(enrolment[Role.TRENT], wire.body_bytes, wire.entry.signature))
            if body.signature is not None:
                key = enrolment[body.statement.author]
                found.append(entries.statement_signed(key, wire.statement_bytes, body.signature))
    return found
