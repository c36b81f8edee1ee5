"""The right-hand sides of the paper's one-dimensional theorems, as printed and as they can be proven.

Three printed steps are off. A harmonic sum H_m is not at most ln m. The classifier report's sampling starts anew with
each find, so err* finds make err* + 1 epochs. And the lemma's sum of 1/(b + j) is at most ln((a + b)/b), not at least;
it is at least a/(a + b), which is what the printed constant needs, so nothing changes. The proof of the best-response
theorem gives one document less than its statement.

The paper assumes err* > 0. The bounds are computed for err* = 0 too; those who judge the bounds keep the cases apart.

All counts are of documents: a recall of at least 1 - h/N+ is at most h responsive documents that Bob never sees.
"""

from dataclasses import dataclass
from math import log

from protocol.paper.theory.instances import Facts

EULER = 0.5772156649015329


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """One right-hand side, both ways."""

    printed: float
    corrected: float


def harmonic(count: int) -> float:
    """H_m = 1 + 1/2 + ... + 1/m."""
    if count < 200:
        return sum(1 / j for j in range(1, count + 1))
    return log(count) + EULER + 1 / (2 * count) - 1 / (12 * count**2)  # off by less than 1 / (120 m^4)


def label_hidden(facts: Facts, k: int) -> int:
    """Theorem "one-dim-label", recall: no more are hidden, except with probability delta."""
    return facts.error + k - 1


def label_hidden_at_any_k(facts: Facts) -> int:
    """The same theorem, sharpened: the constant c >= 2 ln(1/delta) alone gives what is printed for k = 1.

    If more than err* are hidden, more than FP* of them lie between t* and t_A, and no more than FP* others with them:
    the corrected lemma's a > b, and a/(a + b) > 1/2.
    """
    return facts.error


def label_disclosure(facts: Facts, k: int, delta: float) -> Bound:
    """Theorem "one-dim-label": the expected non-responsive disclosure of a truthful Alice."""
    constant = (2 + 2 * facts.error / k) * log(1 / delta)
    return Bound(
        printed=constant * _ln(facts.negatives) + facts.error,
        corrected=constant * harmonic(facts.negatives) + facts.error,
    )


def classifier_hidden(facts: Facts) -> int:
    """Theorem "one-dim-classifier", recall: no more are hidden, except with probability delta."""
    return 3 * facts.error


def classifier_disclosure(facts: Facts, delta: float) -> Bound:
    """Theorem "one-dim-classifier": the expected non-responsive disclosure of an optimal classifier."""
    constant = 2 * log(facts.size / delta)
    return Bound(
        printed=facts.error * constant * _ln(facts.size) + facts.error,
        corrected=(facts.error + 1) * constant * harmonic(facts.size) + facts.error,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Premise:
    """Whether a theorem covers an instance, as printed and as corrected."""

    printed: bool
    corrected: bool


def response_applies(facts: Facts, k: int, delta: float, price: float) -> Premise:
    """The premise of the theorem on Alice's best response. `price` is the c of her loss.

    Its proof needs a truthful loss below N-/3, and with ln it need not be: 6.668 against 6.667 for err* = 0,
    delta = 0.3287 and N- = 20. With H it is.
    """
    truthful = label_disclosure(facts, k, delta)
    small = 0 < delta < 1 / 3 and facts.negatives > price * facts.positives
    return Premise(
        printed=small and facts.negatives > 3 * truthful.printed,
        corrected=small and facts.negatives > 3 * truthful.corrected,
    )


def response_hidden(facts: Facts, k: int) -> Bound:
    """Its first conclusion: how many her best response hides, at most."""
    return Bound(printed=facts.error + k, corrected=facts.error + k - 1)


def response_disclosure(facts: Facts, k: int, delta: float, price: float) -> Bound:
    """Its second conclusion: the expected non-responsive disclosure of her best response."""
    truthful = label_disclosure(facts, k, delta)
    return Bound(
        printed=truthful.printed + price * (facts.error + k),
        corrected=truthful.corrected + price * (facts.error + k - 1),
    )


def _ln(count: int) -> float:
    """The printed logarithm; of nothing at all it would be minus infinity, and 0 is meant."""
    return log(count) if count else 0.0
