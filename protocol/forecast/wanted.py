"""The other way round: terms for a wanted certificate, with what each way to it costs, or why it cannot be had."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log10, sqrt

from protocol.forecast import closed
from protocol.forecast.assumed import Assumed, Span
from protocol.forecast.forecast import Forecast, forecast
from protocol.forecast.gain import Curve
from protocol.forecast.scheme import scheme
from protocol.forecast.words import percent
from protocol.matter import terms as running
from protocol.rules.spot_check import RULE
from protocol.rules.terms import Terms, ValidationTerms

LIKELY = 0.9
"""A certificate can be had if this share of the trials reaches it."""

MOST_SHOWN = 0.5
"""If a target shows Bob more of what is withheld than this, it is refused."""

TRIED, TOLD = 100, 300
"""Trials to find a number, and to say what it costs."""

RATES = tuple(
    f"{each:g}"
    for each in (
        *(0.001, 0.0015, 0.002, 0.003, 0.004, 0.005, 0.007),
        *(0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.07),
        *(0.1, 0.15, 0.2, 0.3, 0.4, 0.5),
    )
)
"""What is tried as `show`, or as `review` in two stages."""

SHOW_OF_CALLED = "0.2"
"""In two stages, the share of the called documents labelled not responsive that Bob is shown."""

ONE_STAGE, TWO_STAGES, COURT, LONGER = "one stage", "two stages", "court as viewer", "twice the rounds"
WAYS = (ONE_STAGE, TWO_STAGES, COURT, LONGER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The recall to be certified: of the reviewed documents, of the collection, or of both."""

    reviewed: Fraction | None
    collection: Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to the wanted certificate: terms with their forecast, or why they cannot be had."""

    name: str
    terms: Terms
    forecast: Forecast
    refusal: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """All ways to the wanted certificate. With a refusal, there is none."""

    ways: tuple[Way, ...]
    refusal: str | None = None


def advice(
    wanted: Wanted, given: Terms, assumed: Assumed, *, seed: str, progress: Callable[[int], None] = lambda _: None
) -> Advice:
    """What to write into the terms. What is not asked for, such as the size of a batch, stays as it is given."""
    spot_check = _spot_check(wanted, given)
    pilot = forecast(scheme(_terms(given, spot_check | {"limit": "1"}, None)), assumed, trials=TRIED, seed=seed)
    target = spot_check["target"]
    found = int(pilot.range(lambda each: each.found).median)
    refusal = _dear(found, Fraction(target), pilot.scheme.doubt)
    if wanted.reviewed is not None and refusal is not None:
        return Advice(ways=(), refusal=refusal)
    if wanted.reviewed is not None:
        share = closed.share_shown(found, Fraction(target), pilot.scheme.doubt)
        spot_check["rate"] = _rate(share)
    spot_check["limit"] = _limit(pilot)
    progress(1)
    if wanted.collection is None:
        agreed = _terms(given, spot_check, given.validation)
        return Advice(ways=(Way(name="spot checks", terms=agreed, forecast=_told(agreed, assumed, seed)),))
    ways = []
    for number, name in enumerate(WAYS, start=2):
        ways.append(_way(name, wanted.collection, (given, spot_check), assumed, seed))
        progress(number)
    return Advice(ways=tuple(ways))


STEPS = 1 + len(WAYS)
"""How many steps the progress of an advice has."""


def _way(name: str, target: Fraction, base: tuple[Terms, Mapping[str, int | str]], assumed: Assumed, seed: str) -> Way:
    """The cheapest terms of one way that reach the target of the collection in most trials."""
    given, spot_check = base
    if name == LONGER:
        given = given.amended(min(running.LONGEST, 2 * given.rounds), given.limit_in_force)

    def agreed(rate: str) -> Terms:
        return _terms(given, spot_check, _validation(name, rate, target, given.validation))

    def reached(rate: str) -> float:
        tried = forecast(scheme(agreed(rate)), assumed, trials=TRIED, seed=seed)
        return tried.share(lambda each: bool(each.reached_collection))

    place = bisect_left(RATES, LIKELY, key=reached)
    chosen = agreed(RATES[min(place, len(RATES) - 1)])
    told = _told(chosen, assumed, seed)
    refusal = None if place < len(RATES) else _out_of_reach(told, target)
    return Way(name=name, terms=chosen, forecast=told, refusal=refusal)


def _told(agreed: Terms, assumed: Assumed, seed: str) -> Forecast:
    return forecast(scheme(agreed), assumed, trials=TOLD, seed=seed)


def _terms(given: Terms, spot_check: Mapping[str, int | str], validation: ValidationTerms | None) -> Terms:
    return running.terms(
        protocol=RULE.name,
        rounds=given.rounds,
        batch=given.batch,
        query=given.query,
        doubt=given.doubt,
        classes=given.classes,
        validation=validation,
        witnesses=given.witnesses,
        **spot_check,
    )


def _spot_check(wanted: Wanted, given: Terms) -> dict[str, int | str]:
    """The rule's parameters: as given if the terms have them, else as a blank terms file has them."""
    found = {each.name: getattr(given, each.name, each.default) for each in RULE.parameters}
    if wanted.reviewed is not None:
        found["target"] = _decimal(wanted.reviewed)
    return found


def _validation(name: str, rate: str, target: Fraction, given: ValidationTerms | None) -> ValidationTerms:
    """Validations of this way; when they come is as given."""
    two = name == TWO_STAGES
    rhythm = {} if given is None else {"every": given.every, "window": given.window, "yield": given.least_yield}
    return running.validation(
        review=rate if two else None,
        hits=None,  # the rate is found here
        show=SHOW_OF_CALLED if two else rate,
        target=_decimal(target),
        viewer="court" if name == COURT else "bob",
        **rhythm,
    )


def _dear(found: int, target: Fraction, doubt: Fraction) -> str | None:
    """Why a target of the reviewed cannot be had at a price that anybody would pay."""
    share = closed.share_shown(found, target, doubt)
    if share <= MOST_SHOWN:
        return None
    return (
        f"With about {found:,} responsive documents a target of {_decimal(target)} shows Bob {percent(share)} of what "
        f"is withheld. {_cheaper(found, doubt)}"
    )


def _cheaper(found: int, doubt: Fraction) -> str:
    highest = closed.highest_target(found, MOST_SHOWN / 2, doubt)
    if highest is None:
        return "Every target does so here: there are too few responsive documents for a certificate."
    share = closed.share_shown(found, highest, doubt)
    return f"A target of {_decimal(highest)} shows him {percent(share)}."


def _rate(share: float) -> str:
    """The rate of the spot checks: the usual one, or less if that alone were more than the target needs."""
    rate = min(0.01, share / 2)
    return _plain(round(rate, -floor(log10(rate))))


def _limit(pilot: Forecast) -> str:
    """Half as much again as escalations showed in all but a few trials, in twentieths."""
    needed = 1.5 * pilot.range(lambda each: each.escalated).high
    return _plain(min(20, max(1, ceil(20 * needed))) / 20)


def _out_of_reach(told: Forecast, target: Fraction) -> str:
    """Why a target of the collection is not reached."""
    recall = told.range(lambda each: each.found / each.responsive)
    reached = told.share(lambda each: bool(each.reached_collection))
    sentence = (
        f"Even so, {_decimal(target)} of the collection is certified in only {percent(reached)} of the trials: the "
        f"review brings up {percent(recall.low)} to {percent(recall.high)} of the responsive documents."
    )
    batches = _batches(told.assumed, target, told.scheme.batch)
    return f"{sentence} About {batches} rounds would be needed." if batches > told.scheme.rounds else sentence


def _batches(assumed: Assumed, target: Fraction, batch: int) -> int:
    """How many batches bring the recall halfway from the target to all, for a topic that is hard as topics go here."""
    halfway = float(1 + target) / 2
    effort = Curve.of(float(assumed.gain.low)).effort(halfway)
    responsive = _middle(assumed.richness) * assumed.documents
    return ceil(min(assumed.documents, effort * responsive) / batch)


def _middle(span: Span) -> float:
    return sqrt(span.low * span.high)


def _plain(number: float) -> str:
    return f"{number:.6f}".rstrip("0").rstrip(".")


def _decimal(number: Fraction) -> str:
    return _plain(float(number))
