"""Whole matters with validations, through the real engine: one stage and two, and how they end the review."""

from pathlib import Path
from typing import Any

import pytest

from ledger.entries import Release
from ledger.matterreader import MatterReader
from ledger.roles import Audience, Role
from protocol.certificates.collection import most
from protocol.certificates.exact import threshold
from protocol.corpus.corpus import Corpus
from protocol.matter import summary, validating
from protocol.matter.rounds import Sort
from tests.support.matters import contents
from tests.support.validated_matters import (
    EACH_ROUND,
    IN_TWO,
    begin,
    consistent,
    played,
    sorts,
    stated,
    until_validation,
)

pytestmark = pytest.mark.slow  # plays whole matters

RULES = ["label", "classifier", "reveal-all", "spot-check"]
WITHOUT_ESCALATIONS: dict[str, Any] = {"target": "0.01"}


@pytest.mark.parametrize("protocol", RULES)
@pytest.mark.parametrize("validation", [EACH_ROUND, IN_TWO], ids=["one stage", "two stages"])
def test_a_validation_comes_after_each_round_if_the_terms_say_so(
    small_corpus: Corpus, tmp_path: Path, protocol: str, validation: dict[str, Any]
) -> None:
    more = WITHOUT_ESCALATIONS if protocol == "spot-check" else {}
    state = played(small_corpus, tmp_path / "matter", validation, protocol=protocol, **more)
    assert sorts(state) == "bvbv"
    assert [each.number for each in stated(state).validations] == [1, 2]
    assert stated(state).ended == "rounds"


def test_one_stage_draws_from_all_that_bob_has_not_seen(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path / "matter", rounds=1) as run:
        current = until_validation(run)
        state = run.state
        batch = state.rounds[0]
        held = current.procedure
        assert isinstance(held, validating.Validation)
        shown = {batch.places[position - 1].document for position in batch.disclosed}
        put_up = {place.document for place in batch.places}
        assert not shown & set(current.items or ())
        assert held.never == small_corpus.size - len(put_up)
        assert held.withheld == len(put_up) - len(shown)
        drawn = {place.document for place in current.places}
        assert {position for position in range(1, current.size + 1) if position not in current.fresh} == {
            position for position, place in enumerate(current.places, start=1) if place.document in put_up
        }
        assert all(coin < held.chances.first for coin in current.flips or ())
        run.run()
    state = consistent(tmp_path / "matter")
    assert state.put_up == len(put_up | drawn)


def test_one_stage_proves_what_its_hits_prove(small_corpus: Corpus, tmp_path: Path) -> None:
    state = played(small_corpus, tmp_path / "matter", rounds=1, players={"bob": "truthful"})
    before, current = state.rounds[0].found, state.rounds[1]
    (claimed,) = stated(state).validations
    hits = sum(label for label in current.settled.values())
    level = 4 * validating.begin(state).plan.doubt / 5
    assert claimed.total == before + most(hits, threshold(validating.begin(state).plan.show), level)
    assert claimed.at_most == claimed.total - before - hits
    assert claimed.never.hits + claimed.withheld.hits == hits
    assert claimed.never.shown + claimed.withheld.shown == current.size
    collection = stated(state).certificates.collection
    assert (collection.at_most, collection.unreviewed) == (claimed.at_most, small_corpus.size - state.put_up)


def test_two_stages_call_what_was_never_put_up_and_draw_again_what_is_withheld(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    with begin(small_corpus, tmp_path / "matter", IN_TWO, rounds=1, protocol="spot-check", rate="0.1") as run:
        current = until_validation(run)
        before = run.state.withheld()
        put_up = {place.document for place in run.state.rounds[0].places}
        called = [place.document for place in current.places[: current.called]]
        assert called == sorted(called)
        assert put_up.isdisjoint(called)
        assert before
        assert list(current.places[current.called :]) == [each.place for each in before]
        run.run()
    current = consistent(tmp_path / "matter").rounds[1]
    drawn = {position for position in current.disclosed if not current.reported(position)}
    assert current.outcome is not None
    assert current.outcome.sampled == len(drawn)
    assert any(position > current.called for position in drawn)
    assert {position for position in range(1, current.size + 1) if current.reported(position)} <= current.disclosed


@pytest.mark.parametrize("validation", [EACH_ROUND, IN_TWO], ids=["one stage", "two stages"])
def test_the_matter_stops_at_the_first_validation_that_reaches_its_target(
    small_corpus: Corpus, tmp_path: Path, validation: dict[str, Any]
) -> None:
    low = validation | {"target": "0.01"}
    state = played(small_corpus, tmp_path / "matter", low, rounds=3)
    assert sorts(state) == "bv"
    claimed = stated(state)
    assert claimed.ended == "validation"
    assert claimed.validations[0].reached
    assert claimed.certificates.collection.reached


def test_a_failed_validation_stays_in_the_claims_and_a_later_one_can_reach_the_target(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    some = EACH_ROUND | {"target": "0.45", "show": "0.3"}
    state = played(small_corpus, tmp_path / "matter", some, rounds=9, players={"alice": "truthful"})
    claimed = stated(state)
    assert [each.reached for each in claimed.validations] == [False] * (len(claimed.validations) - 1) + [True]
    assert len(claimed.validations) > 1
    assert claimed.ended == "validation"
    missing = [each.at_most for each in claimed.validations if each.at_most is not None]
    assert claimed.certificates.collection.at_most == min(missing)


def test_what_bob_gets_after_a_validation_counts_as_found_and_is_not_taken_off_what_may_be_missing(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    """It may be rightly privileged, and then it was never counted as missing."""
    early = EACH_ROUND | {"target": "0.01", "show": "0.05"}
    state = played(small_corpus, tmp_path / "matter", early, rounds=3, protocol="spot-check", limit="1", every=3)
    assert list(sorts(state)[:3]) == ["b", "v", "e"]
    claimed = stated(state)
    (held,), certified = claimed.validations, claimed.certificates.collection
    assert held.total is not None
    assert held.at_most is not None
    assert certified.found > held.total - held.at_most, "the escalation has brought nothing"
    assert certified.at_most == held.at_most
    shown = summary.summary(state)["certificates"]["collection"]
    assert shown["at_most"] == held.at_most
    assert shown["recall_at_least"] == certified.found / (certified.found + held.at_most)


def test_by_the_yield_the_first_validation_waits_until_the_rounds_bring_little(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    quiet = {"yield": "0.3", "window": 2, "every": 2, "target": "0.99"}
    state = played(small_corpus, tmp_path / "matter", quiet, rounds=8, protocol="reveal-all")
    yields, place = [each.found for each in state.rounds if each.sort is Sort.BATCH], sorts(state).index("v")
    earlier = [sum(yields[last - 2 : last]) * 10 <= 3 * sum(yields[:last]) for last in range(2, place + 1)]
    assert earlier == [False] * (place - 2) + [True]
    later = [index for index, sort in enumerate(sorts(state).replace("v", "", 1)[place:], start=1) if sort == "v"]
    assert later[0] == 3


def test_at_the_end_of_the_rounds_one_last_validation_comes(small_corpus: Corpus, tmp_path: Path) -> None:
    state = played(small_corpus, tmp_path / "matter", {"target": "0.99"}, rounds=2)
    assert sorts(state) == "bbv"


def test_nothing_is_validated_if_bob_has_seen_everything(small_corpus: Corpus, tmp_path: Path) -> None:
    state = played(small_corpus, tmp_path / "matter", rounds=1, batch=300, protocol="reveal-all", query="")
    assert sorts(state) == "b"
    collection = stated(state).certificates.collection
    assert (collection.at_most, collection.unreviewed, collection.reached) == (0, 0, True)
    assert stated(state).ended == "documents"


@pytest.mark.parametrize("validation", [{"show": "0.000001"}, {"show": "0.5", "review": "0.000001"}], ids=str)
def test_a_validation_that_draws_nothing_is_held_and_closed_all_the_same(
    small_corpus: Corpus, tmp_path: Path, validation: dict[str, Any]
) -> None:
    state = played(small_corpus, tmp_path / "matter", validation, rounds=1, protocol="reveal-all")
    assert sorts(state) == "bv"
    assert state.rounds[1].size == 0
    (claimed,) = stated(state).validations
    assert claimed.at_most == small_corpus.size - len(state.rounds[0].disclosed)


def test_under_a_rule_of_the_paper_every_called_document_that_alice_withholds_may_be_hidden(
    small_corpus: Corpus, tmp_path: Path
) -> None:
    two_stages = {"review": "0.5", "show": "0.1"}
    state = played(small_corpus, tmp_path / "matter", two_stages, rounds=1, protocol="reveal-all")
    called = [seat for seat in state.books.exposures if seat.round == 2]
    assert len(called) > 20
    assert stated(state).certificates.reviewed.at_most == len(called)


def test_no_document_is_put_up_twice(small_corpus: Corpus, tmp_path: Path) -> None:
    state = played(small_corpus, tmp_path / "matter", EACH_ROUND | {"target": "0.99"}, rounds=20)
    put_up = [each.places[position - 1].document for each in state.rounds for position in sorted(each.fresh)]
    assert sorted(put_up) == list(range(small_corpus.size))
    assert stated(state).ended == "documents"
    assert stated(state).reviewed == small_corpus.size


def test_what_a_validation_settles_is_trained_on(small_corpus: Corpus, tmp_path: Path) -> None:
    state = played(small_corpus, tmp_path / "matter", rounds=1, players={"bob": "truthful"})
    documents, labels = state.labelled()
    trained, validated = dict(zip(documents, labels, strict=True)), state.rounds[1]
    assert documents[:20] == [place.document for place in state.rounds[0].places]
    for position, place in enumerate(validated.places, start=1):
        assert trained[place.document] == validated.settled[position]
    assert documents[20:] == [validated.places[position - 1].document for position in sorted(validated.fresh)]


def test_bob_gets_the_numbers_of_each_batch_once(small_corpus: Corpus, tmp_path: Path) -> None:
    played(small_corpus, tmp_path / "matter", rounds=3)
    entries = [opened.entry.body for opened in MatterReader(tmp_path / "matter")]
    batches = [each.sequence for each in entries if each.statement.kind == "batch"]
    released = [each.releases for each in entries if each.statement.kind == "validation"]
    assert released == [
        (Release(audience=Audience.BOB, entry=entry, field="numbers", indices=None),) for entry in batches
    ]


@pytest.mark.parametrize("viewer", ["bob", "court"])
def test_with_the_court_as_viewer_bob_gets_only_what_is_responsive(
    small_corpus: Corpus, tmp_path: Path, viewer: str
) -> None:
    state = played(small_corpus, tmp_path / "matter", EACH_ROUND | {"viewer": viewer}, rounds=1)
    current = state.rounds[1]
    seen = {position: current.settled[position] for position in current.disclosed}
    if viewer == "bob":
        assert not current.in_camera
        assert len(seen) == current.size
    else:
        assert len(current.in_camera) == current.size
        assert all(seen.values())
        assert stated(state).in_camera == current.size - len(seen)
    truth = current.truth(small_corpus.labels("responsive"))
    assert truth.responsive == truth.revealed
    (claimed,) = stated(state).validations
    assert claimed.never.shown + claimed.withheld.shown == current.size


@pytest.mark.parametrize("protocol", ["label", "spot-check"])
def test_an_interrupted_matter_goes_on_in_the_middle_of_a_validation(
    small_corpus: Corpus, tmp_path: Path, protocol: str
) -> None:
    whole = played(small_corpus, tmp_path / "whole", IN_TWO, protocol=protocol)
    steps = 0
    while True:
        with begin(small_corpus, tmp_path / "matter", IN_TWO, protocol=protocol) as run:
            more = run.step()
            for _ in range(3):
                more = more and run.step()
            steps += 1
        if not more:
            break
    assert steps > 4
    state = summary.read(tmp_path / "matter")
    assert contents(tmp_path / "matter", "claims") == contents(tmp_path / "whole", "claims")
    assert state.sequences == whole.sequences


def test_a_summary_has_a_row_for_each_validation(small_corpus: Corpus, tmp_path: Path) -> None:
    state = played(small_corpus, tmp_path / "matter", IN_TWO, rounds=1)
    (row,) = summary.summary(state)["validations"]
    (claimed,) = stated(state).validations
    assert (row["stages"], row["called"], row["unread"]) == (2, claimed.called, 0)
    for stratum in ("never", "withheld"):
        part = getattr(claimed, stratum)
        assert row["strata"][stratum].items() >= {"documents": part.documents, "shown": part.shown}.items()
        assert row["strata"][stratum]["hits"] == part.hits
    assert row["certificate"]["at_most"] == claimed.at_most
    for share in ("elusion", "richness", "recall"):
        found = row["estimates"][share]
        assert 0 <= found["low"] <= found["point"] <= found["high"] <= 1


def test_rounds_of_a_role_are_asked_in_the_right_order(small_corpus: Corpus, tmp_path: Path) -> None:
    with begin(small_corpus, tmp_path / "matter", rounds=1) as run:
        until_validation(run)
        assert run.state.awaits.keys() == {Role.ALICE}
        assert run.state.awaits[Role.ALICE].kind == "claim"
    with begin(small_corpus, tmp_path / "other", IN_TWO, rounds=1) as run:
        until_validation(run)
        assert run.state.awaits[Role.ALICE].kind == "report"
