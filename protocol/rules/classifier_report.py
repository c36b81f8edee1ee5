"""Protocol_Classifier: the Label-Verification Protocol for Classifier Report (Algorithm 3 of the paper).

Alice reports a threshold and labels for what is at or above it, all of which Bob gets. Below it, positions are drawn
with probability min(1, c/W); W counts up from 1 and starts again at each responsive document that the court confirms.
If those outnumber the others at any prefix, a better threshold than Alice's has been found, and Bob gets the rest.

The paper goes one document at a time. Here what is not settled yet counts as negative: a later find makes W smaller
from there on, so the same coins draw all that they drew before and perhaps more, and the waves end where the paper's
loop does.

The bound: one bet a position with g = min(limit, share * c), the money split among the `BETS`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache

from protocol import fixedpoint
from protocol.certificates.exact import cost
from protocol.rules import bound
from protocol.rules.base import COINS, NOT_COVERED, Evidence, Examination, Report, Rule, Words, chance
from protocol.rules.terms import DELTA, K, Positive, RuleTerms, probability

_DIGITS = 150  # then a find's logarithm is known to about 90 digits after the point: enough to round it


class ClassifierTerms(RuleTerms, frozen=True, kw_only=True, tag="classifier"):
    """The failure probability of a round's check; `k` is not used."""

    delta: str  # a decimal
    k: Positive


@dataclass(frozen=True, slots=True, kw_only=True)
class Bet:
    """One way to bet on what a classifier report hides."""

    weight: Fraction  # its part of the money
    share: Fraction  # lambda in the design
    limit: int | None = None  # theta in the design, times 2^64; None is infinite

    def stake(self, chance: int) -> int:
        """What the bet wins when this chance misses, in logarithms: g * 2^64. It grows with the chance."""
        part = cost(chance) * self.share.numerator // self.share.denominator
        return part if self.limit is None else min(part, self.limit)

    @property
    def survives_finds(self) -> bool:
        """Whether anything is left of the money after a find that was not certain."""
        return self.share < 1


BETS = (
    Bet(weight=Fraction(8, 10), share=Fraction(1)),
    Bet(weight=Fraction(2, 70), share=Fraction(1, 2)),
    *(Bet(weight=Fraction(2, 70), share=Fraction(9, 10), limit=COINS >> power) for power in range(3, 9)),
)


@cache
def loss(bet: Bet, chance: int) -> int:
    """What a find at this chance costs the bet, in logarithms: -ln((1 - (1 - p) e^g) / p) * 2^64, rounded upward.

    The g is the rounded one that a miss wins, so the factor's mean stays exactly 1.
    """
    with localcontext(Context(prec=_DIGITS)):
        p = Decimal(chance) / COINS
        kept = (1 - (1 - p) * (Decimal(bet.stake(chance)) / COINS).exp()) / p
        return int((-kept.ln() * COINS).to_integral_value(rounding=ROUND_CEILING))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierReport:
    """The rule for one matter's failure probability delta."""

    delta: Fraction

    name = "classifier"
    reports_threshold = True
    ends_at_a_find = False

    def examine(
        self,
        report: Report,
        coins: Sequence[int],
        settled: Mapping[int, bool],
        counted: frozenset[int] = frozenset(),
    ) -> Examination:
        size, threshold = len(report.labels), report.threshold or 0
        tickets = self.tickets(size)
        chances: dict[int, int] = {}
        drawn: set[int] = set()
        stop = None
        positives = negatives = 0  # M+ and M- in the paper
        weight = 1  # W in the paper
        for place in range(threshold + 1, size + 1):
            chances[place] = chance(tickets, weight)
            sampled = coins[place - 1] < chances[place] or place in counted
            if sampled:
                drawn.add(place)
            if sampled and settled.get(place):
                positives, weight = positives + 1, 1
            else:
                negatives, weight = negatives + 1, weight + 1
            if positives > negatives:
                stop = place
                break
        return Examination(
            threshold=threshold,
            error=sum(label is False for label in report.labels),
            due=frozenset(range(1, threshold + 1)) | drawn if stop is None else frozenset(range(1, size + 1)),
            chances=chances,
            drawn=frozenset(drawn),
            compelled_at=stop,
        )

    def hidden_at_most(self, rounds: Sequence[Evidence], doubt: Fraction) -> int:
        return at_most(rounds, doubt)

    def tickets(self, size: int) -> int:
        """C = 2 ln(N / delta) in the paper, times 2^32, rounded upward."""
        return 2 * fixedpoint.ceil_ln(size * self.delta.denominator, self.delta.numerator, 32)


def at_most(rounds: Sequence[Evidence], doubt: Fraction) -> int:
    """How many responsive documents can be hidden in rounds of classifier reports, except with probability `doubt`."""
    undisclosed = bound.undisclosed(rounds)
    finds = Counter(chance for closed in rounds for chance in closed.found if chance < COINS)
    bounds = []
    for bet in BETS:
        if bet.survives_finds or not finds:
            lost = sum(count * loss(bet, chance) for chance, count in finds.items())
            bounds.append(bound.most(undisclosed, bet.stake, bound.budget(bet.weight * doubt) + lost))
    return min(bounds) + bound.unproven(rounds)


def _make(terms: ClassifierTerms) -> ClassifierReport:
    return ClassifierReport(delta=probability("delta", terms.delta))


RULE = Rule(
    name=ClassifierReport.name,
    terms=ClassifierTerms,
    parameters=(DELTA, K),
    make=_make,
    words=Words(
        guarantee=(
            "In each round, whatever threshold Alice reports, with probability at least 1 - delta at most 3 err* of "
            "the batch's responsive documents were not disclosed, err* being the least error that any threshold has "
            f"on the true labels. {NOT_COVERED}"
        ),
        plain=(
            "Of each batch, Bob almost surely gets all responsive documents but for a few: at most three times as many "
            "as the best threshold through the ranking would get wrong."
        ),
        offered="She labels only the documents above a threshold that she chooses. Coins draw from the rest.",
        chosen="Alice names a threshold and labels what is above it; below, Bob sees what coins draw",
        threshold=(
            "The terms ask for a threshold: fill in the rows from the first down to the threshold R only, and add\n"
            "--threshold R below."
        ),
        find="confirmed finds below Alice's threshold that outnumbered the rest brought Bob the whole batch",
        against=(
            "the court disagreed with Alice's report, which for a document below her threshold is expected even "
            "of a truthful Alice."
        ),
    ),
)
