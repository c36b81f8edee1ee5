"""What is due in a validation, what counts as found in it, and what the court sees in camera before Bob."""

from array import array
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from verifier.checks import Audience, Role
from verifier.record.entries import Release
from verifier.record.shapes import read
from verifier.replay import basis, privilege, training, validations
from verifier.replay.commitment import Unit
from verifier.replay.condition import Broken, Candidate, ReplayCondition
from verifier.replay.contents import Closed, Link, Opened, Stratum, Validated
from verifier.replay.forms import Kind
from verifier.replay.rounds import Round, Sort
from verifier.replay.state import Drawing, State
from verifier.replay.validating import Validating
from verifier.replay.withheld import Labelled, Withheld
from verifier.rules import coins
from verifier.rules.base import Report
from verifier.rules.terms import Classes, Validation
from verifier.rules.validation import Chances, Finds
from verifier.tally import Tally

DOCUMENTS = 400
LINK = bytes(32)


def planned(**changed: object) -> dict[str, object]:
    usual: dict[str, object] = {"every": 10, "hits": None, "review": None, "show": "0.25", "target": "0.8"}
    return usual | {"viewer": "bob", "window": 5, "yield": "0.02"} | changed


def held(*, positions: int, reviewed: tuple[int, ...] = (), withheld: int = 0, **changed: object) -> Validating:
    return Validating(
        terms=read(Validation, planned(**changed)),
        number=1,
        after=3,
        found=10,
        chances=Chances(first=100, checked=50 if "review" in changed else None, withheld=20),
        positions=positions,
        reviewed=frozenset(reviewed),
        never=90,
        withheld=withheld,
    )


def in_round(validating: Validating | None, **changed: Any) -> Round:
    size = 4 if validating is None else validating.positions + (validating.withheld if validating.in_two_stages else 0)
    asks = Kind.CLAIM if validating is not None and not validating.in_two_stages else Kind.REPORT
    usual: dict[str, Any] = {"number": 4, "size": size, "batch_entry": 20, "near_cut": None, "places": {}, "asks": asks}
    usual |= {"sort": Sort.BATCH if validating is None else Sort.VALIDATION, "validating": validating}
    if validating is not None and validating.in_two_stages:
        usual["own"] = validating.positions
    return Round(**(usual | changed))


def closed(*responsive: int) -> Closed:
    return Closed(
        compelled=False, draw=None, error=0, link=None, responsive=responsive, sampled=0, threshold=0, truth=None
    )


# What is due, and what is found


def test_in_one_stage_everything_that_was_drawn_is_due() -> None:
    found = held(positions=3).one_stage()
    assert found.due == found.drawn == {1, 2, 3}
    assert found.compelled_at is None


@pytest.mark.parametrize(
    ("late", "due", "drawn"), [(set(), {1, 3, 4, 6}, {3, 4, 6}), ({2, 5}, {1, 2, 3, 4, 5, 6}, {2, 3, 4, 5, 6})]
)
def test_in_two_stages_a_second_draw_checks_what_alice_labels_as_not_responsive(
    late: set[int], due: set[int], drawn: set[int]
) -> None:
    validating = held(positions=4, withheld=3, review="0.5")
    thrown = [99, 50, 49, 0, 20, 19, 99]  # a coin that equals its chance does not draw
    found = validating.two_stages((True, False, False, False), thrown, 7, frozenset(late))
    assert (set(found.due), set(found.drawn)) == (due, drawn)


def test_a_late_claim_of_what_is_shown_anyhow_is_not_counted_as_drawn() -> None:
    found = held(positions=2, review="0.5").two_stages((True, False), [0, 99], 2, frozenset({1}))
    assert (set(found.due), found.drawn) == ({1}, frozenset())


def test_without_a_report_what_was_called_is_due_and_nothing_that_was_withheld() -> None:
    found = held(positions=2, withheld=3, review="0.5").two_stages(None, (), 5, frozenset({4}))
    assert (set(found.due), found.drawn) == ({1, 2}, frozenset())


def test_finds_are_told_apart_by_alices_label_and_by_what_was_withheld_before() -> None:
    validating = held(positions=4, withheld=3, review="0.5")
    labels = {1: True, 2: True, 3: False, 4: False}
    found = validating.finds(lambda at: labels[at], frozenset({1, 3, 6}), frozenset({2, 4, 5, 7}))
    assert found == Finds(reported=1, hits=1, withheld=1, unread_reported=1, unread_hits=1, unread_withheld=2)


def test_in_one_stage_it_does_not_matter_where_a_find_comes_from() -> None:
    validating = held(positions=4, reviewed=(2,))
    assert validating.finds(bool, frozenset({2, 3}), frozenset({4})) == Finds(hits=2, unread_hits=1)


def test_strata_are_what_was_put_up_before_and_what_was_not() -> None:
    validating = held(positions=4, reviewed=(2, 4), withheld=30)
    seen, settled = frozenset({1, 2, 4}), frozenset({2})
    assert validating.stratum(seen, settled, withheld=True) == Stratum(documents=30, hits=1, shown=2)
    assert validating.stratum(seen, settled, withheld=False) == Stratum(documents=90, hits=0, shown=1)


# What is learnt


def test_drawn_documents_are_learnt_unless_they_are_withheld_as_privileged() -> None:
    current = in_round(held(positions=4, reviewed=(2,)), bob={1: True, 2: True}, seen_in_camera={3: True, 4: True})
    current.court[4] = False
    lesson = training.lesson(current, closed(1, 2), named=False)
    assert dict(lesson.appended) == {1: True, 4: False}
    assert dict(lesson.replaced) == {2: True}
    assert lesson.learnt_responsive == 2


def test_called_documents_are_all_learnt_and_settled_ones_get_their_new_label() -> None:
    current = in_round(
        held(positions=3, withheld=2, review="0.5"),
        report=Report(labels=(True, False, True), threshold=None),
        bob={1: False, 5: True},
        rulings={1: False},
        seen_in_camera={3: True},
    )
    lesson = training.lesson(current, closed(3, 5), named=False)
    assert dict(lesson.appended) == {1: False, 2: False, 3: True}
    assert dict(lesson.replaced) == {5: True}


# Who looks


def test_what_the_court_labels_in_camera_counts_whatever_bob_says_of_it() -> None:
    current = in_round(held(positions=3), bob={1: False, 2: True}, seen_in_camera={1: False, 3: True}, waves=[(1, 2)])
    current.court |= {1: True, 3: False}
    assert current.settled == {1: True, 2: True, 3: False}
    assert current.disagreements() == (2,), "nothing is disputed about position 1"
    assert (current.privileged, current.kept, current.in_camera) == ((), (3,), 1)
    assert current.responsive() == (1, 2)


def test_alice_does_not_err_about_what_she_was_never_asked() -> None:
    rulings = {1: True, 2: True, 3: False}
    current = in_round(held(positions=3, reviewed=(2,)), bob=dict.fromkeys((1, 2, 3), True), rulings=rulings)
    assert current.alice_errors() == 1
    current = in_round(held(positions=3, review="0.5"), bob=dict.fromkeys((1, 2, 3), True), rulings=rulings)
    assert current.alice_errors() == 2


@pytest.mark.parametrize(("claim", "labelled"), [("advice", False), ({"class": "medical"}, True), (None, None)])
def test_of_a_class_the_court_says_whether_it_is_responsive(claim: object, labelled: object) -> None:
    current = in_round(None, classes=True, claimed={} if claim is None else {2: claim})
    assert current.is_labelled_in_camera(2) is labelled


def test_where_there_are_no_classes_a_sealed_claim_is_of_privilege() -> None:
    assert in_round(None).is_labelled_in_camera(2) is False


def test_a_late_claim_in_a_batch_names_no_class() -> None:
    assert in_round(None, classes=True, late={2: (30, 0)}).is_labelled_in_camera(2) is False
    late = in_round(held(positions=3), classes=True, late={2: (30, 0)}, unclaimed={1, 2, 3})
    assert late.is_labelled_in_camera(2) is None


def test_the_court_may_look_at_everything_and_is_asked_about_privilege_only_where_it_is_claimed() -> None:
    current = in_round(held(positions=3, viewer="court"), unclaimed={1, 2, 3}, late={2: (30, 0)})
    current.late_bases[2] = "advice"
    assert [current.is_labelled_in_camera(each) for each in (1, 2, 3)] == [True, False, True]
    assert current.released_in_camera((1, 2, 3)) == (
        Release(audience=Audience.BOB, entry=30, field="privilege", indices=(0,)),
    )


def released(entry: int, *indices: int) -> Release:
    return Release(audience=Audience.BOB, entry=entry, field="privilege", indices=indices)


def withheld(**changed: Any) -> Withheld:
    """Two documents of round 1, numbers 5 and 9, of which the second is claimed."""
    found = Withheld()
    values: dict[str, Any] = {"round": 1, "entry": 7, "report_entry": 8, "positions": array("L", [2, 4]), "places": {}}
    found.add(Labelled(**(values | {"numbers": array("Q", [5, 9]), "claims": {4: "advice"}} | changed)))
    return found


def drawn_again(viewer: str, before: Withheld, **changed: Any) -> Round:
    """A validation of numbers 3, 5, 9 and 11, of which the second and the third were put up before."""
    at = state(withheld=before)
    at.first = opened(planned(viewer=viewer), **changed)
    validations.take_validation(entry(at, numbers=(3, 5, 9, 11), reviewed=(2, 3)))
    assert at.current is not None
    return at.current


@pytest.mark.parametrize("claim", ["advice", {"class": "medical"}])
def test_what_a_report_claims_is_still_claimed_when_a_validation_draws_it(claim: object) -> None:
    current = drawn_again("bob", withheld(claims={4: claim}))
    assert (current.claimed, current.unclaimed) == ({3: claim}, {1, 2, 4})
    assert current.beforehand(3) is isinstance(claim, str)
    assert not current.beforehand(2)
    assert current.origin(3) == (1, 4)
    assert current.claims_known((1, 2, 3))
    assert current.released_in_camera((3,)) == (released(8, 3),)


def test_the_bases_of_a_report_are_released_in_its_own_order() -> None:
    """The positions are by number, and those of the report are not."""
    before = withheld(numbers=array("Q", [9, 5]), claims={2: "advice", 4: "work product"})
    current = drawn_again("bob", before)
    assert current.claimed == {2: "work product", 3: "advice"}
    assert current.released_in_camera((2, 3)) == (released(8, 1, 3),)


def test_a_copy_that_does_not_show_the_numbers_does_not_know_what_is_still_claimed() -> None:
    for before in (Withheld(), withheld(numbers=None)):
        current = drawn_again("bob", before)
        assert (current.claimed, current.unclaimed) == ({}, {1, 4})
        assert current.claims_known((1, 4))
        assert not current.claims_known((1, 2, 4))
        assert current.is_labelled_in_camera(2) is False  # it can only be claimed, and there are no classes
    late = drawn_again("bob", Withheld())
    late.late[2] = (30, 0)
    assert late.claims_known((1, 2, 4))


def test_a_copy_with_some_of_the_claims_knows_only_these() -> None:
    current = drawn_again("bob", withheld(claims_shown=False))
    assert (current.claimed, current.unclaimed) == ({3: "advice"}, {1, 4})


def test_where_the_court_looks_the_releases_tell_what_is_claimed() -> None:
    current = drawn_again("court", withheld(claims_shown=False))
    assert current.is_labelled_in_camera(2) is None
    current.take_camera((1, 2, 3, 4), (released(8, 3),))
    assert [current.is_labelled_in_camera(each) for each in (1, 2, 3, 4)] == [True, True, False, True]
    assert current.released_in_camera((1, 2, 3, 4)) == (released(8, 3),)


@pytest.mark.parametrize(("releases", "labelled"), [((), True), ((released(25, 0),), True), ((released(8, 3),), None)])
def test_a_public_copy_knows_what_is_claimed_only_if_no_report_is_released(
    releases: tuple[Release, ...], *, labelled: bool | None
) -> None:
    current = drawn_again("court", Withheld())
    current.take_camera((1, 2, 3, 4), releases)
    assert [current.is_labelled_in_camera(each) for each in (1, 2, 3, 4)] == [True, labelled, labelled, True]


def test_what_is_given_up_disclosed_or_claimed_cannot_be_claimed_late() -> None:
    current = in_round(None, given_up=frozenset({1}), waves=[(2,)], claimed={3: "advice"})
    for position, holds in {1: False, 2: False, 3: False, 4: True, 5: False}.items():
        candidate = SimpleNamespace(current=current, content=SimpleNamespace(positions=(position,)))
        found = broken(privilege.late_claim_is_new, cast("Candidate[Any]", candidate))
        assert (found is None) is holds, position


def test_a_class_that_alice_labels_as_responsive_goes_to_bob_like_any_other() -> None:
    claims = {1: {"class": "medical"}, 2: {"class": "medical"}, 3: "advice"}
    current = in_round(None, claimed=claims, report=Report(labels=(True, False, True, True), threshold=None))
    assert [current.goes_to_court(each) for each in (1, 2, 3)] == [False, True, True]


def test_what_the_copy_does_not_show_is_taken_from_the_close() -> None:
    current = in_round(held(positions=3), waves=[(1, 2)], bob={1: False, 2: False}, seen_in_camera={1: False, 3: True})
    current.unclear |= {1, 3}
    assert not current.known
    assert current.disagreements() == ()
    current.clear_up((1,))
    assert current.settled == {1: True, 2: False}


# The conditions


def opened(validation: object, classes: object = None) -> Opened:
    terms = {"batch": 10, "classes": classes, "doubt": "0.05", "draws": 64, "protocol": "reveal-all", "query": ""}
    terms |= {"witnesses": None}
    return cast(
        "Opened",
        SimpleNamespace(
            terms=SimpleNamespace(
                **(terms | {"rounds": 5}), validation=None if validation is None else read(Validation, validation)
            ),
            corpus=SimpleNamespace(documents=DOCUMENTS, root=bytes(32)),
        ),
    )


def state(**changed: Any) -> State:
    found = State(tally=Tally(), first=opened(planned()), matter=bytes(32), **changed)
    found.drawing = Drawing(answered=bytes(32), links={Role.ALICE: LINK, Role.BOB: LINK}, begins=Sort.VALIDATION)
    found.draws = 3
    return found


def entry(at: State, kind: Kind = Kind.VALIDATION, **changed: Any) -> Candidate[Validated]:
    content = Validated(drawn=Link(draw=3, link=LINK), number=1, numbers=(), reviewed=())
    sealed = changed.pop("documents", None)
    values = {} if sealed is None else {"documents": dict(enumerate(sealed))}
    found = SimpleNamespace(
        state=at,
        kind=kind,
        content=Validated(**({name: getattr(content, name) for name in Validated.__slots__} | changed)),
        body=SimpleNamespace(releases=changed.pop("releases", ())),
        said=SimpleNamespace(sealed={} if sealed is None else {"documents": sealed}, round=4, author=Role.TRENT),
        sequence=20,
        told=SimpleNamespace(values=values),
    )
    found.sealed = lambda _: 0 if sealed is None else len(sealed)
    found.once = lambda find: find(found)
    return cast("Candidate[Validated]", found)


def broken(condition: ReplayCondition, candidate: Candidate[Any]) -> Broken | None:
    return condition.test(candidate)


def drawn(at: State) -> tuple[int, ...]:
    return tuple(validations.due_numbers(entry(at)))


def test_the_listed_documents_are_those_that_the_coins_draw_from_what_bob_has_not_seen() -> None:
    at = state()
    at.out_of_question.update(range(50, 90))
    due = drawn(at)
    seed = at.seed({Role.TRENT: LINK})
    among = [number for number in range(DOCUMENTS) if not 50 <= number < 90]
    assert list(due) == [n for n, coin in zip(among, coins.coins(seed, among), strict=True) if coin < 2**62]
    assert len(due) > 50
    assert broken(validations.lists_the_drawn, entry(at, numbers=due)) is None


@pytest.mark.parametrize("change", [lambda due: due[1:], lambda due: (*due[:-1],), lambda _: ()])
def test_a_drawn_document_that_is_left_out_is_found(change: Callable[[tuple[int, ...]], tuple[int, ...]]) -> None:
    assert broken(validations.lists_the_drawn, entry(state(), numbers=change(drawn(state())))) is not None


def test_a_document_that_bob_has_seen_or_that_no_coin_draws_is_not_listed() -> None:
    at, due = state(), drawn(state())
    other = next(number for number in range(DOCUMENTS) if number not in due)
    assert broken(validations.lists_the_drawn, entry(at, numbers=tuple(sorted((*due, other))))) is not None
    at.out_of_question.update(due[:1])
    assert broken(validations.lists_the_drawn, entry(at, numbers=due)) is not None


def test_only_what_was_never_put_up_is_called() -> None:
    at = state()
    at.first = opened(planned(review="0.25"))
    at.documents.update(range(300))
    due = validations.due_numbers(entry(at, Kind.CALL))
    assert due
    assert min(due) >= 300


def test_a_copy_that_does_not_show_the_numbers_does_not_judge_them() -> None:
    assert broken(validations.lists_the_drawn, entry(state(numbers_known=False))) is None
    assert broken(validations.tells_the_reviewed, entry(state(numbers_known=False), reviewed=(1,))) is None


def test_it_is_stated_which_documents_were_put_up_before() -> None:
    at = state()
    at.documents.update((7, 9))
    assert broken(validations.tells_the_reviewed, entry(at, numbers=(5, 7, 8, 9), reviewed=(2, 4))) is None
    assert broken(validations.tells_the_reviewed, entry(at, numbers=(5, 7, 8, 9), reviewed=(2,))) is not None
    assert broken(validations.tells_the_reviewed, entry(at, numbers=(5, 7, 8, 9), reviewed=(1, 2, 4))) is not None


@pytest.mark.parametrize(
    ("numbers", "reviewed", "kind", "holds"),
    [
        ((), (), Kind.VALIDATION, True),
        ((3, 5), (2,), Kind.VALIDATION, True),
        ((5, 3), (), Kind.VALIDATION, False),
        ((3, 3), (), Kind.VALIDATION, False),
        ((DOCUMENTS,), (), Kind.VALIDATION, False),
        ((3, 5), (3,), Kind.VALIDATION, False),
        ((3, 5), (2, 1), Kind.VALIDATION, False),
        ((3, 5), (1,), Kind.CALL, False),
        ((3, 5), (), Kind.CALL, True),
    ],
)
def test_lists_are_in_order(numbers: tuple[int, ...], reviewed: tuple[int, ...], kind: Kind, *, holds: bool) -> None:
    found = broken(validations.lists_in_order, entry(state(), kind, numbers=numbers, reviewed=reviewed))
    assert (found is None) is holds


def test_validations_are_numbered() -> None:
    assert broken(validations.has_its_number, entry(state(), number=1)) is None
    assert broken(validations.has_its_number, entry(state(), number=2)) is not None


def test_bob_is_given_the_numbers_of_all_batches_that_he_does_not_have_yet() -> None:
    due = tuple(Release(audience=Audience.BOB, entry=each, field="numbers", indices=None) for each in (8, 15))
    at = state(numbers_sealed_in=[8, 15])
    wrong = (
        (),
        due[:1],
        due[::-1],
        (*due, due[0]),
        (due[0], Release(audience=Audience.BOB, entry=15, field="numbers", indices=(0,))),
    )
    candidate = entry(at)
    for releases in (due, *wrong):
        candidate.body.releases = releases  # type: ignore[misc]
        assert (broken(validations.releases_numbers, candidate) is None) is (releases == due)


@pytest.mark.parametrize(
    ("documents", "holds"),
    [
        ([{"document": 3, "name": "a"}, {"document": 5, "name": "b"}], True),
        ([{"document": 3, "name": "a"}, {"document": 6, "name": "b"}], False),
        ([{"document": 3, "name": "a"}], False),
        ([{"document": 3, "name": "a"}, {"document": "5", "name": "b"}], False),
        (None, False),
    ],
)
def test_the_sealed_documents_are_those_with_the_numbers(documents: Any, *, holds: bool) -> None:
    found = broken(validations.seals_its_documents, entry(state(), numbers=(3, 5), documents=documents))
    assert (found is None) is holds


def test_a_validation_that_draws_nothing_seals_nothing() -> None:
    assert broken(validations.seals_its_documents, entry(state())) is None
    assert broken(validations.seals_its_documents, entry(state(), documents=[])) is not None


@pytest.mark.parametrize(
    ("review", "kind", "begins", "holds"),
    [
        (None, Kind.VALIDATION, Sort.VALIDATION, True),
        ("0.5", Kind.CALL, Sort.VALIDATION, True),
        (None, Kind.CALL, Sort.VALIDATION, False),
        ("0.5", Kind.VALIDATION, Sort.VALIDATION, False),
        (None, Kind.VALIDATION, Sort.BATCH, False),
        (None, Kind.VALIDATION, None, True),
    ],
)
def test_a_validation_follows_a_draw_for_one(
    review: str | None, kind: Kind, begins: Sort | None, *, holds: bool
) -> None:
    at = state()
    at.first, at.drawing = opened(planned(review=review)), Drawing(answered=b"", begins=begins)
    assert (broken(validations.is_due, entry(at, kind)) is None) is holds


def test_no_validation_comes_without_a_draw_or_without_terms_for_one() -> None:
    at = state()
    at.drawing = None
    assert broken(validations.is_due, entry(at)) is not None
    at = state()
    at.first = opened(None)
    assert broken(validations.is_due, entry(at)) is not None


def test_nothing_else_comes_while_a_draw_for_a_validation_is_under_way() -> None:
    assert broken(validations.none_is_due, entry(state(), Kind.BATCH)) is not None


# Classes


CLASSES = Classes(names=("health", "trade"), share="0.01")


@pytest.mark.parametrize(
    ("value", "classes", "is_one"),
    [
        ({"class": "health"}, CLASSES, True),
        ({"class": "other"}, CLASSES, False),
        ({"class": "health"}, None, False),
        ({"class": "health", "more": 1}, CLASSES, False),
        ({"class": ["health"]}, CLASSES, False),
        ({"class": None}, CLASSES, False),
        ({}, CLASSES, False),
        (["health"], CLASSES, False),
    ],
)
def test_a_class_is_one_of_the_terms(value: object, classes: Classes | None, *, is_one: bool) -> None:
    assert basis.is_claim(value, Unit.DOCUMENT, classes) is is_one


def claim(at: State, *values: object) -> Candidate[Any]:
    told = SimpleNamespace(values={"privilege": dict(enumerate(values))})
    return cast("Candidate[Any]", SimpleNamespace(state=at, told=told))


def test_classes_have_their_share_of_the_collection_and_no_more() -> None:
    at = state(class_claims=2)
    at.first = opened(None, classes=CLASSES)
    health = {"class": "health"}
    assert broken(privilege.classes_within_share, claim(at, health, None, "advice", health)) is None
    assert broken(privilege.classes_within_share, claim(at, health, health, health)) is not None


def test_where_the_terms_have_no_classes_nothing_is_counted() -> None:
    assert broken(privilege.classes_within_share, claim(state(class_claims=9))) is None
