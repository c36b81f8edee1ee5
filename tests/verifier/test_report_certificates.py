"""What people read about recall: two certificates kept apart, estimates that are none, and passes that brought them."""

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from tests.support.busy_verdict import (
    SIMULATION,
    SPOT_CHECK,
    VALIDATED,
    VALIDATION,
    busy,
    certificates,
    checked,
    in_roles,
    opened,
    page_in_roles,
    round_of,
)
from tests.verifier.test_report import check_outline, words
from verifier import passes, proven, values
from verifier.explain import explain
from verifier.proven import Proof, at_least, certified
from verifier.replay.contents import Claims, Ended
from verifier.replay.rounds import Sort
from verifier.report import About, page
from verifier.report.escalations import escalations
from verifier.report.recall import block, concluded
from verifier.report.validations import validations
from verifier.rules.base import ALL_COINS, Examined
from verifier.rules.terms import Classes, Viewer
from verifier.summary import summary
from verifier.verdict import Answer, Verdict


def claims(verdict: Verdict) -> Claims:
    assert verdict.claims is not None
    return verdict.claims


def with_certificates(
    verdict: Verdict, reviewed: dict[str, Any] | None = None, collection: dict[str, Any] | None = None
) -> Verdict:
    stated = claims(verdict).certificates
    changed = replace(
        stated,
        reviewed=replace(stated.reviewed, **(reviewed or {})),
        collection=replace(stated.collection, **(collection or {})),
    )
    return replace(verdict, claims=replace(claims(verdict), certificates=changed))


def flat(text: str) -> str:
    return in_roles(" ".join(text.split()))


def html_of(verdict: Verdict) -> str:
    return page_in_roles(page(verdict, About(file="bob.jsonl")))


def first_screen(verdict: Verdict) -> str:
    html = html_of(verdict)
    return words(html[: html.index("<nav")]).replace("&#x27;", "'")


REACHED = with_certificates(checked(), collection={"at_most": 20, "reached": True})
UNVALIDATED = with_certificates(busy(), collection={"unreviewed": 440})


def test_a_proven_recall_stands_on_the_first_screen() -> None:
    said = "Bob has at least 82.4 % of the responsive documents of the whole collection, with 95 % confidence."
    for told in (first_screen(REACHED), flat(summary(REACHED)), flat(explain(REACHED))):
        assert said in told
        assert told.index("VERIFIED") < told.index(said)
    assert f"{said} The target of 80 % is reached." in flat(summary(REACHED))
    assert "The whole collection: target of 80 % reached" in first_screen(REACHED)
    assert "The whole collection: target of 80 % NOT reached" in first_screen(checked())


def test_that_nothing_is_proven_of_what_nobody_read_stands_on_the_first_screen() -> None:
    for told in (first_screen(UNVALIDATED), flat(summary(UNVALIDATED)), flat(explain(UNVALIDATED))):
        assert "VERIFIED" in told
        assert "Nothing is proven about the 440 documents that nobody has read." in told
        assert "The terms ask for no validation." in told
        assert "among the 30 reviewed" in told


def test_a_verified_record_is_said_to_be_about_the_record_alone() -> None:
    assert "This is about the record, not about how much was found" in first_screen(UNVALIDATED)
    assert "All this is about the record" in flat(summary(UNVALIDATED))


@pytest.mark.parametrize(
    ("verdict", "look"),
    [
        (REACHED, "reached"),
        (checked(), "short"),
        (UNVALIDATED, "short"),
        (with_certificates(REACHED, reviewed={"reached": False}), "short"),
        (with_certificates(busy(), collection={"at_most": 7, "unreviewed": 0}), "neutral"),
        (busy(bound_known=False), "short"),
        (checked(bound_known=False), "neutral"),
    ],
)
def test_the_block_is_green_only_if_every_target_is_reached(verdict: Verdict, look: str) -> None:
    html = block(verdict)
    assert f'class="proven {look}"' in html
    assert html_of(verdict).index('class="answer') < html_of(verdict).index('class="proven')
    check_outline(html_of(verdict))


@pytest.mark.parametrize("answer", [Answer.REJECTED, Answer.UNDECIDED])
def test_a_record_that_does_not_hold_proves_nothing_about_recall(answer: Answer) -> None:
    verdict = checked(answer=answer)
    assert certified(verdict) is None
    assert block(verdict) == ""
    assert "proven about recall:" not in summary(verdict)
    assert values.verdict_value(verdict)["certificates"] is None
    assert "% confidence" not in words(html_of(verdict))


def test_what_is_not_closed_is_proven_so_far() -> None:
    told = flat(summary(checked(answer=Answer.NOT_CLOSED)))
    assert "So far: Bob has at least 94 %" in told


def test_both_certificates_are_values_with_the_same_names() -> None:
    found = values.verdict_value(checked())["certificates"]
    names = {"target", "reached", "recall_at_least", "confidence", "at_most", "assumes", "does_not_cover", "said"}
    names |= {"claimed_by_trent_not_checked"}
    assert found["reviewed"].keys() == names
    assert found["collection"].keys() == names | {"unreviewed"}
    assert found["collection"]["reached"] is False
    assert found["collection"]["recall_at_least"] == pytest.approx(94 / 151)
    assert found["reviewed"]["does_not_cover"].startswith("The 569 documents that nobody has read")


def test_what_a_copy_does_not_show_is_null_and_not_zero() -> None:
    verdict = checked(bound_known=False, passes=())
    found = values.verdict_value(verdict)
    for each in found["certificates"].values():
        assert each["at_most"] is each["recall_at_least"] is each["reached"] is None
    assert found["validations"] == []
    assert found["escalations"][0]["hits"] is None
    assert "sealed" in words(escalations(verdict))
    assert "Alice&#x27;s labels are sealed" in validations(verdict)
    assert "Alice's labels are sealed in this copy." in first_screen(verdict).replace("&#x27;", "'")


def sealed(**collection: Any) -> Verdict:
    """A copy that shows no labels, in which Trent claims this of the collection, by terms that have such a target."""
    stated = claims(with_certificates(checked(), collection=collection))
    target = {name: collection[name] for name in collection.keys() & {"target"}}
    return replace(with_certificates(checked(bound_known=False, passes=()), collection=target), stated=stated)


@pytest.mark.parametrize(
    ("collection", "said"),
    [
        ({}, "Trent claims at least 62.2 %, and that the target of 80 % is NOT reached; this copy cannot check that."),
        (
            {"at_most": 20, "reached": True},
            "Trent claims at least 82.4 %, and that the target of 80 % is reached; this copy cannot check that.",
        ),
        ({"target": None, "reached": None}, "Trent claims at least 62.2 %; this copy cannot check that."),
        (
            {"at_most": 0, "target": None},
            "Trent claims that no responsive document is missing; this copy cannot check that.",
        ),
        ({"at_most": None, "target": None}, "Trent claims that nothing is proven; this copy cannot check that."),
        ({"found": 0, "target": None}, "Trent claims that nothing is proven; this copy cannot check that."),
    ],
)
def test_what_trent_claims_and_the_copy_cannot_check_is_marked_as_such(collection: dict[str, Any], said: str) -> None:
    verdict = sealed(**collection)
    for told in (flat(summary(verdict)), flat(explain(verdict)), words(html_of(verdict))):
        assert said in told
        assert "% confidence" not in told[: told.index(said)]
    assert "Trent claims" not in first_screen(verdict)  # which has room for what is proven, and for nothing else
    found = values.verdict_value(verdict)["certificates"]["collection"]
    assert found["at_most"] is found["recall_at_least"] is found["reached"] is None
    stated = claims(with_certificates(checked(), collection=collection)).certificates.collection
    unchecked = found["claimed_by_trent_not_checked"]
    assert (unchecked["said"], unchecked["at_most"]) == (said, stated.at_most)
    assert (unchecked["recall_at_least"] is None) is (stated.at_most is None)
    assert "What may be concluded" in words(html_of(verdict))


def test_what_the_copy_shows_is_not_told_as_a_claim_of_trents() -> None:
    for verdict in (checked(stated=checked().claims), checked(bound_known=False), busy(stated=busy().claims)):
        assert "cannot check that" not in flat(summary(verdict))
        assert "cannot check that" not in words(html_of(verdict))
        for each in values.verdict_value(verdict)["certificates"].values():
            assert each["claimed_by_trent_not_checked"] is None


@pytest.mark.parametrize("target", ["1/0", "much", "\x1b[2J", None])
def test_a_target_that_trent_makes_up_is_not_repeated(target: str | None) -> None:
    """No check of such a copy looks at it."""
    stated = claims(with_certificates(checked(), collection={"target": target}, reviewed={"target": target}))
    verdict = checked(bound_known=False, passes=(), stated=stated)
    for told in (flat(summary(verdict)), words(html_of(verdict))):
        assert "and that the target of 80 % is NOT reached; this copy cannot check that." in told
        assert "and that the target of 90 % is reached; this copy cannot check that." in told


def test_that_nothing_can_be_proven_needs_no_claim_of_trents() -> None:
    """Where the terms ask for no validation, every copy shows that nothing is proven of what nobody read."""
    both = certified(busy(bound_known=False, stated=busy().claims))
    assert both is not None
    assert [each.unchecked is None for each in both] == [True, False]


def test_a_share_that_is_proven_is_rounded_down() -> None:
    assert at_least(Fraction(79999, 100000)) == "79.9 %"
    assert at_least(Fraction(4, 5)) == "80 %"
    assert at_least(Fraction(999999, 1000000)) == "99.9 %"
    assert at_least(Fraction(1)) == "100 %"


@pytest.mark.parametrize(
    ("found", "at_most", "said"),
    [
        (0, 3, "Bob has no responsive document, and up to 3"),
        (0, 0, "No responsive document of the whole collection is missing"),
        (5, 0, "No responsive document of the whole collection is missing"),
    ],
)
def test_a_share_of_nothing_is_not_told(found: int, at_most: int, said: str) -> None:
    verdict = with_certificates(checked(), collection={"found": found, "at_most": at_most})
    assert said in first_screen(verdict)
    recall = values.verdict_value(verdict)["certificates"]["collection"]["recall_at_least"]
    assert recall == (None if not found + at_most else float(not at_most))


def test_without_a_target_nothing_is_said_to_be_reached() -> None:
    both = certified(with_certificates(busy(), collection={"at_most": 7, "unreviewed": 0}))
    assert both is not None
    assert [each.proof for each in both] == [Proof.PROVEN, Proof.PROVEN]
    assert both[0].aimed == ""


def test_a_limit_is_not_told_as_an_estimate_and_says_what_it_counts() -> None:
    assert "A limit, not an estimate: the coins cannot rule out that many." in first_screen(checked())
    assert "It counts 5 documents that only Alice has labelled" in first_screen(busy())


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (checked(), "Each of the two has its own doubt of 0.05, so quote them separately"),
        (UNVALIDATED, ""),
        (with_certificates(busy(), collection={"at_most": 7, "unreviewed": 0}), "both certificates are one"),
    ],
)
def test_two_doubts_are_told_only_of_two_certificates(verdict: Verdict, said: str) -> None:
    told = " ".join(words(each) for each in concluded(verdict))
    meant = "they make a certificate wrong with a probability of at most 0.05."
    assert meant in told
    assert said in told
    assert ("own doubt of 0.05" in told) is said.startswith("Each of the two")
    assert ("at most 0.1" in told) is said.startswith("Each of the two")


def test_players_that_break_the_assumptions_are_named_beside_the_certificates() -> None:
    assert checked().opened is not None
    played = replace(opened(SPOT_CHECK, 1000), caption=None, simulation=replace(SIMULATION, bob="careless:0.1"))
    verdict = checked(opened=played)
    for told in (words(block(verdict)), flat(summary(verdict))):
        assert "the assumptions are broken on purpose" in told
        assert "no certificate need hold" in told


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        ("rounds", "all rounds that the parties agreed on were held"),
        ("amendment", "as many as an amendment had set"),
        ("documents", "no document was left"),
        ("validation", "a validation reached its target"),
    ],
)
def test_the_rule_that_ended_the_matter_is_named(ended: str, said: str) -> None:
    verdict = checked(claims=replace(claims(checked()), ended=Ended(ended)))
    assert re.search(f"The review ended because [^.]*{said}", flat(summary(verdict)))
    assert said in first_screen(verdict)
    assert values.verdict_value(verdict)["ended"] == ended


def test_every_escalation_has_its_row_and_its_sentence() -> None:
    shown = words(escalations(checked()))
    assert "2 passes" in shown
    assert "3 150 2 5.0 % 7 1 3 9 not reached" in shown
    assert "5 216 0 10.0 % 27 0 0 6 reached" in shown
    told = flat(summary(checked()))
    assert "Escalation in round 3: 150 withheld, 2 given up by Alice in her second look, 7 documents of the" in told
    assert "The limit was used up" not in shown
    limited = tuple(replace(each, limited=True) for each in checked().passes)
    assert "The limit was used up" in words(escalations(checked(passes=limited)))


def test_a_draw_that_was_not_needed_is_told() -> None:
    passed = (replace(checked().passes[0], chance=0, drawn=0, hits=0, reached=True), checked().passes[1])
    assert "no draw was needed" in flat(summary(checked(passes=passed)))
    assert "no draw" in words(escalations(checked(passes=passed)))


def test_a_validation_tells_estimates_and_certificate_apart() -> None:
    shown = words(validations(checked()))
    assert "Validation 1, round 6: target NOT reached" in shown
    for part in ("Found before it 63", "Reviewed and withheld 270 14 0 0", "Never reviewed 600 31 1 20"):
        assert part in shown
    for name in (
        "Elusion (estimate) 3.3 %, 95 % interval from",
        "Richness (estimate) 8.3 %",
        "Recall (estimate) 77.1 %",
    ):
        assert name in shown
    assert "Certificate Bob has at least 42.3 % of the responsive documents of the whole collection" in shown
    assert "Only the certificate decides whether the target is reached" in shown
    assert "with 96 % confidence" in shown


def test_a_validation_is_a_value_by_stratum() -> None:
    (found,) = values.verdict_value(checked())["validations"]
    assert found["strata"].keys() == {"found", "withheld", "never"}
    assert found["strata"]["never"]["responsive"]["point"] == 20
    for name in ("elusion", "richness", "recall"):
        share = found["estimates"][name]
        assert 0 <= share["low"] <= share["point"] <= share["high"] <= 1
    assert found["certificate"]["confidence"] == pytest.approx(0.96)
    assert found["certificate"]["reached"] is False


def test_a_validation_without_a_report_proves_and_estimates_nothing() -> None:
    silent = replace(VALIDATED, total=None, at_most=None, called=30)
    terms = replace(SPOT_CHECK, validation=replace(VALIDATION, review="0.1"))
    verdict = checked(opened=opened(terms, 1000), claims=replace(claims(checked()), validations=(silent,)))
    (found,) = passes.validations(verdict)
    assert found.estimates is None
    assert "none, since Alice did not report on what was called" in flat(summary(verdict))
    check_outline(html_of(verdict))


def test_two_stages_are_told_with_both_chances() -> None:
    terms = replace(SPOT_CHECK, validation=replace(VALIDATION, review="0.2"))
    called = replace(VALIDATED, called=120)
    verdict = checked(
        opened=opened(terms, 1000), claims=replace(claims(checked()), validations=(called,)), reported_hits={1: 1}
    )
    told = flat(summary(verdict))
    assert "120 of the former were called with a chance of 20.0 % for Alice to label" in told
    (found,) = passes.validations(verdict)
    assert found.estimates is not None
    assert found.estimates.never.point == 5
    assert "of the documents never reviewed, coins call 20 %" in words(html_of(verdict))


def test_where_no_validation_was_agreed_on_the_page_says_what_follows() -> None:
    told = words(html_of(busy()))
    assert "The terms of this matter ask for no validation." in told
    assert "nothing can be proven about documents that nobody reviewed" in told
    assert "The rule of this matter has no escalations" in told


def test_classes_and_the_viewer_are_told() -> None:
    terms = replace(
        SPOT_CHECK,
        classes=Classes(names=("medical",), share="0.1"),
        validation=replace(VALIDATION, viewer=Viewer.COURT),
    )
    told = words(html_of(checked(opened=opened(terms, 1000))))
    assert "Alice may put up to 10 % of the documents into sensitive classes" in told
    assert "shown to the court in camera, and Bob gets what is responsive" in told


def test_rounds_of_all_sorts_are_counted_and_named() -> None:
    told = words(html_of(checked()))
    assert "7 closed rounds (4 batches, 2 escalations and 1 validation)" in told
    for row in ("1, batch 100", "3, escalation 150", "6, validation 45"):
        assert row in told
    assert "4 closed rounds" in flat(summary(busy(rounds=checked().rounds[:2] * 2, details=())))


def test_revealing_all_counts_each_batch_once() -> None:
    html = html_of(checked())
    # 400 documents in batches, less 90 found in them and 3 in escalations; the validation's hit was in no batch
    assert "revealing all would have shown 307" in words(html)


def test_the_error_of_a_threshold_is_not_told_as_an_error_of_alices() -> None:
    for each in values.verdict_value(busy())["rounds"]:
        assert "error" not in each
        assert "threshold_error" in each


def test_what_is_withheld_as_privileged_is_counted_by_that_name() -> None:
    found = values.verdict_value(busy())
    assert (found["claims"]["privileged"], [each["privileged"] for each in found["rounds"]]) == (1, [1, 0, 0])
    for each in (found["claims"], *found["rounds"]):
        assert "withheld" not in each


def test_the_first_screen_of_every_outcome_is_sound() -> None:
    for reached in (True, False):
        for at_most in (None, 0, 3):
            verdict = with_certificates(checked(), collection={"at_most": at_most, "reached": reached})
            html = html_of(verdict)
            check_outline(html)
            assert len(re.findall('class="certificate"', html)) == 2


def test_certificates_are_made_by_hand_as_the_record_states_them() -> None:
    assert proven.doubt_of(certificates(5).reviewed) == Fraction(1, 20)


def test_a_large_escalation_is_told_in_numbers_and_not_drawn() -> None:
    size, shown = 28_000, tuple(range(1, 28_000, 20))
    escalation = round_of(
        3,
        sort=Sort.ESCALATION,
        size=size,
        given_up=frozenset({1}),
        origins={position: (1 + position // 1000, position % 1000 + 1) for position in shown},
        waves=(shown,),
        shown_in=(7,),
        labelled_in=(8,),
        names=dict.fromkeys(shown, "folder/mail"),
        report=None,
        bob=dict.fromkeys(shown, True),
        rulings=dict.fromkeys(shown, True),
        ruled_in=dict.fromkeys(shown, 9),
        examined=Examined(
            threshold=0,
            error=0,
            due=frozenset(shown),
            chances=dict.fromkeys(range(2, size + 1), ALL_COINS // 20),
            drawn=frozenset(shown[1:]),
            compelled_at=None,
        ),
        coins=(5,) * size,
    )
    html = html_of(checked(details=(round_of(1), escalation, *[replace(escalation, number=each) for each in (5, 6)])))
    check_outline(html)
    assert len(html.encode()) < 3_000_000  # disputes and errors, of which a page has the first few thousand
    assert "Round 3:" not in html[html.index('id="why"') : html.index('id="escalations"')]
    told = words(html)
    assert "3 / 1 folder/mail responsive, as given up responsive responsive Bob 9" in told
    assert "3 / 21 folder/mail not responsive, as 1 / 22 responsive responsive Bob 9" in told
    assert "drawn by coin from all that was withheld: coin 0.000000, drawn if below 0.050000" in told
    assert "second look 5, disclosure 7" in told


def test_a_certificate_of_the_collection_that_allows_for_less_is_explained() -> None:
    said = "The certificate of the whole collection is the tighter one here"
    tighter = with_certificates(checked(), reviewed={"at_most": 80})
    for told in (flat(summary(tighter)), first_screen(tighter)):
        assert said in told
        assert "it allows for at most 57 in all." in told
    assert said not in summary(checked())
    assert said not in first_screen(busy())
