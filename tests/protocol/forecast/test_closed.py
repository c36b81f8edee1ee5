"""What can be said without trials, against the numbers of the method's own page."""

from fractions import Fraction

import pytest

from protocol.certificates.exact import threshold
from protocol.forecast.closed import highest_target, most_hits, rate_of_validation, share_shown

DOUBT = Fraction(1, 20)
DOCUMENTS = 721_181
RARE, DENSE = 2154, 8734  # responsive documents: 0.3 % and 1.2 %


@pytest.mark.parametrize(("found", "share"), [(8, 0.98), (20, 0.71), (100, 0.27), (1100, 0.03)])
def test_with_few_found_documents_a_target_shows_nearly_everything(found: int, share: float) -> None:
    assert share_shown(found, Fraction(9, 10), DOUBT) == pytest.approx(share, abs=0.006)


def test_with_nothing_found_nearly_everything_is_shown() -> None:
    assert share_shown(0, Fraction(9, 10), DOUBT) > 0.97


def test_a_higher_target_shows_more() -> None:
    shares = [share_shown(100, Fraction(each, 100), DOUBT) for each in range(50, 100, 5)]
    assert shares == sorted(shares)
    assert shares[0] < shares[-1]


def test_the_highest_affordable_target_is_affordable_and_the_next_one_is_not() -> None:
    target = highest_target(20, 0.25, DOUBT)
    assert target is not None
    assert share_shown(20, target, DOUBT) <= 0.25 < share_shown(20, target + Fraction(1, 100), DOUBT)


def test_no_target_is_affordable_if_nothing_was_found() -> None:
    assert highest_target(0, 0.25, DOUBT) is None


@pytest.mark.parametrize(
    ("responsive", "recall", "target", "shown"),
    [
        (RARE, "0.90", "0.75", 12_966),
        (RARE, "0.90", "0.80", 27_713),
        (RARE, "0.95", "0.75", 6_599),
        (RARE, "0.95", "0.80", 10_950),
        (RARE, "0.95", "0.90", 57_583),
        (RARE, "0.99", "0.75", 3_087),
        (RARE, "0.99", "0.80", 6_415),
        (RARE, "0.99", "0.90", 14_104),
        (DENSE, "0.90", "0.75", 3_626),
        (DENSE, "0.90", "0.80", 7_123),
        (DENSE, "0.95", "0.75", 1_648),
        (DENSE, "0.95", "0.80", 2_735),
        (DENSE, "0.95", "0.90", 17_028),
        (DENSE, "0.99", "0.75", 749),
        (DENSE, "0.99", "0.80", 1_602),
        (DENSE, "0.99", "0.90", 3_622),
    ],
)
def test_a_validation_costs_what_the_table_of_costs_says(responsive: int, recall: str, target: str, shown: int) -> None:
    found = round(responsive * Fraction(recall))
    rate = rate_of_validation(
        found=found,
        missing=responsive - found,
        target=Fraction(target),
        level=DOUBT,
        likely=Fraction(9, 10),
    )
    assert rate is not None
    assert float(rate * (DOCUMENTS - found)) == pytest.approx(shown, rel=0.07)


def test_a_target_above_the_true_recall_cannot_be_certified() -> None:
    rate = rate_of_validation(found=800, missing=200, target=Fraction(9, 10), level=DOUBT, likely=Fraction(9, 10))
    assert rate is None


def test_a_validation_that_draws_too_little_certifies_nothing() -> None:
    assert most_hits(100, Fraction(9, 10), DOUBT, threshold(Fraction(1, 100))) is None
