"""Intervals hold what they promise, also for small samples and at the ends of the range."""

from math import comb, log, sqrt
from statistics import fmean, variance

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.paper.theory.intervals import bernstein, clopper_pearson, sum_interval


def of_values(values: list[float], confidence: float = 0.95) -> tuple[float, float]:
    """Where the mean of values between 0 and 1 lies."""
    return bernstein(len(values), fmean(values), variance(values), least=0, most=1, confidence=confidence)


@pytest.mark.parametrize(("successes", "trials"), [(-1, 3), (4, 3), (0, -1)])
def test_impossible_counts_are_refused(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="successes in"):
        clopper_pearson(successes, trials)


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 1.5])
def test_a_confidence_is_between_0_and_1(confidence: float) -> None:
    with pytest.raises(ValueError, match="not between 0 and 1"):
        clopper_pearson(1, 2, confidence)
    with pytest.raises(ValueError, match="not between 0 and 1"):
        bernstein(1, 1, 0, least=0, most=1, confidence=confidence)
    with pytest.raises(ValueError, match="not between 0 and 1"):
        of_values([1, 1], confidence)


def test_nothing_seen_says_nothing() -> None:
    assert clopper_pearson(0, 0) == (0, 1)
    assert bernstein(0, 0, 0, least=-2, most=5) == (-2, 5)
    assert bernstein(1, 3, 0, least=-2, most=5) == (-2, 5)


def test_the_ends_of_the_range_are_the_known_ones() -> None:
    low, high = clopper_pearson(0, 100, 0.95)
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / 100))
    assert clopper_pearson(100, 100, 0.95) == pytest.approx((1 - high, 1))


@settings(deadline=None)
@given(trials=st.integers(1, 60), data=st.data())
def test_the_ends_are_where_the_binomial_tails_are_half_of_the_doubt(trials: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(1, trials))
    low, high = clopper_pearson(successes, trials)
    assert sum(_binomial(trials, count, low) for count in range(successes, trials + 1)) == pytest.approx(0.005)
    if successes < trials:
        assert sum(_binomial(trials, count, high) for count in range(successes + 1)) == pytest.approx(0.005)


def _binomial(trials: int, count: int, p: float) -> float:
    return float(comb(trials, count) * p**count * (1 - p) ** (trials - count))


def test_no_probability_is_missed_more_often_than_stated() -> None:
    for trials in (1, 5, 30):
        for p in np.linspace(0.01, 0.99, 23):
            inside = [low <= p <= high for low, high in (clopper_pearson(x, trials, 0.9) for x in range(trials + 1))]
            covered = sum(_binomial(trials, x, float(p)) for x in range(trials + 1) if inside[x])
            assert covered >= 0.9


def test_the_interval_of_a_mean_is_the_one_of_maurer_and_pontil() -> None:
    low, high = bernstein(1001, 5, 4, least=0, most=20, confidence=0.9)  # so d is 0.05 on each side
    reach = sqrt(2 * 4 * log(40) / 1001) + 7 * 20 * log(40) / 3000
    assert (low, high) == pytest.approx((5 - reach, 5 + reach))
    assert bernstein(1001, 5, 4, least=4.9, most=5.05) == (4.9, 5.05)


def test_more_values_make_a_shorter_interval_and_a_constant_the_shortest() -> None:
    lengths = []
    for count in (10, 100, 10_000):
        low, high = of_values([0.4, 0.6] * (count // 2))
        assert low <= 0.5 <= high
        lengths.append(high - low)
    assert lengths == sorted(lengths, reverse=True)
    low, high = of_values([0.5] * 10_000)
    assert 0 < high - low < lengths[-1]


@pytest.mark.parametrize("count", [1, 2, 7])
def test_a_sum_of_unequal_events_is_missed_no_more_often_than_stated(count: int) -> None:
    chances = [0.97, 0.5, 0.2, 0.04, 0.9, 0.33, 1.0][:count] * 12  # twelve plays
    law = np.array([1.0])
    for p in chances:
        law = np.convolve(law, [1 - p, p])
    mean = sum(chances) / 12
    inside = [low <= mean <= high for low, high in (sum_interval(x, count, 12, 0.9) for x in range(len(law)))]
    assert law[inside].sum() >= 0.9
    assert not all(inside)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.02, 0.3, 0.9])
def test_the_mean_of_skewed_values_is_missed_no_more_often_than_stated(rate: float) -> None:
    draws = np.random.default_rng([5]).random((3000, 200)) < rate
    missed = 0
    for row in draws.astype(float):
        low, high = of_values(row.tolist(), 0.9)
        missed += not low <= rate <= high
    assert clopper_pearson(missed, 3000, 0.999)[0] <= 0.1
