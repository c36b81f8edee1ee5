"""V31: did outsiders see the record before each round, as the terms ask?"""

from typing import Any

from verifier.checks import Check
from verifier.record import logs
from verifier.record.logs import BadProof
from verifier.record.notes import TreeHead
from verifier.replay.condition import Blamed, Broken, Candidate, condition
from verifier.replay.contents import Logged, Stamped


@condition(
    Check.WITNESSES,
    Blamed.TRENT,
    "Before each round and before the claims there is a time stamp on record, where the terms ask for one",
)
def stamped_before(entry: Candidate[Any]) -> Broken | None:
    """If `witnesses.authorities` of the terms is not empty: since the last `closed`, or since the opening if there is
    none, there is a `stamped`.
    """
    asked = entry.state.opened.terms.witnesses
    if asked is None or not asked.authorities or entry.state.stamped or entry.state.current is not None:
        return None
    return Broken("a `stamped` since the round before", f"Trent's {entry.kind}")


@condition(
    Check.WITNESSES,
    Blamed.TRENT,
    "Before each round and before the claims there is a proof of the log on record, where the terms ask for one",
)
def logged_before(entry: Candidate[Any]) -> Broken | None:
    """If `witnesses.log` of the terms is not null: since the last `closed`, or since the opening if there is none,
    there is a `logged`.
    """
    asked = entry.state.opened.terms.witnesses
    if asked is None or asked.log is None or entry.state.logged or entry.state.current is not None:
        return None
    return Broken("a `logged` since the round before", f"Trent's {entry.kind}")


@condition(Check.ORDER, Blamed.TRENT, "What outsiders have seen goes on record between rounds")
def between_rounds(entry: Candidate[Any]) -> Broken | None:
    """No round is open, and no draw is under way."""
    if entry.state.current is None and entry.state.drawing is None:
        return None
    return Broken("an entry of the open round", f"Trent's {entry.kind}")


@condition(Check.WITNESSES, Blamed.TRENT, "What an outsider has seen is the record up to the entry about it")
def root_of_the_entries_before(entry: Candidate[Stamped | Logged]) -> Broken | None:
    """`root` is the root over the hashes of all entries before this one."""
    due = _before(entry).root
    return None if entry.content.root == due else Broken(due.hex(), entry.content.root.hex())


@condition(Check.WITNESSES, Blamed.TRENT, "Only a log that the terms name goes on record")
def log_is_named(entry: Candidate[Logged]) -> Broken | None:
    """`witnesses.log` of the terms is not null."""
    asked = entry.state.opened.terms.witnesses
    return None if asked is not None and asked.log is not None else Broken("no `logged`", "a `logged`")


@condition(Check.WITNESSES, Blamed.TRENT, "A proof shows that the log of the terms has the record up to it")
def proof_holds(entry: Candidate[Logged]) -> Broken | None:
    """`proof` is a proof (see [the operator's log](#the-operators-log)) that the log in the terms has the leaf of all
    entries before this one.
    """
    asked = entry.state.opened.terms.witnesses
    if asked is None or asked.log is None:
        raise RuntimeError("that the terms name a log is looked at first")
    try:
        logs.check(logs.parse(entry.content.proof), logs.leaf(_before(entry)), logs.read_vkey(asked.log))
    except BadProof as error:
        return Broken("a proof that holds", error)
    return None


def _before(entry: Candidate[Any]) -> TreeHead:
    told = entry.told
    if told.root_before is None:
        raise RuntimeError("the root before an entry about outsiders is always told")
    return TreeHead(matter=entry.body.matter, size=entry.sequence, root=told.root_before, head=entry.body.previous)


def take_stamped(entry: Candidate[Stamped]) -> None:
    """Outsiders have dated the record."""
    state = entry.state
    state.stamped = True
    state.stamps += 1
    state.tally.passed(Check.WITNESSES)
    if state.outside is not None:
        asked = state.opened.terms.witnesses
        named = () if asked is None else asked.authorities
        state.outside.stamped(entry.sequence, _before(entry), entry.told.token, named)


def take_logged(entry: Candidate[Logged]) -> None:
    """The operator's log has the record."""
    state = entry.state
    state.logged = True
    state.proofs += 1
    state.tally.passed(Check.WITNESSES)
    if state.outside is not None:
        state.outside.logged(entry.sequence, entry.content.proof)
