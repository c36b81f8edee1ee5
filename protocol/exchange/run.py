"""Trent's work on a real matter that needs the documents: to open it, and to go on until somebody must answer."""

import os
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

from ledger import files
from ledger.coins import LinkChain
from ledger.entries import Addition
from ledger.errors import WrongKey
from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.roles import Role
from ledger.store import Store
from protocol.corpus.corpus import Corpus
from protocol.exchange.office import Office, clock
from protocol.exchange.outbox import Outbox, Sent
from protocol.exchange.termsfile import TermsFile
from protocol.learning.cal import Cal
from protocol.matter import course, trent
from protocol.matter.course import Next
from protocol.matter.desk import Desk
from protocol.matter.seal import Seal
from protocol.matter.state import Matter
from protocol.matter.trent import Trent
from protocol.parties import secrets


def open_matter(path: Path, agreed: TermsFile, corpus: Corpus, key: SigningKey) -> Matter:
    """A new matter, which waits for everybody's signature."""
    if agreed.keys[Role.TRENT] != key.public:
        raise WrongKey("this is not the key that the terms name for Trent; give the right one")
    stopped = path.exists() and not _entries(path)  # interrupted before its opening entry was stored
    if not stopped:
        files.check_free(path, "a matter is opened once; choose another name, or go on with that matter")
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
        with Desk.create(path, key, _clock, opening) as desk:
            return desk.state
    with Desk.open(path, key, _clock) as desk:
        desk.add(opening)
        return desk.state


def advance(office: Office, corpus: Corpus, progress: Callable[[str], None] = lambda _: None) -> None:
    """Make Trent's moves until somebody must answer, or the review is over; `progress` is told the next step."""
    go_on(office, neutral(office, corpus), progress)


def neutral(office: Office, corpus: Corpus, cluster: Executor | None = None) -> Trent:
    """Who knows Trent's moves in the office's matter, if this is its corpus; a cluster may score its documents."""
    state = office.state
    found = _trent(corpus, Cal(corpus, cluster), office.key, state.number, state.opening.terms.draws)
    found.check(state.opening, state.vocabulary)
    return found


def go_on(
    office: Office,
    neutral: Trent,
    progress: Callable[[str], None] = lambda _: None,
    may: Callable[[Addition], bool] = lambda _: True,
) -> None:
    """The same with a neutral that is at hand. It stops before a move that `may` does not let pass."""
    state = office.state
    while not (course.held(state) or state.concluded) and (state.to_repeat is not None or not state.awaits):
        if course.unseen(state):
            return
        progress(_doing(state))
        move = neutral.move(state, office.desk.attachment)
        if move is None or not may(move):
            return
        office.desk.add(move)


def questions(
    office: Office, corpus: Corpus, folder: Path, *, packed: bool, everything: bool, only: Role | None = None
) -> list[Sent]:
    """The packages for all who must answer, or for one of them, written to a folder."""
    office.mend()
    outbox = Outbox(
        folder=folder,
        log=office.log,
        key=office.key,
        keep=office.keep,
        state=office.state,
        register=office.register,
        corpus=corpus,
    )
    asked = [task for task in office.tasks() if only in (None, task.role)]
    return [outbox.write(task, packed=packed, everything=everything) for task in asked]


_BEGINNING = {
    Next.BATCH: "choosing the batch",
    Next.ESCALATION: "listing what is withheld",
    Next.VALIDATION: "validating the collection",
    Next.CLAIMS: "none is left",
}


def _doing(state: Matter) -> str:
    if state.current is not None:
        return f"Round {state.current.number}: going on"
    if not state.between:
        return f"Round {len(state.rounds) + 1}: going on"
    return f"Round {len(state.rounds) + 1}: {_BEGINNING[course.following(state)]}"


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


def _clock(_: int) -> int:
    return clock()
