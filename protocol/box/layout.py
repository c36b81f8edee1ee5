"""The folder BOX, which Trent fills and empties, and the server shows to the parties.

    BOX/box.json                                      the format
    BOX/<matter>/parties.json                         Trent's list of the keys in force
    BOX/<matter>/<role>/questions/<name>.sealed       a question, sealed for its party
    BOX/<matter>/<role>/answers/<hash>.sealed         an answer, sealed for Trent, by the SHA-256 of these bytes
    BOX/<matter>/<role>/receipts/<hash>.json          what became of it, signed by Trent; until then it waits

Every file appears whole or not at all, and none is replaced but the list of keys. Names that begin with a dot are
unfinished. The server writes nothing but answers, so everything else may be closed to it.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from io import BufferedReader
from pathlib import Path
from typing import Self

from ledger import canonical, files, reading
from ledger.errors import LedgerError, Refused
from ledger.hashing import Digest
from ledger.keys import PublicKey
from ledger.lines import MAX_LINE
from ledger.roles import Role
from protocol.box import arriving, notices, sealing
from protocol.box.arriving import FILE_MODE, SEALED, Incoming
from protocol.box.errors import BadBox, DamagedAnswer, NotThere
from protocol.box.notices import SignedParties

FORMAT = 1
MAX_ANSWER = sealing.sealed_size(MAX_LINE + 2**16)
"""Largest sealed answer in bytes: an answer fits into a line of a copy."""
PARTIES = (Role.ALICE, Role.BOB, Role.COURT)

_FOLDER_MODE = 0o770  # what the umask leaves of it: a group may share the folder with the server
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,199}\Z")
_MAX_FILES = 2**14  # that are listed of one folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A sealed question in the box."""

    name: str
    size: int
    put: int  # when, in seconds since 1970, by the clock of the disk


def question_name(task: str, entry: Digest) -> str:
    """What a question is called in the box: a new one never gets the name of another."""
    name = f"{task}-{entry.hex()}"
    if not _NAME.match(name):
        raise BadBox(f"{task!r} cannot be part of a question's name")
    return name


@dataclass(frozen=True, slots=True)
class Mailbox:
    """One folder BOX."""

    root: Path

    @classmethod
    def made(cls, root: Path) -> Self:
        """The mailbox in this folder, made if there is none yet."""
        with files.writing(root):
            root.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
            empty = not any(not each.name.startswith(".") for each in root.iterdir())
        files.sweep(root / "box.json")
        if empty:
            with suppress(Refused), files.new_file(root / "box.json", mode=FILE_MODE) as stream:
                stream.write(canonical.encode({"format": FORMAT}) + b"\n")
        return cls.opened(root)

    @classmethod
    def opened(cls, root: Path) -> Self:
        """The mailbox that is in this folder."""
        try:
            found = canonical.decode(reading.whole(root / "box.json", 2**10, "a mailbox's format").removesuffix(b"\n"))
        except (OSError, LedgerError) as error:
            raise BadBox(
                f"{root} is not a mailbox: box.json cannot be read ({error}); choose an empty folder"
            ) from None
        if found != {"format": FORMAT}:
            raise BadBox(f"{root} is a mailbox of a format that this version does not know; install a newer one")
        return cls(root)

    def matters(self) -> list[Digest]:
        """The matters whose parties are listed."""
        found = (each.name for each in self.root.iterdir() if re.fullmatch("[0-9a-f]{64}", each.name))
        return [Digest.parse(each) for each in sorted(found) if (self.root / each / "parties.json").is_file()]

    def list_parties(self, signed: SignedParties) -> None:
        """Keep Trent's list of the keys in force; the first one makes the matter's folders."""
        folder = self.root / signed.parties.matter.hex()
        with files.writing(folder):
            for role in PARTIES:
                for kind in ("questions", "answers", "receipts"):
                    (folder / role / kind).mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
        path, data = folder / "parties.json", notices.encode(signed)
        if not path.is_file() or path.read_bytes() != data:
            with files.replaced_file(path, mode=FILE_MODE) as stream:
                stream.write(data)

    def parties(self, matter: Digest) -> SignedParties:
        """The keys in force."""
        path = self.root / matter.hex() / "parties.json"
        return notices.read_parties(_small(path, "a list of parties"), str(path), matter)

    def questions(self, matter: Digest, role: Role) -> list[Held]:
        """The questions that wait for a party, the oldest first."""
        found = []
        for name, path in _listed(self._folder(matter, role, "questions"), SEALED):
            with suppress(FileNotFoundError):  # it was taken away in the meantime
                about = path.stat()
                found.append(Held(name=name, size=about.st_size, put=int(about.st_mtime)))
        return sorted(found, key=lambda each: (each.put, each.name))

    def question(self, matter: Digest, role: Role, name: str) -> BufferedReader:
        """A sealed question, open for reading."""
        path = self._question(matter, role, name)
        try:
            return reading.opened(path)
        except OSError:
            raise NotThere(f"there is no question {name}; it was answered, or never asked") from None

    def put_question(self, matter: Digest, role: Role, name: str, source: sealing.Readable, reader: PublicKey) -> bool:
        """Seal and place a question; False if it is there already, and is left as it is."""
        path = self._question(matter, role, name)
        if path.is_file():
            files.sweep(path)
            return False
        with files.new_file(path, mode=FILE_MODE) as stream:
            sealing.seal(source, stream, reader)
        return True

    def withdraw(self, matter: Digest, role: Role, name: str) -> None:
        """Take a question away, if it is there."""
        path = self._question(matter, role, name)
        with files.writing(path):
            path.unlink(missing_ok=True)

    def answers(self, matter: Digest, role: Role) -> list[Digest]:
        """The answers that wait for a receipt, the oldest first."""
        found = []
        for name, path in _listed(self._folder(matter, role, "answers"), SEALED):
            if re.fullmatch("[0-9a-f]{64}", name) and not self._receipt(matter, role, name).is_file():
                with suppress(FileNotFoundError):
                    found.append((path.stat().st_mtime_ns, name))
        return [Digest.parse(name) for _, name in sorted(found)]

    def answer(self, matter: Digest, role: Role, answer: Digest) -> bytes:
        """The sealed bytes of an answer."""
        path = self._folder(matter, role, "answers") / f"{answer.hex()}{SEALED}"
        try:
            data = reading.whole(path, MAX_ANSWER, "a sealed answer")
        except OSError as error:
            raise BadBox(
                f"the answer {answer.hex()} cannot be read in the mailbox: {error.strerror or error.errno}"
            ) from None
        if sha256(data).digest() != answer:
            raise DamagedAnswer(f"{path} is damaged: its name is not the hash of its bytes")
        return data

    def drop(self, matter: Digest, role: Role, answer: Digest) -> None:
        """Remove a damaged answer without a receipt: its party is told that it is not here, and sends it again."""
        path = self._folder(matter, role, "answers") / f"{answer.hex()}{SEALED}"
        with files.writing(path):
            path.unlink(missing_ok=True)

    def has(self, matter: Digest, role: Role, answer: Digest) -> bool:
        """Whether this answer is here, or was."""
        path = self._folder(matter, role, "answers") / f"{answer.hex()}{SEALED}"
        return path.is_file() or self._receipt(matter, role, answer.hex()).is_file()

    def incoming(self, matter: Digest, role: Role) -> Incoming:
        """A place for an answer whose bytes are still on the way."""
        return Incoming(self._folder(matter, role, "answers"), lambda answer: self.has(matter, role, answer))

    def receipt(self, matter: Digest, role: Role, answer: Digest) -> bytes | None:
        """What became of an answer, as Trent signed it; None while it waits."""
        path = self._receipt(matter, role, answer.hex())
        return _small(path, "a receipt") if path.is_file() else None

    def put_receipt(self, signed: notices.SignedReceipt) -> None:
        """Say what became of an answer, which is then taken away. The first receipt stands."""
        said = signed.receipt
        path = self._receipt(said.matter, said.role, said.answer.hex())
        if not path.is_file():
            with files.new_file(path, mode=FILE_MODE) as stream:
                stream.write(notices.encode(signed))
        answer = self._folder(said.matter, said.role, "answers") / f"{said.answer.hex()}{SEALED}"
        with files.writing(answer):
            answer.unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove what a killed server left; only for the one server of this box, since another may be receiving."""
        for matter in self.matters():
            for role in PARTIES:
                arriving.sweep(self._folder(matter, role, "answers"))

    def tidy(self, matter: Digest) -> None:
        """Remove what a killed process of Trent's left: beginnings of files, and answers that have a receipt."""
        for role in PARTIES:
            for kind in ("questions", "receipts"):
                for path in self._folder(matter, role, kind).glob(".*"):
                    files.sweep(path.with_name(path.stem.removeprefix(".")))
            for name, path in _listed(self._folder(matter, role, "answers"), SEALED):
                if self._receipt(matter, role, name).is_file():
                    path.unlink(missing_ok=True)

    def free(self) -> int:
        """Bytes that are free on the disk."""
        return shutil.disk_usage(self.root).free

    def _folder(self, matter: Digest, role: Role, kind: str) -> Path:
        return self.root / matter.hex() / role / kind

    def _question(self, matter: Digest, role: Role, name: str) -> Path:
        if not _NAME.match(name):
            raise NotThere("there is no such question: its name is not one")
        return self._folder(matter, role, "questions") / f"{name}{SEALED}"

    def _receipt(self, matter: Digest, role: Role, name: str) -> Path:
        return self._folder(matter, role, "receipts") / f"{name}.json"


def _listed(folder: Path, suffix: str) -> Iterator[tuple[str, Path]]:
    """The finished files of a folder by their names without the suffix; a folder that is not there has none."""
    try:
        with os.scandir(folder) as found:
            for number, each in enumerate(found):
                name = each.name.removesuffix(suffix)
                if number >= _MAX_FILES:
                    return
                if name != each.name and _NAME.match(name) and each.is_file(follow_symlinks=False):
                    yield name, Path(each.path)
    except (FileNotFoundError, NotADirectoryError):
        return


def _small(path: Path, what: str) -> bytes:
    try:
        return reading.whole(path, notices.MAX_SIZE, what)
    except FileNotFoundError:
        raise NotThere(f"{path} is not there") from None
    except OSError as error:
        raise BadBox(f"{path} cannot be read: {error.strerror or error}") from None
