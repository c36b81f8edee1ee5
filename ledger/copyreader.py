"""Reading a copy back: everything that the ledger itself can check, in one pass.

1. Every line is canonical and of a known shape.
2. The entries are a chain by the rules of `ledger.history`, from the first to the manifest's head.
3. Trent signed the manifest, which is checked as soon as the first entry has told his key. The openings are those
   under its root, the checkpoints those that it names, and every attachment has its hash.
4. The openings open their commitments, and are exactly those that the chain gives the audience.
5. Every checkpoint states this chain, and its signatures are valid.
6. A token that is there stands after the entry that names it.

What fails without anyone's signature is damage. What fails although Trent signed it (an entry, a checkpoint, or
a manifest over just these openings) is his fault. Until the last line has passed, nothing is vouched for.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn, ParamSpec

from ledger import canonical, checkpoints, copylines, entries, keys, notes, records, tokens
from ledger.attachments import Assembly
from ledger.canonical import NotCanonical
from ledger.checkpoints import Misplaced
from ledger.copylines import (
    AttachmentLine,
    BadLine,
    CheckpointLine,
    EntryLine,
    Line,
    Manifest,
    ManifestLine,
    TokenLine,
)
from ledger.entitlement import Entitlement, NotDue
from ledger.entries import Body, OpenedEntry, Opening
from ledger.errors import Damaged, Fault, LedgerError, UnknownFormat
from ledger.history import History
from ledger.keys import PublicKey, Signed
from ledger.lines import read_lines
from ledger.merkle import Frontier
from ledger.notes import BadNote
from ledger.openings import leaf_of
from ledger.records import Malformed
from ledger.roles import Audience, Role
from ledger.signatures import Ahead

P = ParamSpec("P")

_BLOCK = 256  # lines that are parsed, and their signatures verified together, before the rules are applied
_BLOCK_BYTES = 2**23  # or this many bytes, so that long lines do not fill the memory
_OWN_SHARE = 8  # of so many signatures the reader verifies one itself, since verifying takes longer than reading
_WORTH_A_PROCESS = 2**20  # bytes of a copy; a shorter one is read before a second process has started


class CopyReader:
    """Iterate to read and check; when the iteration has ended without an error, the copy is whole."""

    manifest: Manifest

    def __init__(self, path: Path) -> None:
        self.history = History(holds=self._holds)
        self.openings = Frontier()
        self.opening_count = 0
        self.attachments = Assembly()
        self.checkpoints: list[tuple[int, list[Role]]] = []
        self.conflicts = 0
        self.total = path.stat().st_size
        self.progress: Callable[[int], None] = lambda _: None
        self._path = path
        self._verified: set[Signed] = set()
        self._suspicion: str | None = None
        self._last: Body | None = None  # the entry after which a token may stand

    @property
    def audience(self) -> Audience | None:
        """For whom the copy was cut."""
        return self.manifest.audience

    @property
    def attachment_count(self) -> int:
        """How many attachments have passed."""
        return len(self.attachments.known)

    def __iter__(self) -> Iterator[OpenedEntry]:
        lines = self._verified_lines()
        signed = _manifest_line(next(lines, None))
        self.manifest = signed.manifest
        self._entitlement = Entitlement(self.manifest.audience)
        yield self._read_first(next(lines, None), signed)
        for number, line in enumerate(lines, 3):
            match line:
                case EntryLine():
                    yield self._read_entry(line)
                case AttachmentLine():
                    self._attach(self.attachments.add, line)
                case TokenLine():
                    self._attach(self.attachments.finish)
                    tokens.decoded(line, self._last)
                    self._last = None
                case CheckpointLine():
                    self._read_checkpoint(line)
                case ManifestLine():
                    raise Damaged(f"line {number}: a second manifest")
                case BadLine():
                    self._refuse(number, line)
        self._finish()

    def _read_first(self, line: Line | None, signed: ManifestLine) -> OpenedEntry:
        """The first entry brings the keys: before it has passed, nothing is signed by anybody."""
        match line:
            case EntryLine():
                opened = self._read_entry(line)
                self._check_manifest(signed)
                return opened
            case BadLine():
                self._refuse(2, line)
        raise Damaged("line 2: a copy's second line is the first entry")

    def _verified_lines(self) -> Iterator[Line]:
        """The lines in order. The signatures of a block are verified while the lines before it are checked."""
        blocks = _blocks(self._path, lambda position: self.progress(position))
        yield from next(blocks)  # its first entry tells the keys
        with Ahead(worthwhile=self.total > _WORTH_A_PROCESS) as ahead:
            block: list[Line] = []
            ahead.ask([])
            for following in blocks:
                ahead.ask(_asserted(following, self.history.keys))  # before the process is idle
                self._verified = ahead.answer()  # of the block before it
                yield from block
                block = following

    def _holds(self, assertion: Signed) -> bool:
        return assertion in self._verified or keys.holds(assertion)

    def _read_entry(self, line: EntryLine) -> OpenedEntry:
        self._attach(self.attachments.finish)
        if self.history.size == self.manifest.size:
            raise Damaged(f"the manifest names {self.manifest.size} entries, but more follow")
        digest = self.history.admit(line.wire)
        body = self._last = line.wire.entry.body
        self._read_openings(body, line)
        self.conflicts += body.statement.kind == entries.CONFLICT
        return OpenedEntry(entry=line.wire.entry, hash=digest, openings=line.openings)

    def _read_openings(self, body: Body, line: EntryLine) -> None:
        if line.openings:
            self.opening_count += len(line.openings)
            self.openings.add(leaf_of(body.sequence, line.openings_bytes))
        self._suspect(self._pass_openings, body, line.openings)

    def _pass_openings(self, body: Body, openings: tuple[Opening, ...]) -> None:
        self._entitlement.pass_entry(body, openings)
        for reference in filter(None, map(entries.attachment_in, openings)):
            self.attachments.expect(reference)

    def _suspect(self, check: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Run a check of openings. Only the manifest's root can tell, at the end, whose fault a false one is."""
        if self._suspicion is None:
            try:
                check(*args, **kwargs)
            except (NotDue, Malformed) as reason:
                self._suspicion = str(reason)

    def _attach(self, step: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Check attachments. After a false opening they need not fit, and must not hide whose fault the opening is."""
        try:
            step(*args, **kwargs)
        except Damaged:
            if self._suspicion is None:
                raise

    def _refuse(self, number: int, line: BadLine) -> NoReturn:
        """A malformed next entry of this matter blames Trent if he signed it."""
        trent, place = self.history.keys.get(Role.TRENT), self.history.size
        if trent and line.entry and isinstance(line.entry.body, dict):
            body, body_bytes = line.entry.body, canonical.encode_checked(line.entry.body)
            is_next = (body.get("matter"), body.get("sequence")) == (self.history.matter.hex(), place)
            if is_next and keys.holds(entries.entry_signed(trent, body_bytes, line.entry.signature)):
                raise Fault(
                    Role.TRENT,
                    f"line {number}: Trent signed something that is not an entry: {line.reason}",
                    entry=place,
                )
        raise line.reason if isinstance(line.reason, UnknownFormat) else Damaged(f"line {number}: {line.reason}")

    def _check_manifest(self, line: ManifestLine) -> None:
        trent = self.history.keys[Role.TRENT]
        if not keys.holds(keys.signed(trent, "manifest", records.encode(line.manifest), line.signature)):
            raise Damaged("the manifest does not carry the signature of the Trent whom the first entry enrols")
        if line.manifest.matter != self.history.matter:
            raise Damaged("the manifest is of another matter")

    def _read_checkpoint(self, line: CheckpointLine) -> None:
        self._attach(self.attachments.finish)
        self._last = None
        size, place = self.history.size, len(self.checkpoints)
        where = f"the checkpoint after entry {size - 1}"
        if place and self.checkpoints[-1][0] == size:
            raise Damaged(f"{where} is the second one of {size} entries")
        try:
            note = notes.parse(line.checkpoint)
            if copylines.hash_note(note) not in self.manifest.checkpoints[place : place + 1]:
                raise Misplaced("it is not the one that the manifest names")
        except BadNote as error:
            raise Damaged(f"{where}: {error}") from None
        try:
            signers = checkpoints.verify(note, self.history.state(), self.history.keys)
        except Misplaced as error:
            raise Damaged(f"{where}: {error}") from None
        except BadNote as error:  # which Trent's manifest vouches for
            raise Fault(Role.TRENT, f"{where}: {error}") from None
        self.checkpoints.append((size, signers))

    def _finish(self) -> None:
        self._attach(self.attachments.finish)
        manifest, history = self.manifest, self.history
        if history.size < manifest.size:
            raise Damaged(f"the copy is cut short: {history.size} of {manifest.size} entries are there")
        if len(self.checkpoints) != len(manifest.checkpoints):
            raise Damaged("a checkpoint that the manifest names is missing")
        if (manifest.head, manifest.root) != (history.head, history.tree.root()):
            raise Fault(
                Role.TRENT,
                f"two histories: the head in Trent's manifest is not that of the {history.size} entries that he signed",
            )
        if (manifest.openings, manifest.openings_root) != (self.opening_count, self.openings.root()):
            raise Damaged("the openings are not those that the manifest names")
        self._suspect(self._entitlement.finish)
        if self._suspicion is not None:
            raise Fault(Role.TRENT, f"Trent signed a manifest over false openings: {self._suspicion}")


def _manifest_line(line: Line | None) -> ManifestLine:
    match line:
        case ManifestLine():
            return line
        case BadLine(reason=UnknownFormat()):
            raise line.reason
        case BadLine():
            raise Damaged(f"line 1: {line.reason}")
        case None:
            raise Damaged("the file is empty")
        case _:
            raise Damaged("line 1: a copy begins with its manifest")


def _blocks(path: Path, progress: Callable[[int], None]) -> Iterator[list[Line]]:
    """The lines in blocks, and an empty block at the end, so that whoever is one block behind gets the last one."""
    block: list[Line] = []
    size, longest = 0, 2  # manifest and first entry tell the keys for all others
    failure: LedgerError | None = None
    try:
        for number, data in enumerate(read_lines(path, progress), 1):
            try:
                block.append(copylines.parse_line(data))
            except NotCanonical as error:
                raise Damaged(f"line {number}: {error}") from None
            size += len(data)
            if len(block) == longest or size > _BLOCK_BYTES:
                yield block
                block, size, longest = [], 0, _BLOCK
    except LedgerError as reason:
        failure = reason  # raised after the lines before it, which may have a worse fault
    yield from (block, [])
    if failure is not None:
        raise failure


def _asserted(block: list[Line], enrolment: dict[Role, PublicKey]) -> list[Signed]:
    """Most signatures that the rules will ask for; none before the first entry has told the keys."""
    found: list[Signed] = []
    for line in block:
        if isinstance(line, EntryLine) and enrolment:
            wire, body = line.wire, line.wire.entry.body
            found.append(entries.entry_signed(enrolment[Role.TRENT], wire.body_bytes, wire.entry.signature))
            if body.signature is not None:
                key = enrolment[body.statement.author]
                found.append(entries.statement_signed(key, wire.statement_bytes, body.signature))
    return found[len(found) // _OWN_SHARE :]
