"""V26: is every order on silence, new key and amendment about what was asked, and by those who must sign it?"""

from typing import Any

from verifier.checks import Check, Role
from verifier.plural import count, were
from verifier.record import keys
from verifier.record.chain import REPLACEABLE
from verifier.record.hashing import fingerprint
from verifier.record.shapes import Malformed
from verifier.replay import coins, course
from verifier.replay.condition import Blamed, Broken, Candidate, condition
from verifier.replay.contents import Amend, Amended, Default, Order, Rekey, Rekeyed
from verifier.replay.forms import Kind
from verifier.replay.ordered import OrderDetail
from verifier.replay.state import State
from verifier.replay.turns import Awaited
from verifier.rules.terms import MOST_ROUNDS, share

_ALL = (Role.ALICE, Role.BOB, Role.COURT)
_DRAWING = (Kind.REPORT, Kind.LOOK)
"""Answers of Alice's that begin a draw."""


@condition(Check.ORDERS, Blamed.TRENT, "Nothing is ordered or amended before all have signed the opening")
def all_have_signed(entry: Candidate[Any]) -> Broken | None:
    """A `default`, `rekey` or `amend` comes after all have signed the opening."""
    turns = entry.state.turns
    if entry.said.author is not Role.TRENT or not entry.form.changes or turns.signed:
        return None
    return Broken(turns.expected(), f"Trent's {entry.kind}")


@condition(Check.ORDERS, Blamed.TRENT, "Only a party that must answer, or sign the end, can be silent")
def must_answer(entry: Candidate[Default]) -> Broken | None:
    """`absent` must answer. After the claims: `absent` is `alice` or `bob`, and no order lets the matter end without
    its signature yet.
    """
    state, absent = entry.state, entry.content.absent
    owing = set(REPLACEABLE) - state.excused.keys() if state.turns.over else state.turns.awaited.keys()
    return None if absent in owing else Broken(" or ".join(sorted(owing)) or "nobody", absent)


@condition(
    Check.ORDERS, Blamed.TRENT, "A party held to be silent was served with the question, or with an entry after it"
)
def was_served(entry: Candidate[Default]) -> Broken | None:
    """`served` is the hash of the entry that asks `absent`, or of a later entry. After the claims: it is that of the
    claims, or of a later entry.
    """
    turns, content = entry.state.turns, entry.content
    asked = turns.awaited[content.absent].entry if turns.ended is None else turns.ended
    if turns.may_be_served(content.served, asked):
        return None
    return Broken(f"entry {asked} or a later one", content.served.hex())


def take_default(entry: Candidate[Default]) -> None:
    """Trent says that a party has not answered what was served on it, or has not signed the end."""
    state = entry.state
    if not state.turns.over:
        state.turns.suspend(entry.content.absent)
    state.silence = entry.content
    state.tally.passed(Check.ORDERS)


def _silence(entry: Candidate[Order]) -> tuple[Default, Awaited | None]:
    """What the court was asked about, and what the absent party has not answered; None at the end."""
    asked, suspended = entry.state.silence, entry.state.turns.suspended
    if asked is None:
        raise RuntimeError("an order answers a default")
    return asked, suspended[1] if suspended is not None else None


_ABOUT = "The court decides what it was asked about, and nothing else"


def _about(found: tuple[str, str], due: tuple[str, str]) -> Broken | None:
    return None if found == due else Broken(" ".join(due), " ".join(found))


@condition(Check.ORDERS, Blamed.COURT, _ABOUT)
def about_the_silence(entry: Candidate[Order]) -> Broken | None:
    """`absent` and `served` are those of the `default`."""
    content, (asked, _) = entry.content, _silence(entry)
    return _about((content.absent, content.served.hex()), (asked.absent, asked.served.hex()))


@condition(
    Check.ORDERS,
    Blamed.COURT,
    "An order gives a link if a link was asked for and the court grants the order, and only then",
)
def link_where_due(entry: Candidate[Order]) -> Broken | None:
    """There is a link if a link was asked for and the order is granted, and otherwise none."""
    content, (_, awaited) = entry.content, _silence(entry)
    due = content.granted and awaited is not None and awaited.kind is Kind.LINK
    if (content.link is not None) == due:
        return None
    return Broken("a link" if due else "no link", "no link" if due else "a link")


def take_order(entry: Candidate[Order]) -> None:
    """The court orders the matter to go on without an answer, or to end without a signature; or to wait for it."""
    state, granted, absent = entry.state, entry.content.granted, entry.content.absent
    _, awaited = _silence(entry)
    state.tally.passed(Check.ORDERS)
    if awaited is None:
        if granted:
            state.excused[absent] = entry.sequence
        _keep(entry, absent, _end_in_words(absent, granted=granted), granted=granted)
        return
    coins.spend(entry)
    state.turns.resume(waiting=not granted)
    if granted:
        state.defaults += 1
        _go_on_without(entry, absent, awaited)
    _keep(entry, absent, _silence_in_words(absent, awaited, granted=granted), granted=granted)


def _go_on_without(entry: Candidate[Order], absent: Role, awaited: Awaited) -> None:
    """The matter goes on as if the party had answered. A link was taken from the order, and claims count as none."""
    current = entry.state.current
    if awaited.kind is Kind.AMENDED:
        _answered(entry, absent, accepted=False)
    elif current is not None and awaited.kind in _DRAWING:
        current.reported = False
        coins.leave_out_draw(entry)
    elif current is not None and awaited.kind is Kind.LABELS:
        current.unread |= set(current.waves[-1]) - current.court.keys()
        current.labelled_in.append(entry.sequence)


_WITHOUT = {
    Kind.LINK: "the court gave the link from the deposit",
    Kind.REPORT: "all that she was to label was due to Bob, and no coin decided",
    Kind.LOOK: "nothing was given up",
    Kind.LABELS: "Alice's labels stand for what Bob was shown",
    Kind.CLAIM: "nothing was claimed",
    Kind.RECLAIM: "nothing was asked back",
    Kind.AMENDED: "that counts as not accepted",
}


_WANTED = {
    Kind.LINK: "link",
    Kind.REPORT: "report",
    Kind.LOOK: "second look",
    Kind.LABELS: "labels",
    Kind.CLAIM: "answer about late claims",
    Kind.RECLAIM: "answer about what to claw back",
    Kind.AMENDED: "answer to an amendment",
}


def _silence_in_words(absent: Role, awaited: Awaited, *, granted: bool) -> str:
    where = f" in round {awaited.round}" if awaited.round else ""
    outcome = _WITHOUT[awaited.kind] if granted else "the court ordered the matter to wait"
    return f"{absent.called} gave no {_WANTED[awaited.kind]}{where}: {outcome}."


def _end_in_words(absent: Role, *, granted: bool) -> str:
    who = absent.called
    outcome = f"by the court's order the matter ends without {who}'s signature"
    return f"{who} did not sign the end: {outcome if granted else 'the court ordered the matter to wait'}."


@condition(
    Check.ORDERS, Blamed.TRENT, "A new key is for Alice or Bob, is usable, and has never belonged to any of the four"
)
def key_is_new(entry: Candidate[Rekey]) -> Broken | None:
    """`role` is `alice` or `bob`. The key is acceptable, and none of the four has it or had it."""
    content, state = entry.content, entry.state
    taken = state.keys_given_up.union(state.keys.values())
    if content.role in REPLACEABLE and content.key not in taken and keys.is_acceptable(content.key):
        return None
    return Broken("such a key for alice or bob", f"the key {content.key.hex()} for {content.role.called}")


@condition(
    Check.ORDERS,
    Blamed.TRENT,
    "Alice's key is replaced while she owes a report or a look only if the draw that is then skipped is free",
)
def draws_suffice(entry: Candidate[Rekey]) -> Broken | None:
    """If Alice owes a report or a look and the key is hers: a draw is free."""
    if entry.content.role is not Role.ALICE or not _owes_draw(entry.state):
        return None
    free = course.free_draws(entry.state)
    return None if free > 0 else Broken("a free draw", count(free, "free draw"))


def _owes_draw(state: State) -> bool:
    return any(state.turns.owes(Role.ALICE, kind) for kind in _DRAWING)


def take_rekey(entry: Candidate[Rekey]) -> None:
    """Trent asks the court to grant Alice or Bob a new key."""
    entry.state.new_key = entry.content
    entry.state.tally.passed(Check.ORDERS)


@condition(Check.ORDERS, Blamed.COURT, _ABOUT)
def about_the_key(entry: Candidate[Rekeyed]) -> Broken | None:
    """`role` and `key` are those of the `rekey`."""
    content, asked = entry.content, entry.state.new_key
    if asked is None:
        raise RuntimeError("a new key was asked for")
    return _about((content.role, content.key.hex()), (asked.role, asked.key.hex()))


def take_rekeyed(entry: Candidate[Rekeyed]) -> None:
    """The court grants it, or not."""
    state, content = entry.state, entry.content
    state.tally.passed(Check.ORDERS)
    outcome = "granted" if content.granted else "denied"
    words = f"The court {outcome} {content.role.called} a new key, {fingerprint(content.key)}."
    if content.granted:
        words += _replace_key(entry)
    _keep(entry, content.role, words, granted=content.granted)


def _replace_key(entry: Candidate[Rekeyed]) -> str:
    """The key is in force: what its owner was asked is void, and a report that Alice owes costs a draw. In words."""
    state, role = entry.state, entry.content.role
    skips = role is Role.ALICE and _owes_draw(state)
    state.keys_given_up |= {key for owner, key in state.keys.items() if owner is role}
    state.keys = state.keys | {role: entry.content.key}
    state.rekeyed_in[role] = entry.sequence
    void = state.turns.make_void(role)
    words = "" if void is None else f" What entry {void.entry} had asked {role.called} became void."
    if not skips:
        return words
    owed = "a second look" if state.turns.owes(role, Kind.LOOK) else "a report"
    return f"{words} She owed {owed}, so draw {coins.skip_draw(entry)} was skipped."


@condition(
    Check.ORDERS, Blamed.TRENT, "An amendment states a limit if the rule has one, from 0 to 1, and otherwise none"
)
def states_limit(entry: Candidate[Amend]) -> Broken | None:
    """`limit` is a decimal from 0 to 1 under `spot-check`, and null under another rule."""
    found, has_limit = entry.content.limit, entry.state.limit is not None
    if found is None or not has_limit:
        return None if found is None and not has_limit else Broken("a limit" if has_limit else "no limit", found)
    try:
        share("limit", found)
    except Malformed as error:
        return Broken("a limit", error)
    return None


@condition(
    Check.ORDERS,
    Blamed.TRENT,
    "An amendment changes the limit or the number of rounds: at least the batches that have begun, and at most what "
    "the coins allow",
)
def another_number(entry: Candidate[Amend]) -> Broken | None:
    """`rounds` is at most 2^12, at least the batch rounds that have begun, and no draw is owed that is not left (where
    it is known what a draw under way is for). `rounds` is not T, or `limit` is another text than the one in force.
    """
    state, content = entry.state, entry.content
    if not state.rounds_known:
        return None
    least, rounds = course.batches_begun(state), content.rounds
    changes = rounds != state.rounds_agreed or content.limit != state.limit
    suffice = rounds <= MOST_ROUNDS and (_purpose_unknown(state) or course.free_draws(state, rounds) >= 0)
    if least <= rounds and suffice and changes:
        return None
    free = state.opened.terms.draws - state.draws
    return Broken(
        f"a change, to at least {count(least, 'round')}, with {count(free, 'draw')} left", count(rounds, "round")
    )


def _purpose_unknown(state: State) -> bool:
    """Whether a draw is under way of which the copy does not show what begins with it."""
    return state.current is None and state.drawing is not None and state.drawing.begins is None


def take_amend(entry: Candidate[Amend]) -> None:
    """Trent proposes another number of rounds, or another limit, to all."""
    entry.state.amendment, entry.state.accepted = entry.content, {}
    entry.state.tally.passed(Check.ORDERS)


def take_amended(entry: Candidate[Amended]) -> None:
    """One party's answer to it."""
    _answered(entry, entry.said.author, accepted=entry.content.accepted)
    entry.state.tally.passed(Check.ORDERS)


def _answered(entry: Candidate[Any], role: Role, *, accepted: bool) -> None:
    """The amendment is in force once all have answered, if all accept; one of the limit alone, if the court does."""
    state, proposed = entry.state, entry.state.amendment
    if proposed is None:
        raise RuntimeError("an amendment was proposed")
    state.accepted[role] = accepted
    if len(state.accepted) < len(_ALL):
        return
    by_court = proposed.rounds == state.rounds_agreed
    agreed = state.accepted[Role.COURT] if by_court else all(state.accepted.values())
    words = _amendment_in_words(state, proposed, agreed=agreed, by_court=by_court)
    if agreed and state.rounds_known:
        state.limit_used_up = state.limit_used_up and proposed.limit == state.limit
        state.rounds_agreed, state.limit = proposed.rounds, proposed.limit
    _keep(entry, None, words, granted=agreed)


def _amendment_in_words(state: State, proposed: Amend, *, agreed: bool, by_court: bool) -> str:
    changes = []
    if proposed.rounds != state.rounds_agreed:
        changes.append(
            f"{count(proposed.rounds, 'round')} {were(proposed.rounds)} proposed instead of {state.rounds_agreed}"
        )
    if proposed.limit != state.limit:
        changes.append(f"a limit of {proposed.limit} was proposed instead of {state.limit}")
    if by_court:
        outcome = "and the court accepted" if agreed else "and the court did not accept"
    else:
        outcome = "and all accepted" if agreed else "and not all accepted"
    said = f"{' and '.join(changes)}, {outcome}."
    return said[:1].upper() + said[1:]


def _keep(entry: Candidate[Any], role: Role | None, words: str, *, granted: bool) -> None:
    kind = Kind(entry.said.kind) if role is not None else Kind.AMENDED
    entry.state.orders.add(OrderDetail(kind=kind, entry=entry.sequence, role=role, granted=granted, words=words))
