"""A whole matter in rooms, in a real browser: `tests.support.room_story` plays it, and here is what it must show.

Skipped where there is no browser, unless TALLYSTICK_NEEDS_BROWSER is set, as CI does: then that is a failure.
"""

import json
import os
from collections.abc import Iterator
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from protocol.sources.madeup import recipe
from tests.support import room_story
from tests.support.browsing import chromium, needs_browser
from tests.support.room_story import BASIS, BOBS_REASON, COURTS_REASON, Mail, Story

pytestmark = [pytest.mark.slow, needs_browser]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    with chromium() as browser, room_story.played(tmp_path_factory.mktemp("rooms") / "all", browser) as found:
        yield found


def _content(story: Story, name: str) -> str:
    """Some words of a document that are in no other one."""
    (mail,) = [each for each in story.mail if each.name == name]
    body = message_from_bytes(mail.content, policy=policy.default).get_body()
    assert body is not None
    return str(body.get_content())[:40]


def _assert_verified(story: Story, audience: str) -> None:
    found = story.verdict(audience)
    assert (found["verdict"], found["findings"], found["blamed"]) == ("verified", [], [])
    assert {key["identity"] for key in found["keys"].values()} == {"confirmed"}
    assert len(found["keys"]["bob"]["before"]) == 1
    assert found["copy"]["checkpoints"][-1]["signers"] == ["alice", "bob", "court", "trent"]
    claims = found["claims"]
    names = ("disputes", "alice_errors", "privileged", "defaults", "reviewed", "revealed", "found", "nrd")
    shown = story.found + 1
    assert [claims[name] for name in names] == [1, 0, 1, 1, len(story.mail), shown, shown, 0]


@pytest.mark.parametrize("audience", room_story.AUDIENCES)
def test_every_copy_is_verified_and_counts_what_happened(story: Story, audience: str) -> None:
    _assert_verified(story, audience)


def test_no_page_ran_or_loaded_what_is_not_its_own(story: Story) -> None:
    assert story.complaints() == []


def test_links_are_given_without_a_signature_by_hand(story: Story) -> None:
    (line,) = [each for each in story.seen["what Alice has answered"].splitlines() if "Give your share" in each]
    assert "Accepted" in line


def test_labels_survive_a_killed_room(story: Story) -> None:
    total = len(story.mail)
    assert story.seen["labels after a crash"] == f"{total // 2} of {total}"


def test_without_a_network_the_room_says_so_and_sends_the_answer_later(story: Story) -> None:
    assert "could not be sent yet" in story.seen["receipt without a network"]
    assert "cannot be reached" in story.seen["list without a network"]
    (line,) = [each for each in story.seen["what Alice has answered"].splitlines() if "Label the documents" in each]
    assert "Accepted" in line


def test_alice_reads_what_bob_will_see_before_she_signs(story: Story) -> None:
    said = story.seen["report"]
    assert f"{story.found + 1} of {len(story.mail)} for certain" in said
    assert BASIS in said


def test_bob_sees_nothing_of_alice_before_he_has_answered(story: Story) -> None:
    assert story.seen["Bob's cells before"] == "{}"
    shown = "".join(words for name, words in story.seen.items() if name.startswith("Bob "))
    for words in ("Alice holds", 'class="sides"', 'class="said"', BASIS):
        assert words not in shown
    assert set(json.loads(story.seen["states before"])) == {""}


def test_bob_is_shown_neither_what_is_privileged_nor_what_is_withheld(story: Story) -> None:
    shown = set(json.loads(story.seen["what Bob is shown"]))
    assert shown == {name for name, is_responsive in story.truth.items() if is_responsive} - {
        story.privileged,
        story.missed,
    }
    assert json.loads(story.seen["what Bob is shown then"]) == [story.missed]
    handed = story.handed_to_bob()
    for name, is_responsive in story.truth.items():
        assert (_content(story, name) in handed) == (is_responsive and name != story.privileged)


def test_the_court_reads_in_camera_what_is_claimed_and_why(story: Story) -> None:
    said = story.seen["in camera"]
    assert story.seen["title in camera"].startswith("IN CAMERA")
    for words in ("IN CAMERA", BASIS, "From", "To", "Date", _content(story, story.privileged)):
        assert words in said


def test_the_court_sees_both_sides_and_gives_its_reason(story: Story) -> None:
    assert json.loads(story.seen["disputed"]) == [story.disputed]
    alice, bob = story.seen["side by side"].split("Counsel of bob")
    assert "Responsive" in alice
    assert "Not responsive" in bob
    assert BOBS_REASON in bob
    assert COURTS_REASON in story.seen["given up"]  # Alice reads it with the next question


def test_alice_looks_again_at_all_that_is_withheld(story: Story) -> None:
    withheld = {name for name, is_responsive in story.truth.items() if not is_responsive} | {story.missed}
    assert set(json.loads(story.seen["looked at again"])) == withheld


def test_trent_and_the_court_read_what_follows_from_an_order(story: Story) -> None:
    assert "has not answered" in story.seen["default"]
    assert "the link comes from the deposit" in story.seen["order"]
    assert "The new key has the fingerprint" in story.seen["rekey"]


def test_an_answer_by_file_goes_on_record_like_any_other(story: Story) -> None:
    assert "accepted: order on the new key" in story.seen["taken by mail"]


def test_everybody_verifies_the_copy_before_signing_the_end(story: Story) -> None:
    for who in ("alice", "bob", "court"):
        assert "and nothing was found" in story.seen[f"end for {who}"]


def test_keys_stay_with_their_owners(story: Story) -> None:
    """The folder that faces the network holds no key, no matter and no document."""
    box = [path for path in (story.play.root / "box").rglob("*") if path.is_file()]
    box += [path for path in (story.play.root / "serve").rglob("*") if path.is_file()]
    assert box
    texts = [_content(story, name).encode() for name in story.truth]
    for path in box:
        data = path.read_bytes()
        assert b"PRIVATE KEY" not in data
        assert not any(text in data for text in texts)


@pytest.mark.skipif("TALLYSTICK_LARGE" not in os.environ, reason="takes long: set TALLYSTICK_LARGE=1")
def test_the_same_with_a_thousand_documents_in_the_batch(tmp_path: Path) -> None:
    letters = recipe.letters(documents=1000, responsive=100, seed="rooms")
    mail = [
        Mail(name=f"{number:04}.eml", content=each.content, responsive=recipe.LABEL in each.labels)
        for number, each in enumerate(letters)
    ]
    with chromium() as browser, room_story.played(tmp_path / "all", browser, mail) as story:
        for audience in room_story.AUDIENCES:
            _assert_verified(story, audience)
