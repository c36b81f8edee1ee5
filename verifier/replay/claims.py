"""V17, V18, V29: are the counts that Trent claims those of the entries, the certificates those that the coins give, and
did the review end by the rule in its terms?
"""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from verifier.checks import Check
from verifier.plural import count
from verifier.replay import course
from verifier.replay.condition import Blamed, Broken, Candidate, condition
from verifier.replay.contents import (
    Certificates,
    Claims,
    CollectionCertificate,
    Ended,
    Opened,
    ReviewedCertificate,
    RoundClaim,
    Stratum,
    Truth,
    ValidationClaim,
)
from verifier.replay.rounds import ClosedRound, Sort
from verifier.replay.state import State
from verifier.rules import table
from verifier.rules.bound import hidden_at_most
from verifier.rules.terms import ASSUMPTIONS, probability
from verifier.rules.validation import missing_at_most, reaches

_LABELS = "Alice's labels in all rounds"


@condition(Check.ORDER, Blamed.TRENT, "Claims are made between rounds")
def between_rounds(entry: Candidate[Claims]) -> Broken | None:
    """No round is open, and no draw is under way."""
    state = entry.state
    return None if state.current is None and state.drawing is None else Broken("the round's close", "the claims")


_STOPPING_SHOWN = f"{_LABELS}, if the terms have a `validation`"


@condition(
    Check.STOPPING, Blamed.TRENT, "Claims are made when the review is over, and not before", shown=_STOPPING_SHOWN
)
def review_is_over(entry: Candidate[Claims]) -> Broken | None:
    """T batch rounds are closed, or no document is left, or a validation has reached its target."""
    state = entry.state
    if course.over(state) is not False:
        return None
    return Broken(count(state.rounds_agreed, "round"), f"{state.batches_closed} closed")


@condition(Check.STOPPING, Blamed.TRENT, "No batch is put up once the review is over", shown=_STOPPING_SHOWN)
def review_goes_on(entry: Candidate[Any]) -> Broken | None:
    """The review is not over; or a draw is for a validation, or belongs to an open escalation."""
    state = entry.state
    if state.current is not None or state.drawing is not None or not course.over(state):
        return None
    due = course.validation_due(state)
    return None if due or due is None else Broken("no further batch", f"Trent's {entry.kind}")


def recomputed(state: State) -> Claims:
    """What can be claimed of the closed rounds."""
    opened, rounds = state.opened, state.rounds
    revealed, found = (sum(getattr(each, name) for each in rounds) for name in ("revealed", "found"))
    return Claims(
        alice_errors=sum(each.alice_errors for each in rounds),
        certificates=_certificates(state, state.found),
        clawed_back=state.clawed_back,
        compelled_rounds=sum(each.compelled for each in rounds),
        defaults=state.defaults,
        disputes=sum(each.disputes for each in rounds),
        ended=_ended(state),
        found=found,
        guarantee=table.of(opened.terms).words.guarantee,
        in_camera=sum(each.in_camera for each in rounds),
        nrd=revealed - found,
        privileged=sum(each.privileged for each in rounds),
        revealed=revealed,
        reviewed=state.put_up,
        rounds=tuple(_round_claim(each) for each in rounds),
        truth=_truth(opened, rounds),
        validations=tuple(state.validations),
    )


def _certificates(state: State, found: int) -> Certificates:
    """What is certified; where the copy does not show labels, as if nothing were hidden."""
    terms, books = state.opened.terms, course.certificate(state) if state.labels_shown else None
    kept, planned = state.spot_checks, terms.validation
    hidden, doubt = 0, probability("doubt", terms.doubt)
    if books is not None:
        hidden = books.at_most
    elif state.evidence is not None:
        hidden = hidden_at_most(table.of(terms), terms, state.evidence, doubt) + _called(state)
    unreviewed = state.opened.corpus.documents - state.put_up
    missing = missing_at_most([each.at_most for each in state.validations], unreviewed, hidden)
    reached = None
    if planned is not None:
        target = probability("validation.target", planned.target)
        reached = missing is not None and reaches(target, found, found + missing)
    return Certificates(
        collection=CollectionCertificate(
            assumes=ASSUMPTIONS,
            at_most=missing,
            doubt=terms.doubt,
            found=found,
            reached=reached,
            target=None if planned is None else planned.target,
            unreviewed=unreviewed,
        ),
        reviewed=ReviewedCertificate(
            assumes=ASSUMPTIONS,
            at_most=hidden,
            doubt=terms.doubt,
            found=found,
            reached=None if books is None else books.met,
            target=None if kept is None else kept.target_text,
        ),
    )


def _called(state: State) -> int:
    """How many documents are withheld that a validation called: no batch's coins were thrown for them."""
    called = {each.number for each in state.rounds if each.sort is Sort.VALIDATION}
    return sum(len(part.positions) for part in state.withheld.parts if part.round in called)


def _ended(state: State) -> Ended:
    """Why the review is over; if it is not, as if it were by the number of rounds."""
    if any(each.reached for each in state.held):
        return Ended.VALIDATION
    if state.put_up >= state.opened.corpus.documents:
        return Ended.DOCUMENTS
    return Ended.AMENDMENT if state.rounds_agreed != state.opened.terms.rounds else Ended.ROUNDS


def _due(entry: Candidate[Claims]) -> Claims:
    return recomputed(entry.state)


@condition(Check.STOPPING, Blamed.TRENT, "Trent states why the review has ended", shown=_STOPPING_SHOWN)
def ended_as_stated(entry: Candidate[Claims]) -> Broken | None:
    """`ended` says why the review is over."""
    state, due, found = entry.state, entry.once(_due).ended, entry.content.ended
    known = state.labels_shown or state.opened.terms.validation is None
    return None if found == due or not known else Broken(due, found)


@condition(Check.CLAIMS, Blamed.TRENT, "Trent claims the numbers that follow from the entries")
def numbers_follow(entry: Candidate[Claims]) -> Broken | None:
    """All numbers and texts follow from the entries, except `ended`, `certificates`, and of validations `at_most`,
    `total` and `reached`. (Where the copy does not show if the court was asked about privilege or for a label,
    `privileged` and `in_camera` need only be what they can be together; so too `privileged` and `unread` of rounds, and
    the counts of validations.)
    """
    wrong = _differences(entry.content, _as_far_as_shown(entry.state, entry.once(_due), entry.content))
    if not wrong:
        return None
    return Broken(
        "; ".join(f"{name} {one}" for name, one, _ in wrong), "; ".join(f"{name} {other}" for name, _, other in wrong)
    )


@condition(Check.CERTIFICATES, Blamed.TRENT, "The certificates are those that the coins give", shown=_LABELS)
def certificates_follow(entry: Candidate[Claims]) -> Broken | None:
    """`certificates` are those that follow, and so are `at_most`, `total` and `reached` of each validation."""
    if not entry.state.labels_shown:
        return None
    due, found = entry.once(_due), entry.content
    for one, other in zip(due.validations, found.validations, strict=True):
        if one != other:
            return Broken(_proven(one), _proven(other))
    for name in ("reviewed", "collection"):
        one, other = getattr(due.certificates, name), getattr(found.certificates, name)
        if one != other:
            wrong = [each.name for each in fields(one) if getattr(one, each.name) != getattr(other, each.name)]
            return Broken(*(f"of the {name}: {_stated(each, wrong)}" for each in (one, other)))
    return None


def _stated(each: ReviewedCertificate | CollectionCertificate, names: Sequence[str]) -> str:
    """Those parts of a certificate that differ."""
    values = {name: getattr(each, name) for name in names}
    told = (f"{name.replace('_', ' ')} {'none' if value is None else value}" for name, value in values.items())
    return _shown("; ".join(told))


def _proven(each: ValidationClaim) -> str:
    return f"validation {each.number}: at most {each.at_most}, of {each.total} in all, reached {each.reached}"


def take_claims(entry: Candidate[Claims]) -> None:
    """The close of the matter."""
    state = entry.state
    state.tally.passed(Check.CLAIMS, len(fields(Claims)))
    state.tally.passed(Check.STOPPING)
    if state.labels_shown:
        state.tally.passed(Check.CERTIFICATES, len(state.rounds))
    state.claims = entry.content


def _differences(stated: Claims, due: Claims) -> list[tuple[str, str, str]]:
    """The numbers that differ, except what is certified: name, what is due, what is stated."""
    found = []
    for field in fields(Claims):
        one, other = getattr(due, field.name), getattr(stated, field.name)
        if field.name in ("certificates", "ended"):
            continue
        if field.name == "validations":
            one, other = (tuple(map(_without_certificate, each)) for each in (one, other))
        if one != other:
            found.append((field.name, _shown(one), _shown(other)))
    return found


def _as_far_as_shown(state: State, due: Claims, stated: Claims) -> Claims:
    """What is due, where the copy does not show if the court ruled on privilege or gave a label: as Trent states it.

    Every copy shows how many documents the court kept from Bob in each round, and which of the others are responsive.
    """
    unclear = {each.number: each for each in state.rounds if each.unclear or each.unclear_unread}
    if not unclear or len(stated.rounds) != len(due.rounds):
        return due
    rounds = tuple(
        replace(
            one,
            privileged=_within(one.privileged - unclear[one.round].unclear, other.privileged, one.privileged),
            unread=_within(one.unread - unclear[one.round].unclear_unread, other.unread, one.unread),
        )
        if one.round in unclear
        else one
        for one, other in zip(due.rounds, stated.rounds, strict=True)
    )
    privileged = sum(each.privileged for each in rounds)
    validations = tuple(
        _clearer(one, other, unclear[one.round]) if one.round in unclear else one
        for one, other in zip(due.validations, stated.validations, strict=False)
    )
    return replace(
        due,
        in_camera=due.in_camera + due.privileged - privileged,
        privileged=privileged,
        rounds=rounds,
        validations=(*validations, *due.validations[len(validations) :]),
    )


def _within(least: int, stated: int, most: int) -> int:
    return max(least, min(stated, most))


def _clearer(due: ValidationClaim, stated: ValidationClaim, closed: ClosedRound) -> ValidationClaim:
    def stratum(one: Stratum, other: Stratum) -> Stratum:
        return replace(
            one,
            hits=_within(one.hits, other.hits, one.hits + closed.unclear_unread),
            shown=_within(one.shown, other.shown, one.shown + closed.unclear),
        )

    return replace(
        due,
        never=stratum(due.never, stated.never),
        unread=_within(due.unread - closed.unclear_unread, stated.unread, due.unread),
        withheld=stratum(due.withheld, stated.withheld),
    )


def _without_certificate(each: ValidationClaim) -> ValidationClaim:
    return replace(each, at_most=None, total=None, reached=False)


def _shown(value: object) -> str:
    return str(value)[:300]


def _round_claim(each: ClosedRound) -> RoundClaim:
    return RoundClaim(
        compelled=each.compelled,
        error=each.error,
        near_cut=each.near_cut,
        privileged=each.privileged,
        round=each.number,
        sampled=each.sampled,
        size=each.size,
        sort=each.sort,
        threshold=each.threshold,
        unread=each.unread,
    )


def _truth(opened: Opened, rounds: Sequence[ClosedRound]) -> Truth | None:
    if opened.simulation is None:
        return None
    revealed = sum(each.truth.revealed for each in rounds if each.truth)
    return Truth(responsive=opened.simulation.responsive, revealed=revealed)
