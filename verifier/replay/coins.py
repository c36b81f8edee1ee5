"""V08: is every coin the one that the parties' chains give?"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from verifier.checks import Check, Role
from verifier.replay import course
from verifier.replay.condition import Blamed, Broken, Candidate, condition
from verifier.replay.contents import Closed, Deposited, Draw, Link
from verifier.replay.forms import Kind
from verifier.replay.rounds import Sort
from verifier.replay.state import Drawing, LastLink
from verifier.rules import coins


class Spent(NamedTuple):
    """A link that an entry spends: whose it is, for which draw it is, and which draw is due."""

    role: Role
    draw: int | None
    link: bytes | None
    due: int


def spent(entry: Candidate[Any]) -> Spent | None:
    """The link that an entry spends, if it spends one. A report and a look begin their own draw."""
    content, author, under_way = entry.content, entry.said.author, entry.state.draws
    match entry.kind:
        case Kind.LINK:
            return Spent(author, content.draw, content.link, under_way)
        case Kind.REPORT | Kind.LOOK:
            return Spent(author, content.draw, content.link, under_way + 1)
        case Kind.BATCH | Kind.VALIDATION | Kind.CALL if content.drawn is not None:
            return Spent(Role.TRENT, content.drawn.draw, content.drawn.link, under_way)
        case Kind.CLOSED if entry.current.closes_with_coins:
            return Spent(Role.TRENT, content.draw, content.link, under_way)
        case Kind.ORDER if content.link is not None:
            return Spent(content.absent, under_way, content.link, under_way)  # an order states no number
    return None


@condition(
    Check.COINS,
    Blamed.TRENT,
    "Trent logs a deposit only of the chains whose anchors Alice, Bob and he have named before",
)
def anchors_as_named(entry: Candidate[Deposited]) -> Broken | None:
    """The anchors are those that Alice, Bob and Trent have named by now."""
    named = {role: last.link for role, last in entry.state.links.items()}
    wrong = sorted(role.called for role in coins.DRAWERS if entry.content.anchors[role] != named.get(role))
    return (
        Broken("the three anchors as they were named", f"a different anchor of {' and '.join(wrong)}")
        if wrong
        else None
    )


@condition(Check.COINS, Blamed.TRENT, "Draws are counted through the matter, up to the number in the terms")
def next_draw(entry: Candidate[Draw]) -> Broken | None:
    """The number is the next one, and at most `draws`."""
    due, found = entry.state.draws + 1, entry.content.draw
    return None if found == due <= entry.state.opened.terms.draws else Broken(due, found)


@condition(Check.COINS, Blamed.AUTHOR, "Each draw spends one link of each chain, in order")
def one_link_a_draw(entry: Candidate[Any]) -> Broken | None:
    """The entry has the link that it must spend. It is for the draw under way, which is at most `draws`."""
    link = spent(entry)
    if link is None or (link.link is not None and link.draw == link.due <= entry.state.opened.terms.draws):
        return None
    return Broken(f"draw {link.due}", "no link" if link.link is None else f"draw {link.draw}")


@condition(
    Check.COINS, Blamed.AUTHOR, "A link hashes to the one before it in its chain, up to the anchor that its owner named"
)
def link_fits(entry: Candidate[Any]) -> Broken | None:
    """The link that the entry spends leads to its owner's last link on record, or to the anchor if it is the first:
    link i, hashed i - j times, is link j.
    """
    found = spent(entry)
    if found is None or found.link is None:
        return None
    last, reached = entry.state.links[found.role], found.link
    for number in range(found.due, last.draw, -1):  # more than one step only after skipped draws
        reached = coins.link_before(entry.state.matter, found.role, number, reached)
    return None if reached == last.link else Broken(f"{last.link.hex()}, in {found.role.called}'s chain", reached.hex())


@condition(Check.COINS, Blamed.TRENT, "A round without a draw of its own closes without a link")
def no_link_without_draw(entry: Candidate[Closed]) -> Broken | None:
    """Without a report or a look, unless an escalation has a `draw`, and in a validation in one stage: `draw` and
    `link` are null.
    """
    content = entry.content
    if entry.current.closes_with_coins or (content.draw is None and content.link is None):
        return None
    return Broken("no link", "a link or a draw")


def spend(entry: Candidate[Any]) -> None:
    """The link becomes the last one of its chain, and a part of the seed."""
    found = spent(entry)
    if found is None or found.link is None or found.draw is None:
        return
    state = entry.state
    state.links[found.role] = LastLink(found.draw, found.link)
    if state.drawing is not None:
        state.drawing.links[found.role] = found.link
    state.tally.passed(Check.COINS)


def begin_draw(entry: Candidate[Any], answered: bytes) -> None:
    """A draw begins, whose seed binds what it answers."""
    entry.state.draws += 1
    entry.state.drawing = Drawing(answered=answered)


def leave_out_draw(entry: Candidate[Any]) -> int:
    """The next draw is left out: its number counts, and nobody ever gives a link for it. Returns the number."""
    entry.state.draws += 1
    return entry.state.draws


def skip_draw(entry: Candidate[Any]) -> int:
    """The next draw is left out because of a new key, and the same round still needs one. Returns the number."""
    entry.state.skipped += 1
    return leave_out_draw(entry)


def of_round(entry: Candidate[Closed]) -> Sequence[int]:
    """The coins of all positions of a round that closes; none without a draw."""
    content, current = entry.content, entry.current
    if not current.closes_with_coins or content.link is None:
        return current.coins or ()
    items = range(1, current.size + 1) if current.items is None else current.items
    return coins.coins(entry.state.seed({Role.TRENT: content.link}), items)


def take_draw(entry: Candidate[Draw]) -> None:
    """Trent asks for the links of a draw, by which a batch or a validation is chosen, or that an escalation lacks."""
    state, opened = entry.state, entry.state.opened
    due = course.validation_due(state) if state.current is None else None
    begin_draw(entry, coins.query_answered(opened.corpus.root, opened.terms.query))
    if state.current is not None:
        state.current.redrawn = True
    elif due is not None and state.drawing is not None:
        state.drawing.begins = Sort.VALIDATION if due else Sort.BATCH


def take_link(entry: Candidate[Link]) -> None:
    """Alice or Bob gives the link of the draw under way."""
    spend(entry)
