"""Every exhibit among the vectors gets the answer that it states, and the stored files are those that are generated."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.exhibit_samples import files
from tests.vectors import FOLDER, exhibits, load
from verifier import exhibit
from verifier.exhibit import story

CASES: list[dict[str, Any]] = load("exhibits.json")["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_an_exhibit_gets_its_answer(case: dict[str, Any]) -> None:
    found = exhibit.judge(FOLDER / case["exhibit"])
    findings = [{"check": each.check, "party": each.party, "entry": each.entry} for each in found.findings]
    assert (found.answer, findings) == (case["verdict"], case["findings"]), found.trouble


def test_an_escalation_of_more_than_the_corpus_is_told_how_many_it_may_have_at_most() -> None:
    (finding,) = exhibit.judge(FOLDER / "exhibits/an-escalation-of-more-than-the-corpus").findings
    assert (finding.expected, finding.found) == ("at most 40", "41")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("asked-back-between-rounds", "Coin. No coin decided: the rule shows every document."),
        ("classes-and-a-court-that-looks", "Coin. Only the whole record tells its chance."),
    ],
)
def test_where_not_all_labels_are_shown_no_story_denies_a_coin(name: str, said: str) -> None:
    judgement = exhibit.judge(FOLDER / "exhibits" / name)
    assert [each for each in story.story(judgement) if each.startswith("Coin.")] == [said]


def test_every_answer_is_given_to_some_exhibit() -> None:
    assert {case["verdict"] for case in CASES} == set(exhibit.Answer)


@pytest.mark.slow
def test_the_stored_exhibits_are_those_that_are_generated(tmp_path: Path) -> None:
    exhibits.write(tmp_path)
    assert (tmp_path / "exhibits.json").read_bytes() == (FOLDER / "exhibits.json").read_bytes()
    assert files(tmp_path / "exhibits") == files(FOLDER / "exhibits")
