"""Trent at work on a real matter, with the documents: opening it, and going on until somebody must answer."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Self

from ledger import records
from ledger.coins import LinkChain
from ledger.entries import Body
from ledger.errors import Refused, WrongKey
from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.roles import Role
from ledger.store import Store
from protocol.corpus.corpus import Corpus
from protocol.exchange import asking, office
from protocol.exchange.keeping import Keep
from protocol.exchange.outbox import Outbox, Sent
from protocol.exchange.register import Register
from protocol.exchange.termsfile import Agreed
from protocol.learning.cal import Cal
from protocol.matter import statements, trent
from protocol.matter.desk import Desk
from protocol.matter.sealing import Seal
from protocol.matter.state import MatterState
from protocol.matter.trent import Trent
from protocol.parties import secrets


def open_matter(path: Path, agreed: Agreed, corpus: Corpus, key: SigningKey) -> MatterState:
    """A new matter, which waits for everybody's signature."""
    if agreed.keys[Role.TRENT] != key.public:
        raise WrongKey("the key that was given is not the one that the terms name for Trent")
    stopped = path.exists() and not _entries(path)  # before its opening was stored
    if path.exists() and not stopped:
        raise Refused(f"{path} exists already, and a matter is opened once; choose another name, or go on with it")
    cal = Cal(corpus)
    cal.check_query(agreed.terms.query)
    matter = Digest(os.urandom(Digest.size))
    neutral = _trent(corpus, cal, key, matter, agreed.terms.draws)
    opening = trent.opening(
        matter=matter,
        corpus=corpus,
        agreed=agreed.terms,
        keys=agreed.keys,
        chain=neutral.chain,
        seal=neutral.seal,
        caption=agreed.caption,
        simulation=None,
    )
    if not stopped:
        with Desk.create(path, key, _clock, neutral, opening) as desk:
            return desk.state
    with Desk.open(path, key, _clock, neutral) as desk:
        desk.append(opening)
        return desk.state


class Run:
    """A matter with its documents, open for writing; nobody else writes to it meanwhile."""

    def __init__(self, path: Path, corpus: Corpus, key: SigningKey, key_file: Path) -> None:
        self.register = Register()
        self._corpus = corpus
        self._key = key
        matter, opening = _opening(path)
        neutral = _trent(corpus, Cal(corpus), key, matter, opening.terms.draws)
        self._keep = Keep.beside(key_file, matter)
        self._desk = Desk.open(path, key, _clock, neutral, self.register.tell)
        try:
            self._keep.check(path, self.register.hashes)
            self._keep.signed(self.register.hashes)
        except BaseException:
            self._desk.log.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._desk.log.close()

    @property
    def state(self) -> MatterState:
        """Where the matter stands."""
        return self._desk.state

    @property
    def held(self) -> bool:
        """Whether all rounds are held, so that only the claims are left to be made."""
        return asking.held(self.state)

    def advance(self, progress: Callable[[str], None] = lambda _: None) -> None:
        """Make Trent's moves until somebody must answer, or all rounds are held; `progress` is told what comes."""
        while not (self.state.awaits or self.held or self.state.claims is not None):
            progress(_doing(self.state))
            self._desk.advance()
            self._keep.signed(self.register.hashes)

    def questions(self, folder: Path, *, packed: bool, everything: bool) -> list[Sent]:
        """The packages for all who must answer, written to a folder."""
        log = self._desk.log
        office.mend(self.state, log)
        outbox = Outbox(
            folder=folder,
            log=log,
            key=self._key,
            keep=self._keep,
            state=self.state,
            register=self.register,
            corpus=self._corpus,
        )
        tasks = asking.tasks(self.state, self.register, log.history.head, office.cosigned(log))
        return [outbox.write(task, packed=packed, everything=everything) for task in tasks]


def _doing(state: MatterState) -> str:
    if state.current is not None:
        return f"Round {state.current.number}: going on"
    return f"Round {len(state.rounds) + 1}: choosing the batch"


def _trent(corpus: Corpus, cal: Cal, key: SigningKey, matter: Digest, draws: int) -> Trent:
    """The neutral, whose secrets derive from his key and the matter's number."""
    root = secrets.chain_root(key, matter)
    return Trent(
        corpus=corpus,
        cal=cal,
        seal=Seal(secret=secrets.seal(key, matter), matter=matter),
        chain=LinkChain(matter=matter, role=Role.TRENT, length=draws, root=root),
        truth=None,
    )


def _entries(path: Path) -> int:
    with Store.open(path) as store:
        return store.size()


def _opening(path: Path) -> tuple[Digest, statements.Opening]:
    """The matter's number and its opening; all else is checked when the desk reads the file."""
    if not _entries(path):
        raise office.NeverOpened(path)
    with Store.open(path) as store:
        body = records.decode(Body, store.body(0))
    opening = records.from_value(statements.Opening, body.statement.content)
    office.check_real(path, opening)
    return body.matter, opening


def _clock(_: int) -> int:
    return office.clock()
