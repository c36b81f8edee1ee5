"""What has come to light, and what is withheld: the books of a matter, over counts instead of documents.

Credit and exposures are the integers of a real matter. Only the coins of hits are floats; that moves a forecast by
less than one part in 2^50.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.random import RandomState

from protocol.certificates.exact import ONE, cost
from protocol.certificates.reviewed import Certified, Standing, certify


@dataclass(slots=True)
class Pile:
    """Withheld documents that were exposed alike."""

    responsive: int
    other: int
    looked: bool = False  # whether Alice has read them a second time

    @property
    def size(self) -> int:
        """How many they are."""
        return self.responsive + self.other


@dataclass(slots=True)
class Books:
    """Who has seen what, the hits and their credit, and the withheld documents by their exposure."""

    random: RandomState
    found: int = 0  # F: responsive documents that Bob has
    other: int = 0  # documents that Bob was shown and that are not responsive (NRD)
    read: int = 0  # documents that Alice has read, each time
    court: int = 0  # documents that the court has looked at
    hits: int = 0  # D
    credit: int = 0  # K
    negatives: int = 0  # R: what Alice has labelled not responsive
    withheld: dict[tuple[int, bool], Pile] = field(default_factory=dict)

    @property
    def hidden(self) -> int:
        """How many responsive documents are withheld."""
        return sum(pile.responsive for pile in self.withheld.values())

    def standing(self) -> Standing:
        """What a certificate is computed from."""
        exposures: dict[int, int] = {}
        for (exposure, _), pile in self.withheld.items():
            exposures[exposure] = exposures.get(exposure, 0) + pile.size
        return Standing(found=self.found, hits=self.hits, credit=self.credit, exposures=exposures)

    def certified(self, target: Fraction, doubt: Fraction) -> Certified:
        """What the coins prove of the reviewed documents by now."""
        return certify(self.standing(), target, doubt)

    def show(self, responsive: int, other: int, *, disputed: int = 0) -> None:
        """Bob is shown so many; the court rules on those about which he and Alice disagree."""
        self.found += responsive
        self.other += other
        self.court += disputed

    def withhold(self, exposure: int, responsive: int, other: int, *, looked: bool = False) -> None:
        """So many more are withheld, each with this exposure."""
        if not responsive + other:
            return
        pile = self.withheld.setdefault((exposure, looked), Pile(0, 0, looked))
        pile.responsive += responsive
        pile.other += other

    def check(self, chance: int, exposure: int, responsive: int, other: int, *, looked: bool = False) -> Pile:
        """Throw coins over documents that Alice labels not responsive: hits are booked, the others are withheld.

        Returns what was drawn. Whether Bob is shown all of that, the caller says.
        """
        rate = chance / ONE
        drawn = Pile(int(self.random.binomial(responsive, rate)), int(self.random.binomial(other, rate)))
        coins = self.random.uniform(0, rate, drawn.responsive)
        self.hits += drawn.responsive
        self.credit += drawn.responsive * exposure + sum(int(each * ONE) for each in -np.log1p(-coins))
        if chance < ONE:
            rest = responsive - drawn.responsive, other - drawn.other
            self.withhold(exposure + cost(chance), *rest, looked=looked)
        return drawn

    def draw_withheld(self, chance: int) -> Pile:
        """The same over everything that is withheld."""
        before, self.withheld = self.withheld, {}
        drawn = Pile(0, 0)
        for (exposure, _), pile in before.items():
            found = self.check(chance, exposure, pile.responsive, pile.other, looked=pile.looked)
            drawn.responsive += found.responsive
            drawn.other += found.other
        return drawn

    def look_again(self, share: Fraction) -> None:
        """Alice reads again what she has not read twice, and gives up this share of her mistakes."""
        for key, exposure, pile in self._unlooked():
            given = int(self.random.binomial(pile.responsive, float(share)))
            self.read += pile.size
            self.credit += given * exposure
            self.show(given, 0)
            del self.withheld[key]
            self.withhold(exposure, pile.responsive - given, pile.other, looked=True)

    def _unlooked(self) -> Iterator[tuple[tuple[int, bool], int, Pile]]:
        for key, pile in list(self.withheld.items()):
            if not pile.looked:
                yield key, key[0], pile
