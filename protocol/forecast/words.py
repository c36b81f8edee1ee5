"""A forecast in words and rows, for a terminal, a script, a terms file, or a party that is about to sign."""

from collections.abc import Callable, Iterator
from typing import Any

from protocol.forecast import closed
from protocol.forecast.forecast import Forecast, Range
from protocol.forecast.play import Outcome

RARELY = 0.5
"""If a target is reached in a smaller share of the trials, it is said why."""

NOT_FORECAST = (
    "what is privileged or in a sensitive class, and what is claimed late",
    "that documents which Alice hides or mislabels also mislead the ranking",
    "orders, new keys and amendments",
)
NOT_FORECAST_OF_RANKINGS = "how well each batch is ranked: it is made up, and what this rule shows depends on it"

Number = Callable[[Outcome], float]

_QUANTITIES: dict[str, tuple[str, Number]] = {
    "alice_reads": ("Alice reads", lambda each: each.read),
    "bob_sees": ("Bob sees", lambda each: each.found + each.other),
    "responsive": ("  responsive", lambda each: each.found),
    "not_responsive": ("  not responsive", lambda each: each.other),
    "court_sees": ("The court looks at", lambda each: each.court),
    "rounds": ("Rounds", lambda each: each.batches + each.escalations + each.validations),
    "batches": ("  batches", lambda each: each.batches),
    "escalations": ("  escalations", lambda each: each.escalations),
    "validations": ("  validations", lambda each: each.validations),
    "hidden": ("Responsive, withheld", lambda each: each.hidden),
}
_SHARES: dict[str, tuple[str, Number]] = {
    "recall": ("Recall of the collection (nobody will know)", lambda each: each.found / each.responsive),
    "certified_reviewed": ("Certified recall of the reviewed", lambda each: each.certified_reviewed),
}


def quantities(found: Forecast) -> Iterator[tuple[str, str, Range]]:
    """What is counted: a short name, how it is called, and its range. What the terms do not have is left out."""
    left_out = {
        "escalations": found.scheme.spot_check is None,
        "validations": found.scheme.validation is None,
        "hidden": found.assumed.alice.spec == "truthful" and found.scheme.spot_check is not None,
    }
    for name, (called, number) in _QUANTITIES.items():
        if not left_out.get(name):
            yield name, called, found.range(number)


def shares(found: Forecast) -> Iterator[tuple[str, str, Range]]:
    """The same for recall."""
    for name, (called, number) in _SHARES.items():
        yield name, called, found.range(number)
    if found.certified_collection is not None:
        yield "certified_collection", "Certified recall of the collection", found.certified_collection


def rows(found: Forecast) -> list[list[str]]:
    """A table: what, the median, and where nine of ten trials are."""
    counts = [
        [called, count(each.median), f"{count(each.low)} to {count(each.high)}"]
        for _, called, each in quantities(found)
    ]
    return counts + [
        [called, f"{each.median:.3f}", f"{each.low:.3f} to {each.high:.3f}"] for _, called, each in shares(found)
    ]


def likelihoods(found: Forecast) -> dict[str, float]:
    """How likely each event is that the terms provide for."""
    rule, validation = found.scheme.spot_check, found.scheme.validation
    events: dict[str, Callable[[Outcome], bool]] = {}
    if rule is not None:
        events["reviewed_reached"] = lambda each: bool(each.reached_reviewed)
        events["limit_used_up"] = lambda each: each.limit_used_up
    if validation is not None:
        events["collection_reached"] = lambda each: bool(each.reached_collection)
        events["ends_at_a_validation"] = lambda each: each.ended == "validation"
    return {name: found.share(event) for name, event in events.items()}


def sentences(found: Forecast) -> Iterator[str]:
    """How likely each target is reached, and if it rarely is, why."""
    rule, validation, likely = found.scheme.spot_check, found.scheme.validation, likelihoods(found)
    if rule is not None:
        yield (
            f"The target of {decimal(rule.target)} of the reviewed is reached in {percent(likely['reviewed_reached'])} "
            "of the trials."
        )
        yield from _too_few(found)
    else:
        certified = found.range(lambda each: each.certified_reviewed)
        yield (
            f"The rule has no target; it certifies a recall of about {certified.median:.2f} of the reviewed, "
            f"{certified.low:.2f} to {certified.high:.2f}."
        )
    if validation is not None:
        yield (
            f"The target of {decimal(validation.plan.target)} of the collection is reached in "
            f"{percent(likely['collection_reached'])} of the trials, and a validation ends the review in "
            f"{percent(likely['ends_at_a_validation'])}."
        )
    else:
        yield "The terms ask for no validation, so nothing is certified about what nobody reviews."


def _too_few(found: Forecast) -> Iterator[str]:
    rule, likely = found.scheme.spot_check, likelihoods(found)
    if rule is None or likely["reviewed_reached"] >= RARELY:
        return
    responsive = int(found.range(lambda each: each.found).median)
    share = closed.share_shown(responsive, rule.target, found.scheme.doubt)
    yield (
        f"With about {count(responsive)} responsive documents a target of {decimal(rule.target)} shows Bob "
        f"{percent(share)} of what is withheld, if nothing is hit; the limit of {decimal(found.scheme.limit)} is used "
        f"up in {percent(likely['limit_used_up'])} of the trials."
    )


def not_forecast(found: Forecast) -> tuple[str, ...]:
    """What a forecast leaves out."""
    return NOT_FORECAST if found.scheme.spot_check else (*NOT_FORECAST, NOT_FORECAST_OF_RANKINGS)


def value(found: Forecast) -> dict[str, Any]:
    """The forecast for a script."""
    ranges = [*quantities(found), *shares(found)]
    return {
        "trials": len(found.outcomes),
        "assumes": list(found.assumed.words()),
        "not_forecast": list(not_forecast(found)),
        "ranges": {name: {"low": each.low, "median": each.median, "high": each.high} for name, _, each in ranges},
        "likelihood": likelihoods(found),
    }


def count(number: float) -> str:
    """A whole number for people."""
    return f"{int(number):,}"


def percent(share: float) -> str:
    """A share for people: nothing that happened is 0 %, and nothing that failed is 100 %."""
    if 0 < share < 0.01:
        return "under 1 %"
    if 0.99 < share < 1:
        return "over 99 %"
    return f"{100 * share:.0f} %"


def decimal(number: Any) -> str:
    """A target or a limit as one would write it."""
    return f"{float(number):.6g}"
