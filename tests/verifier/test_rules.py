"""The verifier's rules are those of the protocol, though nobody copied them: over random and edge cases, both agree."""

from fractions import Fraction

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
from tests.support import literal_rules, paper_rules
from verifier import logarithms
from verifier.checks import Role
from verifier.record.shapes import Malformed
from verifier.rules import base as verifier_base
from verifier.rules import bound, classifier, coins, table, terms
from verifier.rules.base import Evidence, Examined, Report
from verifier.rules.classifier import ClassifierTerms
from verifier.rules.label import LabelTerms
from verifier.rules.reveal_all import RevealAllTerms

Agreed = RevealAllTerms | LabelTerms | ClassifierTerms
PROTOCOLS = [each.protocol for each in table.rules()]
DELTAS = ("0.5", "0.01", "0.9", "0.000001", "0.37")
coin = st.one_of(st.integers(0, 2**64 - 1), st.integers(0, 2**60), st.just(0), st.just(2**64 - 1))


def agreed(protocol: str, delta: str = "0.5", k: int = 1, doubt: str = "0.05") -> Agreed:
    given = {"batch": 10, "delta": delta, "doubt": doubt, "draws": 256, "k": k, "query": "", "rounds": 3}
    chosen = table.read_terms(given | {"protocol": protocol})
    assert isinstance(chosen, Agreed)
    return chosen


def examine(
    chosen: Agreed,
    report: Report,
    flips: list[int],
    settled: dict[int, bool],
    counted: frozenset[int] = frozenset(),
) -> Examined:
    return table.of(chosen).examine(chosen, report, flips, settled, counted)


def hidden_at_most(protocol: str, rounds: list[Evidence], doubt: Fraction) -> int:
    chosen = agreed(protocol)
    return bound.hidden_at_most(table.of(chosen), chosen, rounds, doubt)


@st.composite
def rounds(draw: st.DrawFn) -> tuple[Agreed, Report, list[int], dict[int, bool]]:
    protocol = draw(st.sampled_from(PROTOCOLS))
    labels: list[bool | None] = list(draw(st.lists(st.booleans(), min_size=1, max_size=40)))
    threshold = None
    if protocol == "classifier":
        threshold = draw(st.integers(0, len(labels)))
        labels = [label if place < threshold else None for place, label in enumerate(labels)]
    flips = draw(st.lists(coin, min_size=len(labels), max_size=len(labels)))
    settled = draw(st.dictionaries(st.integers(1, len(labels)), st.booleans()))
    chosen = agreed(protocol, draw(st.sampled_from(DELTAS)), draw(st.integers(1, 5)))
    return chosen, Report(labels=tuple(labels), threshold=threshold), flips, settled


@settings(max_examples=1500, deadline=None)
@given(rounds())
def test_an_examination_is_the_protocols(case: tuple[Agreed, Report, list[int], dict[int, bool]]) -> None:
    chosen, report, flips, settled = case
    rule = paper_rules.rule(chosen.protocol, delta=Fraction(chosen.delta), k=chosen.k)
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


@settings(max_examples=800, deadline=None)
@given(case=rounds(), data=st.data())
def test_late_claims_withheld_and_unread_positions_count_as_in_the_protocol(
    case: tuple[Agreed, Report, list[int], dict[int, bool]], data: st.DataObject
) -> None:
    chosen, report, flips, settled = case
    some = st.frozensets(st.integers(1, len(report.labels)))
    counted, withheld = data.draw(some), data.draw(some) - settled.keys()
    rule = paper_rules.rule(chosen.protocol, delta=Fraction(chosen.delta), k=chosen.k)
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


@settings(max_examples=400, deadline=None)
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


@settings(max_examples=600, deadline=None)
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
    good: dict[str, object] = {
        "batch": 10,
        "delta": "0.5",
        "doubt": "0.05",
        "draws": 6,
        "k": 1,
        "protocol": "label",
        "query": "",
        "rounds": 3,
    }
    table.check(table.read_terms(good))
    table.check(table.read_terms(good | {"rounds": 4096, "draws": 16384}))
    with pytest.raises(Malformed, match="expected"):
        table.check(table.read_terms(good | changed))


def test_the_claims_words_are_the_protocols() -> None:

    assert claims.ASSUMPTIONS == terms.ASSUMPTIONS
    for rule in table.rules():
        words = rule.words.guarantee
        theirs = protocol_table.named(rule.protocol).words
        assert (theirs.guarantee, theirs.plain) == (words, rule.words.plain)
        assert "what the court withheld as privileged" in words
        assert ("left documents unread" in words) is (rule.protocol != "reveal-all")  # he is shown them anyway
