"""The verifier's arithmetic of certificates gives what the vectors say."""

from fractions import Fraction
from typing import Any

import pytest

from tests.vectors import load
from verifier.certificates import boundary, collection, exact, intervals, reviewed
from verifier.certificates.reviewed import Standing

VECTORS: dict[str, list[dict[str, Any]]] = load("functions.json")["certificates"]


def _alpha(case: dict[str, Any]) -> Fraction:
    return collection.alpha(Fraction(case["doubt"]), case["number"])


def test_the_boundary() -> None:
    for case in VECTORS["boundary"]:
        assert str(boundary.boundary(Fraction(case["doubt"]), case["hits"])) == case["b"], case


def test_what_chances_cost() -> None:
    for case in VECTORS["costs"]:
        chance = exact.threshold(Fraction(case["rate"]))
        assert (str(chance), str(exact.cost(chance))) == (case["threshold"], case["cost"])


@pytest.mark.parametrize("case", VECTORS["reviewed"], ids=lambda case: f"{case['found']}-{case['hits']}")
def test_the_certificate_of_the_reviewed(case: dict[str, Any]) -> None:
    exposures = {int(exposure): count for exposure, count in case["exposures"].items()}
    standing = Standing(found=case["found"], hits=case["hits"], credit=int(case["credit"]), exposures=exposures)
    target, doubt = Fraction(case["target"]), Fraction(case["doubt"])
    found = reviewed.certify(standing, target, doubt)
    assert (str(found.budget), found.at_most, found.met) == (case["budget"], case["at_most"], case["met"])
    if not found.met:
        chance = reviewed.next_chance(standing, target, doubt)
        assert str(chance) == case["chance"]
        lowered = reviewed.capped(chance, standing.withheld, case["allowance"])
        assert (str(lowered[0]), lowered[1]) == (case["capped"], case["lowered"])


def test_validations_in_one_stage() -> None:
    for case in VECTORS["most"]:
        chance = exact.threshold(Fraction(case["rate"]))
        assert collection.most(case["hits"], chance, _alpha(case)) == case["most"], case


def test_rates_by_rule() -> None:
    for case in VECTORS["rates"]:
        chance = collection.least_rate(
            case["found"], case["hits"], Fraction(case["target"]), _alpha(case), Fraction(case["show"])
        )
        assert str(chance) == case["chance"], case


def test_validations_in_two_stages() -> None:
    for case in VECTORS["two_stages"]:
        found = collection.two_stages(
            Fraction(case["review"]),
            Fraction(case["show"]),
            _alpha(case),
            case["reported"],
            case["hits"],
            case["withheld_hits"],
        )
        assert found.at_most == case["missing"], case


def test_intervals() -> None:
    for case in VECTORS["intervals"]:
        chance = exact.threshold(Fraction(case["rate"]))
        low, high = intervals.interval(case["hits"], chance, Fraction(case["doubt"]))
        assert (low, intervals.estimate(case["hits"], chance), high) == (case["low"], case["estimate"], case["high"])
