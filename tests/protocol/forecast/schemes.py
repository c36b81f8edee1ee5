"""Terms and assumptions that the tests of the forecast share."""

from typing import Any

from protocol.forecast.assumed import Assumed, assumed
from protocol.forecast.forecast import Forecast, forecast
from protocol.forecast.scheme import scheme
from protocol.matter import terms
from protocol.rules.terms import Terms, ValidationTerms

RARE: dict[str, Any] = {"documents": 721_181, "richness": "0.00291", "gain": "0.7"}  # as q-bio.CB in arXiv
DENSE: dict[str, Any] = {"documents": 721_181, "richness": "0.01215", "gain": "0.88"}  # as math.SP


def validation(**given: Any) -> ValidationTerms:
    usual: dict[str, Any] = {
        "every": 10,
        "hits": None,
        "review": None,
        "show": "0.05",
        "target": "0.8",
        "viewer": "bob",
        "window": 5,
        "least_yield": "0.02",
    }
    return ValidationTerms(**usual | given)


def large(**given: Any) -> Terms:
    """The terms of the experiments on 721,181 abstracts; the limit is never used up."""
    usual: dict[str, Any] = {"protocol": "spot-check", "rounds": 30, "batch": 1000, "query": "words", "limit": "1"}
    return terms.terms(**usual | given)


def small(**given: Any) -> Terms:
    """The terms of a blank terms file."""
    usual: dict[str, Any] = {"protocol": "spot-check", "rounds": 20, "batch": 500}
    return terms.terms(**usual | given)


def played(agreed: Terms, trials: int = 60, seed: str = "1", **about: Any) -> Forecast:
    return forecast(scheme(agreed), about_these(**about), trials=trials, seed=seed)


def about_these(**about: Any) -> Assumed:
    return assumed(**about)
