"""Alices who hide, each in her own way: what `coverage` lets loose on the certificates.

They know the books, the certificate and all coins of the past; whoever gives documents up or claims them late does so
after she has computed what the next draw would be. Nothing here is meant to be clever on average. Each tries one way to
make a certificate say too much.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from protocol.certificates.exact import ONE, cost
from protocol.certificates.reviewed import next_chance
from protocol.paper.experiments.spotchecks import Alice, Hidden, Review


@dataclass(slots=True)
class Steady(Alice):
    """Hides the same share of each batch, and never gives anything up."""

    share: float

    def hides(self, review: Review, responsive: int) -> int:
        return round(self.share * responsive)


@dataclass(slots=True)
class Some(Alice):
    """Hides a share of certain batches only."""

    rounds: range
    share: float = 1.0
    number: int = 0

    def hides(self, review: Review, responsive: int) -> int:
        self.number += 1
        return round(self.share * responsive) if self.number in self.rounds else 0


class JustEnough(Alice):
    """Keeps hidden what misses the target by one document, as the found ones grow."""

    spare = 1

    def hides(self, review: Review, responsive: int) -> int:
        return max(0, review.allowed() + self.spare - len(review.hidden))


class Growing(JustEnough):
    """Keeps hidden half as much again as the target allows, and hides more for all that was found."""

    def hides(self, review: Review, responsive: int) -> int:
        return max(0, review.allowed() * 3 // 2 + self.spare - len(review.hidden))


class OneEach(Alice):
    """Hides one document of each batch."""

    def hides(self, review: Review, responsive: int) -> int:
        return 1


class UntilHit(Alice):
    """Hides a third of each batch until one document is found, and is truthful from then on."""

    def hides(self, review: Review, responsive: int) -> int:
        return 0 if review.hits else responsive // 3


class Doubling(Alice):
    """Hides a tenth, and twice as much after each document that was found, as gamblers do."""

    def hides(self, review: Review, responsive: int) -> int:
        return (responsive << min(review.hits, 4)) // 10


@dataclass(slots=True)
class AfterQuiet(Alice):
    """Hides half of a batch if the last one passed without a hit."""

    before: int = 0

    def hides(self, review: Review, responsive: int) -> int:
        quiet, self.before = review.hits == self.before, review.hits
        return responsive // 2 if quiet else 0


@dataclass(slots=True)
class Surrendering(Steady):
    """Gives up everything at the first look after a hit, and then hides again."""

    before: int = 0

    def gives_up(self, review: Review) -> Iterable[Hidden]:
        hit, self.before = review.hits > self.before, review.hits
        return list(review.hidden) if hit else ()


@dataclass(slots=True)
class Trimming(Steady):
    """Gives up at each look what is more than just enough to miss the target; keeps the least or the most exposed."""

    keeps_least: bool = True

    def gives_up(self, review: Review) -> Iterable[Hidden]:
        return trimmed(review, keeps_least=self.keeps_least)


@dataclass(slots=True)
class Thrifty(Steady):
    """Gives documents up only where the next draw would show more than a tenth of what is withheld."""

    def gives_up(self, review: Review) -> Iterable[Hidden]:
        chance = next_chance(review.standing(), review.terms.target, review.terms.doubt)
        return trimmed(review) if chance * 10 > ONE else ()


@dataclass(slots=True)
class NarrowEscapes(Steady):
    """Gives up what the last coin nearly drew: whoever believes in luck."""

    def gives_up(self, review: Review) -> Iterable[Hidden]:
        return sorted(review.hidden, key=lambda document: document.last)[: len(review.hidden) // 3]


@dataclass(slots=True)
class Brinkmanship(Alice):
    """Hides as much as she can while the exposure of it stays below the bound, so as to break it with one more draw."""

    def hides(self, review: Review, responsive: int) -> int:
        budget = review.certified().budget
        exposed = sum(document.exposure for document in review.hidden)
        one = cost(round(review.terms.rate * ONE))
        return max(0, (budget - exposed) // one - len(review.hidden)) if one else responsive

    def gives_up(self, review: Review) -> Iterable[Hidden]:
        return trimmed(review)


@dataclass(slots=True)
class Decoys(Alice):
    """Lets Bob find many early, gives the rest up, and hides again in the second half."""

    number: int = 0

    def hides(self, review: Review, responsive: int) -> int:
        self.number += 1
        return responsive // 2 if self.number <= 3 or self.number > 6 else 0

    def gives_up(self, review: Review) -> Iterable[Hidden]:
        return list(review.hidden) if self.number <= 6 else ()


@dataclass(slots=True)
class Whims(Alice):
    """Hides and gives up as a private coin says."""

    def hides(self, review: Review, responsive: int) -> int:
        return int(review.coins.integers(0, responsive + 1))

    def gives_up(self, review: Review) -> Iterable[Hidden]:
        return [document for document in review.hidden if review.coins.random() < 0.3]


def trimmed(review: Review, *, keeps_least: bool = True) -> list[Hidden]:
    """What to give up so that just enough stays hidden to miss the target, whatever is given up being found."""
    ordered = sorted(review.hidden, key=lambda document: document.exposure, reverse=not keeps_least)
    target = review.terms.target
    every = review.found + len(ordered)
    keep = every - (every * target.numerator - 1) // target.denominator  # recall just below the target
    return ordered[max(0, keep) :]


# What the settlement of privilege, late claims and silence gives an Alice to try


@dataclass(slots=True)
class ClaimsBeforehand(Trimming):
    """Claims privilege for half of what she hides, with the report and without right."""

    number: int = 0

    def kind(self, review: Review) -> Hidden:
        self.number += 1
        return Hidden(claimed=self.number % 2 == 0)


@dataclass(slots=True)
class ClaimsEverything(Steady):
    """Claims all that she hides beforehand."""

    def kind(self, review: Review) -> Hidden:
        return Hidden(claimed=True)


@dataclass(slots=True)
class ClaimsDrawn(Trimming):
    """Hides privileged documents without a claim, and claims each when a coin has drawn it; the court upholds."""

    def kind(self, review: Review) -> Hidden:
        return Hidden(privileged=True)

    def claims_late(self, review: Review, drawn: Sequence[Hidden], others: Sequence[Hidden]) -> Iterable[Hidden]:
        return drawn


@dataclass(slots=True)
class ClaimsSpared(Steady):
    """Gives up by late claims, when the coins are known, a third of what they spared: the narrow escapes."""

    privileged: bool = False

    def kind(self, review: Review) -> Hidden:
        return Hidden(privileged=self.privileged and review.coins.random() < 0.5)

    def claims_late(self, review: Review, drawn: Sequence[Hidden], others: Sequence[Hidden]) -> Iterable[Hidden]:
        return sorted(others, key=lambda document: document.last)[: len(others) // 3]


@dataclass(slots=True)
class ClaimsAfterHits(Steady):
    """Claims all that was spared as soon as something was drawn, so that nothing is left to be found later."""

    def claims_late(self, review: Review, drawn: Sequence[Hidden], others: Sequence[Hidden]) -> Iterable[Hidden]:
        return others if drawn else ()


@dataclass(slots=True)
class SilentAtHits(Trimming):
    """Bob leaves unread, once in a while, just the waves that hold something hidden."""

    often: float = 0.5

    def reads(self, review: Review, found: int) -> bool:
        return not found or bool(review.coins.random() > self.often)


@dataclass(slots=True)
class SilentAtRandom(Steady):
    """Bob reads two waves of three."""

    def reads(self, review: Review, found: int) -> bool:
        return bool(review.coins.random() > 1 / 3)


@dataclass(slots=True)
class Padding(Alice):
    """Bob is silent in every fourth round, and she reports there what is not responsive, so that more seems found."""

    number: int = 0
    silent: bool = False

    def hides(self, review: Review, responsive: int) -> int:
        self.number += 1
        self.silent = self.number % 4 == 0
        return max(0, review.allowed() - len(review.hidden))

    def pads(self, review: Review) -> int:
        return 150 if self.silent else 0

    def reads(self, review: Review, found: int) -> bool:
        silent, self.silent = self.silent, False
        return not silent


HIDERS: dict[str, Callable[[], Alice]] = {
    "hides 20 % of each batch": lambda: Steady(0.2),
    "hides half of each batch": lambda: Steady(0.5),
    "hides all of the first three batches": lambda: Some(range(1, 4)),
    "hides all of the last three batches": lambda: Some(range(8, 11)),
    "hides one of each batch": OneEach,
    "hides just enough to miss the target": JustEnough,
    "hides half more than that, and refills": Growing,
    "hides until the first hit": UntilHit,
    "doubles after each hit": Doubling,
    "hides after a quiet batch": AfterQuiet,
    "gives all up after a hit": lambda: Surrendering(0.4),
    "gives up late, keeps the least exposed": lambda: Trimming(0.4),
    "gives up late, keeps the most exposed": lambda: Trimming(0.4, keeps_least=False),
    "gives up where a draw is dear": lambda: Thrifty(0.4),
    "gives up narrow escapes": lambda: NarrowEscapes(0.4),
    "hides up to the brink of the bound": Brinkmanship,
    "decoys first": Decoys,
    "whims": Whims,
}
"""Those of Theorem 1."""

USERS: dict[str, Callable[[], Alice]] = {
    "claims half beforehand": lambda: ClaimsBeforehand(0.4),
    "claims all beforehand": lambda: ClaimsEverything(0.3),
    "claims what was drawn, and is upheld": lambda: ClaimsDrawn(0.4),
    "claims narrow escapes late": lambda: ClaimsSpared(0.4),
    "claims narrow escapes late, half of them upheld": lambda: ClaimsSpared(0.4, privileged=True),
    "claims all that was spared after a hit": lambda: ClaimsAfterHits(0.4),
    "Bob silent at half of the hits": lambda: SilentAtHits(0.4),
    "Bob silent at every hit": lambda: SilentAtHits(0.4, often=1.0),
    "Bob silent at random": lambda: SilentAtRandom(0.3),
}
"""Those who use privilege, late claims and silence."""
