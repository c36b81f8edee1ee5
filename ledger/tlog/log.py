"""A log in a folder: its key, its leaves as tiles, and every checkpoint that it has signed.

    log.vkey             origin and public key, one line
    tile/...             the leaves and hashes, as c2sp.org/tlog-tiles names them
    signing              the text of the last checkpoint that may have been signed
    checkpoints/7        the signed checkpoint of 7 leaves, with the cosignatures of witnesses

A checkpoint is made in this order, each step flushed to the disk before the next: tiles, `signing`, signature,
`checkpoints/`. A process that is killed in between leaves either tiles that no checkpoint mentions, which the next one
may write over, or a text in `signing`, which the next one signs as it stands. So no size ever gets a second text.

All leaves are read and hashed again whenever a log is opened: nothing is signed over a log that is not whole.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ledger import files, locks, merkle, notes, reading
from ledger.errors import Damaged, Refused, WrongKey
from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.notes import MAX_SIGNATURES, BadNote, Note, NoteKey, NoteSignature
from ledger.tlog import checkpoint, tiles
from ledger.tlog.checkpoint import LogCheckpoint, TwoHistories
from ledger.tlog.proofs import Proof
from ledger.tlog.tiles import Tile

VKEY = "log.vkey"
SIGNING = "signing"
CHECKPOINTS = "checkpoints"
CHECKPOINT = "checkpoint"
"""Where an export has its checkpoint."""

MAX_NOTE = 2**20

_PATIENCE = 10.0  # seconds to wait for another process
_SHARED = 0o644  # everything in a log is for everybody to read


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """A log as it was read: all its leaves, under its newest checkpoint."""

    folder: Path
    key: NoteKey
    note: Note
    checkpoint: LogCheckpoint
    leaves: tuple[bytes, ...]

    @classmethod
    def open(cls, folder: Path, known: Sequence[NoteKey] = ()) -> "Log":
        """The log in a folder, or in a folder that `export` has written; one without `log.vkey` must have a known key.

        `Damaged` says what is missing, cut or exchanged.
        """
        note, key = _newest(folder), _key(folder)
        try:
            found = checkpoint.parse(note.text)
            key = key or next((each for each in known if each.name == found.origin), None)
            if key is None:
                raise Refused(
                    f"{folder} does not say which key its log has; give a policy that lists the log {found.origin}"
                )
            checkpoint.opened(note, key)
        except BadNote as error:
            raise Damaged(f"{folder}: the newest checkpoint is damaged: {error}") from None
        return cls(folder=folder, key=key, note=note, checkpoint=found, leaves=_leaves(folder, found))

    @property
    def size(self) -> int:
        """How many leaves there are under the newest checkpoint."""
        return self.checkpoint.size

    def root_at(self, size: int) -> Digest:
        """The root over the first leaves."""
        return merkle.root(self.leaves[:size])

    def kept(self) -> dict[int, Note]:
        """Every checkpoint that is kept here, the smallest first, each compared with the leaves."""
        if not (self.folder / CHECKPOINTS).is_dir():
            return {self.size: self.note}
        found, tree = dict[int, Note](), merkle.Frontier()
        for size in _sizes(self.folder):
            if size > self.size:
                break  # another process has added it since
            note = _note(self.folder, size)
            for leaf in self.leaves[tree.size : size]:
                tree.add(leaf)
            self.compare(note, f"{self.folder}/{CHECKPOINTS}/{size}", tree.root())
            found[size] = note
        return found

    def compare(self, note: Note, where: str, root: Digest | None = None) -> LogCheckpoint:
        """A checkpoint of this log, no larger than it is here, if it states the same history.

        Two checkpoints under the log's own signature that do not fit together are `TwoHistories`.
        """
        try:
            stated = checkpoint.opened(note, self.key)
        except BadNote as error:
            raise Damaged(f"{where}: {error}") from None
        if stated.size > self.size:
            raise Refused(
                f"{where} has {stated.size} leaves of the log {self.key.name}, and {self.folder} only {self.size}: "
                "this is an older copy of the log. Find the newest one before you go on"
            )
        if stated.root != (self.root_at(stated.size) if root is None else root):
            raise TwoHistories(
                f"the key of the log {self.key.name} has signed two histories: the checkpoint of {stated.size} leaves "
                f"in {where}, and that of {self.size} leaves in {self.folder}, which does not continue it. Keep both: "
                "they are the evidence"
            )
        return stated

    def consistency(self, old: int) -> list[bytes]:
        """The proof for whoever has seen the first `old` leaves that these continue them."""
        return merkle.consistency_proof(self.leaves, old) if old else []

    def prove(self, index: int, note: Note | None = None, extra: bytes | None = None) -> Proof:
        """That a leaf is in the log, under a kept checkpoint or the newest one."""
        note = note or self.note
        size = checkpoint.parse(note.text).size
        if not 0 <= index < size <= self.size:
            raise Refused(f"the checkpoint of {size} leaves does not hold leaf {index}")
        hashes = merkle.inclusion_proof(merkle.levels(self.leaves[:size]), index)
        return Proof(index=index, hashes=tuple(hashes), note=note, extra=extra)


def create(folder: Path, origin: str, key: SigningKey) -> NoteKey:
    """Make an empty log in a new folder, with the signed checkpoint of no leaves."""
    named = checkpoint.note_key(origin, key)
    empty = LogCheckpoint(origin=origin, size=0, root=merkle.EMPTY_ROOT)
    contents = {
        VKEY: f"{named.vkey}\n",
        SIGNING: empty.text,
        f"{CHECKPOINTS}/0": str(checkpoint.signed(empty, key)),
    }
    files.write_folder(folder, {name: text.encode() for name, text in contents.items()})
    return named


class Writer:
    """A log that this process alone writes to."""

    def __init__(self, log: Log, key: SigningKey) -> None:
        self.log = log
        self._key = key

    def append(self, leaves: Sequence[bytes]) -> Note:
        """Add leaves and sign the checkpoint of all. When this returns, everything is on disk."""
        if not leaves:
            return self.log.note
        for leaf in leaves:
            tiles.check_leaf(leaf)
        folder, everything = self.log.folder, (*self.log.leaves, *leaves)
        before = {*tiles.hash_tiles(self.log.size), *tiles.bundles(self.log.size)}
        for tile, content in tiles.contents(everything, lambda each: each not in before):
            _write(folder / tile.path, content)
        found = replace(self.log.checkpoint, size=len(everything), root=merkle.root(everything))
        _write(folder / SIGNING, found.text.encode())
        note = _sign(folder, found, self._key)
        self.log = replace(self.log, note=note, checkpoint=found, leaves=everything)
        for tile in before:
            _prune(folder, tile, len(everything))
        return note


@contextmanager
def writing(folder: Path, key: SigningKey) -> Iterator[Writer]:
    """Write to a log, one process at a time; first finishes what a killed process has begun to sign."""
    own = _key(folder)
    if own is None:
        raise Refused(f"{folder} is not a log; make one with `tallystick log init`")
    if own.key != key.public:
        raise WrongKey(f"the key is not that of the log {own.name}")
    with _alone(folder):
        _finish(folder, own, key)
        yield Writer(Log.open(folder), key)


def keep_cosignatures(folder: Path, size: int, lines: Iterable[NoteSignature]) -> Note:
    """Add the lines of witnesses, which the caller has checked, to a kept checkpoint; a witness's first line stays."""
    with _alone(folder):
        note = _note(folder, size)
        there = {(line.name, line.id) for line in note.signatures}
        new = [line for line in lines if (line.name, line.id) not in there]
        if new:
            note = replace(note, signatures=(*note.signatures, *new))
            if len(note.signatures) > MAX_SIGNATURES:
                raise Refused(f"a checkpoint has at most {MAX_SIGNATURES} signatures")
            _write(folder / CHECKPOINTS / str(size), str(note).encode())
    return note


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    busy = f"another process is writing to the log {folder}; wait until it has ended, then run the command again"
    with ExitStack() as held:
        with files.writing(folder):
            held.enter_context(locks.held(folder / ".lock", busy, patience=_PATIENCE))
            for left in folder.rglob(".*.unfinished"):
                left.unlink()
        yield


def _finish(folder: Path, own: NoteKey, key: SigningKey) -> None:
    """Sign what a killed process was about to sign, exactly as it stands."""
    where = folder / SIGNING
    try:
        begun = checkpoint.parse(_text(where))
        newest = checkpoint.parse(_newest(folder).text)
    except BadNote as error:
        raise Damaged(f"{where}: {error}") from None
    if begun == newest:
        return
    if begun.size <= newest.size or begun.origin != own.name:
        raise Damaged(f"{where} does not belong to the newest checkpoint, of {newest.size} leaves; nothing is signed")
    leaves = _leaves(folder, begun)
    if merkle.root(leaves[: newest.size]) != newest.root:
        raise Damaged(f"{where} does not continue the newest checkpoint, of {newest.size} leaves; nothing is signed")
    _sign(folder, begun, key)


def _sign(folder: Path, found: LogCheckpoint, key: SigningKey) -> Note:
    note = checkpoint.signed(found, key)
    _write(folder / CHECKPOINTS / str(found.size), str(note).encode())
    return note


def _prune(folder: Path, tile: Tile, size: int) -> None:
    """Remove partial tiles whose full one is under the signed checkpoint of `size` leaves."""
    if tile.width == tiles.WIDTH or tile.full not in {*tiles.hash_tiles(size), *tiles.bundles(size)}:
        return
    parts = (folder / tile.path).parent
    with suppress(OSError):  # what stays is in nobody's way
        for part in parts.iterdir():
            part.unlink()
        parts.rmdir()


def _write(path: Path, content: bytes) -> None:
    files.made_folder(path.parent)
    with files.replaced_alone(path, mode=_SHARED) as stream:
        stream.write(content)


def _leaves(folder: Path, found: LogCheckpoint) -> tuple[bytes, ...]:
    try:
        return tuple(tiles.read(found.size, found.root, lambda tile: tile_bytes(folder, tile)))
    except Damaged as error:
        raise Damaged(f"{folder}: {error}") from None


def tile_bytes(folder: Path, tile: Tile) -> bytes:
    """A tile's file, or the full one that has taken its place."""
    for each in (tile, tile.full):
        with suppress(FileNotFoundError, NotADirectoryError):
            return _bytes(folder / each.path, tiles.MAX_BUNDLE)
    raise Damaged(f"{tile.path} is missing")


def _newest(folder: Path) -> Note:
    """The newest signed checkpoint in a log's folder, or the one in an export."""
    if (folder / CHECKPOINTS).is_dir():
        sizes = _sizes(folder)
        if not sizes:
            raise Damaged(f"{folder}/{CHECKPOINTS} is empty: the log's checkpoints are missing")
        return _note(folder, sizes[-1])
    path = folder / CHECKPOINT
    if not path.is_file():
        raise Refused(f"{folder} is neither a log nor one that `tallystick log export` has written")
    return _parsed(path)


def _sizes(folder: Path) -> list[int]:
    names = [path.name for path in (folder / CHECKPOINTS).iterdir()]
    return sorted(int(name) for name in names if name.isascii() and name.isdecimal() and name == str(int(name)))


def _note(folder: Path, size: int) -> Note:
    path = folder / CHECKPOINTS / str(size)
    note = _parsed(path)
    try:
        stated = checkpoint.parse(note.text).size
    except BadNote as error:
        raise Damaged(f"{path}: {error}") from None
    if stated != size:
        raise Damaged(f"{path} is a checkpoint of {stated} leaves")
    return note


def _parsed(path: Path) -> Note:
    try:
        return notes.parse(_text(path))
    except BadNote as error:
        raise Damaged(f"{path}: {error}") from None


def _key(folder: Path) -> NoteKey | None:
    path = folder / VKEY
    if not path.exists():
        return None
    try:
        return notes.parse_vkey(_text(path).removesuffix("\n"))
    except BadNote as error:
        raise Damaged(f"{path}: {error}") from None


def _text(path: Path) -> str:
    try:
        return _bytes(path, MAX_NOTE).decode()
    except FileNotFoundError:
        raise Damaged(f"{path} is missing") from None
    except UnicodeDecodeError:
        raise Damaged(f"{path} is not UTF-8") from None


def _bytes(path: Path, most: int) -> bytes:
    try:
        return reading.whole(path, most, "a part of a log")
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}") from None
