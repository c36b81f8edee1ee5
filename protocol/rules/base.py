"""What a label-verification rule is, and what every rule is given and gives back.

A batch is a list in decreasing score order; position 1 is the highest. A threshold is a rank r: the top r are at or
above it. Alice's report and the coins of all positions are fixed before a rule runs, so a rule is a function of what
has been settled so far: it says which positions Bob must have been shown by now. Trent discloses what is missing as one
wave, Bob and the court answer, and the rule is asked again, until nothing is missing. A rule may only ever add.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, Protocol, TypeVar

from protocol.certificates import exact
from protocol.rules.terms import Parameter, RuleTerms

COINS = exact.ONE
"""How many coins there are: a chance is counted in them."""

NOT_COVERED = "This leaves aside what the court withheld as privileged, and rounds in which Bob left documents unread."
"""What the guarantees of rules that draw by coin do not cover."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What Alice says of a batch: a label for each position (None if the rule asks for none), perhaps a threshold."""

    labels: tuple[bool | None, ...]  # f_A in the paper
    threshold: int | None = None  # t_A in the paper, as a rank


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What a rule makes of a report, the coins, and the answers so far."""

    threshold: int
    error: int  # of the threshold, by the reported labels
    due: frozenset[int]  # what Bob must have been shown by now
    chances: Mapping[int, int]  # positions that a coin decides about: how many of all coins would draw them
    drawn: frozenset[int]  # those whose coin did, and those that count as drawn
    compelled_at: int | None = None  # the position whose confirmed error brought the rest of the batch


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a closed round tells about hidden documents; chances are counted in coins."""

    compelled: bool  # or it costs as much, because nobody has read what was drawn
    undisclosed: tuple[int, ...]  # of the positions that Bob never saw
    found: tuple[int, ...]  # of the responsive positions that a coin drew, up to the one that compelled the rest
    unproven: int = 0  # positions that the coins say nothing about: each may be hidden


class Examiner(Protocol):
    """A rule with the parameters of one matter: a label-verification protocol, ready to run."""

    name: str
    reports_threshold: bool  # whether Alice reports a threshold and the labels above it, or all labels

    @property
    def ends_at_a_find(self) -> bool:
        """Whether the first confirmed error brings Bob the whole batch, and chances never change."""
        ...

    def examine(
        self,
        report: Report,
        coins: Sequence[int],
        settled: Mapping[int, bool],
        counted: frozenset[int] = frozenset(),
    ) -> Examination:
        """The state of a round whose disclosed positions have these labels, agreed or ruled.

        `counted` are the positions that count as drawn, whatever their coin: Alice gave them up by a late claim.
        """
        ...

    def hidden_at_most(self, rounds: Sequence[Evidence], doubt: Fraction) -> int:
        """How many responsive documents can be hidden in these rounds, except with probability `doubt`."""
        ...


T = TypeVar("T", bound=RuleTerms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A rule in words."""

    guarantee: str  # what is proven of a round, as the claims state it to the letter
    plain: str | None  # the same in plain words, unless it is plain already
    offered: str  # what the parties choose with it, in the terms file
    chosen: str  # the same in a line, for a party that is about to sign
    threshold: str | None  # how Alice is asked for a threshold, if she is
    find: str  # what a drawn document that is confirmed as responsive brings, in the status
    against: str  # what it means that the court disagrees with Alice, after the number of times

    def guaranteed(self) -> str:
        """The guarantee: first in plain words, if its own wording is mathematical."""
        return self.guarantee if self.plain is None else f"{self.plain} Exactly: {self.guarantee}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Generic[T]):
    """Everything about a rule."""

    name: str  # the `protocol` of its terms
    terms: type[T]
    parameters: tuple[Parameter, ...]  # the fields that its terms add to what all terms have
    make: Callable[[T], Examiner]
    words: Words


def malformed(rule: Examiner, size: int, report: Report, *, ranked: bool = True) -> str | None:
    """What is wrong with a report for a batch of `size`, or None. Documents that are not ranked have no threshold."""
    if len(report.labels) != size:
        return f"the batch has {size} documents, but the report has {len(report.labels)} labels"
    if not (ranked and rule.reports_threshold):
        if report.threshold is not None:
            return "the report names a threshold, but only labels are asked for"
        missing = [place + 1 for place, label in enumerate(report.labels) if label is None]
        return f"the report has no label for position {missing[0]}" if missing else None
    if report.threshold is None or not 0 <= report.threshold <= size:
        return f"the report's threshold must be a rank from 0 to {size}, {report.threshold} found"
    for place, label in enumerate(report.labels):
        if (label is None) != (place >= report.threshold):
            return f"labels are asked for the top {report.threshold} positions only; position {place + 1} is wrong"
    return None


def best_rank(labels: Sequence[bool]) -> tuple[int, int]:
    """The threshold that fits the labels best, and its error; of several the smallest, that is the largest rank.

    The error of rank r is the number of not responsive ones in the top r and of responsive ones below.
    """
    error = least = sum(labels)
    best = 0
    for rank, responsive in enumerate(labels, start=1):
        error += -1 if responsive else 1
        if error <= least:
            best, least = rank, error
    return best, least


def chance(tickets: int, divisor: int) -> int:
    """How many coins U fulfil U * divisor < tickets * 2^32: the probability min(1, c / divisor), rounded upward."""
    return min(COINS, -(-(tickets << 32) // divisor))


def played(rule: Examiner, report: Report, coins: Sequence[int], truth: Sequence[bool]) -> dict[int, bool]:
    """What Bob has been shown once nothing more is due, if he and the court make no mistake: positions and labels."""
    settled: dict[int, bool] = {}
    while due := rule.examine(report, coins, settled).due - settled.keys():
        settled |= {place: truth[place - 1] for place in due}
    return settled


def output(report: Report, settled: Mapping[int, bool]) -> list[bool]:
    """The labels for training: as agreed or ruled if disclosed, otherwise as Alice reported."""
    return [settled.get(place, bool(label)) for place, label in enumerate(report.labels, start=1)]


def evidence(
    examination: Examination,
    settled: Mapping[int, bool],
    *,
    by_coin: Examination | None = None,
    withheld: frozenset[int] = frozenset(),
    unread: frozenset[int] = frozenset(),
    unproven: int = 0,
) -> Evidence:
    """What the bound needs of a round in which all that was due has been settled or withheld.

    `by_coin` is the same without the late claims, if there are any: chances and finds are those of the coins alone,
    so Alice, who has seen what was drawn, cannot raise a chance or end the round before a find.

    If nobody read what was drawn, it says nothing about what was not drawn. So with `unread` positions the round has
    no misses, costs what a find would have cost, and whatever rests on Alice's word alone is `unproven`.
    """
    by_coin = by_coin or examination
    stop, drawn = by_coin.compelled_at, by_coin.drawn | examination.drawn
    found = [
        chance
        for position, chance in by_coin.chances.items()
        if position in drawn and (position in unread or (settled.get(position) and (stop is None or position <= stop)))
    ]
    shown = settled.keys() | withheld
    undisclosed = [chance for position, chance in by_coin.chances.items() if position not in shown and not unread]
    return Evidence(
        compelled=examination.compelled_at is not None or bool(unread),
        undisclosed=tuple(undisclosed),
        found=tuple(found),
        unproven=unproven,
    )
