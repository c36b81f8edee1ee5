"""Conflicts: what evidence of a second answer must be, who sees it, and whom it blames."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.written import NEW_KEYS, OWNERS, PARTIES, Written, sealed
from verifier.checks import Check, Role
from verifier.replay.answered import AnswersOnRecord
from verifier.trust import Identity
from verifier.verdict import Answer, Outcome

LINK = 5  # Alice's link in the first draw, an entry of every matter here


@pytest.fixture
def matter() -> Written:
    """Alice has reported in the first round, and Bob must give his link."""
    found = Written()
    found.batch()
    found.report()
    return found


def other_link(matter: Written, /, **fields: Any) -> dict[str, Any]:
    """Another link of Alice's in answer to the same question."""
    return matter.said_in(LINK) | {"content": {"draw": 1, "link": "00" * 32}} | fields


def test_two_answers_blame_their_author_and_the_replay_goes_on(matter: Written) -> None:
    matter.conflict(LINK, other_link(matter))
    assert matter.findings == [("V19", "alice")]
    assert matter.replay.stopped is None
    matter.answer("bob", "link", matter.link("bob", 2))
    matter.close()
    assert matter.findings == [("V19", "alice")]


@pytest.mark.parametrize("which", ["the second", "the first"])
def test_a_withdrawal_excuses_in_both_directions(which: str) -> None:
    matter = Written()
    matter.trent("draw", {"draw": 1}, asks=["alice", "bob"], round=1)
    first = matter.statement("alice", "link", matter.link("alice", 1))
    other = first | {"content": {"draw": 1, "link": "00" * 32}}
    named, naming = (first, other) if which == "the second" else (other, first)
    naming["replaces"] = [matter.hash_of(named)]
    answer = matter.log_signed(first, matter.signature(first))
    matter.conflict(answer, other)
    assert not matter.findings
    assert matter.tally.items[Check.CONFLICTS] == 1


def test_a_copy_that_does_not_open_the_evidence_judges_nothing(matter: Written, tmp_path: Path) -> None:
    number = matter.conflict(LINK, other_link(matter), shown=False)
    assert not matter.findings
    verdict = matter.verdict(tmp_path)
    assert verdict.answer is Answer.NOT_CLOSED
    result = verdict.result(Check.CONFLICTS)
    assert (result.outcome, result.items) == (Outcome.NOT_CHECKED, 0)
    assert result.reason == f"this copy does not show the second answer that entry {number} seals"


def test_evidence_may_come_while_somebody_must_answer_or_a_question_is_void(matter: Written) -> None:
    matter.rekey("bob")
    matter.conflict(LINK, other_link(matter, replaces=[matter.hash_of(matter.said_in(LINK))]))
    matter.trent("rekey", {"key": NEW_KEYS[5].public.hex(), "role": "alice"}, asks=["court"])
    matter.conflict(LINK, other_link(matter, replaces=[matter.hash_of(matter.said_in(LINK))]))
    assert not matter.findings


def test_nothing_is_held_against_a_party_after_the_claims() -> None:
    matter = Written(rounds=1)
    matter.hold_round()
    matter.end()
    matter.conflict(LINK, other_link(matter))
    assert matter.findings == [("V05", "trent")]


def test_evidence_about_an_answer_of_a_former_key_is_trents_fault(matter: Written) -> None:
    other = other_link(matter)
    old = {"signature": matter.signature(other), "statement": other}
    matter.rekey("alice")
    matter.conflict(LINK, old)
    assert matter.findings == [("V19", "trent")]
    unseen = Written()
    unseen.batch()
    unseen.rekey("alice")
    unseen.conflict(LINK, other_link(unseen), shown=False)
    assert unseen.findings == [("V19", "trent")]


def test_an_answer_of_the_new_key_is_judged_by_that_key(matter: Written) -> None:
    matter.rekey("bob")
    matter.again("bob")
    answer = matter.answer("bob", "link", matter.link("bob", 2))
    matter.conflict(answer, matter.said_in(answer) | {"content": {"draw": 2, "link": "00" * 32}})
    assert matter.findings == [("V19", "bob")]


def test_two_answers_blame_nobody_if_their_one_key_is_not_trusted(matter: Written, tmp_path: Path) -> None:
    matter.conflict(LINK, other_link(matter))
    (finding,) = matter.tally.findings
    key = matter.keys[Role.ALICE].public
    verdict = matter.verdict(tmp_path)
    assert verdict.signed_with(finding, Role.ALICE) == key
    assert verdict.blames(finding)
    stranger = replace(verdict, identities={**verdict.identities, (Role.ALICE, key): Identity.ANOTHER})
    assert not stranger.blames(finding)


def wrong_signature(matter: Written) -> dict[str, Any]:
    other = other_link(matter)
    return {"signature": matter.signature(other, NEW_KEYS[5]), "statement": other}


def bobs_signature(matter: Written) -> dict[str, Any]:
    other = other_link(matter) | {"author": "bob"}
    return {"signature": matter.signature(other), "statement": other}


FALSE: dict[str, Callable[[Written], Any]] = {
    "is the answer on record": lambda matter: matter.said_in(LINK),
    "is signed by another key": wrong_signature,
    "is Bob's": bobs_signature,
    "answers another question": lambda matter: other_link(matter, answers=matter.hashes[0].hex()),
    "answers nothing": lambda matter: other_link(matter, answers=None),
    "is of another round": lambda matter: other_link(matter, round=2),
    "is of another kind": lambda matter: other_link(matter, kind="amended", content={"accepted": True}),
    "is of another matter": lambda matter: other_link(matter, matter="00" * 32),
    "says more than its kind": lambda matter: other_link(matter, content=matter.link("alice", 2) | {"free": "text"}),
    "says something of another type": lambda matter: other_link(
        matter, content={"draw": "free text", "link": "00" * 32}
    ),
    "seals what its kind does not seal": lambda matter: other_link(matter, sealed={"labels": sealed(OWNERS, "x")}),
    "withdraws in no order": lambda matter: other_link(matter, replaces=["11" * 32, "00" * 32]),
    "is no statement": lambda _: {"signature": "00" * 64, "statement": {"free": "text"}},
    "has no signature": lambda matter: {"statement": other_link(matter)},
    "is a text": lambda _: {"text": "free"},
}


@pytest.mark.parametrize("what", FALSE)
def test_evidence_that_is_not_such_an_answer_is_trents_fault(matter: Written, what: str) -> None:
    matter.conflict(LINK, FALSE[what](matter))
    assert matter.findings == [("V19", "trent")]


REPORT = 8  # Alice's report


def other_report(matter: Written, /, **fields: Any) -> dict[str, Any]:
    return matter.said_in(REPORT) | {"sealed": matter.reported(2, "other")["sealed"]} | fields


def test_a_second_report_is_for_alice_and_the_court_alone(matter: Written) -> None:
    assert matter.said_in(REPORT)["kind"] == "report"
    matter.conflict(REPORT, other_report(matter), audiences=OWNERS)
    assert matter.findings == [("V19", "alice")]
    for_bob = Written()
    for_bob.batch()
    for_bob.report()
    for_bob.conflict(REPORT, other_report(for_bob), shown=False)
    assert for_bob.findings == [("V05", "trent")]


def test_evidence_of_another_kind_is_for_bob_too(matter: Written) -> None:
    matter.conflict(LINK, other_link(matter), audiences=OWNERS)
    assert matter.findings == [("V05", "trent")]


SEALED: dict[str, dict[str, Any]] = {
    "for Bob": {"labels": sealed(PARTIES, "1", "2", "3")},
    "one commitment twice": {"labels": sealed(OWNERS, "1", "1")},
    "no commitment": {"labels": sealed(OWNERS)},
    "a field too many": {"labels": sealed(OWNERS, "1"), "words": sealed(OWNERS, "2")},
}


@pytest.mark.parametrize("what", SEALED)
def test_a_second_report_seals_what_a_report_seals(matter: Written, what: str) -> None:
    matter.conflict(REPORT, other_report(matter, sealed=SEALED[what]), audiences=OWNERS)
    assert matter.findings == [("V19", "trent")]


def test_a_second_report_may_seal_what_is_not_always_sealed(matter: Written) -> None:
    more = other_report(matter)["sealed"] | {"privilege": sealed(OWNERS, "a", "b", "c")}
    matter.conflict(REPORT, other_report(matter, sealed=more), audiences=OWNERS)
    assert matter.findings == [("V19", "alice")]


@pytest.mark.parametrize("number", [0, 4, 7, 9, 2**40])
def test_a_conflict_is_about_an_entry_in_which_a_party_answers(matter: Written, number: int) -> None:
    other = {"signature": "00" * 64, "statement": {}}
    matter.trent("conflict", {"answer": number}, sealed={"evidence": sealed(PARTIES, "x")}, shown={"evidence": [other]})
    assert matter.findings == [("V19", "trent")]


@pytest.mark.parametrize(
    ("fields", "check"),
    [
        ({"round": 0}, "V05"),
        ({"asks": ["alice"]}, "V05"),
        ({"releases": [{"audience": "bob", "entry": 7, "field": "documents", "indices": None}]}, "V05"),
        ({"sealed": {}}, "V05"),
        ({"sealed": {"evidence": sealed(PARTIES, "x"), "more": sealed(PARTIES, "y")}}, "V05"),
        ({"sealed": {"evidence": sealed(PARTIES, "x", "y")}}, "V19"),
        ({"content": {"answer": LINK, "text": "free"}}, "V05"),
        ({"content": {"answer": "5"}}, "V05"),
    ],
)
def test_a_conflict_holds_nothing_but_evidence(matter: Written, fields: dict[str, Any], check: str) -> None:
    form: dict[str, Any] = {"content": {"answer": LINK}, "round": 1, "sealed": {"evidence": sealed(PARTIES, "x")}}
    matter.trent("conflict", **(form | fields))
    assert matter.findings == [(check, "trent")]


def test_a_party_that_logs_a_conflict_says_something_else_than_it_was_asked_for(matter: Written) -> None:
    matter.answer("bob", "conflict", {"answer": LINK}, sealed={"evidence": sealed(PARTIES, "x")})
    assert matter.findings == [("V05", "bob")]


def test_the_answers_on_record_are_found_by_their_entry(matter: Written) -> None:
    answers: AnswersOnRecord = matter.replay.state.answers
    kinds = {number: answers.at(number) for number in range(matter.chain.size)}
    found = {number: (each.author, each.kind, each.round) for number, each in kinds.items() if each is not None}
    assert found == {
        1: ("alice", "agreed", 0),
        2: ("bob", "agreed", 0),
        3: ("court", "deposited", 0),
        5: ("alice", "link", 1),
        6: ("bob", "link", 1),
        8: ("alice", "report", 1),
    }
    assert all(each.question == matter.hashes[0] for each in kinds.values() if each and each.round == 0)
