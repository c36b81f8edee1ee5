"""Confidence intervals that keep what they promise at every sample size, not only at large ones.

A probability gets the interval of Clopper and Pearson, which turns the binomial distribution itself around. A mean of
bounded values gets the empirical Bernstein interval of Maurer and Pontil (2009): it holds for every distribution on
the range, and is short where the values vary little. The interval of the central limit theorem promises neither. A sum
of independent events, whose probabilities differ, gets a much shorter one: Hoeffding (1956) showed that it strays from
its mean, by 1 or more, no more often than if all had the same probability.
"""

from math import log, sqrt

from scipy.stats import beta

CONFIDENCE = 0.99


def clopper_pearson(successes: int, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Where the probability of success lies, with at least this confidence."""
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials")
    tail = _doubt(confidence) / 2
    low = float(beta.ppf(tail, successes, trials - successes + 1)) if successes else 0.0
    high = float(beta.ppf(1 - tail, successes + 1, trials - successes)) if successes < trials else 1.0
    return low, high


def bernstein(
    count: int, mean: float, spread: float, *, least: float, most: float, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Where the mean of independent values lies, from their number, their mean, and their variance (over count - 1).

    With probability 1 - d the true mean is above theirs by no more than
    sqrt(2 V ln(2/d) / n) + 7 range ln(2/d) / (3 (n - 1)); likewise below, with another d.
    """
    doubt = log(4 / _doubt(confidence))  # ln(2/d), where d is half of what may fail
    if count < 2:
        return least, most
    reach = sqrt(2 * spread * doubt / count) + 7 * (most - least) * doubt / (3 * (count - 1))
    return max(least, mean - reach), min(most, mean + reach)


def sum_interval(total: int, each: int, plays: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Where the mean of a sum of `each` independent events lies, if `total` of them happened in `plays` plays."""
    low, high = clopper_pearson(total, each * plays, confidence)
    return low * each, high * each


def _doubt(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence of {confidence} is not between 0 and 1")
    return 1 - confidence
