"""Escalations, stopping and certificates: what Trent or Alice could do wrong there, and who is blamed."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from ledger.roles import Audience
from protocol.corpus.corpus import Corpus
from tests.support.builders import KEYS
from tests.support.forging.forged import Forgery, Spoil, both, content, forge, line_of, renumber, said_in, until
from tests.support.forging.forger import Forger
from tests.support.forging.mutations import Lines
from tests.support.forging.running import CheatingRun, cut, plan, play
from tests.support.genuine import with_same_keys
from tests.vectors import FOLDER
from verifier.checks import Check
from verifier.verdict import Answer, Outcome, Verdict

AGREED: dict[str, Any] = {
    "protocol": "spot-check",
    "rounds": 3,
    "batch": 9,
    "rate": "0.1",
    "every": 1,
    "target": "0.7",
    "limit": "1",
    "penalty": "none",
}
PLAYERS = {"alice": "careless:0.3:0.5", "bob": "truthful", "court": "right"}
SEEING = (Audience.ALICE, Audience.BOB, Audience.COURT)
"""Whose copies show Alice's labels in the end."""

Copies = dict[Audience, Lines]
Judge = Callable[..., Verdict]


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Copies:
    """The copies of a matter with escalations, in some of which something is given up, drawn and hit."""
    folder = tmp_path_factory.mktemp("escalations")
    corpus = Corpus.open(FOLDER / "corpora" / "plain")
    played = with_same_keys(plan(corpus, seed="1", players=PLAYERS, **AGREED))
    play(corpus, played, folder / "matter", course=CheatingRun)
    return {
        audience: cut(folder / "matter", played, audience, folder / "copy.jsonl").read_bytes().splitlines()
        for audience in Audience
    }


def spoiled(lines: Lines, spoil: Spoil) -> Lines:
    return forge(lines, dict(KEYS), Forgery(comment="", check="", spoil=spoil))


def found_by(
    judge: Judge, copies: Copies, spoil: Spoil, audiences: Iterable[Audience] = SEEING
) -> set[tuple[str, str]]:
    """The checks that find a forgery in these copies, and who is blamed."""
    found = set()
    for audience in audiences:
        verdict = judge(spoiled(copies[audience], spoil))
        assert verdict.answer is Answer.REJECTED, (audience, verdict.trouble)
        (finding,) = verdict.findings
        found.add((str(finding.check), str(finding.party)))
    return found


def test_the_matter_has_what_the_forgeries_need(copies: Copies, judge: Judge) -> None:
    forger = Forger(copies[Audience.BOB], dict(KEYS))
    looks = [said_in(each)["content"]["positions"] for each in forger.values if _kind(each) == "look"]
    assert len(looks) >= 2
    assert any(looks)
    for audience in Audience:
        verdict = judge(spoiled(copies[audience], lambda _: None))
        assert verdict.answer is Answer.VERIFIED, verdict.findings
        seen = audience is not Audience.PUBLIC
        assert verdict.result(Check.ESCALATIONS).outcome is (Outcome.PASS if seen else Outcome.NOT_CHECKED)
        assert verdict.result(Check.STOPPING).outcome is Outcome.PASS


def _kind(line: Any) -> str | None:
    return said_in(line)["kind"] if "entry" in line else None


def without_round(kind: str, number: int = 0) -> Spoil:
    """A whole round is left out, and the record ends with the entry that begins the next one."""

    def spoil(forger: Forger) -> None:
        first = line_of(forger, kind, number)
        gone = said_in(first)["round"]
        start = forger.values.index(first)
        kept = [each for each in forger.values[start:] if "entry" not in each or said_in(each)["round"] != gone]
        following = next(each for each in kept if _kind(each) in ("batch", "escalation", "claims"))
        if said_in(following)["round"]:
            said_in(following)["round"] = gone
        forger.values = [*forger.values[:start], following]
        renumber(forger)

    return spoil


def test_an_escalation_that_is_left_out_is_trents_fault(copies: Copies, judge: Judge) -> None:
    assert found_by(judge, copies, without_round("escalation"), [Audience.ALICE]) == {("V27", "trent")}


def test_the_claims_do_not_come_while_an_escalation_is_due(copies: Copies, judge: Judge) -> None:
    rounds = [
        said_in(each)["content"]["rounds"]
        for each in Forger(copies[Audience.COURT], dict(KEYS)).values
        if _kind(each) == "claims"
    ]
    last = sum(each["sort"] == "escalation" for each in rounds[0]) - 1
    assert rounds[0][-1]["sort"] == "escalation"
    found = found_by(judge, copies, without_round("escalation", last), [Audience.ALICE])
    assert found == {("V27", "trent")}


@pytest.mark.parametrize("change", [1, -1])
def test_an_escalation_of_another_size_is_trents_fault_in_every_copy(copies: Copies, judge: Judge, change: int) -> None:
    assert found_by(judge, copies, content("escalation", size=lambda size: size + change), Audience) == {
        ("V27", "trent")
    }


@pytest.mark.parametrize("positions", [[2, 1], [1, 1], [10**6]], ids=["disorder", "twice", "beyond"])
def test_a_look_at_what_is_not_in_the_list_is_alices_fault(copies: Copies, judge: Judge, positions: list[int]) -> None:
    assert found_by(judge, copies, content("look", positions=positions), Audience) == {("V27", "alice")}


def test_a_look_for_another_draw_is_alices_fault(copies: Copies, judge: Judge) -> None:
    assert found_by(judge, copies, content("look", draw=lambda draw: draw + 1), Audience) == {("V08", "alice")}


def _in_escalation(kind: str, spoil: Callable[[Any], None]) -> Spoil:
    """Something else in the first entry of this kind that belongs to an escalation."""

    def spoil_it(forger: Forger) -> None:
        rounds = {said_in(each)["round"] for each in forger.values if _kind(each) == "escalation"}
        spoil(next(each for each in forger.values if _kind(each) == kind and said_in(each)["round"] in rounds))

    return spoil_it


def _say(**fields: Any) -> Callable[[Any], None]:
    def change(line: Any) -> None:
        found = said_in(line)["content"]
        found |= {name: value(found[name]) if callable(value) else value for name, value in fields.items()}

    return change


@pytest.mark.parametrize(
    "fields",
    [{"sampled": lambda number: number + 1}, {"error": 1}, {"threshold": 1}, {"compelled": True}],
    ids=["sampled", "error", "threshold", "compelled"],
)
def test_a_close_of_an_escalation_with_other_numbers_is_trents_fault(
    copies: Copies, judge: Judge, fields: dict[str, Any]
) -> None:
    assert found_by(judge, copies, _in_escalation("closed", _say(**fields))) == {("V16", "trent")}


def test_a_close_of_an_escalation_that_releases_something_is_trents_fault(copies: Copies, judge: Judge) -> None:
    def release(line: Any) -> None:
        line["entry"]["body"]["releases"] = [
            {"audience": "bob", "entry": 0, "field": "vocabulary", "indices": None},
        ]

    assert found_by(judge, copies, _in_escalation("closed", release), [Audience.ALICE]) == {("V16", "trent")}


def test_a_wave_of_an_escalation_names_the_entry_in_which_each_document_was_sealed(
    copies: Copies, judge: Judge
) -> None:
    def release(line: Any) -> None:
        body = line["entry"]["body"]
        body["releases"] = [
            each | {"indices": [*each["indices"][:-1], each["indices"][-1] + 1]} if place == 0 else each
            for place, each in enumerate(body["releases"])
        ]

    found = found_by(judge, copies, both(_in_escalation("disclosure", release)), [Audience.ALICE, Audience.COURT])
    assert found == {("V13", "trent")}


def _certificate(of: str, **fields: Any) -> Spoil:
    def change(found: dict[str, Any]) -> dict[str, Any]:
        inner = found[of]
        return found | {
            of: inner | {name: value(inner[name]) if callable(value) else value for name, value in fields.items()}
        }

    return content("claims", certificates=change)


@pytest.mark.parametrize(
    "spoil",
    [
        _certificate("reviewed", at_most=lambda number: number + 1),
        _certificate("reviewed", reached=lambda reached: not reached),
        _certificate("reviewed", target="0.75"),
        _certificate("reviewed", found=lambda number: number + 1),
        _certificate("reviewed", assumes="nothing"),
        _certificate("collection", at_most=0),
        _certificate("collection", reached=True),
        _certificate("collection", unreviewed=lambda number: number + 1),
        _certificate("collection", doubt="0.01"),
    ],
)
def test_certificates_that_the_coins_do_not_give_are_trents_fault(copies: Copies, judge: Judge, spoil: Spoil) -> None:
    assert found_by(judge, copies, spoil) == {("V18", "trent")}
    assert judge(spoiled(copies[Audience.PUBLIC], spoil)).answer is Answer.VERIFIED


@pytest.mark.parametrize("ended", ["validation", "documents", "amendment"])
def test_another_reason_for_the_end_is_trents_fault_in_every_copy(copies: Copies, judge: Judge, ended: str) -> None:
    assert found_by(judge, copies, content("claims", ended=ended), Audience) == {("V29", "trent")}


def test_a_reason_for_the_end_that_is_none_of_four_is_no_form_of_claims(copies: Copies, judge: Judge) -> None:
    assert found_by(judge, copies, content("claims", ended="whim"), Audience) == {("V05", "trent")}


@pytest.mark.parametrize(
    ("fields"),
    [
        {"reviewed": lambda number: number + 1},
        {"in_camera": 1},
        {"privileged": 1},
        {"rounds": lambda found: [found[0] | {"sort": "escalation"}, *found[1:]]},
        {"rounds": lambda found: found[:-1]},
        {"guarantee": "all"},
    ],
    ids=["reviewed", "in camera", "privileged", "sort", "a round less", "guarantee"],
)
def test_claims_that_do_not_follow_are_trents_fault_in_every_copy(
    copies: Copies, judge: Judge, fields: dict[str, Any]
) -> None:
    assert found_by(judge, copies, content("claims", **fields), Audience) == {("V17", "trent")}


def _terms(**changed: Any) -> Spoil:
    return content("open", terms=lambda found: found | changed)


def test_claims_before_the_last_round_are_trents_fault_in_every_copy(copies: Copies, judge: Judge) -> None:
    assert found_by(judge, copies, _terms(rounds=9), Audience) == {("V29", "trent")}


def test_a_batch_after_the_last_round_is_trents_fault_in_every_copy(copies: Copies, judge: Judge) -> None:
    assert found_by(judge, copies, _terms(rounds=1), Audience) == {("V29", "trent")}


def test_an_escalation_that_is_not_due_is_trents_fault(copies: Copies, judge: Judge) -> None:
    assert found_by(judge, copies, _terms(every=2)) == {("V27", "trent")}
    assert found_by(judge, copies, _terms(target="0.01")) == {("V27", "trent")}


def test_an_escalation_without_free_draws_is_trents_fault(copies: Copies, judge: Judge) -> None:
    """Three rounds are owed two draws each; one more is left. A copy without labels does not say whether one is due."""
    assert found_by(judge, copies, _terms(draws=7)) == {("V27", "trent")}
    assert judge(spoiled(copies[Audience.PUBLIC], _terms(draws=7))).answer is Answer.VERIFIED


def test_a_chance_that_the_limit_does_not_allow_is_trents_fault(copies: Copies, judge: Judge) -> None:
    assert found_by(judge, copies, _terms(limit="0")) <= {("V13", "trent"), ("V27", "trent")}


def test_an_escalation_belongs_to_spot_checks_alone(copies: Copies, judge: Judge) -> None:
    def other_rule(found: dict[str, Any]) -> dict[str, Any]:
        common = {name: found[name] for name in found.keys() - {"every", "limit", "penalty", "rate", "target"}}
        return common | {"protocol": "label", "delta": "0.5", "k": 1}

    (public,) = found_by(judge, copies, content("open", terms=other_rule), [Audience.PUBLIC])
    assert public == ("V27", "trent")


def test_a_record_may_end_within_an_escalation(copies: Copies, judge: Judge) -> None:
    """Then what is sealed until its close is left open, and nobody is blamed."""
    for audience in SEEING:
        for kind in ("escalation", "look"):
            verdict = judge(spoiled(copies[audience], until(kind)))
            assert (verdict.answer, verdict.findings) == (Answer.NOT_CLOSED, ())
            assert verdict.result(Check.ANSWERS).outcome is Outcome.PASS
