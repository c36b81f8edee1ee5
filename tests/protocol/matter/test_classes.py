"""Sensitive classes: the court looks at what is drawn of them, and Bob gets only what is responsive."""

from pathlib import Path
from typing import Any

import pytest

from ledger.errors import Refused
from ledger.roles import Role
from protocol.corpus.corpus import Corpus
from protocol.errors import BadTerms
from protocol.matter import terms
from protocol.matter.books import Fate
from protocol.matter.decisions import Decisions
from protocol.matter.rounds import Sort
from protocol.simulation.run import Run
from tests.support import answers, corpora
from tests.support.matters import refusal, start
from tests.support.validated_matters import EACH_ROUND, IN_TWO, consistent, sorts, stated, until_asked, until_validation

pytestmark = pytest.mark.slow  # plays whole matters

CLASSES = terms.classes(["family", "medical"], "0.2")
MEDICAL = terms.classes(["medical"], "0.2")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """A corpus with documents of the class `medical`."""
    return corpora.sensitive(tmp_path_factory.mktemp("sensitive") / "corpus")


def begin(corpus: Corpus, path: Path, **changed: Any) -> Run:
    wanted: dict[str, Any] = {"rounds": 1, "classes": MEDICAL}
    return start(corpus, path, **(wanted | changed))


def reported(run: Run) -> list[bool]:
    """What simulated Alice would say of the documents of the round."""
    said = run.alice.strategy.report(run.alice.rule, run.alice.truth, run.state.rounds[-1].number)
    return [bool(label) for label in said.labels]


@pytest.mark.parametrize("protocol", ["label", "classifier", "reveal-all", "spot-check"])
@pytest.mark.parametrize("validation", [None, EACH_ROUND, IN_TWO], ids=["none", "one stage", "two stages"])
def test_a_whole_matter_with_classes(
    corpus: Corpus, tmp_path: Path, protocol: str, validation: dict[str, Any] | None
) -> None:
    path = tmp_path / "matter"
    agreed = None if validation is None else terms.validation(**validation)
    more = {"rate": "0.3", "limit": "1"} if protocol == "spot-check" else {}
    with begin(corpus, path, rounds=2, protocol=protocol, validation=agreed, **more) as run:
        run.run()
    state = consistent(path)
    medical, kept = corpus.labels("medical"), 0
    for each in state.rounds:
        for position, label in each.in_camera.items():
            assert each.places[position - 1].document in medical
            assert (position in each.disclosed) == label
        kept += len(each.kept)
    assert stated(state).in_camera == kept > 0
    assert 0 < state.classed <= corpus.size // 5


def test_a_class_that_alice_labels_responsive_goes_to_bob_like_anything_else(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    with begin(corpus, path, protocol="reveal-all") as run:
        until_asked(run, Role.ALICE, "report")
        labels = reported(run)
        true, false = labels.index(True) + 1, labels.index(False) + 1
        given = dict(enumerate(labels, start=1))
        run.desk.accept(run.alice.say(Decisions(labels=given, classes={true: "medical", false: "medical"})))
        until_asked(run, Role.COURT, "privilege")
        current = run.state.rounds[0]
        assert current.privilege.asked == (false,)
        run.run()
    found = consistent(path).rounds[0]
    assert true in found.disclosed
    assert true not in found.in_camera


@pytest.mark.parametrize("responsive", [True, False])
def test_the_courts_label_of_a_class_is_the_last_word(corpus: Corpus, tmp_path: Path, *, responsive: bool) -> None:
    path = tmp_path / "matter"
    with begin(corpus, path, protocol="reveal-all", players={"bob": "truthful"}) as run:
        until_asked(run, Role.ALICE, "report")
        labels = reported(run)
        false = next(place for place, true in enumerate(run.alice.truth, start=1) if not true and not labels[place - 1])
        given = dict(enumerate(labels, start=1))
        run.desk.accept(run.alice.say(Decisions(labels=given, classes={false: "medical"})))
        until_asked(run, Role.COURT, "privilege")
        run.desk.accept(answers.uphold(run.court, [not responsive]))
        run.run()
    state = consistent(path)
    found = state.rounds[0]
    assert (false in found.disclosed) == responsive
    assert found.fate(false) is (Fate.RESPONSIVE if responsive else Fate.NOT_RESPONSIVE)
    assert false not in found.rulings
    assert found.outcome is not None
    assert (false in found.outcome.responsive) == responsive
    if responsive:
        assert found.bob[false] is False
    assert stated(state).disputes == len(found.rulings)
    assert stated(state).in_camera == (not responsive)


def test_a_class_found_responsive_compels_the_batch_like_any_confirmed_error(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    hidden = {"alice": "hiding:1:far", "bob": "truthful"}
    with begin(corpus, path, protocol="spot-check", rate="0.9", penalty="batch", limit="0", players=hidden) as run:
        until_asked(run, Role.ALICE, "report")
        labels = dict(enumerate(reported(run), start=1))
        truth = [place for place, true in enumerate(run.alice.truth, start=1) if true]
        run.desk.accept(run.alice.say(Decisions(labels=labels, classes=dict.fromkeys(truth, "medical"))))
        run.run()
    found = consistent(path).rounds[0]
    assert found.outcome is not None
    assert found.outcome.compelled
    assert found.disclosed == set(range(1, found.size + 1))


@pytest.mark.parametrize(
    "validation",
    [None, EACH_ROUND | {"show": "0.9"}, IN_TWO | {"review": "0.9", "show": "0.9"}],
    ids=["an escalation", "a validation in one stage", "a validation in two stages"],
)
def test_a_class_stands_when_a_later_round_comes_back_to_what_is_withheld(
    corpus: Corpus, tmp_path: Path, validation: dict[str, Any] | None
) -> None:
    path = tmp_path / "matter"
    often = None if validation is None else terms.validation(**validation)
    with begin(corpus, path, protocol="spot-check", rate="0.01", limit="1", target="0.99", validation=often) as run:
        run.run()
    state = consistent(path)
    later = state.rounds[1]
    assert later.sort is (Sort.ESCALATION if validation is None else Sort.VALIDATION)
    medical = corpus.labels("medical")
    carried = later.privilege.classes.keys() - later.fresh
    assert {later.places[place - 1].document for place in carried} <= medical
    assert carried & later.in_camera.keys()
    assert not carried & later.privilege.upheld.keys()
    assert not carried & later.privilege.late
    classed = {(each.places[place - 1].document) for each in state.rounds for place in each.privilege.classes}
    assert state.classed == len(classed)  # none of them counts twice


def test_no_more_documents_are_put_into_classes_than_the_share_allows(corpus: Corpus, tmp_path: Path) -> None:
    few = terms.classes(["medical"], "0.01")
    with begin(corpus, tmp_path / "matter", classes=few) as run:
        until_asked(run, Role.ALICE, "report")
        labels = dict(enumerate(reported(run), start=1))
        four = dict.fromkeys(range(1, 5), "medical")
        with refusal(run, "more than 3 documents are put into classes"):
            run.desk.accept(run.alice.say(Decisions(labels=labels, classes=four)))
    with begin(corpus, tmp_path / "other", classes=few) as run:
        until_asked(run, Role.ALICE, "report")
        run.desk.accept(run.alice.say(Decisions(labels=labels, classes=dict.fromkeys(range(1, 4), "medical"))))
        assert run.state.classed == 3
    with begin(corpus, tmp_path / "third", classes=few, rounds=2, validation=terms.validation(**EACH_ROUND)) as run:
        run.run()
        assert run.state.classed == 3
    consistent(tmp_path / "third")


def test_a_claim_of_a_validation_counts_toward_the_share(corpus: Corpus, tmp_path: Path) -> None:
    agreed = terms.validation(**EACH_ROUND)
    with begin(corpus, tmp_path / "matter", classes=terms.classes(["medical"], "0.01"), validation=agreed) as run:
        until_asked(run, Role.ALICE, "report")
        labels = dict(enumerate(reported(run), start=1))
        run.desk.accept(run.alice.say(Decisions(labels=labels, classes={1: "medical"})))
        until_validation(run)
        with refusal(run, "more than 3"):
            run.desk.accept(run.alice.say(Decisions(classes=dict.fromkeys(range(1, 4), "medical"))))
        run.desk.accept(run.alice.say(Decisions(classes=dict.fromkeys(range(1, 3), "medical"))))
        run.run()
    consistent(tmp_path / "matter")


@pytest.mark.parametrize("name", ["secret", ""])
def test_a_class_that_the_terms_do_not_have_is_refused(corpus: Corpus, tmp_path: Path, name: str) -> None:
    with begin(corpus, tmp_path / "matter") as run:
        until_asked(run, Role.ALICE, "report")
        labels = dict(enumerate(reported(run), start=1))
        with refusal(run, "or a class of the terms"):
            run.desk.accept(run.alice.say(Decisions(labels=labels, classes={1: name})))


def test_without_classes_in_the_terms_there_is_no_class(corpus: Corpus, tmp_path: Path) -> None:
    with begin(corpus, tmp_path / "matter", classes=None) as run:
        until_asked(run, Role.ALICE, "report")
        labels = dict(enumerate(reported(run), start=1))
        with refusal(run, "a text of 1 to 2000 characters"):
            run.desk.accept(run.alice.say(Decisions(labels=labels, classes={1: "medical"})))


def test_a_late_claim_names_no_class(corpus: Corpus, tmp_path: Path) -> None:
    agreed = terms.validation(**EACH_ROUND)
    with begin(corpus, tmp_path / "matter", validation=agreed) as run:
        current = until_validation(run)
        run.desk.accept(run.alice.say(Decisions(classes={1: "medical"})))
        run.desk.late()
        assert not current.may_classify
        with pytest.raises(Refused, match="not later"):
            run.alice.say(Decisions(classes={current.size: "medical"}))


def test_a_document_is_not_claimed_as_privileged_and_put_into_a_class(corpus: Corpus, tmp_path: Path) -> None:
    with begin(corpus, tmp_path / "matter") as run:
        until_asked(run, Role.ALICE, "report")
        labels = dict(enumerate(reported(run), start=1))
        both = Decisions(labels=labels, claims={1: "Advice of counsel"}, classes={1: "medical"})
        with pytest.raises(Refused, match="do one of the two"):
            run.alice.say(both)


def test_a_class_that_no_document_belongs_to_cannot_be_simulated(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(BadTerms, match="family"):
        begin(corpus, tmp_path / "matter", classes=CLASSES)


def test_with_the_court_as_viewer_a_claim_of_privilege_is_still_one(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "matter"
    agreed = terms.validation(**EACH_ROUND, viewer="court")
    with begin(corpus, path, validation=agreed) as run:
        current = until_validation(run)
        run.desk.accept(
            run.alice.say(Decisions(claims={1: "Advice of counsel", 2: "Joint defence"}, classes={3: "medical"}))
        )
        run.step()
        asked = current.privilege.asked
        assert asked == tuple(range(1, current.size + 1))
        run.desk.accept(answers.uphold(run.court, [position != 2 for position in asked]))
        run.run()
    state = consistent(path)
    found = next(each for each in state.rounds if each.sort is Sort.VALIDATION)
    assert found.privilege.upheld == {1: True, 2: False}
    assert found.in_camera == dict.fromkeys(range(3, found.size + 1), False)
    assert found.disclosed == {2}
    assert stated(state).privileged == 1
    assert len(found.kept) == found.size - 2
    assert sorts(state) == "bv"
