"""The ways to a wanted certificate, side by side: what to write into the terms, and what each costs."""

from collections.abc import Callable
from typing import Any

from protocol.forecast import words
from protocol.forecast.forecast import Forecast
from protocol.forecast.wanted import Advice
from protocol.rules.spot_check import RULE
from protocol.rules.terms import Terms

_VALIDATION = ("target", "show", "review", "viewer", "window", "yield", "every")

_SHOWN = ("rounds", "rate", "target", "limit", "show", "review", "viewer")

_COSTS: tuple[tuple[str, Callable[[Forecast], str]], ...] = (
    ("Alice reads", lambda found: words.count(found.range(lambda each: each.read).median)),
    ("Bob sees, responsive", lambda found: words.count(found.range(lambda each: each.found).median)),
    ("Bob sees, not responsive", lambda found: words.count(found.range(lambda each: each.other).median)),
    ("  in 95 % at most", lambda found: words.count(found.range(lambda each: each.other).high)),
    ("the court looks at", lambda found: words.count(found.range(lambda each: each.court).median)),
    ("batches", lambda found: words.count(found.range(lambda each: each.batches).median)),
    ("reviewed: target reached", lambda found: words.percent(words.likelihoods(found)["reviewed_reached"])),
    ("collection: target reached", lambda found: _reached(words.likelihoods(found).get("collection_reached"))),
)


def settings(agreed: Terms) -> dict[str, Any]:
    """What to write into the terms file: the rule's parameters under [review], the others under [validation]."""
    review: dict[str, Any] = {"protocol": agreed.protocol, "rounds": agreed.rounds}
    review |= {each.name: getattr(agreed, each.name) for each in RULE.parameters}
    if agreed.validation is None:
        return {"review": review}
    found = {name: getattr(agreed.validation, "least_yield" if name == "yield" else name) for name in _VALIDATION}
    return {"review": review, "validation": {name: value for name, value in found.items() if value is not None}}


def rows(advice: Advice) -> list[list[str]]:
    """First what to write into the terms, then what it costs: the median of the trials."""
    written = [_written(each.terms) for each in advice.ways]
    names = list(dict.fromkeys(name for each in written for name in each))
    found = [[name, *(each.get(name, "-") for each in written)] for name in names]
    return found + [[called, *(cost(each.forecast) for each in advice.ways)] for called, cost in _COSTS]


def _written(agreed: Terms) -> dict[str, str]:
    return {
        f"{section}.{name}": str(value)
        for section, values in settings(agreed).items()
        for name, value in values.items()
        if name in _SHOWN
    }


def _reached(share: float | None) -> str:
    return "-" if share is None else words.percent(share)
