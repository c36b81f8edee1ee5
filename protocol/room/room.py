"""A party's room: what waits, what was answered, what lies on the desk, and what is answered by itself."""

import hmac
import threading
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ledger import keyfiles
from ledger.errors import LedgerError, Refused
from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.exchange import answer_file, question_file
from protocol.matter.naming import Telling
from protocol.parties import memory, news, wish
from protocol.parties.answer import WORDS
from protocol.parties.errors import NotAnswered, Objectionable
from protocol.parties.memory import Given, Memory
from protocol.parties.question import Request
from protocol.room import desk as desks
from protocol.room import mailbox, receipts, settings, sources
from protocol.room.desk import Desk, Fault
from protocol.room.desks import Desks, Opening
from protocol.room.mailbox import BoxSource
from protocol.room.settings import Settings
from protocol.room.sources import Became, Source, Waiting

MECHANICAL = ("link",)
"""Answers in which nothing is decided: what they say was fixed when the party signed the terms."""

MakeSource = Callable[[SigningKey, Role | None], Source]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A question in the list."""

    waiting: Waiting
    request: Request | None  # None: it cannot be read
    given: Given | None  # the last answer
    receipt: str  # what became of it
    trouble: str  # why it cannot be opened, was not answered by itself, or was refused

    refused: bool = False  # whether Trent has refused the answer, so that the question still waits

    @property
    def answered(self) -> bool:
        """Whether the party has signed an answer, and Trent has not refused it."""
        return self.given is not None and not self.refused


class Room:
    """The room of one key. Its methods may be called from several threads."""

    def __init__(self, key_file: Path, make_source: MakeSource) -> None:
        self.key_file = key_file
        self.encrypted = keyfiles.is_encrypted(key_file)
        self.role: Role | None = None
        self.unlocked = False  # whether this run signs without asking for the passphrase again
        self._make_source = make_source
        self._source: Source | None = None
        self._key: SigningKey | None = None
        self._settings = settings.load(key_file)
        self._lock = threading.RLock()
        self._desks = Desks()
        self._forgotten: set[str] = set()
        self._requests: dict[str, Request] = {}
        self._memories: dict[Path, tuple[object, Memory]] = {}
        self._troubles: dict[str, str] = {}
        self._faults: dict[str, Fault] = {}
        self._sent: set[str] = set()
        self._marks: dict[str, str] = {}  # of what was signed last
        self._looking = threading.Lock()
        if not self.encrypted:
            self._take_key(None)
            self.unlocked = True

    @property
    def open(self) -> bool:
        """Whether the key was unlocked, without which no question can be checked."""
        return self._key is not None

    @property
    def settings(self) -> Settings:
        """What the person has chosen."""
        return self._settings

    def choose(self, chosen: Settings) -> None:
        """Keep other choices."""
        with self._lock:
            settings.save(self.key_file, chosen)
            self._settings = chosen

    def unlock(self, passphrase: str, *, keep: bool) -> None:
        """Unlock the key. With `keep`, this run signs without asking for the passphrase again."""
        with self._lock:
            self._take_key(_normal(passphrase))
            self.unlocked = keep

    def _take_key(self, passphrase: bytes | None) -> None:
        found = keyfiles.read_key(self.key_file, passphrase)
        if found.signing is None:
            raise Refused(f"{self.key_file} holds only the public key; signing needs the private one")
        if self._source is None:
            self._source = self._make_source(found.signing, found.role)
        self._key, self.role = found.signing, found.role

    @property
    def source(self) -> Source:
        """Where questions come from."""
        if self._source is None:
            raise Refused("the key is not unlocked yet; load the page again")
        return self._source

    def items(self) -> list[Item]:
        """All questions: first those that wait, the oldest first; then those that were answered, the newest first."""
        found = [self._item(each) for each in self.source.waiting()]  # without the lock: a network may be slow
        waiting = sorted((each for each in found if not each.answered), key=lambda each: each.waiting.came)
        return waiting + sorted((each for each in found if each.answered), key=lambda each: -each.waiting.came)

    def item(self, name: str) -> Item:
        """One of them."""
        found = next((each for each in self.items() if each.waiting.id == name), None)
        if found is None:
            raise Refused("there is no such question here any more; go back to the list")
        return found

    def _item(self, waiting: Waiting) -> Item:
        try:
            request = self._request(waiting.id)
        except (LedgerError, OSError) as error:
            return Item(waiting=waiting, request=None, given=None, receipt="", trouble=str(error))
        given, became, trouble = None, Became(), self._troubles.get(waiting.id, "")
        try:
            given = self._given(request)
            if given is not None:
                became = self.source.became(waiting.id, answer_file.encode(given.file))
        except (LedgerError, OSError) as error:  # of this question alone
            trouble = trouble or str(error)
        if became.refused:
            self._marks.pop(waiting.id, None)  # the same may be signed again
        return Item(
            waiting=waiting,
            request=request,
            given=given,
            receipt=became.words,
            trouble=f"Your answer was not taken. {became.words}" if became.refused else trouble,
            refused=became.refused,
        )

    def _request(self, name: str) -> Request:
        if name not in self._requests:
            self._requests[name] = question_file.read_request(self.source.fetch(name))
        return self._requests[name]

    def _given(self, request: Request) -> Given | None:
        """The last answer to a question, as remembered beside the key."""
        folder = memory.folder_of(self.key_file, request.matter)
        try:
            state = (folder / "answers.jsonl").stat()
        except OSError:
            return None
        stamp = (state.st_mtime_ns, state.st_size)
        if self._memories.get(folder, (None,))[0] != stamp:
            self._memories[folder] = (stamp, memory.recall(self.key_file, request.matter))
        found = self._memories[folder][1].about(request.entry, request.kind)
        return found[-1] if found else None

    def desk(self, name: str) -> Desk | Fault:
        """A question on the desk. It is checked when it is put there."""
        return self._desks.get(name, *self._opening(name))

    def is_checked(self, name: str, patience: float) -> bool:
        """Begin to check a question; whether that is done after so many seconds."""
        return self._desks.begin(name, *self._opening(name), patience)

    def prepare(self) -> None:
        """Begin to check what waits longest: it is probably opened next."""
        first = next((each for each in self.items() if not each.answered and each.request is not None), None)
        if first is not None:
            self.is_checked(first.waiting.id, patience=0)

    def _opening(self, name: str) -> tuple[object, Opening]:
        """How a question is checked, and what its package is known by."""
        with self._lock:
            key, path, forgotten = self._own_key(), self.source.fetch(name), name in self._forgotten
        return sources.stamp(path), partial(desks.opened, path, self.key_file, key, forgotten=forgotten)

    def _own_key(self) -> SigningKey:
        if self._key is None:
            raise Refused("the key is not unlocked yet; load the page again")
        return self._key

    def removable(self) -> dict[Digest, int]:
        """How many questions of each matter are kept beside the key, although their answers were taken."""
        return self._source.answered() if isinstance(self._source, BoxSource) else {}

    def remove(self, matter: Digest) -> None:
        """Remove them."""
        with self._lock:
            if matter not in self.removable() or not isinstance(self._source, BoxSource):
                raise Refused("there is nothing to remove; load the page again")
            self._source.remove(matter)

    def wishing(self) -> list[Digest]:
        """The matters in which a wish can be sent: Alice's, through Trent's mailbox."""
        return self._source.matters(Role.ALICE) if isinstance(self._source, BoxSource) else []

    def wish(self, matter: Digest, wanted: wish.Wanted) -> None:
        """Sign a wish of Alice's, and leave it in the mailbox."""
        with self._lock:
            if matter not in self.wishing() or not isinstance(self._source, BoxSource):
                raise Refused("a wish goes into Trent's mailbox, in a matter in which you are Alice")
            self._source.wish(matter, wish.sign(self._own_key(), matter, wanted))

    def ready(self, name: str) -> Desk:
        """The same, of a question that can be answered."""
        found = self.desk(name)
        if isinstance(found, Fault):
            raise NotAnswered(str(found.fault))
        return found

    def forget(self, name: str) -> None:
        """The memory beside the key is lost: rely on the question's history."""
        with self._lock:
            self._forgotten.add(name)
            self._desks.drop(name)

    def check_passphrase(self, passphrase: str, *, keep: bool) -> None:
        """Raise unless whoever sits here may sign."""
        with self._lock:
            if self.unlocked or self._key is None:
                return
            found = keyfiles.read_signing_key(self.key_file, _normal(passphrase))
            if not hmac.compare_digest(found.seed, self._key.seed):
                raise Refused(f"{self.key_file} holds another key than when the room was opened; start it again")
            self.unlocked = keep

    def sign(self, name: str, mark: str, *, replacing: bool) -> None:
        """Sign what was shown, keep it, write the receipt and send the answer."""
        with self._lock:
            if mark and self._marks.get(name) == mark:  # the same button, pressed twice
                return
            desk = self.ready(name)
            if replacing:
                self.check_withdrawal(name)
            signed = desk.sign(mark, self.source.out(name), replacing=replacing)
            self._marks[name] = mark
            self._desks.drop(name)
            self._troubles.pop(name, None)
            try:
                sent = self.source.send(name, signed.answer)
                self._sent.add(name)
            except (LedgerError, OSError) as error:
                sent = f"It is signed and kept, but could not be sent yet ({error}). The room tries again by itself."
            try:
                receipts.keep(desk.receipt, receipts.text(signed.shown, signed.answer, sent))
            except LedgerError as error:
                self._troubles[name] = f"It is signed, but the receipt's text could not be kept: {error}"

    def must_stand(self, name: str) -> bool:
        """Whether an earlier answer cannot be withdrawn, since it may have left this machine."""
        asked = self._request(name)
        if asked.kind not in WORDS:
            return False
        given = memory.recall(self.key_file, asked.matter).about(asked.entry, asked.kind)
        return mailbox.were_sent(self.key_file, asked.matter, (answer_file.encode(each.file) for each in given))

    def check_withdrawal(self, name: str) -> None:
        """Raise if an earlier answer must stand."""
        if self.must_stand(name):
            raise Refused(
                "your earlier answer was sent, so it must stand: whoever has two of them can choose the one whose "
                "coins suit them. Nothing was signed"
            )

    def at_fault(self, name: str, fault: Objectionable) -> None:
        """Remember that a question was found at fault when it was about to be signed."""
        with self._lock:
            path = self.source.fetch(name)
            self._faults[name] = Fault(path=path, key_file=self.key_file, key=self._own_key(), fault=fault)

    def fault(self, name: str) -> Fault:
        """What is wrong with a question."""
        with self._lock:
            found = self._faults.get(name) or self.desk(name)
        if isinstance(found, Desk):
            raise Refused("nothing is wrong with this question; answer it")
        return found

    def object(self, name: str) -> tuple[Path, str]:
        """Sign an objection to a question that is at fault, and hand it over; where it is, and what became of it."""
        with self._lock:
            path = self.fault(name).object(self.source.out(name))
            try:
                return path, self.source.object(name, path.read_bytes())
            except (LedgerError, OSError) as error:
                return path, f"It could not be sent to Trent ({error}). Send the file to him, or sign it again later."

    def look_around(self) -> None:
        """Send what was signed and not sent, and answer what is only mechanical, if the person has chosen so."""
        with self._looking:
            if not self.open:
                return
            for item in self.items():
                if item.given is not None and not item.refused:
                    self._send_again(item.waiting.id, item.given)
                elif item.given is None and self._is_automatic(item):
                    self._answer(item.waiting.id)

    def _send_again(self, name: str, given: Given) -> None:
        if name in self._sent:
            return
        try:
            self.source.send(name, answer_file.encode(given.file))
            self._sent.add(name)
            self._troubles.pop(name, None)
        except (LedgerError, OSError) as error:
            self._troubles[name] = f"It is signed, but could not be sent yet: {error}"

    def _is_automatic(self, item: Item) -> bool:
        asked = item.request
        chosen = self._settings.links and self.unlocked and item.waiting.id not in self._troubles
        return chosen and asked is not None and asked.kind in MECHANICAL

    def _answer(self, name: str) -> None:
        """Answer a question in which nothing is decided, after all checks."""
        try:
            desk = self.ready(name)
            view = desk.ready.view
            if news.clawbacks(view, Telling(view.opening.caption)):
                raise NotAnswered("it brings news that you should read first. Open it, read, and sign it yourself")
            _, mark = desk.about_to_sign(self.source.out(name), replacing=False)
            self.sign(name, mark, replacing=False)
        except LedgerError as error:
            self._troubles[name] = f"It was not answered by itself: {error}"


def _normal(passphrase: str) -> bytes:
    """Systems write accents in two ways; a passphrase must not depend on where it was typed."""
    return unicodedata.normalize("NFC", passphrase).encode()
