"""Everybody but one honest party, in league: what they say next by the rules. What they say against them is in
`mischief`.

They know everything: all openings, all links, and whatever the honest party has signed so far.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random

import msgspec

from ledger import records
from ledger.canonical import Value
from ledger.coins import DRAWERS, LinkChain
from ledger.commitments import Secret
from ledger.entries import Addition, Statement
from ledger.errors import LedgerError
from ledger.hashing import Digest
from ledger.keys import PublicKey, SigningKey
from ledger.openings import hash_openings
from ledger.records import Record
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.learning.cal import Cal, Selection
from protocol.matter import fold, kinds
from protocol.matter.asking import Answer
from protocol.matter.kind import Entry
from protocol.matter.kinds import KINDS
from protocol.matter.kinds.agreed import Agreed
from protocol.matter.kinds.amended import Amended
from protocol.matter.kinds.claim import LateClaim
from protocol.matter.kinds.deposited import Deposited
from protocol.matter.kinds.labels import Labels
from protocol.matter.kinds.look import Looked
from protocol.matter.kinds.order import Order
from protocol.matter.kinds.privilege import Privilege
from protocol.matter.kinds.rekeyed import Rekeyed
from protocol.matter.kinds.report import Reported
from protocol.matter.kinds.rulings import Rulings
from protocol.matter.privilege_log import PrivilegeLog
from protocol.matter.rounds import Sort
from protocol.matter.seal import Seal
from protocol.matter.state import Matter
from protocol.matter.trent import Trent
from protocol.matter.values import Link
from protocol.parties import secrets
from tests.support.builders import KEYS
from tests.support.forging.histories import Node, Pen, Unsignable

PARTIES = (Role.ALICE, Role.BOB, Role.COURT)


class Stuck(Exception):
    """There is nothing of this kind to add here."""


ODD = (LedgerError, KeyError, TypeError, ValueError, IndexError, AttributeError, RuntimeError, StopIteration)
"""What goes wrong where Trent goes on from what no rule foresees."""

IN_VAIN = (Stuck, Unsignable, *ODD)
"""What comes of it if nothing can be added."""


@dataclass(slots=True)
class Table:
    """A history that grows, and where it stands by its own words; None once these make no sense."""

    pen: Pen
    node: Node | None
    state: Matter | None

    @classmethod
    def at(cls, pen: Pen, node: Node) -> "Table":
        """Go on from this entry."""
        table = cls(pen, None, Matter())
        for each in node.path:
            table._follow(each)
        return table

    def add(self, addition: Addition) -> None:
        """One more entry, whatever rules it breaks. Raises `Unsignable` if nobody can sign it."""
        self._follow(self.pen.write(self.node, addition))

    def _follow(self, node: Node) -> None:
        self.node = node
        if self.state is None:
            return
        body = node.body
        try:
            kind = KINDS[body.statement.kind]
            entry = Entry(
                sequence=body.sequence,
                hash=node.hash,
                statement=body.statement,
                openings=node.openings,
                asks=body.asks,
                releases=body.releases,
            )
            content = records.from_value(kind.record, body.statement.content)
            fold.tell(self.state, fold.Checked(kind=kind, content=content, entry=entry), node.hash)
        except ODD:
            self.state = None

    @property
    def head(self) -> Node:
        """The last entry."""
        if self.node is None:
            raise Stuck("nothing is written yet")
        return self.node

    @property
    def known(self) -> Matter:
        """Where the history stands, for those who need to know."""
        if self.state is None or not self.state.size:
            raise Stuck("nobody can tell where this history stands")
        return self.state


class AnyDocuments(Cal):
    """Chooses batches without learning anything: nobody looks at the ranking here."""

    def __init__(self, corpus: Corpus, random: Random, model: bytes) -> None:
        self.corpus, self.random, self.model = corpus, random, model

    def _rest(self, reviewed: Sequence[int], count: int) -> list[int]:
        rest = sorted(set(range(self.corpus.size)) - set(reviewed))
        return self.random.sample(rest, min(count, len(rest)))

    def by_coin(self, query: str, put_up: Sequence[int], count: int, seed: Digest) -> Selection:
        return Selection(documents=self._rest(put_up, count))

    def by_model(
        self,
        reviewed: Sequence[int],
        labels: Sequence[bool],
        count: int,
        previous: bytes | None,
        unlabelled: Sequence[int] = (),
    ) -> Selection:
        return Selection(documents=self._rest([*reviewed, *unlabelled], count), model=self.model, near_cut=0)


@dataclass(slots=True, kw_only=True)
class Colluders:
    """Everybody but the honest party."""

    honest: Role
    random: Random
    corpus: Corpus
    model: bytes  # of any round
    roots: Mapping[Role, Digest]  # of the coin chains, after the genuine opening
    opening: Digest  # the genuine one
    pen: Pen
    own_keys: dict[PublicKey, SigningKey]  # the honest party's, of which only its own program makes use
    signed: list[Answer]  # by the honest party so far, whether it is on record or not

    def chain(self, table: Table, role: Role) -> LinkChain:
        """A drawer's chain. The court, which holds all deposits, is in league with Trent, or honest itself."""
        opening = table.head.path[0].hash
        genuine = opening == self.opening or role is Role.TRENT
        root = self.roots[role] if genuine else secrets.chain_root(KEYS[role], opening)
        return LinkChain(matter=table.known.number, role=role, length=table.known.opening.terms.draws, root=root)

    def seal(self, table: Table) -> Seal:
        """Salts that nobody has used before."""
        return Seal(secret=Secret(sha256(self.random.randbytes(8)).digest()), matter=table.known.number)

    def new_key(self, role: Role) -> PublicKey:
        """A fresh key for this role, in the hands of whoever plays it."""
        key = SigningKey(sha256(self.random.randbytes(8)).digest())
        (self.own_keys if role is self.honest else self.pen.keys)[key.public] = key
        return key.public

    def flips(self, count: int) -> tuple[bool, ...]:
        """Labels and rulings as they come."""
        return tuple(self.random.random() < 0.5 for _ in range(count))

    def some(self, among: Sequence[int]) -> tuple[int, ...]:
        """Some of these, in order."""
        if not among:
            raise Stuck("there is nothing to choose from")
        return tuple(sorted(self.random.sample(among, self.random.randint(1, min(len(among), 4)))))

    def basis(self, table: Table, *, classes: bool) -> Value:
        """What is claimed: a privilege, or a class where one may stand."""
        agreed = table.known.terms.classes
        if agreed is None or not classes or self.random.random() < 0.5:
            return "a basis"
        return {"class": self.random.choice(agreed.names)}

    def trent(self, table: Table) -> Trent:
        """Trent's own program, with a free choice of documents."""
        return Trent(
            corpus=self.corpus,
            cal=AnyDocuments(self.corpus, self.random, self.model),
            seal=self.seal(table),
            chain=self.chain(table, Role.TRENT),
            truth=self.corpus.labels("responsive"),
        )

    def next(self, table: Table) -> Addition:
        """What comes next by the rules, unless the honest party must speak first."""
        state = table.known
        waiting = sorted(role for role in state.awaits if role is not self.honest)
        if waiting:
            ordered = Role.COURT in waiting and state.awaits[Role.COURT].kind in ("order", "rekeyed")
            return self.answer(table, Role.COURT if ordered else self.random.choice(waiting))
        if state.awaits and state.to_repeat is None:
            raise Stuck("only the honest party can go on")
        move = self.trent(table).move(state, lambda _: self.model)
        if move is None:
            raise Stuck("the claims are made")
        return move

    def answer(self, table: Table, role: Role) -> Addition:
        """What a party says that must answer."""
        state = table.known
        awaited = state.awaits[role]
        content, fields = _SAID[awaited.kind](self, table, role)
        sealed, openings = self.seal(table).close(
            "said", {name: (KINDS[awaited.kind].seals[name], values) for name, values in fields.items()}
        )
        if isinstance(content, Reported):
            content = msgspec.structs.replace(content, openings=hash_openings(openings))
        statement = Statement(
            answers=awaited.question,
            author=role,
            content=records.to_value(content),
            kind=awaited.kind,
            matter=state.number,
            replaces=(),
            round=awaited.round,
            sealed=sealed,
        )
        return kinds.added(statement, openings)


Said = tuple[Record, dict[str, Sequence[Value]]]


def _link(us: Colluders, table: Table, role: Role) -> Said:
    draw = table.known.draws
    return Link(draw=draw, link=us.chain(table, role).link(draw)), {}


def _report(us: Colluders, table: Table, role: Role) -> Said:
    state = table.known
    current, draw = state.rounds[-1], state.draws + 1
    size, ranked = current.to_label, state.rule.reports_threshold and current.sort is Sort.BATCH
    top = us.random.randint(0, size) if ranked else size
    fields: dict[str, Sequence[Value]] = {"labels": [[*us.flips(top), *[None] * (size - top)]]} if size else {}
    if ranked:
        fields["threshold"] = [top]
    if size and us.random.random() < 0.5:
        claimed = us.some(range(1, size + 1))
        basis = us.basis(table, classes=True)
        fields["privilege"] = [basis if place in claimed else None for place in range(1, size + 1)]
    link = us.chain(table, role).link(draw)
    return Reported(draw=draw, link=link, openings=Digest(bytes(32))), fields


def _look(us: Colluders, table: Table, role: Role) -> Said:
    size, draw = table.known.rounds[-1].size, table.known.draws + 1
    positions = us.some(range(1, size + 1)) if us.random.random() < 0.7 else ()
    return Looked(draw=draw, link=us.chain(table, role).link(draw), positions=positions), {}


def _claim(us: Colluders, table: Table, role: Role) -> Said:
    among = sorted(table.known.rounds[-1].claimable)
    positions = us.some(among) if among and us.random.random() < 0.8 else ()
    basis = us.basis(table, classes=table.known.rounds[-1].may_classify)
    return LateClaim(positions=positions), {"privilege": [basis] * len(positions)} if positions else {}


def _order(us: Colluders, table: Table, role: Role) -> Said:
    silence, granted = table.known.silence, us.random.random() < 0.6
    if silence is None:
        raise Stuck("nobody is silent")
    link = None
    if granted and silence.awaited.kind == "link":
        link = us.chain(table, silence.absent).link(table.known.draws)
    return Order(absent=silence.absent, granted=granted, link=link, served=silence.served), {}


def _rekeyed(us: Colluders, table: Table, role: Role) -> Said:
    rekeying = table.known.rekeying
    if rekeying is None:
        raise Stuck("no key was asked for")
    return Rekeyed(granted=us.random.random() < 0.8, key=rekeying.key, role=rekeying.role), {}


def _ruled(us: Colluders, log: PrivilegeLog) -> Privilege:
    """The court's rulings. What is claimed here is never claimed for parts: these documents have one."""
    return Privilege(parts=((),) * len(log.asked), upheld=us.flips(len(log.asked)))


_SAID: Mapping[str, Callable[[Colluders, Table, Role], Said]] = {
    "agreed": lambda us, table, role: (Agreed(anchor=us.chain(table, role).anchor), {}),
    "deposited": lambda us, table, role: (
        Deposited(anchors={each: table.known.links[each].link for each in DRAWERS}),
        {},
    ),
    "link": _link,
    "report": _report,
    "look": _look,
    "labels": lambda us, table, role: (Labels(labels=us.flips(len(table.known.rounds[-1].waves[-1]))), {}),
    "claim": _claim,
    "privilege": lambda us, table, role: (_ruled(us, table.known.rounds[-1].privilege), {}),
    "rulings": lambda us, table, role: (Rulings(labels=us.flips(len(table.known.rounds[-1].disputed))), {}),
    "order": _order,
    "rekeyed": _rekeyed,
    "amended": lambda us, table, role: (Amended(accepted=us.random.random() < 0.8), {}),
}
