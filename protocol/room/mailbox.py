"""Questions from Trent's mailbox, and answers into it.

What comes from the mailbox is kept on this machine, in the memory's folder `mail`, so that a room goes on without a
network. An answer is sealed once, and the sealed letter is kept: sent again after a cut, it is the same letter.

    <id>.zip        the question, unsealed
    <id>.json       where it came from
    <id>-N.letter   the Nth answer, sealed for Trent; -N.sha256 says of which answer; -N.receipt is Trent's signed
                    receipt for it
"""

import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from ledger.errors import LedgerError, Refused
from ledger.hashing import Digest
from ledger.keys import PublicKey
from ledger.roles import Role
from protocol.box import client, notices
from protocol.box.client import Letter, Place
from protocol.box.errors import NotThere
from protocol.box.notices import SignedReceipt
from protocol.exchange import question_file
from protocol.parties import memory
from protocol.room.sources import Became, Waiting, title

EVERY = 10.0
"""Seconds between two looks into the mailbox."""
FOLDER = "mail"
MARK = ".sha256"


class Post(Protocol):
    """What a room needs of `protocol.box.client.Box`."""

    @property
    def origin(self) -> str:
        """Where it is."""
        ...

    def questions(self) -> list[client.Waiting]:
        """What waits for this key."""
        ...

    def fetch(self, waiting: client.Waiting, out: Path) -> None:
        """Write a question, unsealed."""
        ...

    def send(self, place: Place, letter: Letter) -> None:
        """Leave a sealed answer."""
        ...

    def receipt(self, place: Place, answer: Digest, trent: PublicKey) -> SignedReceipt | None:
        """What became of an answer."""
        ...


class BoxSource:
    """The mailbox as a room sees it. `trouble` says why it cannot be reached, if it cannot."""

    def __init__(self, box: Post, key_file: Path) -> None:
        self._box = box
        self._key_file = key_file
        self._lock = threading.Lock()
        self._known: dict[str, tuple[Path, Waiting]] = {}
        self._looked = float("-inf")
        self._receipts: dict[Path, tuple[float, Became]] = {}
        self._trents: dict[Digest, PublicKey] = {}
        self.trouble = ""
        self._find_kept()

    def waiting(self) -> list[Waiting]:
        """What was fetched, and what is new. Without a network, what was fetched."""
        with self._lock:
            if time.monotonic() - self._looked >= EVERY:
                self._looked = time.monotonic()
                try:
                    self._look()
                    self.trouble = ""
                except (LedgerError, OSError) as error:
                    self.trouble = str(error)
            return [waiting for _, waiting in self._known.values()]

    def fetch(self, id: str) -> Path:  # noqa: A002
        """The question, on this machine."""
        if id not in self._known:
            raise Refused("this question is not in the mailbox any more; load the page again")
        return self._known[id][0] / f"{id}.zip"

    def out(self, id: str) -> Path:  # noqa: A002
        """Objections are written beside the question."""
        return self.fetch(id).with_suffix(".answer")

    def send(self, id: str, answer: bytes) -> str:  # noqa: A002
        """Seal the answer, keep the letter, and leave it in the mailbox."""
        folder, place = self._place(id)
        path = self._letter(folder, id, answer)
        self._box.send(place, Letter(data=path.read_bytes()))
        return f"Sent to {self._box.origin}."

    def object(self, id: str, objection: bytes) -> str:  # noqa: A002
        """Leave an objection in the mailbox, where Trent is shown it."""
        _, place = self._place(id)
        trent = memory.recall(self._key_file, place.matter).trent
        if trent is None:
            return "Send it to Trent too: it cannot go through the mailbox before the terms are signed."
        self._box.send(place, client.sealed(objection, trent))
        return f"It was sent to Trent, through {self._box.origin}."

    def signed_receipt(self, id: str) -> bytes:  # noqa: A002
        """Trent's receipt of the last answer as he signed it."""
        letters = self._letters(self._known[id][0], id) if id in self._known else []
        return memory.read(letters[-1].with_suffix(".receipt")) if letters else b""

    def answered(self) -> dict[Digest, int]:
        """How many questions of each matter were answered, and their answers taken, of those kept here."""
        with self._lock:
            found = Counter(place.matter for _, place in self._settled())
        return dict(sorted(found.items()))

    def remove(self, matter: Digest) -> None:
        """Remove these questions of a matter, and the documents in them. Answers and receipts stay."""
        with self._lock:
            for name, place in list(self._settled()):
                if place.matter == matter:
                    folder, _ = self._known.pop(name)
                    for suffix in (".json", ".zip"):
                        (folder / f"{name}{suffix}").unlink(missing_ok=True)

    def _settled(self) -> Iterator[tuple[str, Place]]:
        for name in list(self._known):
            with suppress(LedgerError, OSError):  # what cannot be read is not known to be settled
                place = self._place(name)[1]
                if any(each.receipt.outcome == "accepted" for each in self._receipts_of(name, place)):
                    yield name, place

    def _receipts_of(self, name: str, place: Place) -> Iterator[SignedReceipt]:
        for letter in self._letters(self._known[name][0], name):
            found = self._kept_receipt(letter, place)
            if found is not None:
                yield found

    def _kept_receipt(self, letter: Path, place: Place) -> SignedReceipt | None:
        kept = memory.read(letter.with_suffix(".receipt"))
        return notices.read_receipt(kept, "the receipt on this computer", self._trent(place)) if kept else None

    def matters(self, role: Role) -> list[Digest]:
        """The matters whose questions came here for this role."""
        known = list(self._known.items())
        found = (json.loads((folder / f"{name}.json").read_bytes()) for name, (folder, _) in known)
        return sorted({Digest.parse(each["matter"]) for each in found if each["role"] == role})

    def wish(self, matter: Digest, signed: bytes) -> None:
        """Leave a wish of Alice's in the mailbox."""
        place = Place(matter=matter, role=Role.ALICE)
        self._box.send(place, client.sealed(signed, self._trent(place)))

    def became(self, id: str, answer: bytes) -> Became:  # noqa: A002
        """What Trent's receipt says of this answer."""
        if id not in self._known:
            return Became()
        folder, place = self._place(id)
        letters = self._letters_with(folder, id, answer)
        if not letters:
            return Became()
        kept = self._kept_receipt(letters[-1], place)
        if kept is not None:
            return _said(kept)
        asked, found = self._receipts.get(letters[-1], (float("-inf"), Became()))
        if time.monotonic() - asked >= EVERY:
            found = self._asked(place, letters[-1])
            self._receipts[letters[-1]] = time.monotonic(), found
        return found

    def _asked(self, place: Place, path: Path) -> Became:
        letter = Letter(data=path.read_bytes())
        try:
            try:
                found = self._box.receipt(place, letter.answer, self._trent(place))
            except NotThere:
                self._box.send(place, letter)
                return Became(words=f"Sent again to {self._box.origin}.")
        except (LedgerError, OSError) as error:
            return Became(words=f"What became of it is not known yet: {error}")
        if found is None:
            return Became(words=f"It is in the mailbox of {self._box.origin}; Trent's program has not read it yet.")
        memory.write(path.with_suffix(".receipt"), notices.encode(found), so="")
        return _said(found)

    def _look(self) -> None:
        """Fetch what is new. What is gone from the mailbox, and was not answered, is not asked any more."""
        listed = {_id(each): each for each in self._box.questions()}
        trouble: Exception | None = None
        for name, each in listed.items():
            if name not in self._known:
                try:
                    self._take(name, each)
                except (LedgerError, OSError) as error:  # the others may come all the same
                    trouble = trouble or error
        for name in [name for name in self._known if name not in listed]:
            if not self._letters(self._known[name][0], name):
                del self._known[name]
        if trouble is not None:
            raise trouble

    def _take(self, name: str, listed: client.Waiting) -> None:
        place = listed.place
        folder = memory.folder_of(self._key_file, place.matter) / FOLDER
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / f"{name}.zip"
        if not path.exists():
            self._box.fetch(listed, path)
        about = {"matter": place.matter.hex(), "role": str(place.role), "came": listed.put}
        memory.write(folder / f"{name}.json", json.dumps(about).encode(), so="")
        self._add(folder, name, float(listed.put))

    def _add(self, folder: Path, name: str, came: float) -> None:
        try:
            words = title(question_file.read_request(folder / f"{name}.zip"))
        except LedgerError:
            words = "A question that cannot be read"
        self._known[name] = folder, Waiting(id=name, title=words, came=came)

    def _find_kept(self) -> None:
        """What was fetched before."""
        beside = memory.folder_of(self._key_file, Digest(bytes(32))).parent
        for path in sorted(beside.glob(f"*/{FOLDER}/*.json")):
            if path.with_suffix(".zip").exists():
                self._add(path.parent, path.stem, float(json.loads(path.read_bytes())["came"]))

    def _place(self, name: str) -> tuple[Path, Place]:
        folder = self.fetch(name).parent
        about = json.loads((folder / f"{name}.json").read_bytes())
        return folder, Place(matter=Digest.parse(about["matter"]), role=Role(about["role"]))

    def _trent(self, place: Place) -> PublicKey:
        """Trent's key as this party's own record has it, never as the mailbox says. It stays the same."""
        found = self._trents.get(place.matter) or memory.recall(self._key_file, place.matter).trent
        if found is None:
            raise Refused("Trent's key is not known here yet; sign the terms first")
        self._trents[place.matter] = found
        return found

    def _letters(self, folder: Path, name: str) -> list[Path]:
        return sorted(folder.glob(f"{name}-*.letter"))

    def _letters_with(self, folder: Path, name: str, answer: bytes) -> list[Path]:
        """The letters that hold this answer, in the order in which they were sealed."""
        mark = mark_of(answer)
        return [each for each in self._letters(folder, name) if memory.read(each.with_suffix(MARK)).decode() == mark]

    def _letter(self, folder: Path, name: str, answer: bytes) -> Path:
        """The letter with this answer, sealed now or before. One that Trent refused is not sent again: it is final."""
        _, place = self._place(name)
        for path in reversed(self._letters_with(folder, name, answer)):
            kept = self._kept_receipt(path, place)
            if kept is None or kept.receipt.outcome == "accepted":
                return path
        path = folder / f"{name}-{len(self._letters(folder, name)) + 1:03d}.letter"
        memory.write(path.with_suffix(MARK), mark_of(answer).encode(), so="")
        memory.write(path, client.sealed(answer, self._trent(place)).data, so="")
        return path


def mark_of(answer: bytes) -> str:
    """What is written beside a letter of the answer in it."""
    return hashlib.sha256(answer).hexdigest()


def were_sent(key_file: Path, matter: Digest, answers: Iterable[bytes]) -> bool:
    """Whether one of these answers may have left this machine: a letter that was cut off may have arrived."""
    marks = {mark_of(each) for each in answers}
    folder = memory.folder_of(key_file, matter) / FOLDER
    return any(memory.read(path).decode(errors="replace") in marks for path in folder.glob(f"*{MARK}"))


def _said(found: SignedReceipt) -> Became:
    said = found.receipt
    words = f"{said.words[:1].upper()}{said.words[1:]}"
    return Became(words=words, refused=said.outcome == "refused")


def _id(listed: client.Waiting) -> str:
    """A name for a question; that in the mailbox is the server's, and never becomes the name of a file."""
    words = f"{listed.place.matter.hex()}/{listed.place.role}/{listed.name}/{listed.sha256.hex()}"
    return hashlib.sha256(words.encode()).hexdigest()[:24]
