"""V28: was the whole collection validated when and as the terms say?

Bob knows all that decides which documents are drawn: the coins, all numbers, those that he was shown, and by the lists
of numbers that a validation releases to him, those that the court kept from him. What is drawn is due, or in two stages
what the second draw checks: the waves are V13, as in any round.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from verifier.checks import Audience, Check, Role
from verifier.plural import be, count
from verifier.record.entries import Release
from verifier.record.shapes import Malformed, read_all
from verifier.replay import books, coins, course
from verifier.replay.condition import Blamed, Broken, Candidate, condition, some
from verifier.replay.contents import Place, Validated, ValidationClaim
from verifier.replay.forms import Kind
from verifier.replay.rounds import Round, Sort
from verifier.replay.state import State
from verifier.replay.validating import Validating
from verifier.replay.withheld import WithheldPlaces
from verifier.rules import coins as flips
from verifier.rules import validation
from verifier.rules.terms import Validation, probability
from verifier.rules.validation import NOTHING_PROVEN, Chances, Held, Proven

_LABELS = "Alice's labels in all rounds"
_NUMBERS = "the numbers of all documents that were put up"


@condition(Check.VALIDATIONS, Blamed.TRENT, "Nothing else comes while a validation is due", shown=_LABELS)
def none_is_due(entry: Candidate[Any]) -> Broken | None:
    """No validation is due, and no draw for one is under way."""
    state = entry.state
    begins = None if state.drawing is None else state.drawing.begins
    due = course.validation_due(state) if state.current is None and state.drawing is None else False
    return Broken("a validation", f"Trent's {entry.kind}") if due or begins is Sort.VALIDATION else None


@condition(
    Check.VALIDATIONS, Blamed.TRENT, "A validation comes when the terms ask for one, in one or two stages as said"
)
def is_due(entry: Candidate[Validated]) -> Broken | None:
    """The terms have a `validation`; it is a `call` if they have a `review`, and else a `validation`; and a draw for it
    is under way. (What a draw is for is known where the copy shows Alice's labels in all rounds.)
    """
    planned, drawing = entry.state.opened.terms.validation, entry.state.drawing
    if planned is not None and drawing is not None and drawing.begins is not Sort.BATCH:
        kind = Kind.VALIDATION if planned.review is None else Kind.CALL
        return None if entry.kind is kind else Broken(f"Trent's {kind}", f"Trent's {entry.kind}")
    return Broken("no validation here", f"Trent's {entry.kind}")


@condition(Check.VALIDATIONS, Blamed.TRENT, "Validations are numbered from 1")
def has_its_number(entry: Candidate[Validated]) -> Broken | None:
    """`number` is the next one."""
    due, found = len(entry.state.validations) + 1, entry.content.number
    return None if found == due else Broken(due, found)


@condition(
    Check.VALIDATIONS, Blamed.TRENT, "A validation gives Bob the numbers of all batches so far, and nothing else"
)
def releases_numbers(entry: Candidate[Validated]) -> Broken | None:
    """It releases to Bob, with null, the `numbers` of every batch that were not released before, and nothing else."""
    due = tuple(
        Release(audience=Audience.BOB, entry=batch, field="numbers", indices=None)
        for batch in entry.state.numbers_sealed_in
    )
    return (
        None if entry.body.releases == due else Broken(f"the numbers of {count(len(due), 'batch')}", "another release")
    )


@condition(Check.VALIDATIONS, Blamed.TRENT, "A validation lists documents of the corpus and positions, in order")
def lists_in_order(entry: Candidate[Validated]) -> Broken | None:
    """`numbers` are ascending, and of the corpus. `reviewed` are ascending positions of this list; none in a `call`."""
    content, documents = entry.content, entry.state.opened.corpus.documents
    if not all(one < other for one, other in pairwise((*content.numbers, documents))):
        return Broken(f"ascending numbers below {documents}", count(len(content.numbers), "other"))
    last = 0 if entry.kind is Kind.CALL else len(content.numbers)
    if all(one < other for one, other in pairwise((*content.reviewed, last + 1))):
        return None
    return Broken(f"ascending positions up to {last}", some(content.reviewed))


def _terms(state: State) -> Validation:
    planned = state.opened.terms.validation
    if planned is None:
        raise RuntimeError("whether the terms have a validation is looked at first")
    return planned


def _chances(state: State) -> Chances:
    doubt = probability("doubt", state.opened.terms.doubt)
    return validation.chances(_terms(state), doubt, len(state.validations) + 1, state.found)


def _seed(entry: Candidate[Validated]) -> bytes:
    return entry.state.seed({Role.TRENT: entry.content.drawn.link})


def due_numbers(entry: Candidate[Validated]) -> list[int]:
    """The documents that the coins draw: of all that Bob has not seen, or to be called, of all never put up."""
    state, documents = entry.state, entry.state.opened.corpus.documents
    among = state.documents if entry.kind is Kind.CALL else state.out_of_question
    return flips.drawn(_seed(entry), among.lacking(documents), _chances(state).first)


@condition(
    Check.VALIDATIONS,
    Blamed.TRENT,
    "A validation lists the documents that the coins draw, and no others",
    shown=_NUMBERS,
)
def lists_the_drawn(entry: Candidate[Validated]) -> Broken | None:
    """`numbers` are the documents of the population with a coin below the chance; in a `call`, those of the documents
    never put up.
    """
    if not entry.state.numbers_known:
        return None
    due, found = entry.once(due_numbers), entry.content.numbers
    if due == list(found):
        return None
    omitted, added = sorted(set(due) - set(found)), sorted(set(found) - set(due))
    return Broken(
        f"document {omitted[0]} as well" if omitted else count(len(due), "document"),
        f"document {added[0]}, which is not drawn" if added else count(len(found), "document"),
    )


@condition(
    Check.VALIDATIONS, Blamed.TRENT, "A validation says which of its documents were put up before", shown=_NUMBERS
)
def tells_the_reviewed(entry: Candidate[Validated]) -> Broken | None:
    """`reviewed` are the positions whose documents were put up before."""
    state, content = entry.state, entry.content
    if not state.numbers_known:
        return None
    due = tuple(at for at, number in enumerate(content.numbers, start=1) if number in state.documents)
    return None if content.reviewed == due else Broken(some(due), some(content.reviewed))


def _places(entry: Candidate[Validated]) -> dict[int, Place]:
    """The documents by position, as far as the copy shows them."""
    shown = entry.told.values.get("documents", {})
    places = read_all(Place, list(shown.values()))
    return {index + 1: place for index, place in zip(shown, places, strict=True)}


@condition(Check.VALIDATIONS, Blamed.TRENT, "A validation seals the document of each of its numbers")
def seals_its_documents(entry: Candidate[Validated]) -> Broken | None:
    """It seals as many `documents` as it lists `numbers`, and no such field if there are none. Each that the copy opens
    has its shape and that number.
    """
    numbers, sealed = entry.content.numbers, entry.sealed("documents")
    if sealed != len(numbers) or ("documents" in entry.said.sealed) != bool(numbers):
        return Broken(count(len(numbers), "document"), f"{sealed} {be(sealed)} sealed")
    try:
        places = entry.once(_places)
    except Malformed as error:
        return Broken("a document", error)
    for position, place in places.items():
        if place.document != numbers[position - 1]:
            return Broken(f"document {numbers[position - 1]} at position {position}", f"document {place.document}")
    return None


def take_validation(entry: Candidate[Validated]) -> None:
    """A round begins whose documents the coins have drawn from the whole collection."""
    state, content, places = entry.state, entry.content, entry.once(_places)
    thrown, held = flips.coins(_seed(entry), content.numbers), _validating(entry)
    coins.spend(entry)
    state.current = (_call if entry.kind is Kind.CALL else _draw)(entry, held, places)
    if entry.kind is not Kind.CALL:
        state.current.coins = thrown
    state.drawing = None
    state.documents.update(content.numbers)
    state.numbers_sealed_in.clear()
    state.tally.passed(Check.VALIDATIONS)
    if state.corpus:
        state.corpus.validation(entry.told, content, places)


def _validating(entry: Candidate[Validated]) -> Validating:
    state, content = entry.state, entry.content
    return Validating(
        terms=_terms(state),
        number=content.number,
        after=state.batches_closed,
        found=state.found,
        chances=_chances(state),
        positions=len(content.numbers),
        reviewed=frozenset(content.reviewed),
        never=state.opened.corpus.documents - state.put_up,
        withheld=course.withheld(state),
    )


def _draw(entry: Candidate[Validated], held: Validating, places: dict[int, Place]) -> Round:
    """One stage: the round's positions are what was drawn, some of which was withheld before."""
    before, at = entry.state.withheld, {entry.content.numbers[position - 1]: position for position in held.reviewed}
    placed = {at[number]: place for place, number in before.numbered() if number in at}
    claimed, unclaimed = before.claims(), before.unclaimed()
    return Round(
        number=entry.said.round,
        size=held.positions,
        batch_entry=entry.sequence,
        near_cut=None,
        places=places,
        sort=Sort.VALIDATION,
        asks=Kind.CLAIM,
        numbers=entry.content.numbers,
        before=before,
        placed=placed,
        claimed={position: claimed[place] for position, place in placed.items() if place in claimed},
        unclaimed=set(range(1, held.positions + 1)) - held.reviewed
        | {position for position, place in placed.items() if place in unclaimed},
        classes=entry.state.opened.terms.classes is not None,
        validating=held,
        rule=lambda _flips, _moment: held.one_stage(),
    )


def _call(entry: Candidate[Validated], held: Validating, places: dict[int, Place]) -> Round:
    """Two stages: the round's positions are what was called, and after that all that is withheld."""
    before, called = entry.state.withheld, held.positions
    current = Round(
        number=entry.said.round,
        size=called + held.withheld,
        batch_entry=entry.sequence,
        near_cut=None,
        places=WithheldPlaces(places, called + 1, before),
        sort=Sort.VALIDATION,
        own=called,
        before=before,
        numbers=entry.content.numbers,
        items=[*entry.content.numbers, *(number for _, number in before.numbered())],
        claimed={called + place: claim for place, claim in before.claims().items()},
        unclaimed={called + place for place in before.unclaimed()},
        classes=entry.state.opened.terms.classes is not None,
        validating=held,
    )
    current.rule = lambda flips, moment: held.two_stages(
        None if current.report is None else current.report.labels, flips, current.size, moment.counted
    )
    return current


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """Called positions that are withheld from now on, and the exposure of each."""

    positions: tuple[int, ...] = ()
    exposure: int = 0


def close(state: State, current: Round, thrown: Sequence[int]) -> Left:
    """A validation has closed: what it proves, and what it changes in the books and in what is withheld."""
    held = current.validating
    if held is None:
        raise RuntimeError("a validation is held in its own round")
    proven = _proven(state, current, held)
    state.validations.append(_claim(current, held, proven))
    state.held.append(Held(held.after, reached=proven.reached))
    state.put_up += held.positions - len(held.reviewed)
    if not state.labels_shown:
        return Left()
    return _close_call(state, current, held, thrown) if held.in_two_stages else _close_draw(state, current, held)


def _responsive(current: Round) -> frozenset[int]:
    """The positions that Bob and Alice, or the court, hold to be responsive."""
    looked_at = current.shown | current.court.keys()
    return frozenset(each for each in looked_at if each not in current.unread and current.settled_at(each))


def _proven(state: State, current: Round, held: Validating) -> Proven:
    if not state.labels_shown or (held.in_two_stages and not current.reported):
        return NOTHING_PROVEN
    finds = held.finds(current.label, _responsive(current), frozenset(current.unread))
    state.reported_hits[held.number] = finds.reported
    doubt = probability("doubt", state.opened.terms.doubt)
    return validation.proven(held.terms, doubt, held.number, held.found, finds, held.never + held.withheld)


def _claim(current: Round, held: Validating, proven: Proven) -> ValidationClaim:
    looked_at, responsive = frozenset(current.shown | current.court.keys()), _responsive(current)
    return ValidationClaim(
        at_most=proven.at_most,
        called=held.positions if held.in_two_stages else 0,
        never=held.stratum(looked_at, responsive, withheld=False),
        number=held.number,
        reached=proven.reached,
        round=current.number,
        total=proven.total,
        unread=len(current.unread),
        withheld=held.stratum(looked_at, responsive, withheld=True),
    )


def _close_draw(state: State, current: Round, held: Validating) -> Left:
    """One stage: all that was drawn is no longer withheld, and the draw has missed the rest."""
    thrown, cost = current.coins or (), 0
    if state.spot_checks is not None:
        exposed = [
            current.exposed(position, thrown[position - 1], state.withheld.exposure(place))
            for position, place in current.placed.items()
        ]
        _enter(state, entered := books.draw(exposed, held.chances.first))
        cost = entered.cost
    state.withheld.remove(current.placed.values())
    state.withheld.expose(cost)
    return Left()


def _close_call(state: State, current: Round, held: Validating, thrown: Sequence[int]) -> Left:
    """Two stages: a draw of what was withheld before, and one of what Alice labels now as not responsive."""
    if current.report is None:
        return Left()
    called, gone, ended = held.positions, current.shown.union(current.kept), current.gone
    negatives = [position for position, label in enumerate(current.report.labels, start=1) if not label]
    before = range(called + 1, current.size + 1)
    state.reported_false += len(negatives)
    left, exposure = tuple(each for each in negatives if each not in gone), 0
    cost = 0
    if state.spot_checks is not None and held.chances.checked is not None:
        exposed = [
            current.exposed(each, thrown[each - 1], state.withheld.exposure(each - called))
            for each in before
            if each in gone
        ]
        _enter(state, of_withheld := books.draw(exposed, held.chances.withheld))
        exposed = [current.exposed(each, thrown[each - 1]) for each in negatives if each in ended]
        unseen = {each: thrown[each - 1] for each in negatives if each not in ended}
        _enter(state, of_called := books.draw(exposed, held.chances.checked, unseen))
        cost, left, exposure = of_withheld.cost, of_called.left, of_called.cost
    state.withheld.remove([each - called for each in before if each in gone])
    state.withheld.expose(cost)
    return Left(positions=left, exposure=exposure)


def _enter(state: State, entered: books.Entered) -> None:
    state.books.hits += entered.hits
    state.books.credit += entered.credit
