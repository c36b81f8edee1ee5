"""Orders of the court on silence and keys, and amendments by all (V26)."""

from verifier.checks import Check, Role
from verifier.record import keys
from verifier.record.chain import REPLACEABLE
from verifier.record.copy import Told
from verifier.record.hashing import fingerprint
from verifier.replay import contents
from verifier.replay.contents import Kind
from verifier.replay.orderdetail import OrderDetail
from verifier.replay.state import State
from verifier.replay.turns import Awaited, broken
from verifier.rules.terms import MOST_ROUNDS

_ALL = (Role.ALICE, Role.BOB, Role.COURT)


def default(state: State, content: contents.Default, told: Told) -> None:
    """Trent says that somebody does not answer what was served."""
    state.check_round(told, 0)
    absent, awaited = content.absent, state.turns.awaited.get(content.absent)
    if awaited is None:
        raise broken(
            told,
            Check.ORDERS,
            Role.TRENT,
            "Silent is only who must answer",
            " or ".join(sorted(state.turns.awaited)) or "nobody",
            absent,
        )
    if content.served not in state.turns.since(awaited):
        raise broken(
            told,
            Check.ORDERS,
            Role.TRENT,
            "Who is to be held silent was served with the question, or with an entry after it",
            f"entry {awaited.entry} or a later one",
            content.served.hex(),
        )
    state.turns.suspend(absent)
    state.silence = content
    state.tally.passed(Check.ORDERS)


def order(state: State, content: contents.Order, told: Told) -> None:
    """The court says how to go on without an answer, or that it is to be waited for."""
    asked, suspended = state.silence, state.turns.suspended
    if asked is None or suspended is None:
        raise RuntimeError("an order answers a default")
    _check_about(told, (content.absent, content.served.hex()), (asked.absent, asked.served.hex()))
    absent, awaited = suspended
    due = content.granted and awaited.kind is Kind.LINK
    if (content.link is not None) != due:
        raise broken(
            told,
            Check.ORDERS,
            Role.COURT,
            "An order gives a link where one was to be given and the court grants it, and nowhere else",
            "a link" if due else "no link",
            "no link" if due else "a link",
        )
    if due:
        state.take_link(told, absent, state.draws, content.link)
    state.turns.resume(waiting=not content.granted)
    if content.granted:
        state.defaults += 1
        _go_on_without(state, told, absent, awaited)
    state.tally.passed(Check.ORDERS)
    _keep(state, told, absent, _silence_in_words(absent, awaited, granted=content.granted), granted=content.granted)


def _go_on_without(state: State, told: Told, absent: Role, awaited: Awaited) -> None:
    """The matter goes on as if the party had answered; a link has been taken from the order, and no claim is none."""
    current = state.current
    if awaited.kind is Kind.AMENDED:
        _answered(state, told, absent, accepted=False)
    elif current is not None and awaited.kind is Kind.REPORT:
        current.reported = False
    elif current is not None and awaited.kind is Kind.LABELS:
        current.unread |= set(current.waves[-1])
        current.labelled_in.append(told.entry.body.sequence)


_WITHOUT = {
    Kind.LINK: "the court gave the link from the deposit",
    Kind.REPORT: "the whole batch was due to Bob, and no coin decided",
    Kind.LABELS: "Alice's labels stand for what Bob was shown",
    Kind.CLAIM: "nothing was claimed",
    Kind.AMENDED: "that counts as not accepted",
}


_WANTED = {
    Kind.LINK: "link",
    Kind.REPORT: "report",
    Kind.LABELS: "labels",
    Kind.CLAIM: "answer about late claims",
    Kind.AMENDED: "answer to an amendment",
}


def _silence_in_words(absent: Role, awaited: Awaited, *, granted: bool) -> str:
    where = f" in round {awaited.round}" if awaited.round else ""
    outcome = _WITHOUT[awaited.kind] if granted else "the court ordered to wait"
    return f"{absent.called} gave no {_WANTED[awaited.kind]}{where}: {outcome}."


def rekey(state: State, content: contents.Rekey, told: Told) -> None:
    """Trent asks the court for a new key of Alice's or Bob's."""
    state.check_round(told, 0)
    taken = state.keys_given_up.union(state.keys.values())
    if content.role not in REPLACEABLE or content.key in taken or not keys.is_acceptable(content.key):
        raise broken(
            told,
            Check.ORDERS,
            Role.TRENT,
            "A new key is for Alice or Bob, usable, and nobody's, now or before",
            "such a key for alice or bob",
            f"the key {content.key.hex()} for {content.role.called}",
        )
    state.new_key = content
    state.tally.passed(Check.ORDERS)


def rekeyed(state: State, content: contents.Rekeyed, told: Told) -> None:
    """The court grants it, or not."""
    asked = state.new_key
    if asked is None:
        raise RuntimeError("a new key was asked for")
    _check_about(told, (content.role, content.key.hex()), (asked.role, asked.key.hex()))
    if content.granted:
        state.keys_given_up |= {key for role, key in state.keys.items() if role is content.role}
        state.keys = state.keys | {content.role: content.key}
    state.tally.passed(Check.ORDERS)
    outcome = "granted" if content.granted else "denied"
    words = f"The court {outcome} {content.role.called} a new key, {fingerprint(content.key)}."
    _keep(state, told, content.role, words, granted=content.granted)


def amend(state: State, content: contents.Amend, told: Told) -> None:
    """Trent puts another number of rounds to all."""
    state.check_round(told, 0)
    least, most = state.rounds_begun, min(MOST_ROUNDS, state.opened.terms.draws // 2)
    if not least <= content.rounds <= most or content.rounds == state.rounds_agreed:
        raise broken(
            told,
            Check.ORDERS,
            Role.TRENT,
            "An amendment states another number of rounds, for which there are coins, and no fewer than have begun",
            f"{least} to {most}, other than {state.rounds_agreed}",
            content.rounds,
        )
    state.amendment, state.accepted = content.rounds, {}
    state.tally.passed(Check.ORDERS)


def amended(state: State, content: contents.Amended, told: Told) -> None:
    """One party's answer to it."""
    _answered(state, told, told.entry.said.author, accepted=content.accepted)
    state.tally.passed(Check.ORDERS)


def _answered(state: State, told: Told, role: Role, *, accepted: bool) -> None:
    """The amendment is in force once all have answered, if all accept."""
    state.accepted[role] = accepted
    if len(state.accepted) < len(_ALL):
        return
    agreed = all(state.accepted.values())
    before, after = state.rounds_agreed, state.amendment
    if agreed:
        state.rounds_agreed = after
    outcome = "and all accepted" if agreed else "and not all accepted"
    _keep(state, told, None, f"Instead of {before} rounds {after} were proposed, {outcome}.", granted=agreed)


def _check_about(told: Told, found: tuple[str, str], due: tuple[str, str]) -> None:
    if found != due:
        raise broken(
            told,
            Check.ORDERS,
            Role.COURT,
            "The court decides what it was asked about, and nothing else",
            " ".join(due),
            " ".join(found),
        )


def _keep(state: State, told: Told, role: Role | None, words: str, *, granted: bool) -> None:
    kind = Kind(told.entry.said.kind) if role is not None else Kind.AMENDED
    state.orders.append(OrderDetail(kind=kind, entry=told.entry.body.sequence, role=role, granted=granted, words=words))
