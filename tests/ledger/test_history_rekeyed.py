"""A key that the court replaces: from the next entry on, for every reader of the chain."""

from pathlib import Path
from typing import Any

import pytest

from ledger import checkpoints
from ledger.copies import write_copy
from ledger.entries import REKEYED, Addition, Statement
from ledger.errors import Fault, Refused
from ledger.examining import examine, open_reader
from ledger.hashing import Digest
from ledger.history import History
from ledger.keys import SigningKey
from ledger.log import Log
from ledger.matterreader import MatterReader
from ledger.roles import Audience, Role
from ledger.store import Store
from tests.ledger.test_history import admit, body, signed
from tests.support.builders import KEYS, answer, logical_clock, opening_statement, says

NEW = SigningKey(bytes(range(32)))
COURT_IS_ASKED = {"asks": (Role.ALICE, Role.BOB, Role.COURT)}


@pytest.fixture
def history() -> History:
    """A matter just opened, whose first entry asks all three."""
    found = History()
    found.admit(signed(body(found, opening_statement(), **COURT_IS_ASKED)))
    return found


def granting(asked: Digest, **content: Any) -> Statement:
    """The court's word about a new key for Bob."""
    said = {"granted": True, "key": NEW.public.hex(), "role": "bob"}
    return says(Role.COURT, REKEYED, answers=asked, content=said | content)


def grant(history: History, statement: Statement) -> None:
    given = answer(statement)
    admit(history, given.statement, signature=given.signature)


def test_from_the_next_entry_on_the_new_key_speaks_and_the_old_one_does_not(history: History) -> None:
    asked = history.head
    before = history.keys
    grant(history, granting(history.head))
    assert history.keys == before | {Role.BOB: NEW.public}
    said = says(Role.BOB, "note", answers=asked)
    old = answer(said)
    with pytest.raises(Fault, match="not signed by Bob's key"):
        admit(history, said, signature=old.signature)
    with pytest.raises(Fault, match="got a new key since"):
        admit(history, said, signature=answer(said, NEW).signature)
    admit(history, says(Role.TRENT, "note"), asks=(Role.BOB,))
    said = says(Role.BOB, "note", answers=history.head)
    admit(history, said, signature=answer(said, NEW).signature)
    assert history.keys_at(1) == before
    assert history.keys_at(2) == history.keys_at(9) == history.keys


def test_a_new_key_leaves_the_questions_to_others_open(history: History) -> None:
    admit(history, says(Role.TRENT, "note"), asks=(Role.ALICE, Role.BOB))
    asked = history.head
    grant(history, granting(next(question for role, question in history.questions if role is Role.COURT)))
    assert {role for role, _ in history.questions} == {Role.ALICE}
    assert (Role.ALICE, asked) in history.questions


def test_what_is_denied_changes_no_key(history: History) -> None:
    before = history.keys
    grant(history, granting(history.head, granted=False, key="no key", role="trent"))
    assert history.keys == before
    assert history.keys_at(1) is history.keys_at(2)


@pytest.mark.parametrize("kind", ["note", "order"])
def test_only_a_rekeyed_by_the_court_changes_a_key(history: History, kind: str) -> None:
    before, asked = history.keys, history.head
    said = granting(asked).content
    grant(history, says(Role.COURT, kind, answers=asked, content=said))
    grant(history, says(Role.ALICE, REKEYED, answers=asked, content=said))
    assert history.keys == before


LOW_ORDER = "01" + "00" * 31
BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"role": "court"}, "only Alice's and Bob's keys are ever replaced"),
    ({"role": "trent"}, "only Alice's and Bob's keys are ever replaced"),
    ({"role": "carol"}, "an invalid new key"),
    ({"role": None}, "an invalid new key"),
    ({"key": LOW_ORDER}, "an invalid new key"),
    ({"key": "ff" * 32}, "an invalid new key"),
    ({"key": "00"}, "an invalid new key"),
    ({"key": None}, "an invalid new key"),
    ({"key": KEYS[Role.BOB].public.hex()}, "a key that one of the four parties has"),
    ({"key": KEYS[Role.ALICE].public.hex()}, "a key that one of the four parties has"),
    ({"key": KEYS[Role.TRENT].public.hex()}, "a key that one of the four parties has"),
]


@pytest.mark.parametrize(("content", "reason"), BROKEN)
def test_a_grant_of_what_is_no_key_for_alice_or_bob_is_trents_fault(
    history: History, content: dict[str, Any], reason: str
) -> None:
    before = dict(history.keys)
    with pytest.raises(Fault, match=reason) as caught:
        grant(history, granting(history.head, **content))
    assert caught.value.party is Role.TRENT
    assert history.keys == before
    assert history.former == ()


@pytest.mark.parametrize("role", ["alice", "bob"])
def test_a_key_that_was_given_up_is_never_granted_again_to_anybody(history: History, role: str) -> None:
    """Whoever stole it has signed with it since; as somebody's key it would prove those words to be that party's."""
    grant(history, granting(history.head))
    admit(history, says(Role.TRENT, "note"), asks=(Role.COURT,))
    before, size = history.keys, history.size
    with pytest.raises(Fault, match="a key that one of the four parties has or had") as caught:
        grant(history, granting(history.head, key=KEYS[Role.BOB].public.hex(), role=role))
    assert caught.value.party is Role.TRENT
    assert (history.keys, history.size) == (before, size)


def test_a_copy_of_a_history_keeps_its_own_keys(history: History) -> None:
    twin = history.copy()
    grant(history, granting(history.head))
    assert twin.keys[Role.BOB] == KEYS[Role.BOB].public
    assert twin.keys_at(2) == twin.keys


def build(path: Path, notes: int) -> None:
    """A matter with a new key for Bob in its middle, and checkpoints before and after it."""
    with Log.create(path, KEYS[Role.TRENT], logical_clock()) as log:
        log.append([Addition(statement=opening_statement(), asks=(Role.ALICE, Role.BOB, Role.COURT))])
        asked = log.history.head
        log.append([Addition(statement=says(Role.TRENT, "note"))])
        log.checkpoint()
        log.append([answer(granting(asked))])
        for number in range(notes):
            log.append([Addition(statement=says(Role.TRENT, "note", round=number), asks=(Role.BOB,))])
            log.append([answer(says(Role.BOB, "note", answers=log.history.head, round=number), NEW)])
        log.checkpoint()
        for size, state in ((2, None), (log.history.size, log.history.state())):
            for role in checkpoints.COSIGNERS:
                key = NEW if state and role is Role.BOB else KEYS[role]
                stated = state or checkpoints.parse(log.store.notes()[2])
                log.cosign(size, role, checkpoints.cosign(stated, role, key, 1_800_000_000))


@pytest.mark.slow
@pytest.mark.parametrize("notes", [1, 700])
def test_matter_and_copy_are_read_with_the_keys_of_each_place(tmp_path: Path, notes: int) -> None:
    """Also where a block of signatures, which are verified together, begins before the new key and ends after it."""
    build(tmp_path / "matter", notes)
    with Store.open(tmp_path / "matter") as store:
        write_copy(store, Audience.PUBLIC, KEYS[Role.TRENT], tmp_path / "copy")
    for path in (tmp_path / "matter", tmp_path / "copy"):
        reader = open_reader(path)
        found = examine(reader)
        assert found.size == found.cosigned == 3 + 2 * notes
        assert found.keys == {role: key.public for role, key in KEYS.items()} | {Role.BOB: NEW.public}
    matter = MatterReader(tmp_path / "matter")
    assert len(list(matter)) == 3 + 2 * notes
    assert matter.checkpoints[0] == (2, list(Role))


def test_the_log_goes_on_with_the_new_key_after_it_was_closed(tmp_path: Path) -> None:
    build(tmp_path / "matter", 1)
    with Log.open(tmp_path / "matter", KEYS[Role.TRENT], logical_clock()) as log:
        log.append([Addition(statement=says(Role.TRENT, "note"), asks=(Role.BOB,))])
        before = log.history.size
        with pytest.raises(Refused, match="not signed by Bob's key"):
            log.append([answer(says(Role.BOB, "note", answers=log.history.head))])
        assert log.store.size() == log.history.size == before
        log.append([answer(says(Role.BOB, "note", answers=log.history.head), NEW)])
