"""What comes next between rounds: when the review is over, when an escalation is due, and which draws are free."""

from array import array
from types import SimpleNamespace
from typing import Any, cast

import pytest

from verifier.certificates.exact import ONE, cost, threshold
from verifier.checks import Role
from verifier.replay import bookkeeping, course, escalations, orders, validations
from verifier.replay.condition import Broken, Candidate, ReplayCondition
from verifier.replay.contents import Amend, Opened, Rekey
from verifier.replay.forms import Kind
from verifier.replay.rounds import Moment, Round, Sort
from verifier.replay.state import Drawing, State
from verifier.replay.turns import Awaited
from verifier.replay.validating import Validating
from verifier.replay.withheld import Labelled, WithheldPlaces
from verifier.rules import table
from verifier.rules.base import Report
from verifier.rules.terms import probability
from verifier.rules.validation import Chances, Held
from verifier.tally import Tally

COMMON: dict[str, object] = {
    "batch": 10,
    "classes": None,
    "doubt": "0.05",
    "draws": 40,
    "query": "",
    "rounds": 6,
    "validation": None,
    "witnesses": None,
}
SPOT = COMMON | {
    "every": 2,
    "limit": "0.5",
    "penalty": "none",
    "protocol": "spot-check",
    "rate": "0.25",
    "target": "0.8",
}
LABEL = COMMON | {"delta": "0.5", "k": 1, "protocol": "label"}
VALIDATION = {
    "every": 1,
    "hits": None,
    "review": None,
    "show": "0.05",
    "target": "0.8",
    "viewer": "bob",
    "window": 5,
    "yield": None,
}
TAU = threshold(probability("rate", "0.25"))


def matter(terms: dict[str, object] = SPOT, **changed: object) -> State:
    """A matter of 100 documents, of whose terms some are others."""
    agreed = table.read_terms(terms | changed)
    opened = SimpleNamespace(terms=agreed, corpus=SimpleNamespace(documents=100, root=bytes(32)))
    found = State(tally=Tally(), first=cast("Opened", opened), matter=bytes(32), rounds_agreed=agreed.rounds)
    kept = found.spot_checks
    found.limit = None if kept is None else kept.limit
    return found


def closed(state: State, rounds: int, *, withheld: int = 30, found: int = 40, exposure: int = cost(TAU)) -> State:
    """Some batch rounds are closed, and this is what they leave."""
    state.brought = array("L", [0] * rounds)
    state.put_up, state.found, state.seen = 10 * rounds, found, 10 * rounds - withheld
    state.reported_false, state.draws = withheld, 2 * rounds
    part = Labelled(
        round=1,
        entry=9,
        report_entry=10,
        positions=array("L", range(1, withheld + 1)),
        numbers=None,
        places={},
        exposure=exposure,
    )
    state.withheld.add(part)
    return state


# Over, and due


def test_the_review_is_over_by_its_rounds_its_documents_or_a_validation() -> None:
    assert course.over(closed(matter(), 5)) is False
    assert course.over(closed(matter(), 6)) is True
    every_document = closed(matter(), 5)
    every_document.put_up = 100
    assert course.over(every_document) is True
    validated = closed(matter(validation=VALIDATION), 5)
    assert course.over(validated) is False
    validated.held = [Held(after=3, reached=False)]
    assert course.over(validated) is False
    validated.held.append(Held(after=5, reached=True))
    assert course.over(validated) is True


def test_where_labels_are_sealed_nobody_knows_whether_a_validation_ended_the_review() -> None:
    state = closed(matter(validation=VALIDATION), 5)
    state.evidence = None
    assert course.over(state) is None
    assert course.validation_due(state) is None
    assert course.over(closed(matter(), 5)) is False


@pytest.mark.parametrize(
    ("rounds", "due"), [(0, False), (1, False), (2, True), (3, False), (4, True), (5, False), (6, True)]
)
def test_an_escalation_is_due_every_so_many_rounds_and_at_the_end(rounds: int, due: bool) -> None:  # noqa: FBT001
    assert course.escalation_due(closed(matter(), rounds)) is due
    assert course.escalation_due(closed(matter(every=4), rounds)) is (rounds in (4, 6))


def test_none_is_due_once_the_certificate_is_met() -> None:
    assert course.escalation_due(closed(matter(), 2, found=40)) is True
    assert course.escalation_due(closed(matter(), 2, found=48)) is False  # 12 can be hidden, and 12 may be
    assert course.escalation_due(closed(matter(), 2, withheld=10)) is False


def test_none_is_due_once_the_limit_is_used_up() -> None:
    state = closed(matter(), 2)
    state.limit_used_up = True
    assert course.escalation_due(state) is False


def test_none_is_due_under_another_rule() -> None:
    assert course.escalation_due(closed(matter(LABEL), 2)) is False


@pytest.mark.parametrize(("draws", "due"), [(14, True), (13, False)])
def test_an_escalation_needs_two_free_draws(draws: int, due: bool) -> None:  # noqa: FBT001
    """Two rounds have spent four draws, and four more rounds are owed eight."""
    assert course.escalation_due(closed(matter(draws=draws), 2)) is due


@pytest.mark.parametrize("draws", [14, 13, 1])
def test_a_copy_without_labels_does_not_tell_whether_one_is_due(draws: int) -> None:
    """Nor if so few draws are free that none can be due."""
    state = closed(matter(draws=draws), 2)
    state.evidence = None
    assert course.escalation_due(state) is None
    assert course.withheld(state) == 30


# Draws


def rounds_of(sort: Sort, asks: Kind, **changed: Any) -> Round:
    return Round(number=3, size=30, batch_entry=20, near_cut=None, places={}, sort=sort, asks=asks, **changed)


@pytest.mark.parametrize(
    ("current", "owed"),
    [
        (rounds_of(Sort.BATCH, Kind.REPORT), 1 + 2 * 3),
        (rounds_of(Sort.BATCH, Kind.REPORT, report_entry=21), 2 * 3),
        (rounds_of(Sort.BATCH, Kind.REPORT, reported=False), 2 * 3),
        (rounds_of(Sort.ESCALATION, Kind.LOOK), 2 + 2 * 4),
        (rounds_of(Sort.ESCALATION, Kind.LOOK, report_entry=21), 2 * 4),
        (rounds_of(Sort.ESCALATION, Kind.LOOK, reported=False), 1 + 2 * 4),
        (rounds_of(Sort.ESCALATION, Kind.LOOK, reported=False, redrawn=True), 2 * 4),
        (rounds_of(Sort.VALIDATION, Kind.CLAIM), 2 * 4),
        (rounds_of(Sort.VALIDATION, Kind.REPORT), 1 + 2 * 4),
        (rounds_of(Sort.VALIDATION, Kind.REPORT, report_entry=21), 2 * 4),
    ],
)
def test_every_round_is_owed_the_draws_that_it_still_needs(current: Round, owed: int) -> None:
    state = closed(matter(), 2)
    assert course.free_draws(state) == 40 - 4 - 2 * 4
    state.current = current
    assert course.free_draws(state) == 40 - 4 - owed


def test_where_nobody_can_tell_what_a_draw_is_for_it_leaves_as_many_free_as_it_can() -> None:
    state = closed(matter(validation=VALIDATION), 2)
    state.drawing = Drawing(answered=bytes(32))
    unknown = course.free_draws(state)
    state.drawing.begins = Sort.BATCH
    assert unknown == course.free_draws(state)
    state.drawing.begins = Sort.VALIDATION
    assert unknown > course.free_draws(state)


@pytest.mark.parametrize(
    ("begins", "review", "owed"),
    [(Sort.BATCH, None, 1 + 2 * 3), (Sort.VALIDATION, None, 2 * 4), (Sort.VALIDATION, "0.5", 1 + 2 * 4)],
)
def test_a_draw_begins_the_round_that_it_is_for(begins: Sort, review: str | None, owed: int) -> None:
    state = closed(matter(validation=VALIDATION | {"review": review}), 2)
    state.drawing = Drawing(answered=bytes(32), begins=begins)
    assert course.free_draws(state) == 40 - 4 - owed


# New keys and amendments


def said(state: State, content: object, kind: Kind) -> Candidate[Any]:
    return cast("Candidate[Any]", SimpleNamespace(state=state, content=content, kind=kind))


def broken(condition: ReplayCondition, entry: Candidate[Any]) -> Broken | None:
    return condition.test(entry)


@pytest.mark.parametrize(("kind", "draws"), [(Kind.REPORT, 4 + 7), (Kind.LOOK, 4 + 10)])
@pytest.mark.parametrize("role", [Role.ALICE, Role.BOB])
def test_a_key_that_costs_a_draw_needs_a_free_one(kind: Kind, draws: int, role: Role) -> None:
    for free in (0, 1):
        state = closed(matter(rounds=6, draws=max(12, draws + free)), 2)
        state.draws += max(0, 12 - draws - free)
        state.current = rounds_of(Sort.BATCH if kind is Kind.REPORT else Sort.ESCALATION, kind)
        state.turns.awaited[Role.ALICE] = Awaited(kind=kind, question=bytes(32), entry=20, round=3)
        assert course.free_draws(state) == free
        found = broken(orders.draws_suffice, said(state, Rekey(key=bytes(32), role=role), Kind.REKEY))
        assert (found is None) is (free > 0 or role is Role.BOB)


@pytest.mark.parametrize(
    ("rounds", "limit", "fits"),
    [
        (7, "0.5", True),
        (6, "0.6", True),
        (6, "0.50", True),
        (2, "0.5", True),
        (6, "0.5", False),  # no change
        (1, "0.5", False),  # fewer than have begun
        (20, "0.5", True),
        (21, "0.5", False),  # more than there are draws for
    ],
)
def test_an_amendment_changes_something_within_what_the_coins_allow(rounds: int, limit: str, fits: bool) -> None:  # noqa: FBT001
    entry = said(closed(matter(), 2), Amend(limit=limit, rounds=rounds), Kind.AMEND)
    assert (broken(orders.another_number, entry) is None) is fits


@pytest.mark.parametrize(
    ("terms", "limit", "fits"),
    [
        (SPOT, "1", True),
        (SPOT, "0", True),
        (SPOT, "1.1", False),
        (SPOT, None, False),
        (SPOT, "x", False),
        (LABEL, None, True),
        (LABEL, "0.5", False),
    ],
)
def test_an_amendment_states_a_limit_just_if_the_rule_has_one(
    terms: dict[str, object],
    limit: str | None,
    fits: bool,  # noqa: FBT001
) -> None:
    entry = said(closed(matter(terms), 2), Amend(limit=limit, rounds=7), Kind.AMEND)
    assert (broken(orders.states_limit, entry) is None) is fits


# Escalations


def escalation(state: State, **changed: Any) -> Round:
    size = len(state.withheld)
    current = Round(
        number=3,
        size=size,
        batch_entry=20,
        near_cut=None,
        places=WithheldPlaces({}, 1, state.withheld),
        sort=Sort.ESCALATION,
        asks=Kind.LOOK,
        own=0,
        before=state.withheld,
        limit=state.limit or "0",
        **changed,
    )
    state.current = current
    return current


def moment(
    settled: dict[int, bool] | None = None, upheld: set[int] | None = None, late: set[int] | None = None
) -> Moment:
    return Moment(settled or {}, frozenset(upheld or ()), frozenset(late or ()))


CHANCE = 858736591500547602
"""Of the worked example: 40 found, 30 withheld."""


def test_what_is_given_up_is_due_before_anything_is_drawn() -> None:
    state = closed(matter(limit="1"), 4)
    current = escalation(state, given_up=frozenset({2, 5}))
    flips = [0] * 30
    for before in (moment(), moment({2: True}), moment({5: False}, late={7})):
        assert escalations.examine(state, current, flips, before).due == {2, 5}
    after = escalations.examine(state, current, flips, moment({2: False}, {5}))
    assert after.due == set(range(1, 31))
    assert after.drawn == set(range(1, 31)) - {2, 5}


def test_the_chance_is_that_of_the_worked_example_and_a_coin_at_it_does_not_draw() -> None:
    state = closed(matter(limit="1"), 4)
    found = escalations.examine(state, escalation(state), [CHANCE - 1, *[CHANCE] * 29], moment(late={4}))
    assert found.drawn == found.due == {1, 4}
    assert set(found.chances.values()) == {CHANCE}


def test_once_the_certificate_is_met_not_even_late_claims_are_due() -> None:
    state = closed(matter(limit="1"), 4, found=47)
    current = escalation(state, given_up=frozenset({1, 2}))
    found = escalations.examine(state, current, [0] * 30, moment({1: True, 2: True}, late={9}))
    assert found.due == {1, 2}
    assert not found.drawn


@pytest.mark.parametrize(("limit", "shown", "drawn"), [("0.1", 0, 3), ("0.1", 1, 2), ("0.1", 5, 0), ("0", 0, 0)])
def test_the_limit_lowers_the_chance_to_what_may_still_be_shown(limit: str, shown: int, drawn: int) -> None:
    state = closed(matter(limit=limit), 4, exposure=0)
    state.escalated = shown
    allowed = drawn * ONE // 30
    found = escalations.examine(state, escalation(state), [*[allowed] * 15, *[max(0, allowed - 1)] * 15], moment())
    assert len(found.drawn) == (15 if drawn else 0)


def test_an_amendment_within_an_escalation_does_not_change_its_chance() -> None:
    state = closed(matter(limit="0"), 4)
    current = escalation(state)
    state.limit = "1"
    assert escalations.examine(state, current, [0] * 30, moment()).drawn == frozenset()


def test_the_close_of_an_escalation_enters_the_books() -> None:
    """The second half of the worked example: two given up and responsive, three drawn and not."""
    exposure = 6186165019253383913
    state = closed(matter(limit="1"), 4, withheld=27, found=41, exposure=exposure)
    state.books.hits, state.books.credit = 1, 5679471736594712157
    current = escalation(state, given_up=frozenset({1, 2}), waves=[(1, 2), (3, 4, 5)])
    current.bob = {1: True, 2: True, 3: False, 4: False, 5: False}
    escalations.close(state, current, [*[0] * 5, *[ONE - 1] * 22])
    assert (state.books.hits, state.books.credit) == (1, 18051801775101479983)
    assert state.withheld.exposures() == {8576435245293284721: 22}
    assert (state.escalated, state.limit_used_up) == (3, False)


def test_an_escalation_that_the_limit_cuts_short_uses_it_up() -> None:
    state = closed(matter(limit="0"), 4)
    escalations.close(state, escalation(state), [ONE - 1] * 30)
    assert state.limit_used_up
    assert state.withheld.exposures() == {cost(TAU): 30}


def test_without_a_draw_nothing_changes_for_what_was_not_given_up() -> None:
    state = closed(matter(limit="0"), 4)
    escalations.close(state, escalation(state, reported=False), ())
    assert (state.books.hits, state.books.credit, state.withheld.exposures()) == (0, 0, {cost(TAU): 30})
    assert state.limit_used_up


def test_a_batch_leaves_its_unseen_negatives_withheld() -> None:
    state = matter(validation=VALIDATION)
    current = Round(number=1, size=4, batch_entry=9, near_cut=None, places={}, report_entry=10, numbers=(7, 3, 9, 1))
    current.report = Report(labels=(True, False, False, False), threshold=None)
    current.bob, current.waves = {1: True, 3: True}, [(1, 3)]
    closing = SimpleNamespace(confirmed=2, revealed=2, privileged=0, in_camera=0, sampled=1)
    bookkeeping.close(state, current, cast("Any", closing), [ONE - 1, TAU, TAU - 1, ONE - 1])
    assert [state.withheld.origin(place)[:2] for place in (1, 2)] == [(1, 2), (1, 4)]
    assert [state.withheld.number(place) for place in (1, 2)] == [3, 1]
    assert (state.books.hits, state.books.credit, state.reported_false) == (1, cost(TAU - 1), 3)
    assert (state.found, state.put_up, course.withheld(state), list(state.brought)) == (2, 4, 2, [2])


def test_nothing_is_kept_of_what_is_withheld_if_nobody_looks_at_it_again() -> None:
    state = matter(LABEL)
    current = Round(number=1, size=2, batch_entry=9, near_cut=None, places={}, report_entry=10)
    current.report = Report(labels=(False, False), threshold=None)
    closing = SimpleNamespace(confirmed=0, revealed=0, privileged=0, in_camera=0, sampled=0)
    bookkeeping.close(state, current, cast("Any", closing), [0, 0])
    assert len(state.withheld) == 0
    assert course.withheld(state) == 2


def test_only_what_the_report_itself_claimed_gives_no_credit_in_a_validation() -> None:
    """Of four withheld documents a validation draws three, all responsive: one claimed, one of a class, one neither."""
    state = matter(validation=VALIDATION | {"show": "0.5"})
    chance, exposure = ONE // 2, cost(TAU)
    part = {"round": 1, "entry": 9, "report_entry": 10, "positions": array("L", [1, 2, 3, 4]), "places": {}}
    claims = {2: "advice", 3: {"class": "medical"}}
    state.withheld.add(Labelled(**part, numbers=array("Q", [7, 3, 9, 1]), claims=claims, exposure=exposure))  # type: ignore[arg-type]
    held = Validating(
        terms=state.opened.terms.validation,  # type: ignore[arg-type]
        number=1,
        after=1,
        found=0,
        chances=Chances(first=chance, checked=None, withheld=chance),
        positions=3,
        reviewed=frozenset({1, 2, 3}),
        never=90,
        withheld=4,
    )
    current = Round(
        number=2,
        size=3,
        batch_entry=20,
        near_cut=None,
        places={},
        sort=Sort.VALIDATION,
        asks=Kind.CLAIM,
        before=state.withheld,
        placed={1: 2, 2: 1, 3: 3},
        claimed={1: claims[2], 3: claims[3]},
        coins=[chance - 1, 10**17, 10**18],
        validating=held,
        waves=[(1, 2, 3)],
    )
    current.bob, current.court, current.seen_in_camera = {1: True, 2: True}, {3: True}, {1: False, 3: False}
    validations.close(state, current, ())
    assert (state.books.hits, state.books.credit) == (3, 2 * exposure + cost(10**17) + cost(10**18))
    assert [state.withheld.number(place) for place in (1,)] == [1]
    assert state.withheld.exposures() == {exposure + cost(chance): 1}
