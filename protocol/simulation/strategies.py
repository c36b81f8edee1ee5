"""How simulated parties behave, by a short text such as `hiding:0.2:far`.

A strategy decides from what its party knows: the true labels of the documents it was shown, in batch order. Chance
comes from hashes of the party's secret, so a simulation repeats itself to the byte.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from ledger import coins
from ledger.hashing import Digest, integer, tagged_hash
from protocol import fixedpoint
from protocol.errors import BadTerms
from protocol.rules.base import COINS, Examiner, Report, best_rank
from protocol.simulation import bestresponse

ALICE = ("truthful", "careless:RATE", "careless:RATE:FOUND", "hiding:SHARE:random|near|far", "adaptive:SHARE", "best:C")
BOB = ("truthful", "careless:RATE", "vexatious")
COURT = ("right", "wrong:RATE")


class AliceStrategy(Protocol):
    """What Alice reports of a batch."""

    def report(self, rule: Examiner, truth: Sequence[bool], number: int) -> Report:
        """The report on a batch whose documents have these labels."""
        ...

    def look(self, truth: Sequence[bool], number: int) -> list[int]:
        """What she gives up of all that is withheld, whose documents have these labels: positions."""
        ...

    def learn(self, number: int, hidden: int, *, caught: bool) -> None:
        """Learn from the closed round: how many responsive documents were hidden, and whether any of them was found."""
        ...


class LabelStrategy(Protocol):
    """How Bob or the court labels documents: the positions of a batch, with their true labels."""

    def label(self, number: int, positions: Sequence[int], truth: Sequence[bool]) -> list[bool]:
        """The labels that the party gives."""
        ...


@dataclass(frozen=True, slots=True)
class Chance:
    """A party's private coins, a fresh set each round."""

    secret: bytes

    def seed(self, number: int) -> Digest:
        """The seed of a round's coins."""
        return tagged_hash("strategy", self.secret, integer(number))

    def mistakes(self, number: int, items: Sequence[int], rate: Fraction) -> list[bool]:
        """For each item, whether an event of this probability happens."""
        return [coin * rate.denominator < rate.numerator * COINS for coin in coins.coins(self.seed(number), items)]


@dataclass(slots=True)
class Careless:
    """Gets each label wrong at a given rate; truthful at rate 0. Used for Alice, Bob and the court.

    In a second look she finds each of her errors with the probability `finds`.
    """

    chance: Chance
    rate: Fraction
    finds: Fraction = Fraction(0)

    def label(self, number: int, positions: Sequence[int], truth: Sequence[bool]) -> list[bool]:
        mistaken = self.chance.mistakes(number, positions, self.rate)
        return [label != wrong for label, wrong in zip(truth, mistaken, strict=True)]

    def report(self, rule: Examiner, truth: Sequence[bool], number: int) -> Report:
        return honest_report(rule, self.label(number, range(1, len(truth) + 1), truth))

    def look(self, truth: Sequence[bool], number: int) -> list[int]:
        errors = [position for position, label in enumerate(truth, start=1) if label]
        found = self.chance.mistakes(number, errors, self.finds)
        return [position for position, noticed in zip(errors, found, strict=True) if noticed]

    def learn(self, number: int, hidden: int, *, caught: bool) -> None:
        """Learns nothing."""


@dataclass(slots=True)
class Vexatious:
    """Says the opposite of what he sees, so that every truthful label of Alice's is disputed."""

    def label(self, number: int, positions: Sequence[int], truth: Sequence[bool]) -> list[bool]:
        return [not label for label in truth]


class _GivesNothingUp:
    """Somebody who hides on purpose keeps to what she reported."""

    __slots__ = ()

    def look(self, truth: Sequence[bool], number: int) -> list[int]:
        """Nothing."""
        return []


@dataclass(slots=True)
class Hiding(_GivesNothingUp):
    """Hides a share of the responsive documents of each batch: at random, nearest the threshold, or the farthest."""

    chance: Chance
    share: Fraction
    which: str

    def report(self, rule: Examiner, truth: Sequence[bool], number: int) -> Report:
        return hiding_report(rule, truth, self._chosen(truth, number))

    def learn(self, number: int, hidden: int, *, caught: bool) -> None:
        """Goes on whatever happens."""

    def _chosen(self, truth: Sequence[bool], number: int) -> list[int]:
        responsive = [place for place, label in enumerate(truth, start=1) if label]
        count = -(-len(responsive) * self.share.numerator // self.share.denominator)
        if self.which == "random":
            return coins.draw(self.chance.seed(number), count, responsive)
        if self.which == "far":
            return responsive[len(responsive) - count :]
        threshold, _ = best_rank(truth)
        return sorted(responsive, key=lambda place: (abs(place - threshold), place))[:count]


@dataclass(slots=True)
class Adaptive(_GivesNothingUp):
    """Hides the farthest until a round passes in which nothing hidden was found; then stops, since she is ahead."""

    share: Fraction
    ahead: bool = False

    def report(self, rule: Examiner, truth: Sequence[bool], number: int) -> Report:
        hiding = Hiding(Chance(b""), Fraction(0) if self.ahead else self.share, "far")
        return hiding.report(rule, truth, number)

    def learn(self, number: int, hidden: int, *, caught: bool) -> None:
        self.ahead = self.ahead or (hidden > 0 and not caught)


@dataclass(slots=True)
class BestResponse(_GivesNothingUp):
    """Minimises the paper's loss, NRD + c N+ (REC - 1), over how many of the farthest documents to hide."""

    chance: Chance
    c: Fraction
    _plays: int = field(default=12)

    def report(self, rule: Examiner, truth: Sequence[bool], number: int) -> Report:
        responsive = [place for place, label in enumerate(truth, start=1) if label]
        reports = [
            hiding_report(rule, truth, responsive[len(responsive) - count :])
            for count in bestresponse.counts(len(responsive))
        ]
        if rule.ends_at_a_find:
            losses = [bestresponse.expected_loss(rule, report, truth, self.c) for report in reports]
        else:
            seeds = [tagged_hash("play", self.chance.seed(number), integer(play)) for play in range(self._plays)]
            losses = [bestresponse.sampled_loss(rule, report, truth, self.c, seeds) for report in reports]
        return reports[losses.index(min(losses))]

    def learn(self, number: int, hidden: int, *, caught: bool) -> None:
        """Learns nothing: every round is a game of its own."""


def honest_report(rule: Examiner, labels: Sequence[bool]) -> Report:
    """The report of somebody who believes these labels."""
    if not rule.reports_threshold:
        return Report(labels=tuple(labels))
    threshold, _ = best_rank(labels)
    return Report(labels=(*labels[:threshold], *[None] * (len(labels) - threshold)), threshold=threshold)


def hiding_report(rule: Examiner, truth: Sequence[bool], hidden: Sequence[int]) -> Report:
    """A report that hides these positions.

    Above a reported threshold Bob sees everything, and a lie would only cost a dispute; so it is told truthfully.
    """
    labels = list(truth)
    for place in hidden:
        labels[place - 1] = False
    report = honest_report(rule, labels)
    if report.threshold is None:
        return report
    shown = tuple(truth[: report.threshold])
    return Report(labels=shown + report.labels[report.threshold :], threshold=report.threshold)


def alice(spec: str, secret: bytes) -> AliceStrategy:
    """Alice's strategy."""
    chance = Chance(secret)
    match spec.split(":"):
        case ["truthful"]:
            return Careless(chance, Fraction(0))
        case ["careless", rate]:
            return Careless(chance, _share(spec, rate))
        case ["careless", rate, finds]:
            return Careless(chance, _share(spec, rate), _share(spec, finds))
        case ["hiding", share, "random" | "near" | "far" as which]:
            return Hiding(chance, _share(spec, share), which)
        case ["adaptive", share]:
            return Adaptive(_share(spec, share))
        case ["best", cost]:
            return BestResponse(chance, _number(spec, cost))
    raise _unknown("alice", spec, ALICE)


def bob(spec: str, secret: bytes) -> LabelStrategy:
    """Bob's strategy."""
    match spec.split(":"):
        case ["truthful"]:
            return Careless(Chance(secret), Fraction(0))
        case ["careless", rate]:
            return Careless(Chance(secret), _share(spec, rate))
        case ["vexatious"]:
            return Vexatious()
    raise _unknown("bob", spec, BOB)


def court(spec: str, secret: bytes) -> LabelStrategy:
    """The court's strategy."""
    match spec.split(":"):
        case ["right"]:
            return Careless(Chance(secret), Fraction(0))
        case ["wrong", rate]:
            return Careless(Chance(secret), _share(spec, rate))
    raise _unknown("court", spec, COURT)


def _number(spec: str, text: str) -> Fraction:
    try:
        return fixedpoint.parse_fraction(text)
    except BadTerms as error:
        raise BadTerms(f"{spec!r}: {error}") from None


def _share(spec: str, text: str) -> Fraction:
    value = _number(spec, text)
    if value > 1:
        raise BadTerms(f"{spec!r}: {text} is not a share from 0 to 1")
    return value


def _unknown(role: str, spec: str, known: Sequence[str]) -> BadTerms:
    return BadTerms(f"--{role} {spec!r} is not known; write one of {', '.join(known)}")
