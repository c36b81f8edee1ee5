"""A forecast in words: for the terminal, a script, a terms file, a party that signs, and as a figure."""

import json
import re
import time
from pathlib import Path

import pytest

from protocol.exchange import termsfile
from protocol.exchange.termstemplate import template
from protocol.forecast import figure, words
from protocol.forecast.brief import brief
from protocol.matter import terms
from protocol.parties import facts
from protocol.rules.terms import Terms
from tests.protocol.forecast.schemes import large, played, small, validation


def test_what_the_terms_do_not_have_is_not_in_the_table() -> None:
    names = [name for name, _, _ in words.quantities(played(small(), 5))]
    assert "escalations" in names
    assert not {"validations", "hidden"} & set(names)
    assert "validations" in [name for name, _, _ in words.quantities(played(small(validation=validation()), 5))]
    assert "hidden" in [name for name, _, _ in words.quantities(played(small(), 5, alice="hides:0.1"))]
    paper = played(terms.terms(protocol="label", rounds=2, batch=100), 2)
    assert "escalations" not in [name for name, _, _ in words.quantities(paper)]


def test_a_target_that_is_rarely_reached_is_explained() -> None:
    found = played(small(), 20, documents=10_000, richness="0.002")
    said = " ".join(words.sentences(found))
    assert "The target of 0.9 of the reviewed is reached in 0 % of the trials." in said
    assert "With about 20 responsive documents a target of 0.9 shows Bob 71 % of what is withheld" in said
    assert "the limit of 0.25 is used up in 100 % of the trials" in said


def test_a_rule_of_the_paper_says_what_it_certifies_and_what_is_not_forecast() -> None:
    found = played(terms.terms(protocol="reveal-all", rounds=2, batch=100), 2)
    said = " ".join(words.sentences(found))
    assert "The rule has no target; it certifies a recall of about 1.00 of the reviewed" in said
    assert "nothing is certified about what nobody reviews" in said
    assert words.NOT_FORECAST_OF_RANKINGS in words.not_forecast(found)
    assert words.NOT_FORECAST_OF_RANKINGS not in words.not_forecast(played(small(), 2))


def test_the_value_for_a_script_is_plain_json() -> None:
    value = words.value(played(small(validation=validation()), 10))
    assert json.loads(json.dumps(value)) == value
    assert value["trials"] == 10
    assert set(value["likelihood"]) == {
        "reviewed_reached",
        "limit_used_up",
        "collection_reached",
        "ends_at_a_validation",
    }
    assert all(each["low"] <= each["median"] <= each["high"] for each in value["ranges"].values())


@pytest.mark.parametrize(
    ("share", "said"), [(0, "0 %"), (0.004, "under 1 %"), (0.5, "50 %"), (0.996, "over 99 %"), (1, "100 %")]
)
def test_rare_is_not_never_and_mostly_is_not_always(share: float, said: str) -> None:
    assert words.percent(share) == said


def test_the_terms_file_states_the_forecast_of_its_own_numbers(tmp_path: Path) -> None:
    path = tmp_path / "terms.toml"
    path.write_text(template())
    said = " ".join(brief(termsfile.read_review(path)))
    comments = " ".join(re.findall(r"^# (.*)$", template(), re.MULTILINE))
    assert said
    assert f"Forecast for the numbers in this file. {said}" in comments


def test_a_forecast_in_a_few_sentences_is_there_at_once() -> None:
    brief(small(), 720_000)
    for agreed in (
        large(validation=validation()),
        large(rounds=400, every=1, validation=validation(review="0.1", least_yield=None, every=1)),
        terms.terms(protocol="label", rounds=30, batch=1000),
        terms.terms(protocol="classifier", rounds=30, batch=1000),
    ):
        start = time.perf_counter()
        assert 1 <= len(brief(agreed, 720_000)) <= 5
        assert time.perf_counter() - start < 5  # half a second on an idle machine


@pytest.mark.parametrize(
    ("agreed", "documents"),
    [
        (small(), 999),
        (small(rounds=4096, batch=1), 720_000),
        (small(validation=validation(hits=1000)), 720_000),
        (small(validation=validation(show="0.0000000000000000000001")), 720_000),
        (terms.terms(protocol="label", rounds=4096, batch=2**31), 10**9),
    ],
)
def test_where_it_would_take_long_nothing_is_said(agreed: Terms, documents: int) -> None:
    assert brief(agreed, documents) == []


def test_the_same_forecast_draws_the_same_figure() -> None:
    found = played(small(validation=validation()), 10)
    drawn = figure.svg(found, "spot-check")
    assert drawn == figure.svg(found, "spot-check")
    assert drawn.startswith(b"<?xml")
    assert b"target 0.8 of the collection" in drawn


def test_a_figure_of_a_rule_without_a_target_has_none() -> None:
    drawn = figure.svg(played(terms.terms(protocol="reveal-all", rounds=2, batch=100), 2), "reveal-all")
    assert b"not responsive" in drawn
    assert b"target" not in drawn


def test_whoever_is_about_to_sign_reads_the_forecast_for_the_matters_own_documents() -> None:
    (fact,) = facts._forecast(small(validation=validation()), 40_000)
    assert fact.name == "Forecast"
    assert "40,000 documents are responsive" in fact.words
    assert any("The target of 0.8 of the collection" in line for line in fact.more)
    assert "binds nobody" in fact.more[-1]


def test_of_a_handful_of_documents_nothing_is_forecast() -> None:
    assert list(facts._forecast(small(), 60)) == []
