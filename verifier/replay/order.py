"""V05: did everyone answer when asked, and what was asked, in the order of a matter?

The conditions that every entry must meet before its content is checked, and those on the round that it belongs to.
"""

from typing import Any

from verifier.checks import Audience, Check, Role
from verifier.record.entries import OPEN, Statement
from verifier.record.shapes import Malformed
from verifier.replay.condition import Blamed, Broken, Candidate, condition
from verifier.replay.forms import Form, Kind

Entry = Candidate[Any]


_AT_THE_END = (Kind.DEFAULT, Kind.ORDER)


def _has_place(entry: Entry) -> bool:
    is_first, over = entry.sequence == 0, entry.state.turns.over
    return entry.kind is not None and (not over or entry.kind in _AT_THE_END) and (entry.kind == OPEN) == is_first


def _expected(entry: Entry) -> str:
    author, turns = entry.said.author, entry.state.turns
    awaited = turns.awaited.get(author)
    if awaited is not None:
        return f"{author.called}'s {awaited.kind!r}"
    return "nothing after the claims but a default and its order" if turns.over else "another kind of entry"


@condition(
    Check.ORDER, Blamed.AUTHOR, "A party that must answer signs an entry of a known kind, and at the end only an order"
)
def known_kind(entry: Entry) -> Broken | None:
    """If the author is a party that must answer: the kind is known; and no claims came before, or it is a `default` or
    an `order`.
    """
    if _has_place(entry) or entry.said.author not in entry.state.turns.awaited:
        return None
    return Broken(_expected(entry), repr(entry.said.kind))


@condition(Check.ORDER, Blamed.TRENT, "Every entry is of a known kind, and has its place in the order of a matter")
def has_place(entry: Entry) -> Broken | None:
    """The kind is known; and no claims came before, or it is a `default` or an `order`."""
    return None if _has_place(entry) else Broken(_expected(entry), repr(entry.said.kind))


@condition(Check.ORDER, Blamed.TRENT, "Trent logs an answer only to the question that is open")
def answers_open_question(entry: Entry) -> Broken | None:
    """A party answers the question that it must answer now."""
    said = entry.said
    if said.author is Role.TRENT:
        return None
    awaited = entry.state.turns.awaited.get(said.author)
    if awaited is not None and (awaited.question, awaited.round) == (said.answers, said.round):
        return None
    return Broken(_expected(entry), f"{said.author.called}'s {said.kind}")


@condition(Check.ORDER, Blamed.AUTHOR, "A party says what it was asked for")
def says_what_was_asked(entry: Entry) -> Broken | None:
    """A party's statement is of the kind that it was asked for."""
    author = entry.said.author
    awaited = entry.state.turns.awaited.get(author)
    if author is Role.TRENT or awaited is None or awaited.kind == entry.kind:
        return None
    return Broken(f"{author.called}'s {awaited.kind}", f"{author.called}'s {entry.kind}")


@condition(Check.ORDER, Blamed.TRENT, "Trent does not go on while somebody must answer, or must be asked again")
def waits(entry: Entry) -> Broken | None:
    """Trent goes on only if nobody must answer and no question is void; at a `default`, a `rekey` and an `again`, if
    the court need not answer; and at a `conflict` at any time.
    """
    turns = entry.state.turns
    if entry.said.author is not Role.TRENT:
        return None
    owing = turns.awaited.keys() | turns.void.keys()
    return None if owing.isdisjoint(entry.form.waits_for) else Broken(turns.expected(), f"Trent's {entry.kind}")


@condition(Check.ORDER, Blamed.AUTHOR, "Each kind of entry has its author")
def by_its_author(entry: Entry) -> Broken | None:
    """The author is one of those that its kind may have."""
    authors, author = entry.form.authors, entry.said.author
    return None if author in authors else Broken(" or ".join(role.called for role in authors), author.called)


@condition(Check.ORDER, Blamed.TRENT, "An entry asks those who must answer it")
def asks(entry: Entry) -> Broken | None:
    """`asks` names those whom its kind asks; an `again` asks one party whose question is void, and a `reclaim` whose
    `documents` are the empty array asks nobody.
    """
    due, found = tuple(sorted(entry.form.asked(entry.said.content))), entry.body.asks
    if entry.form.repeats:
        void = tuple(sorted(entry.state.turns.void))
        fits = len(found) == 1 and found[0] in void
        return None if fits else Broken(_named(void, "or") if void else "no question again", _named(found, "and"))
    return None if found == due else Broken(_named(due, "and"), _named(found, "and"))


def _named(roles: tuple[Role, ...], word: str) -> str:
    return f" {word} ".join(role.called for role in roles) or "nobody"


@condition(Check.ORDER, Blamed.TRENT, "Only a camera, a disclosure, a close, a validation and a call release values")
def releases(entry: Entry) -> Broken | None:
    """Only a `camera`, a `disclosure`, a `closed`, a `validation` and a `call` release anything."""
    return Broken("none", "a release") if entry.body.releases and not entry.form.releases else None


@condition(Check.ORDER, Blamed.AUTHOR, "A statement seals the fields of its kind, for the audiences of its kind")
def seals(entry: Entry) -> Broken | None:
    """The statement seals the fields of its kind, for the audiences of its kind. (For whom a `conflict` seals,
    its own conditions say.)
    """
    found, due = entry.said.sealed, due_seals(entry.form, entry.said)
    fits = found.keys() == due.keys() if entry.form.narrows else audiences(entry.said) == due
    return None if fits else Broken(sealed_in_words(due), sealed_in_words(audiences(entry.said)))


def audiences(said: Statement) -> dict[str, tuple[Audience, ...]]:
    """The fields that a statement seals, with their audiences."""
    return {name: each.audiences for name, each in said.sealed.items()}


def due_seals(form: Form, said: Statement) -> dict[str, tuple[Audience, ...]]:
    """What a statement of this form seals, and for whom; an optional field only if it is there."""
    return {name: due for name, due in form.sealed.items() if name in said.sealed or name not in form.optional}


def sealed_in_words(sealed: dict[str, tuple[Audience, ...]]) -> str:
    """Sealed fields with their audiences, for a person to read."""
    return ", ".join(f"{name} for {' and '.join(sealed[name])}" for name in sorted(sealed)) or "nothing"


@condition(Check.ORDER, Blamed.AUTHOR, "A statement's content has the shape of its kind")
def has_shape(entry: Entry) -> Broken | None:
    """`content` has the fields of its kind, each of its type."""
    try:
        _ = entry.content
    except Malformed as error:
        return Broken(f"the content of {entry.said.kind!r}", error)
    return None


def of_round(entry: Entry, due: int) -> Broken | None:
    """Whether an entry has the round that it belongs to."""
    return None if entry.said.round == due else Broken(f"round {due}", f"round {entry.said.round}")


@condition(Check.ORDER, Blamed.TRENT, "An entry that belongs to no round has the round 0")
def of_no_round(entry: Entry) -> Broken | None:
    """`round` is 0."""
    return of_round(entry, 0)


@condition(Check.ORDER, Blamed.TRENT, "A round begins when the one before it is closed")
def round_may_begin(entry: Entry) -> Broken | None:
    """No round is open."""
    if entry.state.current is None:
        return None
    return Broken("no further round here", f"round {entry.said.round}")


@condition(Check.ORDER, Blamed.TRENT, "A round that begins without a draw does not come while one is under way")
def no_draw_under_way(entry: Entry) -> Broken | None:
    """No draw is under way."""
    return None if entry.state.drawing is None else Broken("what the draw chooses", f"Trent's {entry.kind}")


@condition(Check.ORDER, Blamed.TRENT, "A draw comes between rounds, or in an escalation without a look")
def draw_may_begin(entry: Entry) -> Broken | None:
    """No round is open, or it is an escalation whose look was ordered away and that has no draw yet."""
    current = entry.state.current
    if current is None or (current.asks is Kind.LOOK and not current.closes_with_coins):
        return None
    return Broken("no draw here", f"Trent's {entry.kind}")


@condition(Check.ORDER, Blamed.TRENT, "A draw belongs to the open round, or begins the next one")
def of_its_round(entry: Entry) -> Broken | None:
    """`round` is that of the open escalation; if no round is open, it is the next one."""
    current = entry.state.current
    return of_round(entry, entry.state.next_round if current is None else current.number)


@condition(Check.ORDER, Blamed.TRENT, "Rounds are counted from 1: a new one has the next number")
def of_next_round(entry: Entry) -> Broken | None:
    """`round` is the next one."""
    return of_round(entry, entry.state.next_round)


@condition(Check.ORDER, Blamed.TRENT, "It belongs to an open round, whose coins are fixed if it has a draw")
def round_has_coins(entry: Entry) -> Broken | None:
    """A round is open, and the coins of its draw are fixed, or it has none."""
    state = entry.state
    fixed = state.drawing is not None and Role.BOB in state.drawing.links
    if state.current is None or (state.current.closes_with_coins and not fixed):
        return Broken("an open round", "none")
    return None


@condition(Check.ORDER, Blamed.TRENT, "It has the number of the round that is open")
def of_open_round(entry: Entry) -> Broken | None:
    """`round` is the open one."""
    return of_round(entry, entry.current.number)
