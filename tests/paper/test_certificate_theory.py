"""What the proofs of docs/theory.md use, computed."""

from fractions import Fraction
from itertools import pairwise, product
from math import comb, exp, log

import pytest

from protocol.certificates.boundary import UNIT, boundary
from protocol.certificates.collection import TwoStages, alpha, bets, missing, most
from protocol.certificates.exact import ONE, cost, threshold
from protocol.paper.experiments import frontier

DOUBT = Fraction(1, 20)


def test_the_boundary_grows_by_more_than_one_for_each_hit() -> None:
    """Theorem 3: B_d >= B_0 + d + 1.4 for d >= 1."""
    first = boundary(DOUBT, 0)
    assert all(10 * (boundary(DOUBT, hits) - first) >= (10 * hits + 14) * UNIT for hits in range(2, 501))
    assert boundary(DOUBT, 1) - first == pytest.approx(2.404 * UNIT, rel=1e-3)


def test_the_first_crossings_add_up_to_the_doubt() -> None:
    """Theorem 1: the probability that exactly d points come in time, and then none up to B_d, for d = 0, 1, 2."""
    b0, b1, b2 = (boundary(DOUBT, hits) / UNIT for hits in range(3))
    shares = [float(DOUBT) / ((d + 1) * (d + 2)) for d in range(3)]
    volume = b0 * b1 - b0**2 / 2  # of 0 < t1 < t2, t1 <= b0, t2 <= b1
    for probability, share in zip((exp(-b0), exp(-b1) * b0, exp(-b2) * volume), shares, strict=True):
        assert probability == pytest.approx(share, rel=1e-6)


@pytest.mark.parametrize(("size", "allowed"), [(6, 0), (6, 1), (7, 2)])
def test_a_draw_of_fixed_size_cannot_beat_the_least_disclosure(size: int, allowed: int) -> None:
    """Theorem 2, step of the proof: of all sets of s documents, the share that misses h + 1 given ones."""
    for shown in range(size + 1):
        misses = Fraction(comb(size - shown, allowed + 1), comb(size, allowed + 1))
        bound = max(Fraction(0), 1 - Fraction(shown, size - allowed)) ** (allowed + 1)
        assert misses >= 0
        assert misses <= max(Fraction(0), 1 - Fraction(shown, size)) ** (allowed + 1)
        assert misses >= bound


def test_the_constant_chance_is_near_the_least_disclosure() -> None:
    for withheld, allowed in ((28_000, 208), (9_000, 120), (900, 10)):
        needed = boundary(DOUBT, 0) / UNIT / (allowed + 1)
        shown = withheld * (1 - exp(-needed))
        least = frontier.floor(withheld, allowed)
        assert least <= shown <= 1.25 * least


@pytest.mark.parametrize("show", ["0.01", "0.05", "0.3"])
@pytest.mark.parametrize("level", ["0.04", "0.008"])
def test_a_validation_in_one_stage_keeps_its_level_exactly(show: str, level: str) -> None:
    """Theorem 4, without chance: P(M > most(d)) for all M up to 80."""
    chance, limit = threshold(Fraction(show)), Fraction(level)
    rate = Fraction(chance, ONE)
    bounds = [most(hits, chance, limit) for hits in range(81)]
    for number in range(1, 81):
        wrong = sum(
            comb(number, hits) * rate**hits * (1 - rate) ** (number - hits)
            for hits in range(number + 1)
            if number > bounds[hits]
        )
        assert wrong <= limit


@pytest.mark.parametrize("show", ["0.01", "0.05", "0.3", "0.9"])
@pytest.mark.parametrize("level", ["0.04", "0.008"])
def test_a_privileged_document_that_is_handed_over_does_not_lower_what_may_be_missing(show: str, level: str) -> None:
    """In one stage it is one more hit, and most(d + 1) - (d + 1) >= most(d) - d."""
    bounds = [most(hits, threshold(Fraction(show)), Fraction(level)) for hits in range(60)]
    assert all(later >= earlier + 1 for earlier, later in pairwise(bounds))


@pytest.mark.parametrize(("review", "show"), [("0.2", "0.25"), ("0.05", "0.2"), ("0.5", "0.5")])
def test_nor_does_it_in_two_stages_wherever_it_stands(review: str, show: str) -> None:
    """It is one more a, q or q', and only adds to the budget."""
    stages = TwoStages(review=Fraction(review), show=Fraction(show), alpha=Fraction(4, 100))
    for reported, hits, others in product(range(5), range(3), range(3)):
        before = missing(stages, reported=reported, hits=hits, withheld_hits=others)
        assert missing(stages, reported=reported + 1, hits=hits, withheld_hits=others) >= before
        assert missing(stages, reported=reported, hits=hits + 1, withheld_hits=others) >= before
        assert missing(stages, reported=reported, hits=hits, withheld_hits=others + 1) >= before


def factors(review: Fraction, show: Fraction, gain: float) -> tuple[float, float, float]:
    called, shown = float(review), float(show)
    either = called * shown
    reported = (1 - (1 - called) * exp(gain)) / called
    return (
        reported,
        (reported - (1 - shown) * exp(gain)) / shown,
        (1 - (1 - either) * exp(gain)) / either,
    )


@pytest.mark.parametrize(("review", "show"), [("0.2", "0.25"), ("0.05", "0.2"), ("0.5", "0.5")])
def test_whatever_alice_reports_the_bet_has_the_mean_one(review: str, show: str) -> None:
    """Theorem 5: called and reported or not, and withheld before; and the losses are those of the factors."""
    stages = TwoStages(review=Fraction(review), show=Fraction(show), alpha=Fraction(4, 100))
    pi, p = float(stages.review), float(stages.show)
    for bet in bets(stages):
        gain = bet.gain / ONE
        reported, hit, withheld = factors(stages.review, stages.show, gain)
        assert (1 - p) * exp(gain) + p * hit == pytest.approx(reported)
        assert (1 - pi) * exp(gain) + pi * reported == pytest.approx(1)
        assert (1 - pi * p) * exp(gain) + pi * p * withheld == pytest.approx(1)
        assert bet.loss_reported / ONE == pytest.approx(-log(reported))
        if bet.loss_hit is not None and bet.loss_withheld_hit is not None:
            assert bet.loss_hit / ONE == pytest.approx(-log(hit))
            assert bet.loss_withheld_hit / ONE == pytest.approx(-log(withheld))


@pytest.mark.parametrize("policy", ["all", "none", "if two were called"])
def test_a_validation_in_two_stages_keeps_its_level_exactly(policy: str) -> None:
    """Theorem 5, without chance: every fall of both draws over a few documents at large rates."""
    stages = TwoStages(review=Fraction(1, 2), show=Fraction(1, 2), alpha=Fraction(1, 4))
    never, withheld = 12, 3
    wrong = Fraction(0)
    for called, kept_hits in product(range(never + 1), range(withheld + 1)):
        reported = {"all": called, "none": 0}.get(policy, called if called >= 2 else 0)
        weight = Fraction(comb(never, called), 2**never)
        weight *= comb(withheld, kept_hits) * Fraction(1, 4) ** kept_hits * Fraction(3, 4) ** (withheld - kept_hits)
        for hits in range(called - reported + 1):
            left = never + withheld - reported - hits - kept_hits
            if left > missing(stages, reported=reported, hits=hits, withheld_hits=kept_hits):
                wrong += weight * Fraction(comb(called - reported, hits), 2 ** (called - reported))
    assert wrong <= stages.alpha


def test_all_validations_together_have_the_doubt() -> None:
    assert sum(alpha(DOUBT, number) for number in range(1, 60)) < DOUBT
    assert DOUBT - sum(alpha(DOUBT, number) for number in range(1, 60)) < Fraction(1, 10**30)


def test_costs_of_independent_draws_add_up() -> None:
    one, two = threshold(Fraction(1, 10)), threshold(Fraction(2, 10))
    both = threshold(1 - Fraction(9, 10) * Fraction(8, 10))
    assert cost(one) + cost(two) == pytest.approx(cost(both), rel=1e-12)
