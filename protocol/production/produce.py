"""One production, from the record to the folder: which documents are new, their numbers, the files, the signature."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path

from ledger import files, locks, reading
from ledger.errors import Refused, WrongKey
from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.matter.values import Opened
from protocol.production import manifest, record, register, returns, volume
from protocol.production.manifest import Earlier, Manifest
from protocol.production.record import Reading
from protocol.production.register import Register, Volume, Wanted

SignerOf = Callable[[Opened], SigningKey]
"""Gives Trent's key for a matter with this opening."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Produced:
    """What was produced."""

    volume: int
    documents: int
    parts: int
    slip_sheets: int
    first: str
    """The first number; empty if the volume holds no document."""
    last: str
    to_return: int
    """How many documents the list for return has."""
    changed: int
    """Values that a load file cannot hold as they are."""
    open_round: int | None
    """The round that is open: what Bob was shown in it is not settled yet."""
    resumed: bool
    """Whether a command that was killed had begun this volume."""


def produce(
    matter: Path,
    corpus: Corpus,
    out: Path,
    *,
    signer: SignerOf,
    wanted: Wanted,
    names: dict[str, str],
    progress: Callable[[int], None] = lambda _: None,
) -> Produced:
    """Make the next volume of a matter, or the one that was begun and not finished. All of it appears, or nothing."""
    path = register.beside(matter)
    busy = f"another process is producing {matter}; wait until it has ended, then run the command again"
    with ExitStack() as held:
        with files.writing(path):
            held.enter_context(locks.held(path.with_name(f".{path.name}.lock"), busy))
        _finish(path, out)
        files.check_free(out, "name a new folder for the volume")
        found = record.read(matter, register.unfinished_size(path))
        committed = found.state.opening.corpus
        corpus.check_committed(committed.root, committed.documents)
        key = signer(found.state.opening)
        if key.public != found.state.keys[Role.TRENT]:
            raise WrongKey(f"{matter}: this is not Trent's key in this matter")
        known = register.opened(path, wanted, found)
        return _Volume(known, found, corpus, names).write(out, path, key, progress)


def _finish(path: Path, out: Path) -> None:
    """Mark the last volume as finished, if it is in this folder: a command was killed right after it had written it."""
    known, signed = register.read(path), out / manifest.FILE
    if known is None or known.unfinished is None or not signed.is_file():
        return
    with reading.opened(signed) as file:
        if file_digest(file, "sha256").digest() == known.unfinished.manifest:
            register.write(path, known.ended())


class _Volume:
    """The next volume, or the one that was not finished: with the same entries, documents, numbers and names."""

    def __init__(self, known: Register, found: Reading, corpus: Corpus, names: dict[str, str]) -> None:
        self.register, self.found, self.corpus = known, found, corpus
        begun = known.unfinished
        self.resumed = begun is not None
        self.number = len(known.volumes) + 1 if begun is None else begun.number
        self.begin = known.next if begun is None else begun.begin
        self.names = names if begun is None else begun.names
        before = {each.document for each in known.documents if each.volume < self.number}
        self.documents = [each for each in record.produced(found) if each.document not in before]
        self.returns = returns.table(found, known, self.number)

    def write(self, out: Path, path: Path, key: SigningKey, progress: Callable[[int], None]) -> Produced:
        """Write the folder and the register, so that no moment leaves numbers that two documents could get."""
        self._check_new()
        numbers, looks = self.register.numbers(self.begin), volume.layout(self.number, self.names)
        given = volume.numbered(self.documents, self.corpus, self.begin, self.number)
        with files.new_folder(out) as folder:
            with files.writing(out):
                written = volume.write(
                    folder, self.documents, self.corpus, numbers=numbers, looks=looks, progress=progress
                )
                (folder / returns.FILE).write_bytes(self.returns)
                signed = manifest.signed(
                    Manifest(
                        begin=self.begin,
                        digits=self.register.digits,
                        earlier=tuple(map(_earlier, self.register.before(self.number))),
                        fields=manifest.columns(looks.columns, looks.header()),
                        files=manifest.listed(folder),
                        format=manifest.FORMAT,
                        head=self.found.head,
                        matter=self.found.state.number,
                        next=written.next,
                        prefix=self.register.prefix,
                        records=tuple(volume.rows(folder, self.documents, given, numbers)),
                        size=self.found.size,
                        volume=self.number,
                    ),
                    key,
                )
                (folder / manifest.FILE).write_bytes(signed)
            begun = self.register.begun(self._entry(written.next, signed), given)
            register.write(path, begun)
        register.write(path, begun.ended())
        return Produced(
            volume=self.number,
            documents=written.families,
            parts=written.documents,
            slip_sheets=written.slip_sheets,
            first=numbers.named(self.begin) if given else "",
            last=numbers.named(written.next - 1) if given else "",
            to_return=len(self.found.shown) - len(record.produced(self.found)),
            changed=len(written.changed),
            open_round=None if self.found.state.current is None else self.found.state.current.number,
            resumed=self.resumed,
        )

    def _check_new(self) -> None:
        """Refuse a volume that would say nothing new."""
        if self.documents or self.resumed:
            return
        last = self.register.volumes[-1:]
        if last and last[0].returns != sha256(self.returns).digest():
            return
        since = f"since volume {last[0].number}" if last else "yet"
        raise Refused(
            f"there is nothing to produce: in rounds that are closed, no document that Bob was shown was settled as "
            f"responsive {since}"
        )

    def _entry(self, following: int, signed: bytes) -> Volume:
        return Volume(
            begin=self.begin,
            finished=False,
            head=self.found.head,
            manifest=Digest(sha256(signed).digest()),
            names=self.names,
            next=following,
            number=self.number,
            returns=Digest(sha256(self.returns).digest()),
            size=self.found.size,
        )


def _earlier(each: Volume) -> Earlier:
    return Earlier(
        begin=each.begin,
        head=each.head,
        manifest=each.manifest,
        next=each.next,
        size=each.size,
        volume=each.number,
    )
