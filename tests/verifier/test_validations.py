"""Validations in one and in two stages: what Trent, Alice or the court could do wrong there, and who is blamed."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from ledger.roles import Audience
from protocol.corpus.corpus import Corpus
from protocol.rules.terms import ClassTerms, ValidationTerms
from tests.support.builders import KEYS
from tests.support.forging.forged import Forgery, Spoil, both, content, forge, line_of, renumber, said_in, until
from tests.support.forging.forger import Forger
from tests.support.forging.mutations import Lines
from tests.support.forging.running import CheatingRun, cut, plan, play
from tests.support.genuine import with_same_keys
from tests.vectors import FOLDER
from verifier.checks import Check
from verifier.verdict import Answer, Outcome, Verdict

pytestmark = pytest.mark.slow

Copies = dict[Audience, Lines]
Judge = Callable[..., Verdict]

SEEING = (Audience.ALICE, Audience.BOB, Audience.COURT)
"""Whose copies show Alice's labels in the end."""

AGREED: dict[str, Any] = {"protocol": "spot-check", "rounds": 3, "batch": 6, "rate": "0.1", "target": "0.6", "every": 2}
AGREED |= {"limit": "0.5", "penalty": "none", "classes": ClassTerms(names=("responsive",), share="0.5")}
USUAL: dict[str, Any] = {"every": 1, "hits": None, "review": None, "show": "0.4", "target": "0.95", "viewer": "bob"}
USUAL |= {"window": 1, "least_yield": "0.9"}


def played(folder: Any, seed: str, **validation: Any) -> Copies:
    """The copies of a matter in which Alice is careless, and puts what she overlooks into a class."""
    corpus = Corpus.open(FOLDER / "corpora" / "plain")
    agreed = AGREED | {"validation": ValidationTerms(**(USUAL | validation))}
    cast = {"alice": "careless:0.3", "bob": "truthful", "court": "right"}
    planned = with_same_keys(plan(corpus, seed=seed, players=cast, **agreed))
    play(corpus, planned, folder / "matter", course=CheatingRun)
    return {
        audience: cut(folder / "matter", planned, audience, folder / "copy.jsonl").read_bytes().splitlines()
        for audience in Audience
    }


@pytest.fixture(scope="module")
def one_stage(tmp_path_factory: pytest.TempPathFactory) -> Copies:
    """Bob looks at what is drawn."""
    return played(tmp_path_factory.mktemp("one"), "1")


@pytest.fixture(scope="module")
def in_camera(tmp_path_factory: pytest.TempPathFactory) -> Copies:
    """The court looks at what is drawn."""
    return played(tmp_path_factory.mktemp("camera"), "1", viewer="court")


@pytest.fixture(scope="module")
def two_stages(tmp_path_factory: pytest.TempPathFactory) -> Copies:
    """Alice labels what is called, and a second draw checks her labels."""
    return played(tmp_path_factory.mktemp("two"), "1", review="0.5")


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Copies:
    """The first validation reaches its target."""
    return played(tmp_path_factory.mktemp("stopped"), "2", target="0.1", show="0.9")


def spoiled(lines: Lines, spoil: Spoil) -> Lines:
    return forge(lines, dict(KEYS), Forgery(comment="", check="", spoil=spoil))


def found_by(
    judge: Judge, copies: Copies, spoil: Spoil, audiences: Iterable[Audience] = SEEING
) -> set[tuple[str, str]]:
    """The checks that find a forgery in these copies, and who is blamed."""
    found = set()
    for audience in audiences:
        verdict = judge(spoiled(copies[audience], spoil))
        assert verdict.answer is Answer.REJECTED, (audience, verdict.trouble)
        (finding,) = verdict.findings
        found.add((str(finding.check), str(finding.party)))
    return found


def _kind(line: Any) -> str | None:
    return said_in(line)["kind"] if "entry" in line else None


def _all(copies: Copies, kind: str) -> list[Any]:
    return [each for each in Forger(copies[Audience.COURT], dict(KEYS)).values if _kind(each) == kind]


@pytest.mark.parametrize("name", ["one_stage", "in_camera", "two_stages", "stopped"])
def test_an_honest_matter_is_verified_by_everybody(name: str, judge: Judge, request: pytest.FixtureRequest) -> None:
    copies: Copies = request.getfixturevalue(name)
    for audience in Audience:
        verdict = judge(spoiled(copies[audience], lambda _: None))
        assert verdict.answer is Answer.VERIFIED, (audience, verdict.findings)
        due = Outcome.PASS if audience in SEEING else Outcome.NOT_CHECKED
        for check in (Check.VALIDATIONS, Check.STOPPING, Check.CERTIFICATES):
            assert verdict.result(check).outcome is due, (audience, check)
    verdict = judge(spoiled(copies[Audience.COURT], lambda _: None), corpus=FOLDER / "corpora" / "plain")
    outcomes = {verdict.result(check).outcome for check in (Check.RANKING, Check.MODELS, Check.TRUTH)}
    assert (verdict.answer, outcomes) == (Answer.VERIFIED, {Outcome.PASS})


def test_the_matters_have_what_the_forgeries_need(
    one_stage: Copies, in_camera: Copies, two_stages: Copies, stopped: Copies
) -> None:
    first, second = (said_in(each)["content"] for each in _all(one_stage, "validation"))
    assert first["reviewed"]
    assert len(first["numbers"]) > len(first["reviewed"])
    assert second["numbers"]
    assert any(not all(said_in(each)["content"]["upheld"]) for each in _all(in_camera, "privilege"))
    assert all(said_in(each)["content"]["numbers"] for each in _all(two_stages, "call"))
    assert said_in(_all(stopped, "claims")[0])["content"]["ended"] == "validation"
    assert len(_all(stopped, "batch")) < AGREED["rounds"]


# When


def without_round(kind: str, number: int = 0, *, ends: tuple[str, ...] = ("batch", "escalation", "claims")) -> Spoil:
    """A whole round is left out, and the record ends with the entry that begins the next one."""

    def spoil(forger: Forger) -> None:
        gone = said_in(line_of(forger, kind, number))["round"]
        in_round = [each for each in forger.values if "entry" in each and said_in(each)["round"] == gone]
        start = forger.values.index(in_round[0])
        rest = [each for each in forger.values[start:] if "entry" in each and each not in in_round]
        following = next(each for each in rest if _kind(each) in ends)
        if said_in(following)["round"]:
            said_in(following)["round"] = gone
        forger.values = [*forger.values[:start], following]
        renumber(forger)

    return spoil


def test_a_validation_that_is_left_out_is_trents_fault(one_stage: Copies, two_stages: Copies, judge: Judge) -> None:
    assert found_by(judge, one_stage, without_round("validation"), [Audience.ALICE]) == {("V28", "trent")}
    assert found_by(judge, two_stages, without_round("call"), [Audience.ALICE]) == {("V28", "trent")}


def test_the_claims_do_not_come_before_the_last_validation(one_stage: Copies, judge: Judge) -> None:
    spoil = without_round("validation", 1, ends=("claims",))
    assert found_by(judge, one_stage, spoil, [Audience.ALICE]) == {("V28", "trent")}


def _terms(**changed: Any) -> Spoil:
    return content("open", terms=lambda found: found | {"validation": found["validation"] | changed})


@pytest.mark.parametrize("changed", [{"window": 3}, {"yield": "0.001"}, {"yield": None, "every": 3}])
def test_a_draw_where_no_validation_is_due_is_trents_fault(
    one_stage: Copies, judge: Judge, changed: dict[str, Any]
) -> None:
    """It would be for a batch, which a model must choose here. An escalation would come first, if one were due."""
    later = content("open", terms=lambda found: found | {"every": 9})
    assert found_by(judge, one_stage, both(_terms(**changed), later)) == {("V09", "trent")}
    assert found_by(judge, one_stage, _terms(**changed)) == {("V27", "trent")}


def test_a_validation_where_the_terms_have_none_is_trents_fault_in_every_copy(one_stage: Copies, judge: Judge) -> None:
    def alone(forger: Forger) -> None:
        """The first draw, which is for a batch, leads to a validation."""
        draw, first = line_of(forger, "draw"), line_of(forger, "validation")
        start = forger.values.index(draw)
        said_in(first)["round"] = 1
        first["entry"]["body"]["releases"] = []
        said_in(first)["content"]["drawn"] = said_in(line_of(forger, "batch"))["content"]["drawn"]
        forger.values = [*forger.values[: start + 3], first]
        renumber(forger)

    spoil = both(content("open", terms=lambda found: found | {"validation": None}), alone)
    assert found_by(judge, one_stage, spoil, [Audience.ALICE, Audience.COURT, Audience.PUBLIC]) == {("V28", "trent")}
    assert found_by(judge, one_stage, alone, [Audience.ALICE]) == {("V28", "trent")}


def test_one_stage_is_not_two(one_stage: Copies, two_stages: Copies, judge: Judge) -> None:
    assert found_by(judge, one_stage, _terms(review="0.5"), Audience) == {("V28", "trent")}
    assert found_by(judge, two_stages, _terms(review=None), Audience) == {("V28", "trent")}


def test_a_batch_after_the_target_is_reached_is_trents_fault(one_stage: Copies, judge: Judge) -> None:
    assert found_by(judge, one_stage, _terms(target="0.001")) == {("V29", "trent")}


def test_claims_before_the_target_is_reached_are_trents_fault(stopped: Copies, judge: Judge) -> None:
    assert found_by(judge, stopped, _terms(target="0.99")) == {("V29", "trent")}


def test_another_reason_for_the_end_is_trents_fault(stopped: Copies, judge: Judge) -> None:
    assert found_by(judge, stopped, content("claims", ended="rounds")) == {("V29", "trent")}


# What is drawn


@pytest.mark.parametrize("name", ["one_stage", "two_stages"])
def test_another_number_is_trents_fault_in_every_copy(name: str, judge: Judge, request: pytest.FixtureRequest) -> None:
    kind = "validation" if name == "one_stage" else "call"
    copies: Copies = request.getfixturevalue(name)
    assert found_by(judge, copies, content(kind, number=2), Audience) == {("V28", "trent")}
    assert found_by(judge, copies, content(kind, 1, number=1), Audience) == {("V28", "trent")}


@pytest.mark.parametrize("name", ["one_stage", "two_stages"])
@pytest.mark.parametrize(
    "change",
    [
        lambda found: found[1:],
        lambda found: [*found[:-1], 39 if found[-1] != 39 else 38],
        lambda found: sorted({*found, *range(5)}),
    ],
    ids=["one less", "another", "more"],
)
def test_documents_that_the_coins_do_not_draw_are_trents_fault(
    name: str, judge: Judge, request: pytest.FixtureRequest, change: Callable[[list[int]], list[int]]
) -> None:
    kind = "validation" if name == "one_stage" else "call"
    assert found_by(judge, request.getfixturevalue(name), content(kind, numbers=change)) == {("V28", "trent")}


@pytest.mark.parametrize("name", ["one_stage", "two_stages"])
@pytest.mark.parametrize(
    "change", [lambda found: found[::-1], lambda found: [*found[:-1], 40]], ids=["order", "beyond"]
)
def test_numbers_in_disorder_are_trents_fault_in_every_copy(
    name: str, judge: Judge, request: pytest.FixtureRequest, change: Callable[[list[int]], list[int]]
) -> None:
    kind = "validation" if name == "one_stage" else "call"
    assert found_by(judge, request.getfixturevalue(name), content(kind, numbers=change), Audience) == {("V28", "trent")}


@pytest.mark.parametrize("changed", [{"show": "0.5"}, {"show": "0.3"}, {"hits": 0, "show": "0.999"}])
def test_another_chance_draws_other_documents(one_stage: Copies, judge: Judge, changed: dict[str, Any]) -> None:
    assert found_by(judge, one_stage, _terms(**changed)) == {("V28", "trent")}


def test_what_was_put_up_before_is_stated(one_stage: Copies, two_stages: Copies, judge: Judge) -> None:
    assert found_by(judge, one_stage, content("validation", reviewed=[])) == {("V28", "trent")}
    assert found_by(judge, one_stage, content("validation", reviewed=[1, 2, 3, 4])) == {("V28", "trent")}
    assert found_by(judge, two_stages, content("call", reviewed=[1]), Audience) == {("V28", "trent")}


def _releases(kind: str, change: Callable[[list[Any]], list[Any]]) -> Spoil:
    def spoil(forger: Forger) -> None:
        body = line_of(forger, kind)["entry"]["body"]
        body["releases"] = change(body["releases"])

    return spoil


@pytest.mark.parametrize(
    "change",
    [
        lambda _: [],
        lambda found: found[1:],
        lambda found: [found[0] | {"indices": [0]}, *found[1:]],
        lambda found: [*found[:-1], found[-1] | {"field": "documents"}, found[-1]],
    ],
    ids=["none", "one less", "by list", "more"],
)
def test_bob_is_given_the_numbers_of_every_batch(
    one_stage: Copies, judge: Judge, change: Callable[[list[Any]], list[Any]]
) -> None:
    found = found_by(judge, one_stage, _releases("validation", change), [Audience.ALICE, Audience.COURT])
    assert found == {("V28", "trent")}


def _document(kind: str) -> Spoil:
    """The first sealed document is another one than the first number."""

    def spoil(forger: Forger) -> None:
        line = line_of(forger, kind)
        opening = next(each for each in line["openings"] if each["field"] == "documents")
        opening["value"] |= {"document": opening["value"]["document"] + 1}
        forger.commit_again()

    return spoil


@pytest.mark.parametrize("name", ["one_stage", "two_stages"])
def test_the_sealed_documents_have_the_listed_numbers(name: str, judge: Judge, request: pytest.FixtureRequest) -> None:
    spoil = _document("validation" if name == "one_stage" else "call")
    found = found_by(judge, request.getfixturevalue(name), spoil, [Audience.ALICE, Audience.COURT])
    assert found == {("V28", "trent")}


def test_a_validation_for_another_draw_is_trents_fault_in_every_copy(one_stage: Copies, judge: Judge) -> None:
    spoil = content("validation", drawn=lambda found: found | {"draw": found["draw"] + 1})
    assert found_by(judge, one_stage, spoil, Audience) == {("V08", "trent")}


def test_numbers_of_a_batch_that_are_not_those_of_its_documents_are_trents_fault(
    one_stage: Copies, judge: Judge
) -> None:
    def spoil(forger: Forger) -> None:
        opening = next(each for each in line_of(forger, "batch")["openings"] if each["field"] == "numbers")
        opening["value"] = [*opening["value"][1:], opening["value"][0]]
        forger.commit_again()

    assert found_by(judge, one_stage, spoil, [Audience.ALICE, Audience.COURT]) == {("V09", "trent")}


# Within the round


def _in_validation(kind: str, change: Callable[[Any], None], begins: str = "validation") -> Spoil:
    """Something else in the first entry of this kind that belongs to a validation."""

    def spoil(forger: Forger) -> None:
        rounds = {said_in(each)["round"] for each in forger.values if _kind(each) == begins}
        change(next(each for each in forger.values if _kind(each) == kind and said_in(each)["round"] in rounds))

    return spoil


def _say(**fields: Any) -> Callable[[Any], None]:
    def change(line: Any) -> None:
        found = said_in(line)["content"]
        found |= {name: value(found[name]) if callable(value) else value for name, value in fields.items()}

    return change


CLOSED = pytest.mark.parametrize(
    "fields",
    [{"sampled": lambda number: number - 1}, {"error": 1}, {"threshold": 1}, {"compelled": True}],
    ids=["sampled", "error", "threshold", "compelled"],
)


@CLOSED
@pytest.mark.parametrize("name", ["one_stage", "in_camera", "two_stages"])
def test_a_close_with_other_numbers_is_trents_fault(
    name: str, judge: Judge, request: pytest.FixtureRequest, fields: dict[str, Any]
) -> None:
    begins = "call" if name == "two_stages" else "validation"
    spoil = _in_validation("closed", _say(**fields), begins)
    assert found_by(judge, request.getfixturevalue(name), spoil) == {("V16", "trent")}


def test_one_stage_closes_without_a_link(one_stage: Copies, judge: Judge) -> None:
    link = said_in(_all(one_stage, "closed")[0])["content"]
    spoil = _in_validation("closed", _say(draw=link["draw"], link=link["link"]))
    assert found_by(judge, one_stage, spoil, Audience) == {("V08", "trent")}


def test_everything_that_one_stage_draws_is_shown(one_stage: Copies, judge: Judge) -> None:
    def less(line: Any) -> None:
        body = line["entry"]["body"]
        said_in(line)["content"]["positions"].pop()
        body["releases"][0]["indices"].pop()

    def spoil(forger: Forger) -> None:
        """The last position of the first wave is not shown, and Bob labels one less."""
        _in_validation("disclosure", less)(forger)
        wave = next(
            each
            for each in forger.values
            if _kind(each) == "disclosure" and said_in(each)["round"] == said_in(line_of(forger, "validation"))["round"]
        )
        kept = len(said_in(wave)["content"]["positions"])
        said_in(wave)["sealed"]["proofs"]["commitments"] = said_in(wave)["sealed"]["proofs"]["commitments"][:kept]
        wave["openings"] = [each for each in wave["openings"] if each["index"] < kept]
        _in_validation("labels", _say(labels=lambda found: found[:kept]))(forger)

    found = found_by(judge, one_stage, spoil, [Audience.ALICE, Audience.COURT])
    assert found <= {("V13", "trent"), ("V14", "trent"), ("V15", "trent")}  # V14, since the path is that of all of them


def test_the_court_answers_for_each_document_that_it_sees(in_camera: Copies, judge: Judge) -> None:
    spoil = _in_validation("privilege", _say(upheld=lambda found: found[:-1]))
    assert found_by(judge, in_camera, spoil, Audience) == {("V25", "court")}


def test_bob_sees_nothing_that_the_court_has_not_seen_before(in_camera: Copies, judge: Judge) -> None:
    """With Bob as the viewer, nobody may show the court what Alice does not claim."""
    assert found_by(judge, in_camera, _terms(viewer="bob")) == {("V25", "trent")}


def test_what_the_court_must_see_first_is_not_shown_to_bob_at_once(one_stage: Copies, judge: Judge) -> None:
    assert found_by(judge, one_stage, _terms(viewer="court")) == {("V25", "trent")}


def test_what_the_court_calls_responsive_is_no_dispute_and_stays_responsive(in_camera: Copies, judge: Judge) -> None:
    """If Bob disagrees, nothing follows from it."""

    def spoil(forger: Forger) -> None:
        _in_validation("labels", _say(labels=lambda found: [False] * len(found)))(forger)

    for audience in SEEING:
        verdict = judge(spoiled(in_camera[audience], spoil))
        assert verdict.answer is Answer.VERIFIED, verdict.findings


def test_the_report_of_a_call_labels_what_was_called(two_stages: Copies, judge: Judge) -> None:
    def less(line: Any) -> None:
        for each in line["openings"]:
            if each["field"] == "labels":
                each["value"].pop()

    def spoil(forger: Forger) -> None:
        _in_validation("report", less, "call")(forger)
        forger.commit_again()

    assert found_by(judge, two_stages, spoil) == {("V12", "alice")}


# Classes


def _claim(value: Any) -> Spoil:
    """The first sealed class in a report is another value."""

    def spoil(forger: Forger) -> None:
        found = (each for line in forger.values if _kind(line) == "report" for each in line["openings"])
        opening = next(each for each in found if each["field"] == "privilege" and type(each["value"]) is dict)
        opening["value"] = value
        forger.commit_again()

    return spoil


@pytest.mark.parametrize("value", [{"class": "other"}, {"class": 1}, {}, {"class": "responsive", "more": 1}])
def test_a_class_that_the_terms_do_not_have_is_alices_fault(one_stage: Copies, judge: Judge, value: Any) -> None:
    assert found_by(judge, one_stage, _claim(value), [Audience.ALICE, Audience.COURT]) == {("V12", "alice")}


def test_more_documents_in_classes_than_the_terms_allow_are_alices_fault(one_stage: Copies, judge: Judge) -> None:
    spoil = content("open", terms=lambda found: found | {"classes": found["classes"] | {"share": "0.01"}})
    assert found_by(judge, one_stage, spoil, [Audience.ALICE, Audience.COURT]) == {("V25", "alice")}


# Claims


def _row(number: int = 0, **fields: Any) -> Spoil:
    def change(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        row = found[number] | {
            name: value(found[number][name]) if callable(value) else value for name, value in fields.items()
        }
        return [*found[:number], row, *found[number + 1 :]]

    return content("claims", validations=change)


@pytest.mark.parametrize("name", ["one_stage", "two_stages"])
@pytest.mark.parametrize(
    "spoil",
    [
        _row(called=lambda number: number + 1),
        _row(never=lambda found: found | {"documents": found["documents"] + 1}),
        _row(withheld=lambda found: found | {"documents": found["documents"] + 1}),
        _row(round=lambda number: number + 1),
        _row(unread=1),
        content("claims", validations=lambda found: found[:-1]),
    ],
    ids=["called", "never", "withheld", "round", "unread", "one less"],
)
def test_counts_of_a_validation_that_do_not_follow_are_trents_fault(
    name: str, judge: Judge, request: pytest.FixtureRequest, spoil: Spoil
) -> None:
    assert found_by(judge, request.getfixturevalue(name), spoil, Audience) == {("V17", "trent")}


@pytest.mark.parametrize("name", ["one_stage", "two_stages"])
@pytest.mark.parametrize(
    "spoil",
    [
        _row(at_most=lambda number: number - 1),
        _row(total=lambda number: number - 1),
        _row(total=None, at_most=None),
        _row(reached=True),
    ],
    ids=["at most", "total", "nothing", "reached"],
)
def test_certificates_of_a_validation_that_the_coins_do_not_give_are_trents_fault(
    name: str, judge: Judge, request: pytest.FixtureRequest, spoil: Spoil
) -> None:
    copies: Copies = request.getfixturevalue(name)
    assert found_by(judge, copies, spoil) == {("V18", "trent")}
    assert judge(spoiled(copies[Audience.PUBLIC], spoil)).answer is Answer.VERIFIED


def test_a_record_may_end_anywhere_in_a_validation(one_stage: Copies, two_stages: Copies, judge: Judge) -> None:
    for copies, kinds in ((one_stage, ("validation", "claim")), (two_stages, ("call",))):
        for audience in Audience:
            for kind in kinds:
                verdict = judge(spoiled(copies[audience], until(kind)))
                assert (verdict.answer, verdict.findings) == (Answer.NOT_CLOSED, ()), (audience, kind)


def test_the_collection_can_miss_what_its_best_validation_leaves_whatever_bob_was_shown_since(
    judge: Judge, tmp_path: Path
) -> None:
    """Here the first validation has the least total, and the second leaves the least that can be missing."""
    copies = played(tmp_path, "3", viewer="court")
    (found,) = (said_in(each)["content"] for each in _all(copies, "claims"))
    stated = found["certificates"]["collection"]
    assert stated["at_most"] == min(each["at_most"] for each in found["validations"])
    less = max(0, min(each["total"] for each in found["validations"]) - stated["found"])
    assert less != stated["at_most"]
    spoil = content("claims", certificates=lambda each: each | {"collection": stated | {"at_most": less}})
    assert found_by(judge, copies, spoil) == {("V18", "trent")}
