"""What can happen in a validation: silence of each party, late claims, new keys, chains that end, and amendments."""

from pathlib import Path
from typing import Any

import pytest

from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.matter import validating
from protocol.matter.rounds import Round, Sort
from protocol.simulation.run import Run
from tests.support import answers
from tests.support.matters import refusal
from tests.support.validated_matters import (
    EACH_ROUND,
    IN_TWO,
    NEW_KEY,
    begin,
    consistent,
    new_key,
    pass_over,
    sorts,
    stated,
    until_asked,
    until_validation,
    validations,
    with_draws,
)

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
    assert stated(state).withheld == 2 * upheld


def test_a_claim_of_before_is_made_again_in_one_stage_and_stands_in_two(small_corpus: Corpus, tmp_path: Path) -> None:
    for name, validation in {"one": EACH_ROUND | {"show": "0.999"}, "two": IN_TWO | {"review": "0.999"}}.items():
        path = tmp_path / name
        with begin(small_corpus, path, validation, rounds=1, protocol="spot-check", rate="0.01", **TARGETLESS) as run:
            until_asked(run, Role.ALICE, "report")
            report = run.alice.strategy.report(run.alice.rule, run.alice.truth, 1)
            bases = {place: "Advice of counsel" for place, label in enumerate(report.labels, start=1) if not label}
            run.desk.accept(answers.report(run.alice, report.labels, None, bases))
            current = until_validation(run)
            claimed = {position for position in current.privilege.claimed if position not in current.fresh}
            assert bool(claimed) == (name == "two")
            while run.state.awaits.keys() != {Role.COURT} or run.state.awaits[Role.COURT].kind != "privilege":
                if not run.step():
                    break
            else:
                asked = current.privilege.asked
                assert name == "two"
                assert set(asked) <= claimed
                run.desk.accept(answers.uphold(run.court, [True] * len(asked)))
            run.run()
            books = run.state.books
        state = consistent(path)
        assert books.hits == sum(
            current.fate(position).name == "RESPONSIVE" and not current.reported(position)
            for position in range(1, current.size + 1)
            if name == "two" or position not in current.fresh
        ) + sum(state.rounds[0].fate(position).name == "RESPONSIVE" for position in bases)


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


@pytest.mark.parametrize("claims", [True, False])
def test_a_hit_gives_no_credit_if_the_report_that_labelled_it_claims_anything(
    small_corpus: Corpus, tmp_path: Path, *, claims: bool
) -> None:
    path = tmp_path / "matter"
    often = EACH_ROUND | {"show": "0.9"}
    with begin(small_corpus, path, often, rounds=1, protocol="spot-check", rate="0.01", **TARGETLESS) as run:
        until_asked(run, Role.ALICE, "report")
        hidden = [False] * run.state.rounds[0].size
        run.desk.accept(answers.report(run.alice, hidden, None, {1: "Advice of counsel"} if claims else None))
        until_validation(run)
        before = run.state.books
        finish(run, path)
        after = run.state.books
    assert after.hits > before.hits
    assert (after.credit > before.credit) != claims
