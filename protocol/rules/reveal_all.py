"""Reveal_All: Bob sees every document that Alice reviews. The paper's baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from protocol.rules import bound
from protocol.rules.base import Evidence, Examination, Report, Rule, Words, best_rank
from protocol.rules.terms import RuleTerms


class RevealAllTerms(RuleTerms, frozen=True, kw_only=True, tag="reveal-all"):
    """Terms without parameters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealAll:
    """Everything is due at once; no coin decides anything."""

    name = "reveal-all"
    reports_threshold = False
    ends_at_a_find = True  # like every rule without coins

    def examine(
        self,
        report: Report,
        coins: Sequence[int],
        settled: Mapping[int, bool],
        counted: frozenset[int] = frozenset(),
    ) -> Examination:
        threshold, error = best_rank([bool(label) for label in report.labels])
        everything = frozenset(range(1, len(report.labels) + 1))
        return Examination(threshold=threshold, error=error, due=everything, chances={}, drawn=frozenset())

    def hidden_at_most(self, rounds: Sequence[Evidence], doubt: Fraction) -> int:
        return bound.unproven(rounds)


RULE = Rule(
    name=RevealAll.name,
    terms=RevealAllTerms,
    parameters=(),
    make=lambda _terms: RevealAll(),
    words=Words(
        guarantee=(
            "In each round Bob was shown every document of the batch, apart from what the court withheld as privileged."
        ),
        plain=None,
        offered="Bob reads every document of every batch.",
        chosen="Bob is shown every document of each batch",
        threshold=None,
        find="never, since Bob is shown the whole batch anyway",
        against="the court found against Alice.",
    ),
)
