"""What Alice asks back after Bob was shown it, and reasons, as the verifier tells of them."""

import json
from dataclasses import replace

import pytest

from ledger.roles import Audience
from protocol.corpus.corpus import Corpus
from tests.support import corpora
from tests.support.forging import clawedback
from tests.support.forging.catalogue import DISPUTED, EVERYBODY
from tests.support.forging.clawedback import BASES, REASON, ClawbackRun
from tests.support.forging.running import cut, plan, play
from tests.vectors.agreed import AGREED
from verifier import position, words
from verifier.checks import Check
from verifier.replay.asked_back import AskedBack
from verifier.replay.contents import Claims
from verifier.replay.given_reasons import reason
from verifier.report.disputes import disputes
from verifier.report.privilege import concluded, privilege
from verifier.values import verdict_value, written
from verifier.verdict import Answer, Outcome, Verdict
from verifier.verification import verify


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[Audience, Verdict]:
    """A matter with claw-backs and reasons, verified in everybody's copy."""
    folder = tmp_path_factory.mktemp("clawbacks")
    corpus: Corpus = corpora.doubled(folder / "corpus", documents=20, responsive=8)
    played = plan(corpus, players=DISPUTED, protocol="label", **(AGREED | clawedback.AGREED))
    play(corpus, played, folder / "matter", course=ClawbackRun)
    copies = {
        audience: cut(folder / "matter", played, audience, folder / f"{audience}.jsonl") for audience in EVERYBODY
    }
    return {audience: verify(path, detailed=True) for audience, path in copies.items()}


def clawed(verdict: Verdict) -> AskedBack:
    return next(each for each in verdict.asked_back if each.upheld)


def without_bounds(claims: Claims) -> Claims:
    """The claims without what rests on Alice's labels, which the public's copy does not show."""
    both = claims.certificates
    reviewed = replace(both.reviewed, at_most=0, reached=None)
    collection = replace(both.collection, at_most=None, reached=None)
    return replace(claims, certificates=replace(both, collection=collection, reviewed=reviewed))


def test_everybodys_copy_verifies_and_counts_what_was_clawed_back(verdicts: dict[Audience, Verdict]) -> None:
    for audience, verdict in verdicts.items():
        assert verdict.answer is Answer.VERIFIED, (audience, verdict.findings, verdict.trouble)
        assert verdict.claims is not None
        assert verdict.stated is not None
        assert verdict.bound_known is (audience is not Audience.PUBLIC)
        if verdict.bound_known:
            assert verdict.claims == verdict.stated
        assert without_bounds(verdict.claims) == without_bounds(verdict.stated)
        assert verdict.claims.clawed_back == 2
        assert [each.upheld for each in verdict.asked_back] == [True, False, True]
        assert "Clawed back after Bob was shown it" in " ".join(words.special(verdict))


def test_what_is_clawed_back_still_counts_as_shown(verdicts: dict[Audience, Verdict]) -> None:
    """The numbers of the rounds are those of the waves, whatever was asked back."""
    verdict = verdicts[Audience.COURT]
    assert verdict.claims is not None
    assert verdict.claims.revealed == sum(len(wave) for detail in verdict.details for wave in detail.waves)
    assert verdict.claims.found == sum(each.found for each in verdict.rounds)


def test_the_basis_is_for_bob_too_and_the_courts_reason_is_not(verdicts: dict[Audience, Verdict]) -> None:
    known = {
        audience: [(each.basis, each.reason) for each in verdict.asked_back] for audience, verdict in verdicts.items()
    }
    whole = [(BASES[0], REASON), (BASES[1], ""), (BASES[0], REASON)]
    assert known[Audience.COURT] == known[Audience.ALICE] == whole
    assert known[Audience.BOB] == [(basis, "") for basis, _ in whole]
    assert known[Audience.PUBLIC] == [(None, "")] * 3


def test_privilege_is_checked_as_far_as_without_claw_backs(verdicts: dict[Audience, Verdict]) -> None:
    outcomes = {audience: verdict.result(Check.PRIVILEGE).outcome for audience, verdict in verdicts.items()}
    assert outcomes[Audience.COURT] is outcomes[Audience.ALICE] is Outcome.PASS
    assert outcomes[Audience.BOB] is outcomes[Audience.PUBLIC] is Outcome.NOT_CHECKED  # reports seal claims


def test_the_report_lists_what_was_asked_back(verdicts: dict[Audience, Verdict]) -> None:
    page = privilege(verdicts[Audience.BOB])
    assert "3 documents asked back: 2 clawed back, 1 overruled" in page
    assert BASES[1] in page
    assert REASON not in page
    assert REASON in privilege(verdicts[Audience.ALICE])
    assert "sealed in this copy" in privilege(verdicts[Audience.PUBLIC])
    assert any("clawed back, 1 overruled" in each for each in concluded(verdicts[Audience.PUBLIC]))


def test_the_report_shows_reasons_with_disputes_to_those_who_may_see_them(verdicts: dict[Audience, Verdict]) -> None:
    assert f"Bob: <bdi>{REASON}</bdi>" in disputes(verdicts[Audience.BOB])
    assert "Reasons given" not in disputes(verdicts[Audience.PUBLIC])


def test_a_position_tells_that_it_was_clawed_back_and_why(verdicts: dict[Audience, Verdict]) -> None:
    found = clawed(verdicts[Audience.ALICE])
    told = position.explain(verdicts[Audience.ALICE], *found.place).replace("\n", " ")
    assert f"on the basis '{found.basis}'" in told
    assert f"must return or destroy it. It still counts as shown. The reason given: '{REASON}'." in told
    other = next(each for each in verdicts[Audience.BOB].asked_back if not each.upheld)
    assert "so Bob keeps it" in position.explain(verdicts[Audience.BOB], *other.place).replace("\n", " ")


def test_a_position_tells_the_reason_of_a_ruling(verdicts: dict[Audience, Verdict]) -> None:
    verdict = verdicts[Audience.BOB]
    detail, place = next((each, place) for each in verdict.details for place in each.ruled_because)
    assert f"The reason given: '{REASON}'." in position.explain(verdict, detail.number, place).replace("\n", " ")


def test_scripts_get_what_was_asked_back(verdicts: dict[Audience, Verdict]) -> None:
    value = json.loads(written(verdict_value(verdicts[Audience.BOB])))
    assert value["claims"]["clawed_back"] == 2
    assert [(each["upheld"], each["reason"]) for each in value["asked_back"]] == [
        (True, None),
        (False, None),
        (True, None),
    ]


def test_silence_about_what_to_claw_back_is_told(verdicts: dict[Audience, Verdict]) -> None:
    told = [each.words for each in verdicts[Audience.PUBLIC].orders]
    assert "Alice gave no answer about what to claw back: nothing was asked back." in told


@pytest.mark.parametrize(
    "value",
    [None, 7, "", "short", " " * 255, " " * 512, "x" * 257, "x" + " " * 511, "x" * 2001 + " " * 47, ["x" * 256]],
    ids=lambda value: repr(value)[:12],
)
def test_what_is_not_filled_up_as_it_must_be_is_no_reason(value: object) -> None:
    assert reason(value) is None


@pytest.mark.parametrize(
    ("said", "length"), [("", 256), ("x", 256), ("x" * 256, 256), ("x" * 257, 512), ("x" * 2000, 2048)]
)
def test_a_reason_is_filled_up_to_the_next_multiple(said: str, length: int) -> None:
    assert reason(said.ljust(length)) == said
