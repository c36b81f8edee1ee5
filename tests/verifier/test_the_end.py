"""The end of a matter: who must sign it, and how the court lets it end without a signature."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.written import Written
from verifier.checks import Check
from verifier.explain import explain
from verifier.report.page import About, page
from verifier.summary import summary
from verifier.values import verdict_value
from verifier.verdict import Answer, Outcome


@pytest.fixture
def ended() -> Written:
    """A matter whose claims are made."""
    matter = Written(rounds=1)
    matter.hold_round()
    matter.end()
    return matter


def plain(text: str) -> str:
    return " ".join(text.replace("&#x27;", "'").split())


def test_all_three_sign_the_end(ended: Written, tmp_path: Path) -> None:
    verdict = ended.verdict(tmp_path, "alice", "bob", "court")
    assert verdict.answer is Answer.VERIFIED
    assert summary(verdict).startswith("VERIFIED: the copy")
    assert verdict_value(verdict)["ended_without"] == []


def test_without_an_order_a_missing_signature_leaves_the_matter_open(ended: Written, tmp_path: Path) -> None:
    verdict = ended.verdict(tmp_path, "alice", "court")
    assert verdict.answer is Answer.NOT_CLOSED
    assert verdict.result(Check.COSIGNATURES).reason == "the end of the record is not signed by Bob"


def test_by_the_courts_order_the_matter_ends_without_a_signature_and_the_verdict_says_so(
    ended: Written, tmp_path: Path
) -> None:
    before = ended.replay.state.defaults
    ended.silent("bob")
    verdict = ended.verdict(tmp_path, "alice", "court")
    assert not ended.findings
    assert verdict.answer is Answer.VERIFIED
    result = verdict.result(Check.COSIGNATURES)
    assert (result.outcome, result.items) == (Outcome.PASS, 2)
    assert ended.replay.state.defaults == before
    order = ended.chain.size - 1
    assert verdict_value(verdict)["ended_without"] == [{"role": "bob", "entry": order}]
    without = f"without Bob's signature, by order of the court (entry {order})"
    for text in (summary(verdict), explain(verdict)):
        assert plain(text).startswith(f"VERIFIED {without}: the copy for the public")
        assert "The keys of Alice and the court have signed its end." in plain(text)
        sentence = "Bob did not sign the end: by the court's order the matter ends without Bob's signature."
        assert f"Entry {order}: {sentence}" in plain(text)
    shown = plain(page(verdict, About(file="copy.jsonl")))
    assert f"<title>VERIFIED {without} — " in shown
    assert shown.count(without.removeprefix("w")) >= 3
    assert "since Alice and the court signed its end" in shown


def test_the_order_is_about_one_party_alone(ended: Written, tmp_path: Path) -> None:
    ended.silent("bob")
    assert ended.verdict(tmp_path, "bob", "court").answer is Answer.NOT_CLOSED
    assert ended.verdict(tmp_path, "alice", "bob").answer is Answer.NOT_CLOSED


def test_the_court_may_let_both_off_but_never_itself(ended: Written, tmp_path: Path) -> None:
    ended.silent("bob")
    ended.silent("alice")
    verdict = ended.verdict(tmp_path, "court")
    assert verdict.answer is Answer.VERIFIED
    first, second = ended.chain.size - 3, ended.chain.size - 1
    without = f"without Alice's and Bob's signatures, by order of the court (entries {second} and {first})"
    assert plain(summary(verdict)).startswith(f"VERIFIED {without}:")
    assert "The key of the court has signed its end." in plain(summary(verdict))
    assert ended.verdict(tmp_path).answer is Answer.NOT_CLOSED


def test_who_is_excused_and_signs_all_the_same_has_signed(ended: Written, tmp_path: Path) -> None:
    ended.silent("bob")
    verdict = ended.verdict(tmp_path, "alice", "bob", "court")
    assert verdict.answer is Answer.VERIFIED
    assert summary(verdict).startswith("VERIFIED: ")


def test_an_order_that_is_not_granted_changes_nothing(ended: Written, tmp_path: Path) -> None:
    ended.silent("bob", granted=False)
    verdict = ended.verdict(tmp_path, "alice", "court")
    assert verdict.answer is Answer.NOT_CLOSED
    assert "Bob did not sign the end: the court ordered the matter to wait." in plain(summary(verdict))
    ended.silent("bob", served=-2)
    assert ended.verdict(tmp_path, "alice", "court").answer is Answer.VERIFIED


@pytest.mark.parametrize("absent", ["court", "trent"])
def test_only_alice_and_bob_can_be_let_off(ended: Written, absent: str) -> None:
    ended.trent("default", {"absent": absent, "served": ended.hashes[-1].hex()}, asks=["court"])
    assert ended.findings == [("V26", "trent")]


def test_one_order_is_enough_for_a_party(ended: Written) -> None:
    ended.silent("bob")
    ended.trent("default", {"absent": "bob", "served": ended.hashes[-1].hex()}, asks=["court"])
    assert ended.findings == [("V26", "trent")]


def test_what_was_served_at_the_end_is_the_claims_or_later(ended: Written) -> None:
    claims = ended.chain.size - 1
    ended.trent("default", {"absent": "bob", "served": ended.hashes[claims - 1].hex()}, asks=["court"])
    assert ended.findings == [("V26", "trent")]


def test_a_second_default_waits_for_the_first_order(ended: Written) -> None:
    for role in ("alice", "bob"):
        ended.trent("default", {"absent": role, "served": ended.hashes[-1].hex()}, asks=["court"])
    assert ended.findings == [("V05", "trent")]


@pytest.mark.parametrize("link", ["00" * 32, "11" * 32])
def test_an_order_at_the_end_gives_no_link(ended: Written, link: str) -> None:
    content = {"absent": "bob", "served": ended.hashes[-1].hex()}
    ended.trent("default", content, asks=["court"])
    ended.answer("court", "order", content | {"granted": True, "link": link})
    assert ended.findings == [("V26", "court")]


def test_the_order_is_about_what_was_asked(ended: Written) -> None:
    content = {"absent": "bob", "served": ended.hashes[-1].hex()}
    ended.trent("default", content, asks=["court"])
    ended.answer("court", "order", content | {"absent": "alice", "granted": True, "link": None})
    assert ended.findings == [("V26", "court")]


@pytest.mark.parametrize("kind", ["order", "default", "rulings", "lottery"])
def test_whatever_else_the_court_says_at_the_end_is_its_own_fault(ended: Written, kind: str) -> None:
    content = {"absent": "bob", "served": ended.hashes[-1].hex()}
    ended.trent("default", content, asks=["court"])
    ended.answer("court", kind, content)
    assert ended.findings == [("V05", "court")]


AFTER: dict[str, dict[str, Any]] = {
    "claims": {},
    "rekey": {"key": "00" * 32, "role": "bob"},
    "amend": {"rounds": 2},
    "draw": {"draw": 3},
    "again": {"question": "00" * 32},
    "lottery": {},
}


@pytest.mark.parametrize("kind", AFTER)
def test_nothing_else_follows_the_claims(ended: Written, kind: str) -> None:
    ended.trent(kind, AFTER[kind])
    assert ended.findings == [("V05", "trent")]
    assert "but a default and its order" in ended.tally.findings[0].expected
