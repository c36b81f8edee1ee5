"""The verifier's rules are those of the protocol, though nobody copied them: over random and edge cases, both agree."""

from fractions import Fraction
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import coins as ledger_coins
from ledger.hashing import Digest
from ledger.roles import Role as LedgerRole
from protocol import fixedpoint
from protocol.matter.kinds import claims
from protocol.rules import base, classifier_report
from protocol.rules import table as protocol_table
from protocol.rules.base import Evidence as ProtocolEvidence
from protocol.rules.spot_check import SpotCheck
from tests.support import literal_rules, paper_rules
from verifier import logarithms
from verifier.certificates.exact import threshold
from verifier.checks import Role
from verifier.record.shapes import Malformed
from verifier.rules import base as verifier_base
from verifier.rules import bound, classifier, coins, table, terms
from verifier.rules.base import Evidence, Examined, Report
from verifier.rules.spot_check import Penalty
from verifier.rules.terms import Terms

PROTOCOLS = ["reveal-all", "label", "classifier"]
"""The paper's; the books of spot checks are not a rule's own (see test_books.py)."""
DELTAS = ("0.5", "0.01", "0.9", "0.000001", "0.37")
coin = st.one_of(st.integers(0, 2**64 - 1), st.integers(0, 2**60), st.just(0), st.just(2**64 - 1))


COMMON: dict[str, object] = {
    "batch": 10,
    "classes": None,
    "doubt": "0.05",
    "draws": 256,
    "query": "",
    "rounds": 3,
    "validation": None,
    "witnesses": None,
}
SPOT: dict[str, object] = COMMON | {
    "every": 2,
    "limit": "0.25",
    "penalty": "none",
    "protocol": "spot-check",
    "rate": "0.25",
    "target": "0.9",
}


def agreed(protocol: str, delta: str = "0.5", k: int = 1, doubt: str = "0.05") -> Terms:
    own = {} if protocol == "reveal-all" else {"delta": delta, "k": k}
    return table.read_terms(COMMON | own | {"doubt": doubt, "protocol": protocol})


def examine(
    chosen: Terms,
    report: Report,
    flips: list[int],
    settled: dict[int, bool],
    counted: frozenset[int] = frozenset(),
) -> Examined:
    return table.of(chosen).examine(chosen, report, flips, settled, counted)


def hidden_at_most(protocol: str, rounds: list[Evidence], doubt: Fraction) -> int:
    chosen = agreed(protocol)
    return bound.hidden_at_most(table.of(chosen), chosen, rounds, doubt)


class Case(NamedTuple):
    """A rule of the paper's with its parameters."""

    protocol: str
    delta: str
    k: int


@st.composite
def rounds(draw: st.DrawFn) -> tuple[Case, Report, list[int], dict[int, bool]]:
    protocol = draw(st.sampled_from(PROTOCOLS))
    labels: list[bool | None] = list(draw(st.lists(st.booleans(), min_size=1, max_size=40)))
    threshold = None
    if protocol == "classifier":
        threshold = draw(st.integers(0, len(labels)))
        labels = [label if place < threshold else None for place, label in enumerate(labels)]
    flips = draw(st.lists(coin, min_size=len(labels), max_size=len(labels)))
    settled = draw(st.dictionaries(st.integers(1, len(labels)), st.booleans()))
    case = Case(protocol, draw(st.sampled_from(DELTAS)), draw(st.integers(1, 5)))
    return case, Report(labels=tuple(labels), threshold=threshold), flips, settled


@settings(max_examples=300, deadline=None)
@given(rounds())
def test_an_examination_is_the_protocols(case: tuple[Case, Report, list[int], dict[int, bool]]) -> None:
    (protocol, delta, k), report, flips, settled = case
    chosen, rule = agreed(protocol, delta, k), paper_rules.rule(protocol, delta=Fraction(delta), k=k)
    theirs = rule.examine(base.Report(labels=report.labels, threshold=report.threshold), flips, settled)
    ours = examine(chosen, report, flips, settled)
    assert (ours.threshold, ours.error, ours.due) == (theirs.threshold, theirs.error, theirs.due)
    assert (ours.chances, ours.drawn, ours.compelled_at) == (theirs.chances, theirs.drawn, theirs.compelled_at)
    evidence, expected = bound.evidence(ours, ours, settled), base.evidence(theirs, settled)
    assert (evidence.compelled, evidence.missed, evidence.found) == (
        expected.compelled,
        expected.undisclosed,
        expected.found,
    )


@settings(max_examples=250, deadline=None)
@given(case=rounds(), data=st.data())
def test_late_claims_withheld_and_unread_positions_count_as_in_the_protocol(
    case: tuple[Case, Report, list[int], dict[int, bool]], data: st.DataObject
) -> None:
    (protocol, delta, k), report, flips, settled = case
    some = st.frozensets(st.integers(1, len(report.labels)))
    counted, withheld = data.draw(some), data.draw(some) - settled.keys()
    chosen, rule = agreed(protocol, delta, k), paper_rules.rule(protocol, delta=Fraction(delta), k=k)
    unread = frozenset(data.draw(some) & settled.keys())
    settled |= {place: bool(report.labels[place - 1]) for place in unread}
    theirs = rule.examine(base.Report(labels=report.labels, threshold=report.threshold), flips, settled, counted)
    ours = examine(chosen, report, flips, settled, counted)
    assert (ours.due, ours.drawn, ours.chances) == (theirs.due, theirs.drawn, theirs.chances)
    assert (ours.compelled_at, ours.drawn >= counted & ours.chances.keys()) == (theirs.compelled_at, True)
    alone = examine(chosen, report, flips, settled)
    by_coin = rule.examine(base.Report(labels=report.labels, threshold=report.threshold), flips, settled)
    found = bound.evidence(ours, alone, settled, withheld)
    unproven = 7 if unread else 0
    if unread:
        found = bound.without_answer(found, ours, alone, unread, unproven)
    expected = base.evidence(theirs, settled, by_coin=by_coin, withheld=withheld, unread=unread, unproven=unproven)
    assert (found.compelled, found.missed, found.unproven) == (
        expected.compelled,
        expected.undisclosed,
        expected.unproven,
    )
    assert sorted(found.found) == sorted(expected.found)


@settings(max_examples=150, deadline=None)
@given(labels=st.lists(st.booleans(), min_size=1, max_size=12))
def test_the_best_rank_is_the_largest_of_least_error(labels: list[bool]) -> None:
    rank, error = verifier_base.best_rank(labels)
    assert rank == literal_rules.best_threshold(labels)
    assert error == literal_rules.threshold_error(labels, rank)


def test_a_coin_at_the_very_edge_decides() -> None:
    """U j < C 2^32, strictly: the coin that equals the chance is not drawn, the one below is."""
    labels = (True, False, False, False, False, False, False, False)
    chosen = agreed("label", "0.9")
    chances = examine(chosen, Report(labels=labels, threshold=None), [0] * 8, {}).chances
    for position, number in chances.items():
        assert number < 2**64
        for offset, drawn in ((-1, True), (0, False)):
            flips = [2**64 - 1] * 8
            flips[position - 1] = number + offset
            found = examine(chosen, Report(labels=labels, threshold=None), flips, {})
            assert (position in found.drawn) is drawn


def test_a_classifiers_coin_at_the_very_edge_decides() -> None:
    """U W < C 2^32, strictly."""
    report = Report(labels=(None,) * 20, threshold=0)
    chosen = agreed("classifier", "0.9")
    highest = [2**64 - 1] * 20
    chances = examine(chosen, report, highest, {}).chances
    by_chance = {position: number for position, number in chances.items() if number < 2**64}
    assert len(by_chance) > 5
    for position, number in by_chance.items():
        for offset, drawn in ((-1, True), (0, False)):
            flips = [*highest]
            flips[position - 1] = number + offset
            assert (position in examine(chosen, report, flips, {}).drawn) is drawn


evidences = st.lists(
    st.builds(
        lambda compelled, missed, found: (compelled, tuple(missed), tuple(found)),
        st.booleans(),
        st.lists(st.integers(1, 2**64), max_size=60),
        st.lists(st.integers(2**50, 2**64), max_size=3),
    ),
    max_size=6,
)


@settings(max_examples=150, deadline=None)
@given(seen=evidences, protocol=st.sampled_from(PROTOCOLS), doubt=st.sampled_from(["0.05", "0.5", "0.001"]))
def test_the_bound_is_the_protocols(
    seen: list[tuple[bool, tuple[int, ...], tuple[int, ...]]], protocol: str, doubt: str
) -> None:
    rule = paper_rules.rule(protocol, delta=Fraction(1, 2), k=1)
    theirs = rule.hidden_at_most(
        [ProtocolEvidence(compelled=c, undisclosed=m, found=f) for c, m, f in seen], Fraction(doubt)
    )
    ours = hidden_at_most(protocol, [Evidence(compelled=c, missed=m, found=f) for c, m, f in seen], Fraction(doubt))
    assert ours == theirs


def small_chances(number: int, *, found: int = 0) -> Evidence:
    return Evidence(compelled=False, missed=(2**56,) * number, found=(2**63,) * found)


def test_a_bound_is_what_the_budget_pays_for() -> None:
    """Chances of 2^-8 cost 0.0039 each: ln(40) pays for 942 of them, a compelled round for twice as many and more."""
    label, doubt = "label", Fraction(1, 20)
    assert hidden_at_most(label, [small_chances(5000)], doubt) == 942
    compelled = Evidence(compelled=True, missed=(2**56,) * 100, found=())
    assert hidden_at_most(label, [small_chances(5000), compelled], doubt) == 2239
    assert hidden_at_most(label, [small_chances(900)], doubt) == 900
    assert hidden_at_most(label, [compelled], doubt) == 0
    assert hidden_at_most("reveal-all", [small_chances(10)], doubt) == 0


def test_the_bets_are_the_protocols() -> None:
    """Each bet by itself: the least of all bounds hides what a single one says."""
    assert len(classifier.BETS) == len(classifier_report.BETS)
    for ours, theirs in zip(classifier.BETS, classifier_report.BETS, strict=True):
        assert (ours.weight, ours.share, ours.limit) == (theirs.weight, theirs.share, theirs.limit)
        for chance in (1, 2**40, 2**56, 2**60, 2**62, 2**63, 2**64 - 2**50):
            assert ours.gain(chance) == theirs.stake(chance)
            if theirs.survives_finds:
                assert classifier.loss(ours, chance) == classifier_report.loss(theirs, chance)


def test_a_budget_pays_for_what_it_just_covers() -> None:
    for budget, paid in ((0, 0), (1, 1), (2, 1), (3, 2), (5, 2), (6, 3), (7, 3)):
        assert bound.affordable([1, 2, 3], lambda chance: chance, budget) == paid


@pytest.mark.parametrize("times", range(6))
def test_every_compelled_round_costs_the_label_bound_more(times: int) -> None:
    compelled = [(True, (), ())] * times
    seen: list[tuple[bool, tuple[int, ...], tuple[int, ...]]] = [(False, (2**56,) * 9000, ()), *compelled]
    ours = hidden_at_most("label", [Evidence(compelled=c, missed=m, found=f) for c, m, f in seen], Fraction(1, 20))
    rule = paper_rules.rule("label", delta=Fraction(1, 2), k=1)
    theirs = [ProtocolEvidence(compelled=c, undisclosed=m, found=f) for c, m, f in seen]
    assert ours == rule.hidden_at_most(theirs, Fraction(1, 20))


def test_a_find_that_was_certain_costs_nothing() -> None:
    certain = Evidence(compelled=False, missed=(2**56,) * 5000, found=(2**64,) * 3)
    without = Evidence(compelled=False, missed=(2**56,) * 5000, found=())
    doubt = Fraction(1, 20)
    assert hidden_at_most("classifier", [certain], doubt) == hidden_at_most("classifier", [without], doubt)


def test_a_find_costs_the_classifiers_bound_something() -> None:
    doubt = Fraction(1, 20)
    without = hidden_at_most("classifier", [small_chances(9000)], doubt)
    one, two = (hidden_at_most("classifier", [small_chances(9000, found=finds)], doubt) for finds in (1, 2))
    assert without < one < two


@settings(max_examples=200, deadline=None)
@given(numerator=st.integers(1, 2**70), denominator=st.integers(1, 2**70), bits=st.sampled_from([0, 14, 32, 64]))
def test_logarithms_are_right_to_the_last_unit(numerator: int, denominator: int, bits: int) -> None:
    assert logarithms.ln_floor(numerator, denominator, bits) == fixedpoint.floor_ln(numerator, denominator, bits)
    assert logarithms.ln_ceil(numerator, denominator, bits) == fixedpoint.ceil_ln(numerator, denominator, bits)
    assert logarithms.ln_round(numerator, denominator, bits) == fixedpoint.round_ln(numerator, denominator, bits)


def test_a_logarithm_takes_more_digits_where_the_first_do_not_decide() -> None:
    """2^190 ln 2 has 57 digits before the point: fifty do not tell the integer."""
    assert logarithms.ln_floor(2, 1, 190) == fixedpoint.floor_ln(2, 1, 190)
    assert logarithms.ln_floor(1, 1, 64) == 0


@given(seed=st.binary(min_size=32, max_size=32), items=st.lists(st.integers(0, 2**40), max_size=20))
def test_coins_are_the_ledgers(seed: bytes, items: list[int]) -> None:
    assert list(coins.coins(seed, items)) == ledger_coins.coins(Digest(seed), items)


def test_links_and_seeds_are_the_ledgers() -> None:
    matter, answered = Digest(b"m" * 32), Digest(b"a" * 32)
    chain = ledger_coins.LinkChain(matter=matter, role=LedgerRole.BOB, length=9, root=Digest(b"r" * 32))
    links = chain.links()
    for draw in range(1, 10):
        assert coins.link_before(matter, Role.BOB, draw, links[draw]) == links[draw - 1]
        assert coins.link_before(matter, Role.ALICE, draw, links[draw]) != links[draw - 1]
    theirs = ledger_coins.seed(matter=matter, draw=3, links=dict.fromkeys(LedgerRole, links[2]), answered=answered)
    assert coins.seed(matter, 3, dict.fromkeys(Role, links[2]), answered) == theirs


BAD_DECIMALS = ["0", "1", "1.5", "-0.1", ".5", "0.", "00.5", "5e-1", "0,5", " 0.5", "0.5 ", "", "0." + "1" * 29, "NaN"]


@pytest.mark.parametrize("written", BAD_DECIMALS)
def test_a_probability_is_a_plain_decimal_between_0_and_1(written: str) -> None:
    with pytest.raises(Malformed, match="a decimal between 0 and 1 was expected"):
        terms.probability("delta", written)
    assert terms.probability("delta", "0.25") == Fraction(1, 4)
    assert terms.probability("delta", "0." + "1" * 28) < Fraction(1, 9)  # of just the 30 characters that it may have


@pytest.mark.parametrize(
    "changed",
    [{"rounds": 4097, "draws": 8194}, {"draws": 5}, {"draws": 16385}, {"delta": "1"}, {"doubt": "0"}],
)
def test_terms_that_cannot_be_run_are_refused(changed: dict[str, object]) -> None:
    good = COMMON | {"delta": "0.5", "draws": 6, "k": 1, "protocol": "label"}
    table.check(table.read_terms(good))
    table.check(table.read_terms(good | {"rounds": 4096, "draws": 16384}))
    with pytest.raises(Malformed, match="expected"):
        table.check(table.read_terms(good | changed))


@pytest.mark.parametrize(
    "changed",
    [{"limit": "1.01"}, {"limit": "x"}, {"rate": "0"}, {"rate": "1"}, {"target": "1"}, {"target": "0"}],
)
def test_terms_of_spot_checks_that_cannot_be_run_are_refused(changed: dict[str, object]) -> None:
    for limit in ("0", "1", "0.5"):
        table.check(table.read_terms(SPOT | {"limit": limit}))
    with pytest.raises(Malformed, match="expected"):
        table.check(table.read_terms(SPOT | changed))


@pytest.mark.parametrize("changed", [{"penalty": "all"}, {"every": 0}, {"limit": None}, {"rate": 1}, {"delta": "0.5"}])
def test_terms_of_spot_checks_of_another_form_are_no_terms(changed: dict[str, object]) -> None:
    with pytest.raises(Malformed):
        table.read_terms(SPOT | changed)


VALIDATION: dict[str, object] = {
    "every": 10,
    "hits": None,
    "review": None,
    "show": "0.05",
    "target": "0.8",
    "viewer": "bob",
    "window": 5,
    "yield": "0.02",
}
CLASSES: dict[str, object] = {"names": ["health", "salary"], "share": "0.1"}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_rule_takes_a_validation_and_classes(protocol: str) -> None:
    own = {} if protocol == "reveal-all" else {"delta": "0.5", "k": 1}
    whole = table.read_terms(COMMON | own | {"protocol": protocol, "validation": VALIDATION, "classes": CLASSES})
    table.check(whole)
    assert whole.validation is not None
    assert whole.classes is not None
    assert (whole.validation.yield_, whole.classes.names) == ("0.02", ("health", "salary"))


@pytest.mark.parametrize(
    "changed",
    [
        {"show": "0"},
        {"show": "1"},
        {"target": "1"},
        {"yield": "0"},
        {"hits": 1001},
        {"review": "1"},
        {"review": "0.1", "hits": 3},
        {"review": "0.1", "viewer": "court"},
    ],
)
def test_a_validation_that_cannot_be_run_is_refused(changed: dict[str, object]) -> None:
    for good in ({}, {"yield": None}, {"hits": 0}, {"hits": 1000}, {"viewer": "court"}, {"review": "0.1"}):
        table.check(table.read_terms(SPOT | {"validation": VALIDATION | good}))
    with pytest.raises(Malformed, match="expected|must be"):
        table.check(table.read_terms(SPOT | {"validation": VALIDATION | changed}))


@pytest.mark.parametrize("changed", [{"viewer": "trent"}, {"hits": -1}, {"window": 0}, {"yield_": "0.1"}, {"show": 1}])
def test_a_validation_of_another_form_is_none(changed: dict[str, object]) -> None:
    with pytest.raises(Malformed):
        table.read_terms(SPOT | {"validation": VALIDATION | changed})


@pytest.mark.parametrize(
    "changed", [{"names": []}, {"names": ["b", "a"]}, {"names": ["a", "a"]}, {"share": "0"}, {"share": "1"}]
)
def test_classes_that_cannot_be_run_are_refused(changed: dict[str, object]) -> None:
    sixteen = [f"class-{number:02}" for number in range(16)]
    table.check(table.read_terms(SPOT | {"classes": CLASSES | {"names": sixteen}}))
    for wrong in (changed, {"names": [*sixteen, "z"]}):
        with pytest.raises(Malformed, match="expected"):
            table.check(table.read_terms(SPOT | {"classes": CLASSES | wrong}))


@settings(max_examples=200, deadline=None)
@given(data=st.data(), penalty=st.sampled_from(Penalty), rate=st.sampled_from(["0.25", "0.01", "0.9"]))
def test_spot_checks_examine_a_round_as_the_protocol_does(data: st.DataObject, penalty: Penalty, rate: str) -> None:
    labels = tuple(data.draw(st.lists(st.booleans(), min_size=1, max_size=30)))
    edge = threshold(Fraction(rate))
    coins_near = st.one_of(coin, st.sampled_from([edge - 1, edge]))
    flips = data.draw(st.lists(coins_near, min_size=len(labels), max_size=len(labels)))
    settled = data.draw(st.dictionaries(st.integers(1, len(labels)), st.booleans()))
    counted = data.draw(st.frozensets(st.integers(1, len(labels))))
    chosen = table.read_terms(SPOT | {"penalty": str(penalty), "rate": rate})
    rule = SpotCheck(rate=Fraction(rate), target=Fraction(9, 10), whole_batch=penalty == "batch", every=2)
    theirs = rule.examine(base.Report(labels=labels, threshold=None), flips, settled, counted)
    ours = examine(chosen, Report(labels=labels, threshold=None), flips, settled, counted)
    assert (ours.threshold, ours.error, ours.compelled_at) == (0, 0, theirs.compelled_at)
    assert (theirs.threshold, theirs.error) == (0, 0)
    assert (ours.due, ours.drawn, ours.chances) == (theirs.due, theirs.drawn, theirs.chances)


def test_a_spot_check_draws_below_its_chance_and_not_at_it() -> None:
    edge, report = threshold(Fraction("0.25")), Report(labels=(False, False, True), threshold=None)
    found = examine(table.read_terms(SPOT), report, [edge - 1, edge, edge], {})
    assert (found.drawn, found.due) == (frozenset({1}), frozenset({1, 3}))


def test_with_the_penalty_the_first_drawn_hit_brings_the_batch() -> None:
    report = Report(labels=(False,) * 4, threshold=None)
    for penalty, at, due in (("none", None, {2, 3}), ("batch", 2, {1, 2, 3, 4})):
        found = examine(table.read_terms(SPOT | {"penalty": penalty}), report, [2**63, 0, 0, 2**63], {2: True, 3: True})
        assert (found.compelled_at, set(found.due)) == (at, due)


def test_the_claims_words_are_the_protocols() -> None:

    assert claims.ASSUMPTIONS == terms.ASSUMPTIONS
    for rule in table.rules():
        words = rule.words.guarantee
        theirs = protocol_table.named(rule.protocol).words
        assert (theirs.guarantee, theirs.plain) == (words, rule.words.plain)
        assert "what the court withheld as privileged" in words
        assert ("left documents unread" in words) is (rule.protocol in ("label", "classifier"))
