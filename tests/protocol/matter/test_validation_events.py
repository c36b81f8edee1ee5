"""What can happen in a validation: silence of each party, late claims, new keys, chains that end, and amendments."""

from pathlib import Path
from typing import Any

import pytest

from ledger.roles import Role
from protocol.certificates.exact import cost
from protocol.corpus.corpus import Corpus
from protocol.matter import validating
from protocol.matter.rounds import Round, Sort
from protocol.simulation.run import Run
from tests.support import answers
from tests.support.matters import refusal
from tests.support.validated_matters import (
    EACH_ROUND,
    IN_TWO,
    NEARLY_ALL,
    NEW_KEY,
    SPOT_CHECKS,
    begin,
    consistent,
    new_key,
    pass_over,
    report_claiming,
    sorts,
    stated,
    until_asked,
    until_validation,
    validations,
    with_draws,
    withheld_claim,
)

pytestmark = pytest.mark.slow  # plays whole matters

TARGETLESS: dict[str, Any] = {"target": "0.01"}
"""Spot checks that need no escalation."""


def finish(run: Run, path: Path) -> Round:
    """Play on to the end; the first validation."""
    run.run()
    return validations(consistent(path))[0]


def until_draw(run: Run) -> None:
    """Up to the draw of the first validation."""
    while run.state.drawing is None or run.state.drawing.sort is not Sort.VALIDATION:
        assert run.step()


@pytest.mark.parametrize("role", [Role.ALICE, Role.BOB])
@pytest.mark.parametrize("validation", [EACH_ROUND, IN_TWO], ids=["one stage", "two stages"])
def test_a_link_for_the_draw_comes_from_the_deposit_if_its_party_is_silent(
    small_corpus: Corpus, tmp_path: Path, role: Role, validation: dict[str, Any]
) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, validation, rounds=1) as run:
        until_draw(run)
        pass_over(run, role)
        assert finish(run, path).certificate is not None


def test_an_alice_who_is_silent_claims_nothing_of_what_was_drawn(small_corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, rounds=1) as run:
        current = until_validation(run)
        pass_over(run, Role.ALICE)
        assert not current.may_classify
        found = finish(run, path)
    assert len(found.disclosed) == found.size
    assert found.certificate is not None


def test_without_a_report_on_what_was_called_a_validation_proves_nothing(small_corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, IN_TWO, rounds=1, protocol="spot-check", rate="0.1", **TARGETLESS) as run:
        current = until_validation(run)
        draws, books = run.state.draws, run.state.books
        pass_over(run, Role.ALICE)
        assert run.state.draws == draws + 1
        found = finish(run, path)
        assert run.state.books == books
    assert current.size > current.called > 0
    assert found.disclosed == set(range(1, found.called + 1))
    assert found.outcome is not None
    assert found.outcome.sampled == 0
    (claimed,) = stated(run.state).validations
    assert (claimed.total, claimed.at_most, claimed.reached) == (None, None, False)
    assert stated(run.state).certificates.collection.at_most is None
    assert not stated(run.state).disputes or found.rulings == {}


@pytest.mark.parametrize("validation", [EACH_ROUND, IN_TWO], ids=["one stage", "two stages"])
def test_what_bob_does_not_read_counts_as_hits_that_he_does_not_have(
    small_corpus: Corpus, tmp_path: Path, validation: dict[str, Any]
) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, validation, rounds=1, protocol="spot-check", rate="0.1", **TARGETLESS) as run:
        until_validation(run)
        until_asked(run, Role.BOB, "labels")
        hits = run.state.books.hits
        pass_over(run, Role.BOB)
        found = finish(run, path)
    assert found.unread == found.disclosed
    (claimed,) = stated(run.state).validations
    assert claimed.unread == len(found.unread)
    assert claimed.never.hits == claimed.withheld.hits == 0
    assert claimed.at_most is not None
    assert claimed.at_most >= claimed.unread
    drawn_of_withheld = len(found.unread - found.fresh)
    called_against = sum(not found.reported(position) for position in found.unread if position <= found.called)
    assert run.state.books.hits == hits + drawn_of_withheld + called_against


def test_what_the_court_has_labelled_is_not_unread_if_bob_is_silent(small_corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, EACH_ROUND | {"viewer": "court"}, rounds=1) as run:
        until_validation(run)
        until_asked(run, Role.BOB, "labels")
        pass_over(run, Role.BOB)
        found = finish(run, path)
    assert found.disclosed
    assert not found.unread
    (claimed,) = stated(run.state).validations
    assert claimed.never.hits + claimed.withheld.hits == len(found.disclosed)


def test_bobs_link_on_a_report_comes_from_the_deposit(small_corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, IN_TWO, rounds=1) as run:
        until_validation(run)
        run.step()
        assert run.state.awaits[Role.BOB].kind == "link"
        pass_over(run, Role.BOB)
        assert finish(run, path).certificate is not None


@pytest.mark.parametrize("upheld", [True, False])
def test_what_alice_claims_of_a_drawn_document_goes_to_the_court_first(
    small_corpus: Corpus, tmp_path: Path, *, upheld: bool
) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, rounds=2, protocol="spot-check", rate="0.1", **TARGETLESS) as run:
        current = until_validation(run)
        before = run.state.books
        again = next(position for position in range(1, current.size + 1) if position not in current.fresh)
        bases = {again: "Advice of counsel", min(current.fresh): "Prepared for litigation"}
        run.desk.accept(answers.claim(run.alice, bases))
        run.step()
        assert current.privilege.asked == tuple(sorted(bases))
        run.desk.accept(answers.uphold(run.court, [upheld, upheld]))
        found = finish(run, path)
        seat = (found.seats or ())[again - 1]
        assert seat in before.exposures
        assert seat not in run.state.books.exposures
    assert found.privilege.withheld == (frozenset(bases) if upheld else frozenset())
    state = run.state
    number = found.places[min(bases) - 1].document
    documents, _ = state.labelled()
    if upheld:
        fresh = found.places[min(current.fresh) - 1].document
        assert fresh not in documents
        assert number not in validating.population(state)
    assert stated(state).privileged == 2 * upheld


@pytest.mark.parametrize("viewer", ["bob", "court"])
@pytest.mark.parametrize("upheld", [True, False])
def test_what_a_report_claims_reaches_bob_by_a_validation_only_if_the_court_overrules_it(
    small_corpus: Corpus, tmp_path: Path, viewer: str, *, upheld: bool
) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, NEARLY_ALL | {"viewer": viewer}, **SPOT_CHECKS) as run:
        current, place = withheld_claim(run)
        new = next(each for each in sorted(current.fresh) if not run.alice.truth[each - 1])
        run.desk.accept(answers.claim(run.alice, {new: "Joint defence"}))
        run.step()
        asked = current.privilege.asked
        assert asked == (tuple(sorted((place, new))) if viewer == "bob" else tuple(range(1, current.size + 1)))
        kept = {each: not true for each, true in enumerate(run.alice.truth, start=1)} | {place: upheld, new: True}
        run.desk.accept(answers.uphold(run.court, [kept[each] for each in asked]))
        assert current.privilege.upheld == {place: upheld, new: True}
        found = finish(run, path)
        books = run.state.books
    assert (place in found.disclosed) != upheld
    bob = path.with_suffix(".bob.jsonl").read_text()
    assert (f'"name":"{found.places[place - 1].name}"' in bob) != upheld
    assert "Advice of counsel" in bob
    assert stated(run.state).privileged == 1 + upheld
    assert not books.hits  # what was upheld had been claimed beforehand, and is none
    assert (found.seats or ())[place - 1] not in books.exposures


@pytest.mark.parametrize("validation", [NEARLY_ALL, IN_TWO | {"review": "0.999"}], ids=["one stage", "two stages"])
def test_what_a_report_claims_is_still_claimed_in_a_validation(
    small_corpus: Corpus, tmp_path: Path, validation: dict[str, Any]
) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, validation, **SPOT_CHECKS) as run:
        until_asked(run, Role.ALICE, "report")
        bases = [place for place, true in enumerate(run.alice.truth, start=1) if not true]
        report_claiming(run, run.alice.truth, bases)
        current = until_validation(run)
        claimed = set(current.privilege.claimed)
        assert claimed
        assert claimed <= set(range(1, current.size + 1)) - current.fresh
        assert not claimed & current.claimable
        until_asked(run, Role.COURT, "privilege")
        asked = current.privilege.asked
        assert set(asked) <= claimed
        assert validation is not NEARLY_ALL or set(asked) == claimed
        run.desk.accept(answers.uphold(run.court, [True] * len(asked)))
        finish(run, path)
    assert not current.disclosed & claimed
    assert current.privilege.withheld == set(asked)


def test_what_a_report_claims_cannot_be_claimed_again_in_a_validation(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path / "matter", NEARLY_ALL, **SPOT_CHECKS) as run:
        _, place = withheld_claim(run)
        with refusal(run, "neither claimed before nor given up"):
            run.desk.accept(answers.claim(run.alice, {place: "Work product"}))


@pytest.mark.parametrize("validation", [EACH_ROUND, IN_TWO], ids=["one stage", "two stages"])
@pytest.mark.parametrize("upheld", [True, False])
def test_late_claims_count_as_drawn(
    small_corpus: Corpus, tmp_path: Path, validation: dict[str, Any], *, upheld: bool
) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, validation, rounds=1, protocol="spot-check", rate="0.1", **TARGETLESS) as run:
        current = until_validation(run)
        run.step()
        if current.called:
            run.step()
        run.desk.late()
        run.desk.accept(answers.claim(run.alice, {current.size: "Joint defence"}))
        run.step()
        assert current.privilege.asked == (current.size,)
        run.desk.accept(answers.uphold(run.court, [upheld]))
        found = finish(run, path)
    assert (found.size in found.disclosed) != upheld
    assert found.outcome is not None
    assert found.examination is not None
    assert found.size in found.examination.drawn


@pytest.mark.parametrize("kind", ["report", "claim"])
def test_a_new_key_of_alices_in_a_validation_is_asked_again(small_corpus: Corpus, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, IN_TWO if kind == "report" else EACH_ROUND, rounds=1) as run:
        until_validation(run)
        draws = run.state.draws
        assert run.state.awaits[Role.ALICE].kind == kind
        new_key(run, Role.ALICE)
        assert run.state.draws == draws + (kind == "report")
        assert finish(run, path).certificate is not None


def test_a_new_key_of_bobs_gives_the_link_that_a_validation_waits_for(small_corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, IN_TWO, rounds=1) as run:
        until_draw(run)
        new_key(run, Role.BOB)
        assert finish(run, path).certificate is not None


@pytest.mark.parametrize(
    ("validation", "spare", "held"),
    [
        (EACH_ROUND, 0, "bbv"),  # the second batch is chosen by a model, and leaves a draw
        (EACH_ROUND, 1, "bvbv"),
        (IN_TWO, 0, "bb"),
        (IN_TWO, 1, "bbv"),
        (IN_TWO, 2, "bvb"),
        (IN_TWO, 3, "bvbv"),
    ],
)
def test_no_validation_takes_the_draws_of_a_batch(
    small_corpus: Corpus, tmp_path: Path, validation: dict[str, Any], spare: int, held: str
) -> None:
    path = tmp_path / "matter"
    with with_draws(small_corpus, path, 2 * 2 + spare, validation) as run:
        run.run()
        assert run.state.draws <= run.state.terms.draws
    assert sorts(consistent(path)) == held


def test_a_new_key_that_would_cost_the_draw_of_a_call_is_refused(small_corpus: Corpus, tmp_path: Path) -> None:
    with with_draws(small_corpus, tmp_path / "matter", 2 * 2 + 2, IN_TWO) as run:
        until_validation(run)
        assert run.state.free_draws == 0
        with refusal(run, "none to spare"):
            run.desk.rekey(Role.ALICE, NEW_KEY.public)


def vote(run: Run, rounds: int | None) -> None:
    run.desk.amend(rounds)
    for role in (Role.ALICE, Role.BOB, Role.COURT):
        run.desk.accept(answers.amended(run.parties[role], True))


def test_an_amendment_ends_the_review_and_one_last_validation_comes(small_corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, {"target": "0.99"}, rounds=5) as run:
        while len(run.state.closed) < 2:
            run.step()
        vote(run, None)
        run.run()
    state = consistent(path)
    assert sorts(state) == "bbv"
    assert stated(state).ended == "amendment"


def test_after_a_last_validation_that_failed_more_rounds_can_be_agreed_on(small_corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, {"target": "0.99"}, rounds=1) as run:
        while len(run.state.closed) < 2:
            run.step()
        assert sorts(run.state) == "bv"
        vote(run, 2)
        run.run()
    state = consistent(path)
    assert sorts(state) == "bvbv"
    assert [each.number for each in stated(state).validations] == [1, 2]
    assert stated(state).ended == "amendment"


def test_no_amendment_brings_another_batch_after_the_target_was_reached(small_corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, EACH_ROUND | {"target": "0.01"}, rounds=3) as run:
        while len(run.state.closed) < 2:
            run.step()
        vote(run, 5)
        run.run()
    state = consistent(path)
    assert sorts(state) == "bv"
    assert stated(state).ended == "validation"


def test_under_spot_checks_an_escalation_can_follow_the_last_validation(small_corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    reached = EACH_ROUND | {"target": "0.01", "show": "0.05"}
    with begin(small_corpus, path, reached, rounds=3, protocol="spot-check", limit="1", every=3) as run:
        run.run()
    state = consistent(path)
    batch, validation, *rest = list(sorts(state))
    assert (batch, validation) == ("b", "v")
    assert set(rest) == {"e"}
    assert stated(state).certificates.reviewed.reached
    assert stated(state).ended == "validation"


def test_a_position_that_was_not_drawn_cannot_be_claimed(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path / "matter", rounds=1) as run:
        current = until_validation(run)
        with refusal(run, "positions of the batch"):
            run.desk.accept(answers.claim(run.alice, {current.size + 1: "Advice of counsel"}))


def test_everybody_can_follow_a_wave_after_one_that_bob_left_unread(small_corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, IN_TWO, rounds=1) as run:
        current = until_validation(run)
        until_asked(run, Role.BOB, "labels")
        pass_over(run, Role.BOB)
        run.desk.late()
        run.desk.accept(answers.claim(run.alice, {max(current.claimable): "Joint defence"}))
        run.step()
        run.desk.accept(answers.uphold(run.court, [False]))
        found = finish(run, path)
    assert len(found.waves) == 2
    assert found.unread == set(found.waves[0])


def test_only_the_hits_that_the_report_itself_claims_give_no_credit(small_corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, NEARLY_ALL, **SPOT_CHECKS) as run:
        until_asked(run, Role.ALICE, "report")
        truth = run.alice.truth
        report_claiming(run, [False] * len(truth), [truth.index(True) + 1, truth.index(False) + 1])
        current = until_validation(run)
        before = run.state.books
        until_asked(run, Role.COURT, "privilege")
        claimed = current.privilege.asked
        run.desk.accept(answers.uphold(run.court, [False] * len(claimed)))
        finish(run, path)
        after = run.state.books
    hits = {place: seat for place, seat in enumerate(current.seats or (), start=1) if seat and current.settled[place]}
    flips = current.flips or ()
    credit = {place: before.exposures[seat] + cost(flips[place - 1]) for place, seat in hits.items()}
    assert len(hits.keys() & set(claimed)) == 1
    assert after.hits == before.hits + len(hits)
    assert after.credit == before.credit + sum(each for place, each in credit.items() if place not in claimed)


def test_everybody_can_follow_where_bob_contradicts_what_the_court_has_labelled(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    """Without openings nobody can tell whether the court has labelled a document or overruled a claim of before."""
    path = tmp_path / "matter"
    with begin(small_corpus, path, NEARLY_ALL | {"viewer": "court"}, **SPOT_CHECKS) as run:
        until_asked(run, Role.ALICE, "report")
        report_claiming(run, [False] * len(run.alice.truth), [run.alice.truth.index(False) + 1])
        current = until_validation(run)
        (place,) = current.privilege.claimed
        until_asked(run, Role.COURT, "privilege")
        kept = {each: not true for each, true in enumerate(run.alice.truth, start=1)} | {place: False}
        run.desk.accept(answers.uphold(run.court, [kept[each] for each in current.privilege.asked]))
        until_asked(run, Role.BOB, "labels")
        run.desk.accept(answers.label(run.bob, [False] * len(current.waves[-1])))
        found = finish(run, path)
    assert found.outcome is not None
    assert found.disclosed == set(found.outcome.responsive) | {place}
    assert set(found.outcome.responsive) - found.fresh
