"""Late claims do not raise the mean of any bet: Alice has seen what the coins drew, and still cannot win by giving up.

Every fall of the coins is enumerated, exactly but for the rounding of floats. Alice is given more than she has: she
knows all coins when she chooses what to claim late, and the court overrules her.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import exp, prod

import pytest

from protocol.rules import classifier_report
from protocol.rules.base import COINS, Evidence, Examination, Report, chance, evidence
from protocol.rules.classifier_report import BETS, Bet, ClassifierReport

NOBODY: frozenset[int] = frozenset()
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A classifier round in which Alice labels nothing; she hides some positions, and may give up some of these."""

    size: int
    delta: Fraction
    hidden: tuple[int, ...]
    may_give_up: tuple[int, ...]

    @property
    def rule(self) -> ClassifierReport:
        return ClassifierReport(delta=self.delta)

    def examine(self, coins: Sequence[int], settled: dict[int, bool], late: frozenset[int]) -> Examination:
        return self.rule.examine(Report(labels=(None,) * self.size, threshold=0), coins, settled, late)

    def play(self, coins: Sequence[int], late: frozenset[int]) -> dict[int, bool]:
        """What Bob has been shown in the end, with its labels."""
        settled: dict[int, bool] = {}
        while due := self.examine(coins, settled, late).due - settled.keys():
            settled |= {position: position in self.hidden for position in due}
        return settled

    def falls(self) -> Iterator[tuple[float, list[int]]]:
        """The coins of the hidden positions up to all that can matter, with their probabilities; no other is drawn."""
        tickets = self.rule.tickets(self.size)
        edges = []
        for position in self.hidden:
            starts = [0, *(each for each in self.hidden if each < position)]
            edges.append(sorted({0, COINS, *(chance(tickets, position - start) for start in starts)}))
        for cell in product(*(pairwise(each) for each in edges)):
            coins = [COINS - 1] * self.size
            for position, (low, _) in zip(self.hidden, cell, strict=True):
                coins[position - 1] = low
            yield prod((high - low) / COINS for low, high in cell), coins

    def told(self, coins: Sequence[int], late: frozenset[int], *, by_coin: bool) -> Evidence:
        """The evidence of the round, of which only the hidden positions are missed."""
        settled = self.play(coins, late)
        harmless = frozenset(range(1, self.size + 1)) - settled.keys() - set(self.hidden)
        alone = self.examine(coins, settled, NOBODY) if by_coin else None
        return evidence(self.examine(coins, settled, late), settled, by_coin=alone, withheld=harmless)

    def means(self, *, by_coin: bool) -> list[float]:
        """The mean factor of each bet, if Alice chooses the best for it at every fall of the coins."""
        totals = [0.0] * len(BETS)
        for odds, coins in self.falls():
            spared = [position for position in self.may_give_up if position not in self.play(coins, NOBODY)]
            choices = [frozenset(some) for count in range(len(spared) + 1) for some in combinations(spared, count)]
            outcomes = [self.told(coins, late, by_coin=by_coin) for late in choices]
            for number, bet in enumerate(BETS):
                totals[number] += odds * max(factor(bet, each) for each in outcomes)
        return totals


def factor(bet: Bet, told: Evidence) -> float:
    """What the round does to a bet's money."""
    finds = [each for each in told.found if each < COINS]
    if finds and not bet.survives_finds:
        return 0.0
    lost = sum(classifier_report.loss(bet, each) for each in finds)
    won = sum(bet.stake(each) for each in told.undisclosed if each < COINS and not told.compelled)
    return exp((won - lost) / COINS)


GAMES = {
    "W starts again above a hit": Game(size=60, delta=Fraction(1, 2), hidden=(30, 60), may_give_up=(30, 60)),
    "the round is compelled above a hit": Game(
        size=30, delta=Fraction(99, 100), hidden=(7, 8, 9, 10, 11, 12, 13, 30), may_give_up=(7,)
    ),
    "three of three": Game(size=60, delta=Fraction(1, 2), hidden=(20, 40, 60), may_give_up=(20, 40, 60)),
}


@pytest.mark.parametrize("name", GAMES)
def test_no_bet_gains_on_average_whatever_alice_gives_up(name: str) -> None:
    means = GAMES[name].means(by_coin=True)
    assert max(means) <= 1 + ROUNDING
    assert min(means[1:]) > 1 - 1e-9  # she may as well give up nothing, and then every bet is fair


@pytest.mark.parametrize("name", GAMES)
def test_a_bet_would_gain_if_the_evidence_went_by_what_late_claims_have_changed(name: str) -> None:
    assert max(GAMES[name].means(by_coin=False)) > 1 + 1e-4


def test_a_find_is_charged_with_the_chance_that_it_had_before_the_late_claim() -> None:
    game = GAMES["W starts again above a hit"]
    coins = [COINS - 1] * 60
    coins[59] = 0
    before = game.told(coins, NOBODY, by_coin=True)
    after = game.told(coins, frozenset({30}), by_coin=True)
    tickets = game.rule.tickets(60)
    assert before.found == (chance(tickets, 60),)
    assert before.undisclosed == (chance(tickets, 30),)
    assert after.found == (chance(tickets, 30), chance(tickets, 60))
    assert after.undisclosed == ()


def test_a_find_below_the_late_claim_that_compels_the_round_is_charged_all_the_same() -> None:
    game = GAMES["the round is compelled above a hit"]
    coins = [COINS - 1] * 30
    coins[7] = coins[29] = 0  # 7 is spared, 8 and 30 are hit, 9 to 13 are certain then
    after = game.told(coins, frozenset({7}), by_coin=True)
    tickets = game.rule.tickets(30)
    assert after.compelled
    assert [each for each in after.found if each < COINS] == [chance(tickets, each) for each in (7, 8, 17)]
