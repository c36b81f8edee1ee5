"""One position of a round explained: what Alice said of it, why it was due or not, and what became of it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ledger.roles import Audience
from tests.support.busy_verdict import VALIDATION, busy, in_roles, round_of
from tests.support.forging.running import cut, play
from tests.verifier.test_claimed_before import BASIS, Claiming, _plan
from verifier.cli import main
from verifier.position import NoSuchPosition, explain
from verifier.replay.detail import RoundDetail
from verifier.replay.rounds import Sort
from verifier.replay.validating import Validating
from verifier.rules.base import ALL_COINS, Examined, Report
from verifier.rules.terms import Viewer
from verifier.rules.validation import Chances

TENTH = ALL_COINS // 10


def told(detail: RoundDetail, position: int) -> str:
    """What is said of a position, without the verdict."""
    whole = explain(busy(details=(detail,)), detail.number, position)
    return in_roles(" ".join(whole[whole.index("Position") :].split()))


def later(sort: Sort, **changed: Any) -> RoundDetail:
    """Four documents with a chance of a tenth, of which the coins draw the second."""
    drawn, chances = frozenset({2}), dict.fromkeys((2, 3, 4), TENTH)
    examined = Examined(threshold=0, error=0, due=drawn | {1}, chances=chances, drawn=drawn, compelled_at=None)
    usual: dict[str, Any] = {
        "sort": sort,
        "size": 4,
        "given_up": frozenset({1}) if sort is Sort.ESCALATION else frozenset(),
        "waves": ((1,), (2,)),
        "report": None,
        "bob": {1: True, 2: False},
        "rulings": {},
        "ruled_in": {},
        "names": {2: "mail-2"},
        "origins": {1: (1, 7), 2: (2, 9)},
        "examined": examined,
        "coins": (0, TENTH - 1, TENTH, ALL_COINS // 2),
    }
    return round_of(3, **(usual | changed))


def held(*reviewed: int, **terms: Any) -> Validating:
    agreed = replace(VALIDATION, **terms)
    chances = Chances(first=TENTH, checked=TENTH if agreed.review else None, withheld=TENTH)
    return Validating(
        terms=agreed,
        number=1,
        after=2,
        found=9,
        chances=chances,
        positions=3 if agreed.review else 4,
        reviewed=frozenset(reviewed),
        never=80,
        withheld=20,
    )


def test_a_batch_tells_alices_label_the_coin_and_what_bob_and_the_court_said() -> None:
    assert told(round_of(1), 6) == (
        "Position 6 of round 1, a batch of 10 documents, the document 'mail-6'. Alice labelled it not responsive "
        "(entry 5). Why: drawn by coin: coin 0.125000, drawn if below 0.250000 (a chance of 25.0 %). Bob was shown it "
        "in wave 1 (entry 7) and labelled it responsive (entry 8). The court ruled that it is responsive (entry 9)."
    )
    assert "Why: certain: " in told(round_of(1), 1)


def test_an_escalation_tells_what_was_given_up_drawn_and_not_drawn() -> None:
    escalation = later(Sort.ESCALATION)
    assert "She gave it up in her second look (entry 5). Why: given up" in told(escalation, 1)
    assert told(escalation, 2) == (
        "Position 2 of round 3, an escalation of 4 withheld documents, the document 'mail-2'. Alice "
        "had labelled it not responsive at position 9 of round 2, and Bob had not been shown it. She did not give it "
        "up. Why: drawn by coin from all that was withheld: coin 0.100000, drawn if below 0.100000 (a chance of "
        "10.0 %). Bob was shown it in wave 2 (entry 10) and labelled it not responsive (entry 11)."
    )
    assert (
        "She did not give it up. Why: not drawn, so not due: coin 0.500000, drawn if below 0.100000 (a chance of "
        "10.0 %). Bob was not shown it."
    ) in told(escalation, 4)


def test_an_escalation_without_a_draw_says_that_no_coin_decided() -> None:
    quiet = replace(later(Sort.ESCALATION).examined, chances={}, drawn=frozenset())  # type: ignore[type-var]
    assert "Why: no coin decided about it, and it was not due." in told(later(Sort.ESCALATION, examined=quiet), 4)
    ordered = later(Sort.ESCALATION, reported=False, given_up=frozenset(), coins=())
    assert "without her second look. Why: no coin decided" in told(ordered, 4)


def test_a_validation_tells_what_was_reviewed_before_and_what_was_not() -> None:
    validation = later(Sort.VALIDATION, validating=held(2))
    assert "Alice had labelled it not responsive at position 9 of round 2" in told(validation, 2)
    assert "drawn by coin from the whole collection" in told(validation, 2)
    assert "Nobody had reviewed it: Alice was not asked for a label." in told(validation, 1)
    called = later(
        Sort.VALIDATION, validating=held(review="0.5"), report=Report(labels=(True, False, False), threshold=None)
    )
    assert "a validation in two stages of 4 documents" in told(called, 1)
    assert "Alice labelled it responsive (entry 5)." in told(called, 1)
    assert "Alice had labelled it not responsive in an earlier round" in told(called, 4)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"claims": {4: "advice"}},
            "Alice claimed it as privileged with the report that labelled it, on the basis 'advice'. Why: not drawn",
        ),
        (
            {"claims": {4: "advice"}, "late": frozenset({4}), "camera_in": {4: 9}, "privileged": (4,)},
            "privileged late, in this round, on the basis 'advice'. Why: not drawn, so not due: coin 0.500000, drawn "
            "if below 0.100000 (a chance of 10.0 %). The court read it in camera (entry 9) and upheld the claim. Bob "
            "was not shown it.",
        ),
        ({"claims": {4: "advice"}, "camera_in": {4: 9}}, "The court read it in camera (entry 9) and overruled"),
        (
            {"claims": {4: {"class": "medical"}}, "camera_in": {4: 9}, "court": {4: False}},
            "Alice put it into the sensitive class 'medical', with the report that labelled it.",
        ),
        (
            {"claims": {4: {"class": "medical"}}, "camera_in": {4: 9}, "court": {4: False}},
            "The court read it in camera (entry 9) and found it not responsive.",
        ),
        (
            {"camera_in": {4: 9}, "privileged": (4,)},
            "Alice claimed it with the report that labelled it; the basis is sealed in this copy.",
        ),
        ({"camera_in": {4: 9}, "privileged": (4,)}, "The court read it in camera (entry 9). Bob was not shown it."),
        ({"late": frozenset({4})}, "Alice claimed it late, in this round; the basis is sealed in this copy."),
    ],
)
def test_claims_are_told_with_the_courts_ruling(changed: dict[str, Any], said: str) -> None:
    assert said in told(later(Sort.ESCALATION, **changed), 4)


def test_what_the_court_sees_in_any_case_is_not_told_as_a_claim() -> None:
    viewed = later(Sort.VALIDATION, validating=held(viewer=Viewer.COURT), camera_in={4: 9}, court={4: False})
    assert "claimed" not in told(viewed, 4)
    assert "The court read it in camera (entry 9) and found it not responsive." in told(viewed, 4)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"report": None, "examined": None}, "Alice's label is sealed in this copy. Why: sealed in this copy."),
        ({"report": None, "reported": False, "examined": None}, "Alice did not report on it"),
        ({"report": None, "report_entry": -1, "closed_entry": None}, "Alice has not reported so far. Why: the round"),
        ({"unread": frozenset({6})}, "and did not answer, so Alice's label stands."),
        ({"bob": {}, "labelled_in": ()}, "and has not labelled it so far."),
        ({"bob": {}}, "and did not label it."),
    ],
)
def test_what_did_not_happen_or_is_not_shown_is_said(changed: dict[str, Any], said: str) -> None:
    assert said in told(round_of(1, **changed), 6)


def test_a_position_that_is_not_there_is_no_answer() -> None:
    for number, position in ((9, 1), (1, 11)):
        with pytest.raises(NoSuchPosition, match=f"no (round|position) {max(number, position)}"):
            explain(busy(details=(round_of(1),)), number, position)


# the command


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Alice's copy of a matter in which she claims much."""
    folder = tmp_path_factory.mktemp("position")
    corpus, planned = _plan("bob", None)
    play(corpus, planned, folder / "matter", course=Claiming)
    return cut(folder / "matter", planned, Audience.ALICE, folder / "alice.jsonl")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in words])


def test_the_command_explains_a_position(copy: Path) -> None:
    shown = run(copy, "--position", "2/1")
    assert shown.exit_code == 0
    assert shown.output.startswith("VERIFIED")
    flat = " ".join(shown.output.split())
    assert "Position 1 of round 2, a validation of" in flat
    assert "Why: drawn by coin from the whole collection" in flat
    claimed = (" ".join(run(copy, "--position", f"2/{each}").output.split()) for each in range(1, 41))
    assert any(f"on the basis '{BASIS}'" in each and "The court read it in camera" in each for each in claimed)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--position", "2"), "is not a round and a position"),
        (("--position", "0/1"), "is not a round and a position"),
        (("--position", "2/-1"), "is not a round and a position"),
        (("--position", "999/1"), "no round 999"),
        (("--position", "2/999"), "no position 999"),
        (("--position", "2/1", "--json"), "cannot be used together"),
    ],
)
def test_a_wrong_position_is_wrong_usage(copy: Path, words: tuple[str, ...], said: str) -> None:
    shown = run(copy, *words)
    assert shown.exit_code == 2
    assert said in " ".join(shown.output.replace("\n│", " ").split())
