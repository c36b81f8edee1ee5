"""Protocol and verifier compute certificates in different ways. On every input they get the same integers."""

from collections.abc import Callable
from dataclasses import asdict
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.certificates import boundary as protocol_boundary
from protocol.certificates import collection as protocol_collection
from protocol.certificates import exact as protocol_exact
from protocol.certificates import intervals as protocol_intervals
from protocol.certificates import reviewed as protocol_reviewed
from verifier.certificates import boundary, collection, exact, intervals, reviewed
from verifier.certificates.exact import ONE

parts = st.fractions(Fraction(1, 10**4), Fraction(9999, 10**4), max_denominator=10**6)
rates = st.integers(1, 1000).map(lambda each: Fraction(each, 1000))
chances = rates.map(exact.threshold) | st.integers(ONE // 1000, ONE) | st.integers(1, 4).map(lambda n: n * (ONE // 4))
levels = (
    st.tuples(parts, st.integers(1, 9)).map(lambda drawn: collection.alpha(*drawn))
    | parts
    | st.integers(1, 9).map(lambda power: Fraction(1, 2**power))
)


@given(st.fractions(0, 1), st.integers(0, ONE - 1))
def test_on_chances_and_costs(rate: Fraction, chance: int) -> None:
    assert exact.threshold(rate) == protocol_exact.threshold(rate)
    assert exact.cost(chance) == protocol_exact.cost(chance)


@given(st.integers(0, 44 * ONE) | st.integers(0, 10**6))
def test_on_the_chance_for_a_cost(least: int) -> None:
    assert exact.chance_for(least) == protocol_exact.least_chance(least)


@settings(max_examples=20)
@given(parts, st.integers(0, 40), st.integers(1, 5000))
def test_on_the_boundary(doubt: Fraction, hits: int, more: int) -> None:
    assert boundary.boundary(doubt, hits) == protocol_boundary.boundary(doubt, hits)
    assert boundary.closed_form(doubt, more) == protocol_boundary.closed_form(doubt, more)


@pytest.mark.parametrize("doubt", [Fraction(1, 20), Fraction(1, 100)], ids=str)
def test_on_the_boundary_for_every_number_of_hits_up_to_a_hundred_and_some_beyond(doubt: Fraction) -> None:
    for hits in (*range(101), 501, 502, 777, 2000, 10_000):
        assert boundary.boundary(doubt, hits) == protocol_boundary.boundary(doubt, hits)


@pytest.mark.slow
@pytest.mark.parametrize("doubt", [Fraction(1, 20), Fraction(1, 2), Fraction(1, 10**9)], ids=str)
def test_on_the_boundary_as_far_as_the_recursion_goes(doubt: Fraction) -> None:
    for hits in range(503):
        assert boundary.boundary(doubt, hits) == protocol_boundary.boundary(doubt, hits)


def test_on_the_certificate_of_the_reviewed_and_the_next_chance() -> None:
    random = Random(15)
    for _ in range(1000):
        standing = _standing(random)
        target = Fraction(random.randint(1, 100), 100)
        doubt = random.choice([Fraction(1, 20), Fraction(1, 100), Fraction(1, 7)])
        other = protocol_reviewed.Standing(**asdict(standing))
        made = reviewed.certify(standing, target, doubt)
        assert asdict(made) == asdict(protocol_reviewed.certify(other, target, doubt))
        if not made.met:
            chance = reviewed.next_chance(standing, target, doubt)
            assert chance == protocol_reviewed.next_chance(other, target, doubt)


def _standing(random: Random) -> reviewed.Standing:
    hits = random.randint(0, 30)
    draws = [exact.cost(exact.threshold(Fraction(random.randint(0, 300), 1000))) for _ in range(random.randint(0, 12))]
    credit = sum(random.choice([*draws, 0]) for _ in range(hits * random.choice([1, 2, 40])))
    exposures = {exposure: random.randint(1, 10 ** random.randint(0, 4)) for exposure in draws}
    return reviewed.Standing(found=random.randint(0, 2000), hits=hits, credit=credit, exposures=exposures)


@given(st.integers(1, ONE), st.integers(1, 10**6), st.integers(-(10**3), 10**6))
def test_on_the_cap_of_a_draw(chance: int, withheld: int, allowance: int) -> None:
    assert reviewed.capped(chance, withheld, allowance) == protocol_reviewed.capped(chance, withheld, allowance)


@given(parts, st.integers(1, 30))
def test_on_the_shares_of_the_doubt(doubt: Fraction, number: int) -> None:
    assert collection.alpha(doubt, number) == protocol_collection.alpha(doubt, number)


@settings(max_examples=100)
@given(st.integers(0, 60) | st.integers(0, 600), chances, levels)
def test_on_the_most_and_on_intervals(hits: int, chance: int, level: Fraction) -> None:
    assert collection.most(hits, chance, level) == protocol_collection.most(hits, chance, level)
    assert intervals.interval(hits, chance, level) == protocol_intervals.interval(hits, chance, level)
    assert intervals.estimate(hits, chance) == protocol_intervals.estimate(hits, chance)


@pytest.mark.parametrize(("hits", "rate"), [(3000, "0.01"), (5000, "0.005"), (4000, "0.9"), (2500, "0.5")])
def test_on_thousands_of_hits(hits: int, rate: str) -> None:
    chance = exact.threshold(Fraction(rate))
    level = Fraction(1, 25)
    assert collection.most(hits, chance, level) == protocol_collection.most(hits, chance, level)
    assert intervals.interval(hits, chance, level) == protocol_intervals.interval(hits, chance, level)


@given(
    st.integers(0, 3000), st.integers(0, 40), parts.filter(lambda part: part > Fraction(1, 10)), levels, rates | parts
)
def test_on_the_rate_by_rule(found: int, expected: int, target: Fraction, level: Fraction, largest: Fraction) -> None:
    assert collection.least_rate(found, expected, target, level, largest) == protocol_collection.least_rate(
        found=found, expected_hits=expected, target=target, level=level, largest=largest
    )


@given(rates, rates, levels, st.tuples(*3 * [st.integers(0, 500)]), st.sampled_from([lambda n: n, lambda _: 0]))
def test_on_two_stages(
    review: Fraction,
    show: Fraction,
    level: Fraction,
    finds: tuple[int, int, int],
    against: Callable[[int], int],
) -> None:
    reported, hits, withheld_hits = finds[0], against(finds[1]), against(finds[2])
    stages = protocol_collection.TwoStages(review=review, show=show, alpha=level)
    proven = collection.two_stages(review, show, level, reported, hits, withheld_hits)
    others = protocol_collection.bets(stages)
    assert proven.at_most == protocol_collection.missing(
        stages, reported=reported, hits=hits, withheld_hits=withheld_hits
    )
    for bet, other in zip(reversed(proven.bets), reversed(others), strict=False):
        assert (bet.gain, bet.loss_reported) == (other.gain, other.loss_reported)
        assert (bet.loss_hit, bet.loss_withheld_hit) == (other.loss_hit, other.loss_withheld_hit)
        assert bet.budget == other.budget(reported, hits, withheld_hits)
