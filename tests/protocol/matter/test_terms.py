"""The terms of validations and of sensitive classes: defaults, and what cannot be run."""

from typing import Any

import msgspec
import pytest

from ledger import records
from ledger.records import Malformed
from protocol.errors import BadTerms
from protocol.matter import terms
from protocol.rules.terms import ClassTerms, Terms


def agreed(**parts: Any) -> Terms:
    return terms.terms(protocol="label", rounds=3, batch=20, **parts)


def test_without_a_word_about_them_there_are_neither_validations_nor_classes() -> None:
    assert agreed().validation is None
    assert agreed().classes is None


def test_validations_have_defaults() -> None:
    found = terms.validation()
    assert records.to_value(found) == dict(terms.VALIDATION)
    assert agreed(validation=found).validation == found


@pytest.mark.parametrize(
    "given",
    [
        {"yield": None},
        {"hits": 0},
        {"hits": 1000},
        {"hits": 3, "viewer": "court"},
        {"hits": None},
        {"show": "0.999", "hits": 3},
    ],
    ids=str,
)
def test_validations_can_be_asked_for_in_many_forms(given: dict[str, Any]) -> None:
    made = terms.validation(**given)
    terms.check(agreed(validation=made))
    assert records.to_value(made) == {**terms.VALIDATION, **given}


def test_in_two_stages_no_hits_are_expected() -> None:
    made = terms.validation(review="0.5")
    assert records.to_value(made) == {**terms.VALIDATION, "review": "0.5", "hits": None}
    assert terms.validation(show="0.1").hits is None, "a rate that is given is the rate"
    assert terms.validation(viewer="court").hits == terms.VALIDATION["hits"]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"show": "0"}, "show is 0; it must lie between 0 and 1"),
        ({"show": "1"}, "show is 1; it must lie between 0 and 1"),
        ({"show": "a tenth"}, "validation: show"),
        ({"show": 1}, "validation: "),
        ({"target": "1.0"}, "target is 1.0"),
        ({"yield": "0"}, "yield is 0"),
        ({"review": "1"}, "review is 1"),
        ({"review": "0.5", "hits": 3}, "two stages"),
        ({"every": 0}, "validation: "),
        ({"window": 0}, "validation: "),
        ({"hits": -1}, "validation: "),
        ({"hits": 1001}, "validation: hits is 1001; it must be at most 1000"),
        ({"hits": "3"}, "validation: "),
        ({"viewer": "trent"}, "validation: "),
        ({"review": "0.5", "hits": 0}, "two stages"),
        ({"review": "0.5", "viewer": "court"}, "two stages"),
        ({"review": "0.0000000001", "show": "0.0000000001"}, "so small that nothing would be proven"),
        ({"rate": "0.1"}, "no parameter rate"),
    ],
    ids=str,
)
def test_validations_that_cannot_be_run_are_refused(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadTerms, match=reason):
        terms.validation(**given)


def test_the_names_of_classes_are_put_in_order() -> None:
    assert terms.classes(["medical", "family"], "0.01") == ClassTerms(names=("family", "medical"), share="0.01")


@pytest.mark.parametrize(
    ("names", "share", "reason"),
    [
        ([], "0.01", "1 to 16 names"),
        ([f"class-{number}" for number in range(17)], "0.01", "1 to 16 names"),
        (["medical", "medical"], "0.01", "all different"),
        (["Medical"], "0.01", "classes: "),
        (["medical"], "0", "share of the classes is 0"),
        (["medical"], "1", "share of the classes is 1"),
        (["medical"], "some", "share of the classes"),
    ],
    ids=str,
)
def test_classes_that_cannot_be_run_are_refused(names: list[str], share: str, reason: str) -> None:
    with pytest.raises(BadTerms, match=reason):
        terms.classes(names, share)


@pytest.mark.parametrize(
    "change",
    [
        {"classes": {"names": ["medical", "family"], "share": "0.1"}},
        {"validation": {**terms.VALIDATION, "show": "1"}},
        {"validation": {**terms.VALIDATION, "review": "0.5", "hits": 1}},
        {"validation": {**terms.VALIDATION, "hits": 1001}},
    ],
    ids=str,
)
def test_an_opening_with_such_terms_is_refused_too(change: dict[str, Any]) -> None:
    value = records.to_value(agreed())  # type: ignore[arg-type]
    with pytest.raises(BadTerms):
        terms.check(Terms.parse(value | change))


@pytest.mark.parametrize(
    "change", [{"viewer": "trent"}, {"every": 0}, {"hits": 1.5}, {"yield": 0}, {"more": 1}], ids=str
)
def test_a_value_of_another_form_is_no_term(change: dict[str, Any]) -> None:
    value = msgspec.to_builtins(agreed()) | {"validation": {**terms.VALIDATION, **change}}
    with pytest.raises(Malformed):
        Terms.parse(value)


@pytest.mark.parametrize(("rounds", "draws"), [(1, 512), (111, 512), (112, 1024), (4096, 2**14)])
def test_chains_are_long_enough_for_rounds_of_every_sort(rounds: int, draws: int) -> None:
    assert terms.terms(protocol="label", rounds=rounds, batch=20).draws == draws
