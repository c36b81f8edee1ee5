"""A new key never answers a question from before it: what becomes void and is asked again; which draw is skipped."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.written import NEW_KEYS, PARTIES, Written, refused
from verifier.checks import Check, Role
from verifier.exhibit.parts import Review
from verifier.exhibit.replay import RoundReplay, skipped_draws
from verifier.explain import explain
from verifier.findings import Fault
from verifier.report.page import About, page
from verifier.summary import summary
from verifier.values import verdict_value
from verifier.verdict import Answer


@pytest.fixture
def reported() -> Written:
    """Alice has reported, and Bob must give his link."""
    matter = Written()
    matter.batch()
    matter.report()
    return matter


@pytest.fixture
def batched() -> Written:
    """Alice must report."""
    matter = Written()
    matter.batch()
    return matter


def test_an_answer_of_a_former_key_that_trent_kept_back_cannot_be_logged_after_the_new_key(reported: Written) -> None:
    said = reported.statement("bob", "link", reported.link("bob", 2))
    kept_back = reported.signature(said)
    reported.rekey("bob")
    with pytest.raises(Fault) as caught:
        reported.log_signed(said, kept_back)
    assert refused(caught.value) == ("V03", "trent")


def test_a_new_key_cannot_answer_a_question_from_before_it(reported: Written) -> None:
    void = reported.statement("bob", "link", reported.link("bob", 2))
    reported.rekey("bob")
    with pytest.raises(Fault) as caught:
        reported.log_signed(void, reported.signature(void))
    assert refused(caught.value) == ("V05", "trent")


def test_trent_cannot_put_the_answers_of_two_keys_side_by_side(reported: Written) -> None:
    """The attack: the former key's answer goes on record, and the new key's answer to the same question is evidence."""
    asked = reported.statement("bob", "link", reported.link("bob", 2))
    new = reported.signature(asked | {"content": reported.link("bob", 1)}, NEW_KEYS[0])
    answer = reported.answer("bob", "link", reported.link("bob", 2))
    reported.rekey("bob")
    reported.conflict(answer, {"signature": new, "statement": asked | {"content": reported.link("bob", 1)}})
    assert reported.findings == [("V19", "trent")]


def test_what_was_asked_of_a_replaced_key_is_asked_again_and_then_answered(reported: Written) -> None:
    reported.rekey("bob")
    assert reported.turns.expected() == reported.replay.waits_for == "Trent to ask Bob again for the link"
    reported.again("bob")
    assert reported.turns.expected() == "Bob's link"
    reported.answer("bob", "link", reported.link("bob", 2))
    reported.close()
    assert not reported.findings
    assert reported.replay.state.asked_again == 1


def test_a_further_new_key_makes_the_question_that_was_asked_again_void_too(reported: Written) -> None:
    reported.rekey("bob")
    first = reported.again("bob")
    reported.rekey("bob")
    assert reported.turns.void[Role.BOB].question == reported.hashes[first]
    reported.again("bob")
    reported.answer("bob", "link", reported.link("bob", 2))
    assert not reported.findings


def test_a_key_denied_changes_nothing(reported: Written, tmp_path: Path) -> None:
    reported.rekey("bob", granted=False)
    reported.answer("bob", "link", reported.link("bob", 2))
    reported.close()
    verdict = reported.verdict(tmp_path)
    assert verdict.answer is Answer.NOT_CLOSED, verdict.findings
    assert verdict.keys_before == {}
    assert "The court denied Bob a new key" in summary(verdict)


def test_trent_does_not_go_on_while_a_question_is_void(reported: Written) -> None:
    reported.rekey("bob")
    reported.close()
    assert reported.findings == [("V05", "trent")]
    assert "Trent to ask Bob again for the link" in reported.tally.findings[0].expected


def test_a_void_question_cannot_be_held_against_its_party_as_silence(reported: Written) -> None:
    reported.rekey("bob")
    reported.trent("default", {"absent": "bob", "served": reported.hashes[-1].hex()}, asks=["court"])
    assert reported.findings == [("V26", "trent")]


def test_two_parties_can_have_void_questions_and_are_asked_in_any_order() -> None:
    matter = Written()
    matter.trent("amend", {"limit": None, "rounds": 3}, asks=PARTIES)
    matter.answer("court", "amended", {"accepted": True})
    for role in ("alice", "bob"):
        matter.rekey(role)
    assert matter.turns.expected() == (
        "Trent to ask Alice again for the amended and Trent to ask Bob again for the amended"
    )
    for role in ("bob", "alice"):
        matter.again(role)
    for role in ("alice", "bob"):
        matter.answer(role, "amended", {"accepted": True})
    assert not matter.findings
    assert matter.replay.state.rounds_agreed == 3


WRONG: dict[str, Callable[[Written], int]] = {
    "names another entry": lambda matter: matter.again("bob", content={"question": "00" * 32}),
    "is of another round": lambda matter: matter.again("bob", round=0),
    "asks somebody else": lambda matter: matter.trent(
        "again", {"question": matter.turns.void[Role.BOB].question.hex()}, asks=["alice"], round=1
    ),
    "asks nobody": lambda matter: matter.trent(
        "again", {"question": matter.turns.void[Role.BOB].question.hex()}, round=1
    ),
    "says more": lambda matter: matter.again(
        "bob", content={"question": matter.turns.void[Role.BOB].question.hex(), "more": 1}
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_an_again_that_does_not_repeat_the_void_question_is_trents_fault(reported: Written, what: str) -> None:
    reported.rekey("bob")
    WRONG[what](reported)
    assert reported.findings == [("V05", "trent")]


def test_nothing_is_asked_again_that_is_not_void(reported: Written) -> None:
    question = reported.turns.awaited[Role.BOB].question.hex()
    reported.trent("again", {"question": question}, asks=["bob"], round=1)
    assert reported.findings == [("V05", "trent")]


def test_nothing_is_asked_again_while_the_court_must_answer(reported: Written) -> None:
    reported.rekey("bob")
    reported.trent("rekey", {"key": NEW_KEYS[5].public.hex(), "role": "alice"}, asks=["court"])
    reported.again("bob")
    assert reported.findings == [("V05", "trent")]


def test_a_change_of_keys_buys_no_redraw(batched: Written) -> None:
    """A report under the former key, held back, used the links of a draw that nobody ever gives again."""
    batched.rekey("alice")
    batched.again("alice")
    batched.report(2)
    assert batched.findings == [("V08", "alice")]


def test_a_draw_is_skipped_by_all_three_if_alices_key_changes_while_she_owes_a_report(batched: Written) -> None:
    batched.rekey("alice")
    batched.again("alice")
    batched.report(3)
    batched.answer("bob", "link", batched.link("bob", 3))
    batched.close()
    batched.hold_round()
    assert not batched.findings
    assert (batched.replay.state.draws, batched.replay.state.skipped) == (5, 1)


@pytest.mark.parametrize("role", ["bob", "trent"])
def test_a_link_of_the_skipped_draw_is_false(batched: Written, role: str) -> None:
    batched.rekey("alice")
    batched.again("alice")
    batched.report()
    batched.answer("bob", "link", {"draw": 3, "link": batched.links[Role.BOB][2 if role == "bob" else 3].hex()})
    if role == "trent":
        batched.links[Role.TRENT][3] = batched.links[Role.TRENT][2]
        batched.close()
    assert batched.findings == [("V08", role)]


def test_two_changes_before_one_report_skip_two_draws_whether_the_question_is_open_or_void(batched: Written) -> None:
    batched.rekey("alice")
    batched.rekey("alice")
    batched.again("alice")
    batched.rekey("alice")
    batched.again("alice")
    batched.report(5)
    batched.answer("bob", "link", batched.link("bob", 5))
    batched.close()
    assert not batched.findings
    assert batched.replay.state.skipped == 3


def test_a_seed_draw_a_logged_report_and_bobs_link_keep_their_draw() -> None:
    matter = Written()
    matter.trent("draw", {"draw": 1}, asks=["alice", "bob"], round=1)
    for role in ("alice", "bob"):
        matter.rekey(role)
        matter.again(role)
        matter.answer(role, "link", matter.link(role, 1))
    assert not matter.findings
    assert matter.replay.state.skipped == 0
    after = Written()
    after.batch()
    after.report()
    for role in ("alice", "bob"):
        after.rekey(role)
    after.again("bob")
    after.answer("bob", "link", after.link("bob", 2))
    after.close()
    assert not after.findings
    assert after.replay.state.skipped == 0


def test_alices_key_is_not_replaced_while_she_owes_a_report_if_no_draw_is_to_spare() -> None:
    matter = Written(rounds=2, draws=5)
    matter.batch()
    matter.rekey("alice")
    assert not matter.findings
    matter.trent("rekey", {"key": NEW_KEYS[5].public.hex(), "role": "alice"}, asks=["court"])
    assert matter.findings == [("V26", "trent")]
    bobs = Written(rounds=2, draws=4)
    bobs.batch()
    bobs.rekey("bob")
    assert not bobs.findings


def test_an_amendment_counts_the_skipped_draws() -> None:
    for rounds, found in ((3, []), (4, [("V26", "trent")])):
        matter = Written(rounds=2, draws=8)
        matter.batch()
        matter.rekey("alice")
        matter.again("alice")
        matter.report()
        matter.answer("bob", "link", matter.link("bob", 3))
        matter.trent("amend", {"limit": None, "rounds": rounds}, asks=PARTIES)
        assert matter.findings == found


def test_the_verdict_counts_skipped_draws_and_questions_asked_again(batched: Written, tmp_path: Path) -> None:
    batched.rekey("alice")
    batched.again("alice")
    batched.report()
    batched.answer("bob", "link", batched.link("bob", 3))
    batched.close()
    verdict = batched.verdict(tmp_path)
    assert verdict.answer is Answer.NOT_CLOSED
    value = verdict_value(verdict)
    assert (value["skipped_draws"], value["questions_asked_again"]) == (1, 1)
    shown = page(verdict, About(file="copy.jsonl"))
    for text in (summary(verdict), explain(verdict), shown):
        told = " ".join(text.replace("&#x27;", "'").split())
        assert "1 draw was skipped, because Alice's key changed while she owed a report." in told
        assert "1 question was asked again" in told
        assert "She owed a report, so draw 2 was skipped." in told


@pytest.mark.parametrize("responsive", [(), (1,)], ids=["by coin", "by model"])
def test_an_exhibit_of_a_round_with_a_skipped_draw_is_replayed_alone(responsive: tuple[int, ...]) -> None:
    """It holds the order for the key, the question that was asked again, and evidence, which it does not judge."""
    matter = Written(rounds=3, draws=12)
    matter.batch()
    matter.report()
    matter.answer("bob", "link", matter.link("bob", 2))
    matter.close(*responsive)
    start = matter.chain.size
    matter.batch()
    matter.conflict(5, {"text": "not evidence"}, shown=False)
    for _ in range(2):
        matter.rekey("alice")
        matter.again("alice")
    matter.report()
    matter.rekey("bob")
    matter.again("bob")
    matter.answer("bob", "link", matter.link("bob", matter.replay.state.draws))
    matter.close()
    assert not matter.findings
    review = matter.told[start:]
    assert skipped_draws(review) == 2
    replay = RoundReplay()
    assert replay.open(matter.told[:4])
    first = next(each for each in review if each.entry.said.kind == "batch")
    detail = replay.review(Review(entries=review, first=first, position=1, listed=True, closed=True))
    assert not replay.tally.findings
    assert detail is not None
    assert (replay.state.draws, replay.state.skipped) == (matter.replay.state.draws, 2)


def test_what_may_be_served_is_kept_only_from_the_oldest_open_question_on() -> None:
    matter = Written(rounds=4, draws=8)
    for _ in range(3):
        matter.hold_round()
        assert not any(matter.turns.may_be_served(each, 0) for each in matter.hashes)
    matter.batch()
    question = matter.turns.awaited[Role.ALICE].entry
    matter.rekey("bob", granted=False)
    assert all(matter.turns.may_be_served(each, question) for each in matter.hashes[question:])
    assert not any(matter.turns.may_be_served(each, 0) for each in matter.hashes[:question])
    matter.silent("alice", served=question)
    assert not matter.findings
    assert matter.tally.items[Check.ORDERS] == 4
