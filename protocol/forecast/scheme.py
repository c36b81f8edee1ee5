"""What terms say about a review, as exact numbers: all that a forecast needs of them."""

from dataclasses import dataclass
from fractions import Fraction

from protocol.matter import validating
from protocol.matter.validations import Plan
from protocol.rules import table
from protocol.rules.base import Examiner
from protocol.rules.spot_check import SpotCheck
from protocol.rules.terms import Terms, probability, share


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """When and how the collection is validated, and who looks at what is drawn."""

    plan: Plan
    by_court: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """The terms of a review, whatever the rule."""

    batch: int  # N in the paper
    rounds: int  # T in the paper
    draws: int
    doubt: Fraction
    query: bool  # whether words find the first batch
    rule: Examiner
    limit: Fraction  # of what escalations show; 0 if the rule has none
    validation: Validation | None = None

    @property
    def spot_check(self) -> SpotCheck | None:
        """The rule, if it draws whatever the rank: then counts are enough to forecast it."""
        return self.rule if isinstance(self.rule, SpotCheck) else None


def scheme(terms: Terms) -> Scheme:
    """The scheme of a matter's terms."""
    plan = validating.plan(terms)
    by_court = terms.validation is not None and terms.validation.viewer == "court"
    return Scheme(
        batch=terms.batch,
        rounds=terms.rounds,
        draws=terms.draws,
        doubt=probability("doubt", terms.doubt),
        query=bool(terms.query.strip()),
        rule=table.examiner(terms),
        limit=share("limit", terms.limit_in_force or "0"),
        validation=None if plan is None else Validation(plan=plan, by_court=by_court),
    )
