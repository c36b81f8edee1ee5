"""The rule of spot checks: what is drawn and shown, and which terms it takes."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.records import Malformed
from protocol.certificates.exact import ONE, threshold
from protocol.errors import BadTerms
from protocol.matter import terms
from protocol.rules import table
from protocol.rules.base import Report, malformed, played
from protocol.rules.spot_check import RULE, SpotCheck, SpotCheckTerms
from protocol.rules.terms import Terms

T, F = True, False
RULE_OF = SpotCheck(rate=Fraction("0.25"), target=Fraction("0.9"), whole_batch=False, every=10)
WITH_PENALTY = SpotCheck(rate=Fraction("0.25"), target=Fraction("0.9"), whole_batch=True, every=10)
TAU = threshold(RULE_OF.rate)
LABELS = Report(labels=(F, T, F, F))


def test_bob_gets_what_is_reported_as_responsive_and_what_the_coins_draw() -> None:
    found = RULE_OF.examine(LABELS, [TAU - 1, ONE - 1, TAU, 0], {})
    assert found.due == {1, 2, 4}
    assert found.drawn == {1, 4}
    assert found.chances == {1: TAU, 3: TAU, 4: TAU}
    assert (found.threshold, found.error, found.compelled_at) == (0, 0, None)


def test_a_coin_at_the_threshold_does_not_draw() -> None:
    assert RULE_OF.examine(Report(labels=(F,)), [TAU], {}).due == frozenset()
    assert RULE_OF.examine(Report(labels=(F,)), [TAU - 1], {}).due == {1}


def test_the_order_of_the_batch_decides_nothing() -> None:
    coins = [5, ONE - 1, TAU, TAU - 1, 9]
    report = Report(labels=(F, F, F, F, T))
    turned = Report(labels=report.labels[::-1])
    there = RULE_OF.examine(report, coins, {}).due
    back = RULE_OF.examine(turned, coins[::-1], {}).due
    assert {6 - place for place in back} == there


def test_a_hit_brings_nothing_else_without_a_penalty() -> None:
    coins = [0, ONE - 1, ONE - 1, ONE - 1]
    assert RULE_OF.examine(LABELS, coins, {1: True, 2: True}).due == {1, 2}
    assert not RULE_OF.ends_at_a_find


def test_a_hit_brings_the_whole_batch_with_the_penalty() -> None:
    coins = [ONE - 1, ONE - 1, TAU - 1, 0]
    settled = {2: True, 3: True, 4: True}
    found = WITH_PENALTY.examine(LABELS, coins, settled)
    assert found.due == {1, 2, 3, 4}
    assert found.compelled_at == 3
    assert found.drawn == {3, 4}
    assert WITH_PENALTY.ends_at_a_find


@pytest.mark.parametrize("settled", [{}, {2: True}, {2: True, 3: False}], ids=["nothing", "a positive", "no hit"])
def test_without_a_hit_the_penalty_brings_nothing(settled: dict[int, bool]) -> None:
    assert WITH_PENALTY.examine(LABELS, [ONE - 1, ONE - 1, 0, ONE - 1], settled).due == {2, 3}


def test_what_is_claimed_late_counts_as_drawn_if_a_coin_decides_about_it() -> None:
    coins = [ONE - 1] * 4
    found = RULE_OF.examine(LABELS, coins, {}, counted=frozenset({2, 3}))
    assert found.due == {2, 3}
    assert found.drawn == {3}
    compelled = WITH_PENALTY.examine(LABELS, coins, {3: True}, counted=frozenset({3}))
    assert compelled.compelled_at == 3


@given(st.lists(st.tuples(st.booleans(), st.integers(0, ONE - 1), st.booleans()), max_size=20), st.booleans())
def test_what_is_shown_is_what_a_reader_of_the_rule_would_show(
    batch: list[tuple[bool, int, bool]],
    whole: bool,  # noqa: FBT001
) -> None:
    report = Report(labels=tuple(label for label, _, _ in batch))
    coins, truth = [coin for _, coin, _ in batch], [true for _, _, true in batch]
    first = {place for place, (label, coin, _) in enumerate(batch, start=1) if label or coin < TAU}
    hit = any(true and not label and coin < TAU for label, coin, true in batch)
    expected = set(range(1, len(batch) + 1)) if whole and hit else first
    assert played(WITH_PENALTY if whole else RULE_OF, report, coins, truth).keys() == expected


def test_a_report_has_a_label_for_every_document_and_no_threshold() -> None:
    assert malformed(RULE_OF, 2, Report(labels=(T, F))) is None
    assert malformed(RULE_OF, 2, Report(labels=(T, None))) is not None
    assert malformed(RULE_OF, 2, Report(labels=(T, F), threshold=1)) is not None


def test_its_certificate_does_not_come_from_single_rounds() -> None:
    with pytest.raises(RuntimeError, match="books"):
        RULE_OF.hidden_at_most([], Fraction("0.05"))


def agreed(**changed: Any) -> Terms:
    return terms.terms(protocol="spot-check", rounds=4, batch=10, **changed)


def test_the_usual_rule_has_its_defaults() -> None:
    assert table.USUAL is RULE
    made = agreed()
    assert isinstance(made, SpotCheckTerms)
    assert (made.rate, made.target, made.penalty, made.every, made.limit) == ("0.01", "0.9", "none", 10, "0.25")
    assert table.examiner(made) == SpotCheck(rate=Fraction("0.01"), target=Fraction("0.9"), whole_batch=False, every=10)


@pytest.mark.parametrize("limit", ["0", "1", "0.5"])
def test_a_limit_may_be_nothing_or_everything(limit: str) -> None:
    assert agreed(limit=limit).limit_in_force == limit


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"rate": "0"}, "rate"),
        ({"rate": "1"}, "rate"),
        ({"rate": "1.5"}, "rate"),
        ({"rate": "-0.1"}, "rate"),
        ({"rate": "1/4"}, "rate"),
        ({"target": "0"}, "target"),
        ({"target": "1"}, "target"),
        ({"target": "most"}, "target"),
        ({"limit": "1.01"}, "limit"),
        ({"limit": "-1"}, "limit"),
        ({"limit": "all"}, "limit"),
        ({"penalty": "None"}, "penalty is None; it must be none or batch"),
        ({"penalty": "all"}, "penalty"),
        ({"every": 0}, "every"),
        ({"every": "10"}, "every"),
        ({"delta": "0.1"}, "no parameter delta"),
        ({"k": 1}, "no parameter k"),
    ],
)
def test_terms_that_cannot_be_run_are_refused(changed: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadTerms, match=reason):
        agreed(**changed)


@pytest.mark.parametrize("name", ["delta", "k"])
def test_revealing_everything_has_no_parameters_any_more(name: str) -> None:
    given: dict[str, Any] = {name: 1}
    with pytest.raises(BadTerms, match=f"no parameter {name}"):
        terms.terms(protocol="reveal-all", rounds=4, batch=10, **given)


@pytest.mark.parametrize(
    "changed", [{"penalty": "all"}, {"penalty": None}, {"limit": 1}, {"every": 0}, {"rate": None}, {"delta": "0.1"}]
)
def test_terms_of_another_form_are_not_read(changed: dict[str, Any]) -> None:
    made = agreed()
    value = {name: getattr(made, name) for name in made.__struct_fields__}  # type: ignore[attr-defined]
    with pytest.raises(Malformed):
        Terms.parse({"protocol": "spot-check", **value, **changed})


@pytest.mark.parametrize(("rounds", "draws"), [(1, 512), (112, 1024), (111, 512), (4000, 2**14), (4096, 2**14)])
def test_the_chains_have_links_to_spare_for_escalations(rounds: int, draws: int) -> None:
    assert terms.terms(protocol="spot-check", rounds=rounds, batch=10).draws == draws
