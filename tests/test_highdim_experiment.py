"""The experiment on Theorem "high-dim-label": its table, its findings, and that it is the same every time."""

from fractions import Fraction
from pathlib import Path

import pytest

from protocol.experiments import highdim, outcome
from protocol.experiments.highdimfindings import Fixed, Tossed, findings
from protocol.experiments.outcome import Finding, Outcome, Verdict
from protocol.theory.highdim import Reading
from protocol.theory.highdim_tally import PROVED, Tally, Worst, printed

HALF = Fraction(1, 2)
FINE = Tossed(chance=HALF, missed=50, trials=100, low=0.3, high=0.7)


@pytest.fixture(scope="module")
def quick() -> Outcome:
    return highdim.run(highdim.Settings.quick())


def about(found: list[Finding] | tuple[Finding, ...], words: str) -> Verdict:
    [one] = [each for each in found if words in each.claim]
    return one.verdict


def test_every_row_has_every_column(quick: Outcome) -> None:
    assert all(len(row) == len(quick.columns) for row in quick.rows)
    assert {row[0] for row in quick.rows} >= {"line", "space", "six", "eleven", "corner 6"}


def test_the_printed_theorem_differs_and_the_corrected_one_holds(quick: Outcome) -> None:
    found = tuple(quick.findings)
    assert about(found, "consistent for the points") is Verdict.DIFFERS
    assert about(found, "consistent for half-spaces") is Verdict.DIFFERS
    assert about(found, "on a line") is Verdict.HOLDS
    assert about(found, "ordered by projection") is Verdict.HOLDS
    assert about(found, "smaller constant") is Verdict.HOLDS
    assert about(found, "condition on the printed order") is Verdict.HOLDS
    assert about(found, "real coins") is Verdict.HOLDS


@pytest.mark.slow
def test_the_same_settings_give_the_same_files(quick: Outcome, tmp_path: Path) -> None:
    outcome.write(quick, tmp_path / "one")
    outcome.write(highdim.run(highdim.Settings.quick()), tmp_path / "two")
    for ending in ("csv", "txt", "svg"):
        name = f"high-dimensional.{ending}"
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_progress_counts_every_piece_of_work() -> None:
    settings = highdim.Settings(instances={"line": 16}, doubts=("0.5",), depths=(2,), trials=10)
    told: list[int] = []
    highdim.run(settings, told.append)
    assert told[-1] == highdim.steps(settings) == 2


def _tally(worst: Worst) -> Tally:
    return Tally(worst={(printed(Reading.WIDEST), 1, HALF): worst, (PROVED, 1, HALF): worst})


def test_a_corrected_claim_that_a_report_breaks_is_not_said_to_hold() -> None:
    found = findings({"noisy": _tally(Worst(tried=9, above=1, chance=Fraction(2, 3), spot=(1, 2)))}, [], [FINE])
    assert about(found, "ordered by projection") is Verdict.DIFFERS
    assert about(found, "consistent for the points") is Verdict.DIFFERS


def test_a_search_that_breaks_nothing_decides_nothing_about_the_printed_theorem() -> None:
    found = findings({"noisy": _tally(Worst(tried=9, chance=Fraction(1, 3), spot=(1, 2)))}, [], [FINE])
    assert about(found, "consistent for the points") is Verdict.OPEN
    assert about(found, "ordered by projection") is Verdict.HOLDS
    assert about(found, "on a line") is Verdict.OPEN  # not tried


def test_coins_outside_the_interval_are_told() -> None:
    off = Tossed(chance=Fraction(9, 10), missed=50, trials=100, low=0.3, high=0.7)
    assert about(findings({}, [], [FINE, off]), "real coins") is Verdict.DIFFERS


def test_a_counterexample_for_points_only_says_nothing_about_half_planes() -> None:
    fixed = Fixed(
        name="six", size=6, delta=HALF, chances=dict.fromkeys(Reading, Fraction(2, 3)), error=0, optimal=1,
        sides=False, place=4, projected=2, tossed=FINE,
    )  # fmt: skip
    found = findings({}, [fixed], [FINE])
    assert about(found, "consistent for the points") is Verdict.DIFFERS
    assert about(found, "consistent for half-spaces") is Verdict.OPEN
