"""The experiment on Lemma "high-dim-label": its table, its findings, and that it is the same every time."""

from fractions import Fraction
from pathlib import Path

import pytest

from protocol.paper.experiments import highdim, plots
from protocol.paper.experiments.highdimfindings import Fixed, Tossed, findings
from protocol.paper.experiments.outcome import Finding, Outcome, Verdict
from protocol.paper.theory.highdim import Reading
from protocol.paper.theory.highdim_tally import PROVED, Tally, Worst, printed, proofs

pytestmark = pytest.mark.slow  # runs the experiment

HALF = Fraction(1, 2)
AS_PRINTED, FOR_POINTS = "as printed (n_i", "for the points, whether"
SENTENCE, PROOFS, POINTS_ONLY = "the sentence on n(x)", "in place of Step 6's place", "for the points only"
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


def test_the_printed_order_breaks_the_lemma_and_the_proofs_count_and_the_corrected_order_do_not(quick: Outcome) -> None:
    found = tuple(quick.findings)
    assert about(found, AS_PRINTED) is Verdict.DIFFERS
    assert about(found, FOR_POINTS) is Verdict.DIFFERS
    assert about(found, "the sampling probability") is Verdict.DIFFERS
    assert about(found, SENTENCE) is Verdict.HOLDS
    assert about(found, PROOFS) is Verdict.HOLDS
    assert about(found, POINTS_ONLY) is Verdict.DIFFERS
    assert about(found, "on a line") is Verdict.HOLDS
    assert about(found, "ordered by projection") is Verdict.HOLDS
    assert about(found, "smaller constant") is Verdict.HOLDS
    assert about(found, "condition on the printed order") is Verdict.HOLDS
    assert about(found, "real coins") is Verdict.HOLDS


def test_the_same_settings_give_the_same_files(quick: Outcome, tmp_path: Path) -> None:
    plots.write(quick, tmp_path / "one")
    plots.write(highdim.run(highdim.Settings.quick()), tmp_path / "two")
    for ending in ("csv", "txt", "svg"):
        name = f"high-dimensional.{ending}"
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_progress_counts_every_piece_of_work() -> None:
    settings = highdim.Settings(instances={"line": 16}, doubts=("0.5",), depths=(2,), trials=10)
    told: list[int] = []
    highdim.run(settings, told.append)
    assert told[-1] == highdim.steps(settings) == 2


def _tally(worst: Worst) -> Tally:
    views = (printed(Reading.WIDEST), PROVED, *(proofs(Reading.WIDEST, sides=sides) for sides in (False, True)))
    return Tally(counted=9, worst={(view, 1, HALF): worst for view in views})


def _fixed(*, sides: bool, counted: Fraction = Fraction(0)) -> Fixed:
    return Fixed(
        name="six", size=6, delta=HALF, chances=dict.fromkeys(Reading, Fraction(2, 3)), counted=counted, error=0,
        optimal=1, sides=sides, place=4, counts=(1, 2), projected=2, tossed=FINE,
    )  # fmt: skip


def test_a_claim_that_a_report_breaks_is_not_said_to_hold() -> None:
    found = findings({"noisy": _tally(Worst(tried=9, above=1, chance=Fraction(2, 3), spot=(1, 2)))}, [], [FINE])
    assert about(found, "ordered by projection") is Verdict.DIFFERS
    assert about(found, FOR_POINTS) is Verdict.DIFFERS
    assert about(found, PROOFS) is Verdict.DIFFERS
    assert about(found, POINTS_ONLY) is Verdict.DIFFERS


def test_a_search_that_breaks_nothing_decides_nothing_about_the_printed_order() -> None:
    found = findings({"noisy": _tally(Worst(tried=9, chance=Fraction(1, 3), spot=(1, 2)))}, [], [FINE])
    assert about(found, FOR_POINTS) is Verdict.OPEN
    assert about(found, POINTS_ONLY) is Verdict.OPEN
    assert about(found, "ordered by projection") is Verdict.HOLDS
    assert about(found, PROOFS) is Verdict.HOLDS
    assert about(found, SENTENCE) is Verdict.HOLDS
    assert about(found, "on a line") is Verdict.OPEN  # not tried


def test_coins_outside_the_interval_are_told() -> None:
    off = Tossed(chance=Fraction(9, 10), missed=50, trials=100, low=0.3, high=0.7)
    assert about(findings({}, [], [FINE, off]), "real coins") is Verdict.DIFFERS


def test_a_counterexample_for_points_only_says_nothing_about_half_planes() -> None:
    found = findings({}, [_fixed(sides=False, counted=Fraction(2, 3))], [FINE])
    assert about(found, FOR_POINTS) is Verdict.DIFFERS
    assert about(found, AS_PRINTED) is Verdict.OPEN
    assert about(found, PROOFS) is Verdict.OPEN


def test_a_fixed_instance_that_breaks_the_proofs_count_is_told() -> None:
    assert about(findings({}, [_fixed(sides=True, counted=Fraction(2, 3))], [FINE]), PROOFS) is Verdict.DIFFERS


def test_one_exception_breaks_the_proofs_sentence_and_none_looked_at_leave_it_open() -> None:
    assert about(findings({"noisy": Tally(counted=9, exceptions=1)}, [], [FINE]), SENTENCE) is Verdict.DIFFERS
    assert about(findings({"noisy": Tally()}, [], [FINE]), SENTENCE) is Verdict.OPEN


def test_the_theorem_itself_is_not_blamed(quick: Outcome) -> None:
    assert not any("Theorem" in each.claim for each in quick.findings if each.verdict is Verdict.DIFFERS)
    assert "is trivially true" in quick.setting
