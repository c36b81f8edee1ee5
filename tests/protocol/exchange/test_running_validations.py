"""Whole matters with validations, escalations and sensitive classes, through the commands; every copy is verified."""

from pathlib import Path
from typing import Any

import pytest

from protocol.exchange import filenames
from tests.support.running import honest, start
from tests.support.validated import BASIS, CLASSES, ONE_STAGE, SPOT_CHECKS, Course

pytestmark = pytest.mark.slow  # plays whole matters through files

BY_COURT = {**ONE_STAGE, "viewer": "court"}
TWO_STAGES = {**ONE_STAGE, "show": "0.5", "review": "0.5"}


def verified(course: Course) -> None:
    for audience in ("alice", "bob", "court", "public"):
        found = course.verdict(audience)
        assert (found["verdict"], found["findings"], found["blamed"]) == ("verified", [], [])


@pytest.fixture(scope="module")
def validated(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return Course(tmp_path_factory.mktemp("one") / "all", validation=ONE_STAGE, classes=CLASSES)


def test_a_matter_with_validations_and_classes_is_verified_by_everybody(validated: Course) -> None:
    verified(validated)


def test_a_validation_comes_before_an_escalation_and_asks_alice_for_claims_first(validated: Course) -> None:
    sorts = [row["sort"] for row in validated.status["rounds"]]
    assert sorts[:2] == ["batch", "validation"]
    assert sorts.count("batch") == sorts.count("validation") == 2
    assert validated.kinds(2)[:3] == [("alice", "link"), ("bob", "link"), ("alice", "claim")]


def test_alice_is_told_the_classes_and_the_court_what_it_is_asked(validated: Course) -> None:
    claim = next(each for each in validated.asked if each.kind == "claim")
    assert "The classes are: medical, personnel." in (claim.path / filenames.INSTRUCTIONS).read_text()
    assert "class" in claim.form(filenames.CLAIMS)[0]
    for camera in (each for each in validated.asked if each.kind == "privilege"):
        for row in camera.form(filenames.LABELS):
            sensitive = row["basis"] != BASIS
            assert row["basis"] == ("class medical: is it responsive?" if sensitive else BASIS)
            assert row.get("responsive" if sensitive else "upheld") == ""
            assert row.get("upheld" if sensitive else "responsive") in (None, "not asked")


def test_bob_never_gets_what_the_court_keeps_from_him(validated: Course) -> None:
    truth, people = validated.behaviour.truth, validated.behaviour
    seen = {
        row["document"]
        for each in validated.asked
        if (each.role, each.kind) == ("bob", "labels")
        for row in each.form(filenames.LABELS)
    }
    assert not any(name.endswith("5") and people.upholds(name) for name in seen)
    assert not any(people.classes(name) for name in seen if not name.endswith("5"))
    assert validated.status["found"] == sum(truth[name] for name in seen)


def test_status_shows_both_certificates_and_every_validation(validated: Course) -> None:
    found = validated.status["certificates"]
    assert found.keys() == {"reviewed", "collection"}
    assert found["reviewed"]["target"] == found["collection"]["target"] == 0.9
    assert [each["number"] for each in validated.status["validations"]] == [1, 2]
    text = validated.play.tallystick("trent", "status", "case.matter").stdout
    for words in (
        "Of the reviewed documents, Counsel of bob",
        "Of the whole collection, he is missing at most",
    ):
        assert words in text
    assert "Validation 2 (round " in text
    assert "validation 1 of the whole collection" in text
    assert validated.status["next"] == "claims"


def test_the_end_is_signed_with_both_certificates_in_words(validated: Course) -> None:
    asked = validated.play.folder("bob") / "inbox" / "cosign-for-bob"
    words = ("answer", asked.relative_to(asked.parents[1]), "--key", "bob.key", "--yes", "--out", "again.json")
    said = " ".join(validated.play.tallystick("bob", *words).stdout.split())
    assert "of the responsive documents among those reviewed, Counsel of bob" in said
    assert "of the whole collection, he is missing at most" in said


def test_a_court_that_looks_in_bobs_place_passes_on_what_is_responsive(tmp_path: Path) -> None:
    course = Course(tmp_path / "all", validation=BY_COURT)
    verified(course)
    drawn = [each for each in course.asked if each.round == 2 and each.kind in ("privilege", "labels")]
    assert [each.kind for each in drawn][:1] == ["privilege"]
    responsive = {row["document"] for row in drawn[0].form(filenames.LABELS) if course.behaviour.truth[row["document"]]}
    shown = {row["document"] for each in drawn[1:] for row in each.form(filenames.LABELS)}
    assert shown == responsive
    assert ("court", "rulings") not in course.kinds(2)


@pytest.mark.parametrize("classes", [None, CLASSES])
def test_a_validation_in_two_stages_has_alice_label_what_is_called(tmp_path: Path, classes: Any) -> None:
    terms = {} if classes is None else {"classes": classes}
    course = Course(tmp_path / "all", validation=TWO_STAGES, **terms)
    verified(course)
    number = next(each["round"] for each in course.status["validations"])
    assert course.kinds(number)[:4] == [("alice", "link"), ("bob", "link"), ("alice", "report"), ("bob", "link")]
    report = next(each for each in course.asked if (each.round, each.kind) == (number, "report"))
    assert len(report.form(filenames.LABELS)) == course.status["validations"][0]["called"]


def test_under_the_paper_s_rules_the_collection_is_validated_too(tmp_path: Path) -> None:
    play = start(tmp_path / "all", protocol="label", delta="0.5", batch=8, rounds=2, validation=ONE_STAGE)
    people = honest(play)
    while not (value := play.next())["held"]:
        for each in map(play.send, value["questions"]):
            play.accept(play.answer(each, *people.decisions(each, play.folder(each.role))))
    found = play.status()
    assert [row["sort"] for row in found["rounds"]] == ["batch", "validation"] * 2
    assert found["certificates"]["reviewed"]["target"] is None
    assert found["certificates"]["collection"]["at_most"] is not None


def test_a_limit_is_raised_by_the_court_alone(tmp_path: Path) -> None:
    play = start(tmp_path / "all", **SPOT_CHECKS | {"limit": "0.0", "rate": "0.0001", "batch": 30, "query": ""})
    people = honest(play)
    people.gives_up = lambda _, __: set()
    play.until("look", people)
    look = play.exchange(people)
    assert [each.kind for each in look] == ["look"]
    play.exchange(people)  # Bob's link; with a limit of 0 nothing is drawn, and the next batch comes
    assert "limit is 1.5; it must lie from 0 to 1" in play.matter("amend", "--limit", "1.5", code=1).stderr
    said = play.matter("amend", "--limit", "0.5").stdout
    assert "a limit of 0.5 on what escalations show Bob, instead of 0.0" in said
    for each in map(play.send, play.next()["questions"]):
        play.accept(play.answer(each, "--accept" if each.role == "court" else "--reject"))
    assert play.status()["events"][-1]["what"].endswith("instead of 0.0: ordered by the court")
