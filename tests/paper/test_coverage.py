"""`coverage`: certificates keep their level, books with a mistake do not, and the experiment says which is which."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from protocol.certificates import collection
from protocol.certificates.exact import ONE, threshold
from protocol.paper.experiments import coverage, hiders, validations
from protocol.paper.experiments.coverage import ALL, CASES, CLOSE_ONLY, PADDING, Row
from protocol.paper.experiments.mistakes import MISTAKES
from protocol.paper.experiments.outcome import Verdict
from protocol.paper.theory.intervals import clopper_pearson
from protocol.workers import pool

HALF = "hides half of each batch"
SPLICED = len(CASES)


def failed(books: str, who: str, case: int, matters: int) -> dict[str, Any]:
    return coverage.played(books, who, case, matters, seed=5)


def within(count: int, trials: int, level: float = 0.05) -> bool:
    return clopper_pearson(count, trials, coverage.CONFIDENCE)[0] <= level


@pytest.mark.parametrize("case", [CLOSE_ONLY, SPLICED])
@pytest.mark.parametrize("who", ["gives up late, keeps the least exposed", "claims what was drawn, and is upheld"])
def test_a_certificate_is_seldom_wrong(who: str, case: int) -> None:
    found = failed("", who, case, 60)
    assert all(within(found[name], 60) for name in ("below", "broken", "wrong"))
    assert found["hits"] > 60  # she was found often enough to have been at risk


@pytest.mark.parametrize("mistake", MISTAKES)
def test_books_with_a_mistake_fail(mistake: str) -> None:
    found = failed(mistake, HALF, CLOSE_ONLY, 40)
    assert found["below"] > 20
    assert not within(found["below"], 40)
    assert within(failed("", HALF, CLOSE_ONLY, 40)["below"], 40)


def test_unread_reports_that_count_as_found_break_the_target() -> None:
    assert failed("unread reports count as found", PADDING, CLOSE_ONLY, 40)["below"] > 10
    assert failed("", PADDING, CLOSE_ONLY, 40)["below"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("case", [0, CLOSE_ONLY, 5, SPLICED, SPLICED + 2], ids=lambda case: ALL[case].title)
def test_no_alice_breaks_a_certificate(case: int) -> None:
    for who in (*hiders.HIDERS, *hiders.USERS):
        found = failed("", who, case, 15)
        for name in ("below", "broken", "wrong"):
            assert within(found[name], 15), f"{who}: {name}"


@pytest.mark.parametrize("hits", [0, 1, 3])
@pytest.mark.parametrize("level", ["0.04", "0.008"])
def test_one_stage_is_wrong_just_below_its_level_where_it_is_worst(hits: int, level: str) -> None:
    results = list(validations.one_stages([hits], [level], 3000, seed=1))
    assert len(results) == 3
    for result in results:
        assert within(int(result["wrong"]), 3000, float(level))
        assert int(result["wrong"]) > 3000 * float(level) / 4  # the bound is exact, so it is wrong nearly that often


@pytest.mark.parametrize("policy", validations.POLICIES)
def test_two_stages_are_seldom_wrong_whatever_alice_reports(policy: str) -> None:
    for result in validations.all_two_stages(policy, ["0.04"], 400, seed=1):
        assert within(int(result["wrong"]), 400, 0.04), result


def test_a_bound_without_its_losses_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If what Alice reports cost the bet nothing, she would report what was called, and hide what was not."""
    real = collection.missing
    monkeypatch.setattr(
        collection,
        "missing",
        lambda stages, *, reported, hits, withheld_hits: real(stages, reported=0, hits=0, withheld_hits=0),
    )
    stages = collection.TwoStages(review=Fraction(1, 5), show=Fraction(1, 4), alpha=Fraction(4, 100))
    assert validations.two_stages("reports all that was called", stages, 600, 50, 200, seed=1) > 100


def test_a_total_that_is_too_small_is_counted_as_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collection, "most", lambda hits, chance, level: hits)
    assert failed("", HALF, SPLICED, 5)["wrong"] == 5
    monkeypatch.setattr(collection, "missing", lambda stages, *, reported, hits, withheld_hits: 0)
    assert failed("", HALF, SPLICED + 2, 5)["wrong"] == 5


def test_what_was_withheld_before_is_missing_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collection, "missing", lambda stages, *, reported, hits, withheld_hits: 0)
    stages = collection.TwoStages(review=Fraction(1, 5), show=Fraction(1, 4), alpha=Fraction(4, 100))
    assert validations.two_stages("reports nothing", stages, 0, 100, 50, seed=1) == 50


def test_the_two_stages_show_what_they_say() -> None:
    """The chance of a withheld document is that of being called and then shown."""
    assert threshold(Fraction(1, 5)) * threshold(Fraction(1, 4)) // ONE == pytest.approx(ONE / 20)


def inline(work: Any, tasks: Sequence[Sequence[Any]], progress: Any) -> list[Any]:
    done = [work(*task) for task in tasks]
    progress(len(tasks))
    return done


SMALL = replace(coverage.Settings.quick(), matters=2, validations=100, cases=(1,), spliced=())


def test_the_same_settings_give_the_same_outcome_and_every_part_is_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "gather", inline)
    told: list[int] = []
    found = coverage.run(SMALL, told.append)
    assert told == [coverage.steps(SMALL)]
    assert found == coverage.run(SMALL)
    assert found != coverage.run(replace(SMALL, seed=2))
    assert {row[0] for row in found.rows} == {"reviewed", "reviewed, settled", "mistake", "one stage", "two stages"}
    assert len(found.findings) == 12


@pytest.mark.parametrize(("wrong", "verdict"), [(50, Verdict.HOLDS), (60, Verdict.HOLDS), (90, Verdict.DIFFERS)])
def test_a_level_that_is_exceeded_beyond_chance_is_said(wrong: int, verdict: Verdict) -> None:
    row = Row("reviewed", "a case", "an Alice", 1000, 0.05, {"below": wrong})
    assert coverage._kept("a claim", [row], "below").verdict is verdict


def test_a_mistake_that_is_not_noticed_is_said() -> None:
    row = Row("mistake", "a case", "an Alice", 100, 0.05, {"below": 5, "broken": 4})
    assert coverage._fails(row).verdict is Verdict.DIFFERS
    assert coverage._fails(replace(row, failed={"below": 60})).verdict is Verdict.HOLDS
    assert coverage._kept("a claim", [], "below").verdict is Verdict.OPEN
