"""The loop of `run`: take what parties posted, go on until somebody must answer, put the questions there, wait.

Each pass begins from what is on disk: the matter's file, the mailbox, and what lies beside Trent's key. So a process
that is killed anywhere and started again does what the killed one had left to do, and nothing twice:

1. An answer stays without a receipt until it is on record, or refused for good. Taken again, it is on record already.
2. Trent's moves follow from the record alone.
3. A question that lies in the mailbox is left as it is.

The matter stays open, and locked, as long as the loop is at work. Only the thread that opened it may touch it, so what
Trent orders on his page is handed over and done between two passes.
"""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from ledger.entries import Addition
from ledger.errors import LedgerError, Refused
from ledger.keys import SigningKey
from protocol.box.errors import BadBox, BadSeal, DamagedAnswer
from protocol.box.filling import Arrived, Clerk
from protocol.box.layout import Mailbox
from protocol.corpus.corpus import Corpus
from protocol.exchange import at_work
from protocol.exchange import run as running
from protocol.exchange.office import Office, clock
from protocol.exchange.witnessing import Trusted
from protocol.matter import course, naming
from protocol.matter.trent import Trent
from protocol.operating import taking
from protocol.operating.asking import Asked, Asker
from protocol.operating.hold import Hold
from protocol.operating.kept import Kept
from protocol.operating.outside import Outside
from protocol.operating.taking import Taken, Taker
from protocol.operating.wishes import Wanted, Wishes

T = TypeVar("T")

PAUSE = 1.0
"""Seconds between two looks into the mailbox."""
LONGEST_PAUSE = 60.0
"""Seconds at most between two attempts while the disk or the mailbox fails."""
_LINES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What `run` is told on the command line."""

    matter: Path
    key: SigningKey
    key_file: Path
    corpus: Corpus
    box: Mailbox
    hold: int  # seconds
    trusted: Trusted = field(
        default_factory=Trusted
    )  # with which stamps and proofs are checked before they go on record
    clock: Callable[[], int] = clock
    cluster: Executor | None = None
    """Workers that score the documents; without them, this process does it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where the loop stands, for those who only look."""

    size: int = 0  # entries of the record
    head: str = ""  # the last entry's hash in hex
    asked: tuple[Asked, ...] = ()
    held_until: int | None = None  # when the next wave goes out, if one waits
    over: bool = False  # the review is over, and the matter can be closed
    closed: bool = False
    waiting: tuple[Wanted, ...] = ()  # what Trent will ask when he can
    postponed: tuple[str, ...] = ()  # answers about which the court decides first
    outside: str = ""  # what outsiders must see before the next round, and where it is put
    doing: str = ""
    trouble: str = ""


@dataclass(slots=True, kw_only=True)
class Run:
    """One matter at work. `say` gets a line for each thing that happens."""

    settings: Settings
    say: Callable[[str], None] = lambda _: None
    standing: Standing = Standing()
    lines: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=_LINES))
    _orders: "queue.SimpleQueue[tuple[Callable[[At], object], Future[object]]]" = field(
        default_factory=queue.SimpleQueue
    )
    _stop: threading.Event = field(default_factory=threading.Event)
    _wake: threading.Event = field(default_factory=threading.Event)
    _reopen: bool = False  # an order broke off anywhere, so only what is on disk is relied on

    def once(self) -> None:
        """Do all that can be done now."""
        with self.opened() as at:
            at.go()

    def forever(self) -> None:
        """Go on until `stop`. What fails after the first pass is tried again, since the cause may pass."""
        pause, begun = PAUSE, False
        while not self._stop.is_set():
            try:
                with self.opened() as at:
                    self._reopen = False
                    while not (self._stop.is_set() or self._reopen):
                        at.go()
                        begun, pause = True, PAUSE
                        self._wait(PAUSE, at)
            except (LedgerError, OSError) as error:
                if not begun:
                    raise
                self._trouble(str(error))
                self._wait(pause, None)
                pause = min(2 * pause, LONGEST_PAUSE)

    def stop(self) -> None:
        """End after what is under way."""
        self._stop.set()
        self._wake.set()

    def order(self, action: "Callable[[At], T]", patience: float = 120.0) -> T:
        """Have the loop's thread do something between two passes, and wait for what comes of it."""
        future: Future[object] = Future()
        self._orders.put((action, future))
        self._wake.set()
        try:
            found: T = future.result(patience)  # type: ignore[assignment]
        except TimeoutError:
            if future.cancel():
                raise Refused("the program is busy with its next step, and nothing was done; try again later") from None
            raise Refused("this takes long; look at the matter again in a minute before you repeat it") from None
        return found

    @contextmanager
    def opened(self) -> Iterator["At"]:
        """The matter at work, in this thread."""
        given = self.settings
        with at_work.held(given.matter), Office(given.matter, given.key, given.key_file) as office:
            yield At.of(self, office)

    def tell(self, line: str) -> None:
        """Something has happened."""
        self.lines.append((self.settings.clock(), line))
        self.say(line)

    def _trouble(self, words: str) -> None:
        if words != self.standing.trouble:
            self.standing = replace(self.standing, trouble=words, doing="")
            self.tell(f"Trouble: {words}. It is tried again.")

    def _wait(self, pause: float, at: "At | None") -> None:
        """Wait for a moment, or until Trent orders something, and do that."""
        deadline = time.monotonic() + pause
        while not (self._stop.is_set() or self._do_orders(at)):
            left = deadline - time.monotonic()
            if left <= 0:
                return
            self._wake.wait(left)
            self._wake.clear()

    def _do_orders(self, at: "At | None") -> bool:
        """Whether there were any. None can be done while the matter cannot be opened."""
        done = False
        while True:
            try:
                action, future = self._orders.get_nowait()
            except queue.Empty:
                return done
            if not future.set_running_or_notify_cancel():
                continue
            done = True
            if at is None:
                future.set_exception(Refused(f"nothing was done: {self.standing.trouble}"))
                continue
            try:
                future.set_result(action(at))
            except LedgerError as error:
                future.set_exception(error)
            except Exception as error:
                future.set_exception(error)
                if isinstance(error, OSError):
                    raise
                self._reopen = True
                self.tell(f"What was ordered on the page failed, by an error in this program: {error!r:.300}.")
                return True
            except BaseException as error:
                future.set_exception(error)
                raise


@dataclass(slots=True, kw_only=True)
class At:
    """The loop with the matter open, for the thread that opened it."""

    run: Run
    office: Office
    clerk: Clerk
    taker: Taker
    asker: Asker
    hold: Hold
    wishes: Wishes
    outside: Outside
    neutral: Trent
    filled: tuple[object, ...] = ()  # the state for which the mailbox is filled
    asked: tuple[Asked, ...] = ()
    held: int | None = None  # until when the wave waits
    looked: tuple[object, ...] = ()  # the state after which that was found

    @classmethod
    def of(cls, run: Run, office: Office) -> "At":
        """The parts of one matter."""
        given, folder = run.settings, office.keep.folder
        clerk = Clerk(box=given.box, key=given.key, matter=office.state.number)
        wishes = Wishes(folder=folder)
        return cls(
            run=run,
            office=office,
            clerk=clerk,
            taker=Taker(office=office, kept=Kept(folder=folder), wishes=wishes),
            asker=Asker(corpus=given.corpus, clerk=clerk, folder=folder / "questions"),
            hold=Hold(folder=folder, length=given.hold, clock=given.clock),
            wishes=wishes,
            outside=Outside(office=office, matter=given.matter, trusted=given.trusted, tell=run.tell),
            neutral=running.neutral(office, given.corpus, given.cluster),
        )

    def go(self) -> None:
        """Passes until nothing more happens."""
        while True:
            before = self._state()
            postponed = self._take()
            self.wishes.grant(self.office, self.run.tell)
            self.outside.go()
            self._go_on()
            self._fill()
            self._publish(postponed)
            if self._state() == before:
                return

    def _take(self) -> tuple[str, ...]:
        """Take what was posted. Returns what has to wait for the court."""
        postponed = []
        for each in self.clerk.arrived():
            try:
                taken = self._taken(each)
            except DamagedAnswer:
                self.clerk.drop(each)
                who = naming.introduced(self.office.state.opening.caption, each.role)
                self.run.tell(
                    f"{who}: an answer was damaged in the mailbox, and was removed without a receipt, so that it can "
                    "be sent again. If this happens again, check the disk."
                )
                continue
            if taken is None:
                postponed.append(
                    f"An answer of {each.role.called}'s has come. The court was asked to go on without it: it is "
                    "taken if the court denies the order. Tell the court."
                )
                continue
            if taken.accepted:
                self.asker.clear(self.office, each.role)
                self.clerk.accept(each, taken.words, entry=taken.entry)
            else:
                self.clerk.refuse(each, taken.words)
            self.run.tell(self.taker.sentence(each.role, taken))
        return tuple(postponed)

    def _taken(self, arrived: Arrived) -> Taken | None:
        try:
            data = self.clerk.read(arrived)
        except DamagedAnswer:
            raise
        except (BadSeal, BadBox) as error:
            return taking.refused(f"{error}. Post the answer again")
        return self.taker.take(arrived.role, data, self.run.settings.clock())

    def _go_on(self) -> None:
        if self.held is not None and self.looked == self._state() and self.hold.until(self.office.state) is not None:
            return
        self.held = None
        running.go_on(self.office, self.neutral, self._doing, self._may)
        self.looked = self._state()

    def _may(self, move: Addition) -> bool:
        """Whether a move may be made now: a wave waits for its time."""
        if move.statement.kind != "disclosure":
            return True
        self.held = self.hold.until(self.office.state)
        return self.held is None

    def _doing(self, words: str) -> None:
        self.run.standing = replace(self.run.standing, doing=words)

    def _fill(self) -> None:
        if self.filled != self._state():
            self.asked = tuple(self.asker.fill(self.office, self.run.tell))
            self.filled = self._state()

    def _publish(self, postponed: tuple[str, ...]) -> None:
        state = self.office.state
        self.run.standing = Standing(
            size=state.size,
            head=self.head,
            asked=self.asked,
            held_until=self.held,
            over=course.held(state),
            closed=state.concluded,
            waiting=self.wishes.waiting,
            postponed=postponed,
            outside=self.outside.waits,
        )

    @property
    def mark(self) -> str:
        """What stands for the matter as it is: another one, once anything has changed that Trent may rely on."""
        head, cosigned = self._state()
        said = f"{head} {cosigned} {[each.number for each in self.wishes.waiting]} {self.held}"
        return sha256(said.encode()).hexdigest()[:32]

    @property
    def head(self) -> str:
        """The last entry's hash in hex."""
        return self.office.log.history.head.hex()

    def _state(self) -> tuple[str, tuple[str, ...]]:
        """What changes whenever the record or its signatures do."""
        return self.head, tuple(self.office.cosigned())
