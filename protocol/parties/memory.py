"""What a party keeps beside its key, so that it notices two histories and never contradicts itself.

    KEYFILE.memory/<the matter's number>/
        history.jsonl     every entry that it was shown, with its openings, as in a question
        answers.jsonl     every answer that it gave
        deposits.json     sealed roots of coin chains: for the court all of them; for a new key its own
        two-histories-*   evidence, if Trent ever signed two entries that contradict each other

It holds only what the party was shown and what it said itself. Files are replaced whole. From reading to keeping, one
command at a time has the memory of a matter: a second one would sign without knowing what the first one signs.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ledger import entries, files, keys, locks, reading, records
from ledger.errors import Damaged, LedgerError, Refused
from ledger.hashing import Digest
from ledger.history import enrolled
from ledger.keys import PublicKey
from ledger.records import Name, Record
from ledger.roles import Role
from protocol.parties import history_lines, secrets
from protocol.parties.history_lines import ServedEntry
from protocol.parties.reply import Reply
from protocol.parties.secrets import SealedRoot

SUFFIX = ".memory"
MAX_SIZE = 2**33
"""Largest file of a memory in bytes."""
PATIENCE = 10.0
"""Seconds for which a command waits for another one that has the memory."""

_HISTORY, _ANSWERS, _DEPOSITS = "history.jsonl", "answers.jsonl", "deposits.json"


class Given(Record, frozen=True, kw_only=True):
    """An answer that was given."""

    entry: Digest  # the entry that asked; for a cosignature the head
    file: Reply
    kind: Name

    @property
    def statement_hash(self) -> Digest | None:
        """The hash of the statement in it."""
        if self.file.answer is None:
            return None
        return entries.hash_statement(entries.encode_statement(self.file.answer.statement))

    def signed_by(self, key: PublicKey) -> bool:
        """Whether the statement in it is signed by this key, and not by one that was replaced since."""
        if self.file.answer is None:
            return False
        message = entries.encode_statement(self.file.answer.statement)
        return keys.holds(entries.statement_signed(key, message, self.file.answer.signature))


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What is kept of one matter, and where."""

    folder: Path
    history: tuple[ServedEntry, ...] = ()
    answers: tuple[Given, ...] = ()
    deposits: Mapping[Role, SealedRoot]

    @property
    def trent(self) -> PublicKey | None:
        """The key that the opening entry enrols for Trent, if that entry was seen."""
        return enrolled(self.history[0].wire.entry.body.statement)[Role.TRENT] if self.history else None

    def about(self, entry: Digest, kind: str) -> list[Given]:
        """The answers given to one question, in order."""
        return [each for each in self.answers if (each.entry, each.kind) == (entry, kind)]


def folder_of(key_file: Path, matter: Digest) -> Path:
    """The folder that holds the memory of a matter."""
    return key_file.with_name(key_file.name + SUFFIX) / matter.hex()


@contextmanager
def locked(key_file: Path, matter: Digest) -> Iterator[None]:
    """Nobody else reads and keeps the memory of this matter within. Refused if another command takes too long."""
    busy = (
        f"another command is at work on this matter with {key_file}, and may be waiting for its user in another "
        "window; nothing was signed. Let it finish, then run this command again"
    )
    with ExitStack() as held:
        with files.writing(folder_of(key_file, matter)):
            held.enter_context(locks.held(_lock(key_file, matter), busy, patience=PATIENCE))
        yield


def _lock(key_file: Path, matter: Digest) -> Path:
    """Beside the key, since the first time there is no folder yet."""
    return key_file.with_name(f".{key_file.name}.{matter.hex()}.lock")


def recall(key_file: Path, matter: Digest) -> Memory:
    """What is kept of a matter beside a key; the first time, nothing is."""
    folder = folder_of(key_file, matter)
    lines = history_lines.parse(read(folder / _HISTORY), str(folder / _HISTORY))
    if any(each.wire.entry.body.matter != matter for each in lines.entries):
        raise Refused(f"{folder} holds the memory of another matter; move it elsewhere")
    answers = [_given(line, folder / _ANSWERS) for line in read(folder / _ANSWERS).splitlines()]
    deposits = read(folder / _DEPOSITS)
    where = str(folder / _DEPOSITS)
    return Memory(
        folder=folder,
        history=lines.entries,
        answers=tuple(answers),
        deposits=secrets.decode_deposits(deposits, where) if deposits else {},
    )


def keep(before: Memory, after: Memory) -> None:
    """Write down what changed, so that it survives a power cut; history first, answers last."""
    if recall_raw(before.folder) != _encoded(before):
        raise Refused(f"another program changed {before.folder} in the meantime; run the command again")
    for name, data in _encoded(after).items():
        if data != _encoded(before)[name]:
            write(after.folder / name, data)


def recall_raw(folder: Path) -> dict[str, bytes]:
    """The files as they are."""
    return {name: read(folder / name) for name in (_HISTORY, _DEPOSITS, _ANSWERS)}


def _encoded(memory: Memory) -> dict[str, bytes]:
    return {
        _HISTORY: b"".join(each.line + b"\n" for each in memory.history),
        _DEPOSITS: secrets.encode_deposits(memory.deposits) if memory.deposits else b"",
        _ANSWERS: b"".join(records.encode(each) + b"\n" for each in memory.answers),
    }


def save_evidence(folder: Path, name: str, contents: Mapping[str, bytes]) -> Path:
    """Keep files side by side in a new folder; what was kept before stays."""
    place = folder / name
    for file, data in contents.items():
        write(place / file, data)
    return place


def write(path: Path, data: bytes, so: str = "; nothing was signed or accepted") -> None:
    """Replace a file of a memory that is locked, whole or not at all. `so` says what follows if it cannot be."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with files.replaced_alone(path) as stream:
            stream.write(data)
    except Refused as refusal:
        raise Refused(f"{refusal}{so}") from None
    except OSError as error:
        raise Refused(f"{path} cannot be written: {files.reason(error)}{so}") from None


def _given(line: bytes, path: Path) -> Given:
    try:
        return records.decode(Given, line)
    except LedgerError as error:
        raise Damaged(f"{path}: the memory beside the key is damaged ({error})") from None


def read(path: Path) -> bytes:
    """The bytes of a file beside a key; none if there is no such file."""
    try:
        return reading.whole(path, MAX_SIZE, "part of a memory")
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror or error}") from None
