"""Simulated matters whose terms name outside witnesses: a log in memory, tokens that nobody judges, and cheats.

A token is any bytes here: what it says counts only with a reader's roots. Tests with a real authority are elsewhere.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from ledger import merkle
from ledger.copies import write_copy
from ledger.entries import Addition
from ledger.hashing import Digest
from ledger.keys import SigningKey
from ledger.roles import Audience, Role
from ledger.store import Store
from ledger.tlog import checkpoint
from ledger.tlog.checkpoint import LogCheckpoint
from ledger.tlog.proofs import Proof
from protocol.matter import course, terms
from protocol.matter.kinds import logged
from protocol.matter.state import A_PROOF, A_STAMP, Matter
from protocol.rules.terms import WitnessTerms
from protocol.simulation.identity import Simulated
from tests.support.forging.bending import of_kind, saying
from tests.support.forging.catalogue import EVERYBODY, Cheat
from tests.support.forging.mutations import Lines
from tests.support.forging.running import CheatingRun

ORIGIN = "trent.example/log"
KEY = SigningKey(sha256(b"the operator's log").digest())
OTHER_KEY = SigningKey(sha256(b"another log").digest())
BEFORE = (b"another operator's leaf\n", b"one more\n", b"and one more\n")
"""What the log holds before the matter is opened."""

AUTHORITIES = (sha256(b"a certificate").hexdigest(), sha256(b"another certificate").hexdigest())


def agreed(*, authorities: tuple[str, ...] = AUTHORITIES, log: bool = True) -> WitnessTerms:
    """Terms that name witnesses."""
    return terms.witnesses(authorities, checkpoint.note_key(ORIGIN, KEY).vkey if log else None)


def token(state: Matter) -> bytes:
    """What stands for a time stamp of the record as it is."""
    return b"a time stamp of " + state.tree.root()


def digest_of(data: bytes) -> Digest:
    return Digest(sha256(data).digest())


class MemoryLog:
    """An operator's log that keeps its leaves in memory."""

    def __init__(self, key: SigningKey = KEY) -> None:
        self.leaves, self.key = list(BEFORE), key

    def prove(self, leaf: bytes, *, signed_by: SigningKey | None = None) -> str:
        """The text of a proof for a leaf, which is added if it is not there."""
        if leaf not in self.leaves:
            self.leaves.append(leaf)
        levels, place = merkle.levels(self.leaves), self.leaves.index(leaf)
        here = LogCheckpoint(origin=ORIGIN, size=len(self.leaves), root=Digest(levels[-1][0]))
        note = checkpoint.signed(here, signed_by or self.key)
        return str(Proof(index=place, hashes=tuple(merkle.inclusion_proof(levels, place)), note=note))


class WitnessedRun(CheatingRun):
    """Puts on record what the terms ask for, before each round; tokens are kept in memory."""

    skip: Callable[[Matter], frozenset[str]] = staticmethod(lambda _: frozenset())  # what a cheater leaves out

    def __init__(self, *given: Any, **cheat: Any) -> None:
        self.outside, self.tokens = MemoryLog(), dict[Digest, bytes]()
        super().__init__(*given, **cheat)

    def step(self) -> bool:
        return self.see() or super().step()

    def see(self) -> bool:
        """Add the next entry about outsiders that the terms ask for, if one is due."""
        if not course.unseen(self.state):
            return False
        missing = [each for each in self.state.unwitnessed if each not in self.skip(self.state)]
        if not missing:
            self.cheated += 1
            return False
        if missing[0] == A_STAMP:
            self.stamp(token(self.state))
        else:
            self.desk.prove(self.outside.prove(bytes(logged.leaf_of(self.state))))
        return True

    def stamp(self, data: bytes) -> None:
        """Put a token on record."""
        self.tokens[digest_of(data)] = data
        self.desk.stamp(digest_of(data))


def play(corpus: Any, played: Simulated, path: Path, **cheat: Any) -> WitnessedRun:
    """A whole matter."""
    with WitnessedRun(corpus, played, path, **cheat) as run:
        run.run()
    return run


def lines(run: WitnessedRun, path: Path, audience: Audience) -> Lines:
    """A copy with its tokens."""
    out = path.with_suffix(".jsonl")
    with Store.open(path) as store:
        write_copy(store, audience, run.plan.key(Role.TRENT), out, tokens=run.tokens.get)
    return out.read_bytes().splitlines()


def stripped(copy: Lines) -> Lines:
    """The copy without its tokens, as anybody can cut it."""
    return [line for line in copy if not line.startswith(b'{"token"')]


def _skipping(*what: str, from_round: int = 0) -> type[WitnessedRun]:
    return type(
        "Skipping",
        (WitnessedRun,),
        {"skip": staticmethod(lambda state: frozenset(what) if len(state.rounds) >= from_round else frozenset())},
    )


def _run(run: CheatingRun) -> WitnessedRun:
    if not isinstance(run, WitnessedRun):
        raise TypeError("a cheat about witnesses needs a matter with some")
    return run


def _of_an_earlier_state(run: CheatingRun, addition: Addition) -> Addition:
    """The proof is of the leaf of the round before."""
    return run.saying(addition, proof=_run(run).outside.prove(_run(run).outside.leaves[len(BEFORE)]))


def _of_another_log(run: CheatingRun, addition: Addition) -> Addition:
    return run.saying(addition, proof=_run(run).outside.prove(bytes(logged.leaf_of(run.state)), signed_by=OTHER_KEY))


def _as_the_second(change: Callable[[CheatingRun, Addition], Addition]) -> Callable[[CheatingRun, Addition], Any]:
    """A change of the second entry of a kind: the first is needed for it."""
    return lambda run, addition: change(run, addition) if run.state.rounds else None


def _trent(comment: str, **fields: Any) -> Cheat:
    told: dict[str, Any] = {
        "caught_in": EVERYBODY,
        "course": WitnessedRun,
        "terms": {"witnesses": agreed()},
        "last": True,
    }
    return Cheat(who=Role.TRENT, comment=comment, **({"check": "V31"} | told | fields))


class _StampsInside(WitnessedRun):
    """Stamps the record once more, in the first round, as soon as nobody must answer."""

    def step(self) -> bool:
        if self.state.current is None or self.state.awaits or self.cheated:
            return super().step()
        self.cheated += 1
        self.extra()
        return True

    def extra(self) -> None:
        self.stamp(token(self.state))


class _LogsInside(_StampsInside):
    """The same with a proof."""

    def extra(self) -> None:
        self.desk.prove(self.outside.prove(bytes(logged.leaf_of(self.state))))


class _LogsUnasked(WitnessedRun):
    """Puts a proof on record before the first round, whatever the terms say."""

    def see(self) -> bool:
        if super().see():
            return True
        if self.cheated or not self.state.between or not self.state.size:
            return False
        self.cheated += 1
        self.desk.prove(self.outside.prove(bytes(logged.leaf_of(self.state))))
        return True


ZEROS = bytes(32).hex()

WITNESSED: dict[str, Cheat] = {
    "trent-begins-without-a-stamp": _trent(
        "the terms ask for a time stamp before each round, and none is on record before the first",
        course=_skipping(A_STAMP),
        last=False,
    ),
    "trent-begins-without-a-proof": _trent(
        "the terms name a log, and no proof is on record before the first round",
        course=_skipping(A_PROOF),
        last=False,
    ),
    "trent-goes-on-without-a-stamp": _trent(
        "the second round begins without another time stamp",
        course=_skipping(A_STAMP, from_round=1),
        last=False,
    ),
    "trent-goes-on-without-a-proof": _trent(
        "the second round begins without another proof of the log",
        course=_skipping(A_PROOF, from_round=1),
        last=False,
    ),
    "trent-claims-without-a-stamp": _trent(
        "the claims are made without a time stamp of the last round",
        course=_skipping(A_STAMP, from_round=2),
        last=False,
    ),
    "trent-claims-without-a-proof": _trent(
        "the claims are made without a proof that the log has the last round",
        course=_skipping(A_PROOF, from_round=2),
        last=False,
    ),
    "trent-stamps-in-a-round": _trent(
        "a time stamp goes on record while a round is open", check="V05", course=_StampsInside, last=False
    ),
    "trent-logs-in-a-round": _trent(
        "a proof of the log goes on record while a round is open", check="V05", course=_LogsInside, last=False
    ),
    "trent-logs-without-a-log": _trent(
        "a proof goes on record, and the terms name no log",
        course=_LogsUnasked,
        terms={"witnesses": agreed(log=False)},
        last=False,
    ),
    "trent-stamps-another-record": _trent(
        "the root that was stamped is not that of the entries before", change=of_kind("stamped", saying(root=ZEROS))
    ),
    "trent-logs-another-record": _trent(
        "the root in a `logged` is not that of the entries before", change=of_kind("logged", saying(root=ZEROS))
    ),
    "trent-proves-an-earlier-record": _trent(
        "the proof is of the record before the first round, again before the second",
        change=of_kind("logged", _as_the_second(_of_an_earlier_state)),
    ),
    "trent-proves-by-another-log": _trent(
        "the proof's checkpoint is signed by another key under the log's name",
        change=of_kind("logged", _of_another_log),
    ),
    "trent-proves-nothing": _trent(
        "the proof is no proof", change=of_kind("logged", saying(proof="c2sp.org/tlog-proof@v1\n"))
    ),
    "trent-cuts-a-proof": _trent(
        "the proof lacks its last hash",
        change=of_kind("logged", saying(proof=lambda text: _without_a_hash(text))),
    ),
}


def _without_a_hash(text: str) -> str:
    head, gap, rest = text.partition("\n\n")
    return head.rpartition("\n")[0] + gap + rest
