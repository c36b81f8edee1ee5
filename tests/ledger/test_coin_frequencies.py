"""Coins and draws come out as evenly as chance would have it, and no more evenly. Seeds are fixed, so each statistic is
one number: a test fails by a change, never by chance.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256

import pytest

from ledger import coins
from ledger.hashing import Digest

# A bound is what a chi-square variable exceeds once in a million, and (for counts that are too even to be drawn)
# falls short of once in a million.
BOUNDS = {
    19: (2.26, 63.68),  # degrees of freedom: lower and upper bound
    64: (23.75, 132.79),
    255: (161.65, 377.08),
}


def looks_random(statistic: float, freedom: int) -> bool:
    low, high = BOUNDS[freedom]
    return low < statistic < high


def chi_square(counts: Sequence[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts)


def inclusion_chi_square(drawn: Sequence[Sequence[int]], population: int) -> float:
    """Of how often each item was drawn. A draw of k of n gives counts of variance k/n (1 - k/n), which are
    correlated by -1/(n - 1): hence the factor by which the sum of squares has n - 1 degrees of freedom.
    """
    share = len(drawn[0]) / population
    counts = [sum(item in each for each in drawn) for item in range(population)]
    squares = sum((count - len(drawn) * share) ** 2 for count in counts)
    return squares / (len(drawn) * share * (1 - share)) * (population - 1) / population


def byte_chi_square(found: Iterable[int], shift: int) -> float:
    """Of how often the eight bits from `shift` on take each of their values."""
    counts = [0] * 256
    for coin in found:
        counts[coin >> shift & 0xFF] += 1
    return chi_square(counts)


def bit_chi_square(found: Sequence[int]) -> float:
    """Of how often each of the 64 bits is set."""
    ones = [sum(coin >> bit & 1 for coin in found) for bit in range(64)]
    return sum((count - len(found) / 2) ** 2 / (len(found) / 4) for count in ones)


def numbered_seed(number: int) -> Digest:
    return Digest(sha256(b"seed %d" % number).digest())


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("shift", [0, 28, 56], ids=["low bits", "middle bits", "top bits"])
def test_eight_bits_of_a_coin_take_every_value_equally_often(number: int, shift: int) -> None:
    assert looks_random(byte_chi_square(coins.coins(numbered_seed(number), range(2**14)), shift), 255)


@pytest.mark.parametrize("number", range(4))
def test_each_of_the_64_bits_is_set_half_of_the_time(number: int) -> None:
    assert looks_random(bit_chi_square(coins.coins(numbered_seed(number), range(2**13))), 64)


@pytest.mark.parametrize("size", [1, 5, 10, 19])
def test_every_item_is_drawn_equally_often(size: int) -> None:
    drawn = [coins.draw(numbered_seed(number), size, range(20)) for number in range(4000)]
    assert looks_random(inclusion_chi_square(drawn, 20), 19)


def test_every_item_comes_first_and_last_equally_often() -> None:
    drawn = [coins.draw(numbered_seed(number), 20, range(20)) for number in range(4000)]
    for place in (0, 10, 19):
        assert looks_random(chi_square([sum(each[place] == item for each in drawn) for item in range(20)]), 19)


def test_the_frequency_tests_notice_a_slight_bias() -> None:
    fair = coins.coins(numbered_seed(0), range(2**14))
    two_values_never_occur = [coin ^ 1 if coin & 0xFF in (10, 20) else coin for coin in fair]
    assert not looks_random(byte_chi_square(two_values_never_occur, 0), 255)

    one_bit_set_too_often = [coin | (coin >> 1 & coin >> 2 & coin >> 3 & 1) for coin in fair[: 2**13]]  # 9 times of 16
    assert not looks_random(bit_chi_square(one_bit_set_too_often), 64)

    items = [range(20) if number % 4 else range(1, 20) for number in range(4000)]  # item 0 misses every fourth draw
    drawn = [coins.draw(numbered_seed(number), 5, among) for number, among in enumerate(items)]
    assert not looks_random(inclusion_chi_square(drawn, 20), 19)


def test_the_frequency_tests_notice_counts_that_are_too_even() -> None:
    assert not looks_random(chi_square([64] * 256), 255)
    in_turn = [[(number + step) % 20 for step in range(5)] for number in range(4000)]
    assert not looks_random(inclusion_chi_square(in_turn, 20), 19)
