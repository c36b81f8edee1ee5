"""What Trent and his helpers add although nobody needs it, or although they must not; and how they spoil an entry."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import msgspec

from ledger import entries, records
from ledger.canonical import Value
from ledger.entries import Addition, Release, SignedStatement, Statement
from ledger.hashing import Digest
from ledger.openings import hash_openings
from ledger.records import Record
from ledger.roles import Audience, Role
from protocol.matter import fold, kinds, validating
from protocol.matter.kind import Entry
from protocol.matter.kinds import KINDS, conflict
from protocol.matter.kinds.again import Again
from protocol.matter.kinds.amend import Amend
from protocol.matter.kinds.conflict import Conflict
from protocol.matter.kinds.default import Default
from protocol.matter.kinds.dispute import Dispute
from protocol.matter.kinds.draw import Draw
from protocol.matter.kinds.escalation import Escalated
from protocol.matter.kinds.late import Late
from protocol.matter.kinds.order import Order
from protocol.matter.kinds.rekey import Rekey
from protocol.matter.kinds.rekeyed import Rekeyed
from protocol.matter.rounds import Round, Step
from protocol.matter.validating import Drawn
from protocol.matter.values import Link
from tests.support.forging.colluders import ODD, PARTIES, Colluders, Stuck, Table
from tests.support.forging.forger import disturb
from tests.support.forging.histories import Node


def event(us: Colluders, table: Table) -> Addition:
    """Anything that Trent may think of."""
    return us.random.choice(_EVENTS)(us, table)


def plausible(us: Colluders, table: Table) -> Addition:
    """Something that Trent need not add, in which those who cannot open everything see nothing wrong."""
    for _ in range(8):
        try:
            addition = event(us, table)
            fold.check(table.known, replace(Entry.added(addition, table.known.size), openings=None))
        except (Stuck, *ODD):
            continue
        return addition
    raise Stuck("nothing comes to mind")


def _says(us: Colluders, table: Table, kind: str, content: Record, number: int = 0) -> Addition:
    return us.trent(table).says(table.known, KINDS[kind], content, number)


def _default(us: Colluders, table: Table) -> Addition:
    state = table.known
    absent = us.random.choice(PARTIES if state.concluded or not state.awaits else sorted(state.awaits))
    served = table.head if us.random.random() < 0.8 else us.random.choice(table.head.path)
    return _says(us, table, "default", Default(absent=absent, served=served.hash))


def _rekey(us: Colluders, table: Table) -> Addition:
    return rekey(us, table, us.random.choice((Role.ALICE, Role.BOB)))


def rekey(us: Colluders, table: Table, role: Role) -> Addition:
    """A new key: the honest party's own new one, or one that a colluder holds."""
    return _says(us, table, "rekey", Rekey(key=us.new_key(role), role=role))


def _late(us: Colluders, table: Table) -> Addition:
    return _says(us, table, "late", Late(), max(1, len(table.known.rounds)))


def _amend(us: Colluders, table: Table) -> Addition:
    limit = us.random.choice(("0", "0.5", "1")) if table.known.terms.limit_in_force is not None else None
    return _says(us, table, "amend", Amend(limit=limit, rounds=us.random.randint(1, 6)))


def _again(us: Colluders, table: Table) -> Addition:
    """A question is asked again, whether it is void or not."""
    role = us.random.choice(PARTIES)
    asked = us.random.choice([node for node in table.head.path if role in node.body.asks][-3:])
    return KINDS["again"].by_trent(
        table.known.number, Again(question=asked.hash), asked.body.statement.round, repeats=role
    )


def accusation(us: Colluders, table: Table) -> Addition:
    """Evidence of a second answer: what the honest party has signed, or what a colluder signs for it."""
    answered = [node for node in table.head.path if node.body.signature is not None]
    on_record = {node.body.statement.answers: node for node in answered if node.body.statement.author is us.honest}
    signed = [each.signed for each in us.signed]
    second = [(on_record[each.statement.answers], each) for each in signed if each.statement.answers in on_record]
    others = [(node, each) for node, each in second if node.body.statement != each.statement]
    if second and us.random.random() < 0.8:
        node, evidence = us.random.choice(others or second)
    elif signed and us.random.random() < 0.5:
        node, evidence = us.random.choice(answered), us.random.choice(signed)
    else:
        node = us.random.choice(answered)
        evidence = _second(us, table, node)
    audiences, values = conflict.audiences(node.body.statement), [records.to_value(evidence)]
    sealed, openings = us.seal(table).close("seen", {"evidence": (audiences, values)})
    content = Conflict(answer=node.body.sequence)
    return KINDS["conflict"].by_trent(
        table.known.number, content, node.body.statement.round, sealed=sealed, openings=openings
    )


def _second(us: Colluders, table: Table, node: Node) -> SignedStatement:
    said = node.body.statement
    key = us.pen.keys.get(table.head.keys[said.author])
    if said.author is us.honest or key is None:
        raise Stuck("only the honest party could sign this")
    return entries.sign_statement(key, msgspec.structs.replace(said, replaces=(Digest(bytes(32)),)))


def _show(us: Colluders, table: Table) -> Addition:
    """A wave for Bob, or a camera for the court, of any positions."""
    current = _current(table)
    step = Step(positions=us.some(range(1, current.size + 1)), in_camera=us.random.random() < 0.4)
    return us.trent(table)._show(table.known, current, step)


def _dispute(us: Colluders, table: Table) -> Addition:
    current = _current(table)
    among = current.waves[-1] if current.waves and us.random.random() < 0.8 else range(1, current.size + 1)
    return _says(us, table, "dispute", Dispute(positions=us.some(among)), current.number)


def _current(table: Table) -> Round:
    if table.known.current is None:
        raise Stuck("no round is open")
    return table.known.current


def _draw(us: Colluders, table: Table) -> Addition:
    state = table.known
    number = len(state.rounds) + (state.current is None or us.random.random() < 0.5)
    return _says(us, table, "draw", Draw(draw=state.draws + 1), number)


def _escalation(us: Colluders, table: Table) -> Addition:
    """An escalation, whether it is due or not, of as many documents as are withheld, or of others."""
    state = table.known
    size = len(state.books.exposures) if us.random.random() < 0.8 else us.random.randint(1, 9)
    return _says(us, table, "escalation", Escalated(size=max(1, size)), len(state.rounds) + 1)


def _validation(us: Colluders, table: Table) -> Addition:
    """A validation or a call of any documents, whether a draw for it is under way or not."""
    state, trent = table.known, us.trent(table)
    numbers = us.some(range(us.corpus.size))
    put_up = {each.places[place - 1].document for each in state.rounds for place in each.fresh}
    in_one = state.stages < 2
    content = Drawn(
        drawn=Link(draw=max(1, state.draws), link=trent.chain.link(max(1, state.draws))),
        number=len(validating.held(state)) + 1,
        numbers=numbers,
        reviewed=tuple(at for at, each in enumerate(numbers, start=1) if each in put_up and in_one),
    )
    fields = {"documents": [trent._place(each) for each in numbers]}
    kind = KINDS["validation" if in_one else "call"]
    return trent.says(state, kind, content, len(state.rounds) + 1, fields=fields, releases=validating.to_bob(state))


def _batch(us: Colluders, table: Table) -> Addition:
    """Another batch, whether the round before it is closed or not."""
    state, trent = table.known, us.trent(table)
    reviewed, labels = state.labelled()
    chosen = trent.cal.by_model(reviewed, labels, us.random.randint(1, 9), None)
    return trent._batch(state, len(state.rounds) + 1, chosen, drawn=None)


def _ordered(us: Colluders, table: Table) -> Addition:
    """The court speaks though it was not asked, if it is not the honest party."""
    if us.honest is Role.COURT:
        raise Stuck("the court is honest")
    asked = us.random.choice([node for node in table.head.path if Role.COURT in node.body.asks])
    role = us.random.choice((Role.ALICE, Role.BOB))
    content: Record = Order(absent=role, granted=True, link=None, served=table.head.hash)
    if us.random.random() < 0.5:
        content = Rekeyed(granted=True, key=us.new_key(role), role=role)
    statement = Statement(
        answers=asked.hash,
        author=Role.COURT,
        content=records.to_value(content),
        kind="order" if isinstance(content, Order) else "rekeyed",
        matter=table.known.number,
        replaces=(),
        round=asked.body.statement.round,
        sealed={},
    )
    return Addition(statement=statement)


def _repeated(us: Colluders, table: Table) -> Addition:
    """An earlier entry once more; a party's answer with its signature."""
    return added(us.random.choice(table.head.path[1:]))


def added(node: Node) -> Addition:
    """What stands in an entry, to be added elsewhere."""
    body = node.body
    return Addition(
        statement=body.statement,
        signature=body.signature,
        openings=node.openings,
        asks=body.asks,
        releases=body.releases,
    )


def _logged(us: Colluders, table: Table) -> Addition:
    """Something that the honest party has signed, wherever it belongs."""
    if not us.signed:
        raise Stuck("it has signed nothing")
    asked = {node.hash for node in table.head.path if us.honest in node.body.asks}
    here = [each for each in us.signed if each.signed.statement.answers in asked]
    return kinds.by_party(us.random.choice(here or us.signed))


_EVENTS: Sequence[Callable[[Colluders, Table], Addition]] = (
    *(_default, _rekey, _late, accusation, _show) * 2,
    *(_amend, _again, _dispute, _draw, _batch, _escalation, _validation, _ordered, _repeated, _logged),
)


def spoiled(us: Colluders, table: Table, addition: Addition) -> Addition:
    """The addition with something wrong in it, signed again by whoever signs it."""
    said = addition.statement
    if said.author is us.honest:
        return addition
    match us.random.randrange(8):
        case 0 | 1 | 2:
            content = deepcopy(said.content)
            disturb(content, us.random)
            return _saying(addition, content=content)
        case 3:
            return _saying(addition, round=max(0, said.round + us.random.choice((1, -1))))
        case 4:
            return replace(addition, asks=tuple(sorted({*addition.asks} ^ {us.random.choice(PARTIES)})))
        case 5:
            return replace(addition, releases=_releases(us, table, addition))
        case 6:
            return _resealed(us, table, addition)
        case _:
            kind = us.random.choice([name for name, each in KINDS.items() if said.author in each.authors])
            return _saying(addition, kind=kind)


def _saying(addition: Addition, **fields: Any) -> Addition:
    return replace(addition, statement=msgspec.structs.replace(addition.statement, **fields), signature=None)


def _releases(us: Colluders, table: Table, addition: Addition) -> tuple[Release, ...]:
    node = us.random.choice([node for node in table.head.path if node.body.statement.sealed])
    more = Release(
        audience=Audience(us.random.choice(PARTIES)),
        entry=node.body.sequence,
        field=us.random.choice(sorted(node.body.statement.sealed)),
        indices=None if us.random.random() < 0.5 else (0,),
    )
    kept = () if us.random.random() < 0.5 else addition.releases
    return tuple(sorted((*kept, more), key=lambda each: (each.audience, each.entry, each.field)))


def _resealed(us: Colluders, table: Table, addition: Addition) -> Addition:
    """Other sealed values, or fewer, or not for the honest party; the commitments fit."""
    said = addition.statement
    if not said.sealed:
        raise Stuck("it seals nothing")
    fields: dict[str, tuple[Sequence[Audience], list[Value]]] = {
        name: (sealed.audiences, [each.value for each in addition.openings if each.field == name])
        for name, sealed in said.sealed.items()
    }
    name = us.random.choice(sorted(fields))
    audiences, values = fields[name]
    disturb(values, us.random)
    if us.random.random() < 0.2:
        fields[name] = [each for each in audiences if each is not Audience(us.honest)], values
    sealed, openings = us.seal(table).close("spoiled", fields)
    changed = replace(_saying(addition, sealed=sealed), openings=openings)
    if "openings" not in said.content:
        return changed
    return _saying(changed, content=said.content | {"openings": hash_openings(openings).hex()})
