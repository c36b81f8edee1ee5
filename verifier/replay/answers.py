"""V15: did Bob label just what he was shown, and the court rule on just what was disputed?"""

from itertools import pairwise
from typing import Any

from verifier.checks import Check
from verifier.plural import count
from verifier.replay import given_reasons
from verifier.replay.condition import Blamed, Broken, Candidate, condition, some
from verifier.replay.contents import Labels, Positions


@condition(
    Check.ANSWERS,
    Blamed.TRENT,
    "Where Alice and Bob disagree, the court rules before the round goes on",
    shown="Alice's labels",
)
def nothing_disputed(entry: Candidate[Any]) -> Broken | None:
    """Nothing is disputed that the court has not ruled on."""
    disputed = entry.current.disagreements()
    return Broken(f"a dispute about {some(disputed)}", f"Trent's {entry.said.kind}") if disputed else None


def _count(due: int, found: int) -> Broken | None:
    return None if found == due else Broken(count(due, "label"), count(found, "label"))


@condition(Check.ANSWERS, Blamed.BOB, "Bob labels every document that he is shown, and no other")
def labels_the_wave(entry: Candidate[Labels]) -> Broken | None:
    """There is a label for each position."""
    return _count(len(entry.current.waves[-1]), len(entry.content.labels))


@condition(
    Check.ANSWERS, Blamed.AUTHOR, "An answer that gives reasons seals one value for each document that it is about"
)
def one_reason_each(entry: Candidate[Labels]) -> Broken | None:
    """It seals a value of `reasons` for each label, or none at all."""
    return given_reasons.too_few(entry)


@condition(
    Check.ANSWERS,
    Blamed.AUTHOR,
    "Each reason is a text that is filled up with blanks, and at least one is given",
    shown="the reasons",
)
def reasons_have_form(entry: Candidate[Labels]) -> Broken | None:
    """Each value of `reasons` is a filled-up reason, and they are not all blank."""
    return given_reasons.malformed(entry)


def take_labels(entry: Candidate[Labels]) -> None:
    """Bob's labels of the last wave."""
    current = entry.current
    current.bob |= dict(zip(current.waves[-1], entry.content.labels, strict=True))
    current.labelled_in.append(entry.sequence)
    current.labels_because |= given_reasons.given(entry, current.waves[-1])
    entry.state.tally.passed(Check.ANSWERS)


@condition(
    Check.ANSWERS, Blamed.TRENT, "A dispute names, in order, documents that Bob has labelled and the court has not"
)
def disputes_labelled(entry: Candidate[Positions]) -> Broken | None:
    """The positions are ascending, at least one, labelled by Bob, and neither ruled on nor labelled by the court in
    camera.
    """
    positions, current = entry.content.positions, entry.current
    ascending = all(one < other for one, other in pairwise(positions))
    if positions and ascending and set(positions) <= current.bob.keys() - current.rulings.keys() - current.court.keys():
        return None
    return Broken("disclosed positions", some(positions))


@condition(
    Check.ANSWERS,
    Blamed.TRENT,
    "The court gets the documents on which Alice and Bob disagree, and no others",
    shown="Alice's labels",
)
def disputes_disagreements(entry: Candidate[Positions]) -> Broken | None:
    """They are those where Alice and Bob disagree."""
    found, due = entry.content.positions, entry.current.disagreements()
    return None if found == due or not entry.current.known else Broken(some(due), some(found))


def take_dispute(entry: Candidate[Positions]) -> None:
    """What goes to the court."""
    tally = entry.state.tally
    if not entry.current.known:
        tally.leave(Check.ANSWERS, "this copy does not show Alice's labels, so what is disputed cannot be told")
    entry.current.disputed = entry.content.positions
    tally.passed(Check.ANSWERS)


@condition(Check.ANSWERS, Blamed.COURT, "The court rules on every document that is disputed, and no other")
def rules_on_disputed(entry: Candidate[Labels]) -> Broken | None:
    """There is a label for each position."""
    return _count(len(entry.current.disputed), len(entry.content.labels))


def take_rulings(entry: Candidate[Labels]) -> None:
    """The court's labels of what was disputed."""
    current = entry.current
    current.rulings |= dict(zip(current.disputed, entry.content.labels, strict=True))
    current.ruled_in |= dict.fromkeys(current.disputed, entry.sequence)
    current.ruled_because |= given_reasons.given(entry, current.disputed)
    entry.state.tally.passed(Check.ANSWERS)
