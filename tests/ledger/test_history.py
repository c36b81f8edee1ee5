"""The rules of a chain: what is refused, as damage or as Trent's fault."""

from dataclasses import replace as replace_fields
from typing import Any

import pytest
from msgspec.structs import replace

from ledger import entries, records
from ledger.commitments import Salt
from ledger.entries import Body, Entry, Opening, Release, Sealed, Statement, WireEntry
from ledger.errors import Damaged, Fault, LedgerError, UnknownFormat
from ledger.history import History
from ledger.keys import SigningKey
from ledger.roles import Audience, Role
from tests.support.builders import KEYS, MATTER, OTHER_MATTER, answer, opening_statement, says


def signed(body: Body, key: SigningKey = KEYS[Role.TRENT]) -> WireEntry:
    body_bytes = records.encode(body)
    return entries.read_body(body_bytes, entries.sign_entry(key, body_bytes))


def body(history: History, statement: Statement, **fields: Any) -> Body:
    defaults: dict[str, Any] = {"asks": (), "releases": (), "signature": None, "time": 7}
    return Body(
        matter=MATTER,
        previous=history.head,
        sequence=history.size,
        statement=statement,
        **(defaults | fields),
    )


@pytest.fixture
def history() -> History:
    """A matter just opened, whose first entry asks Alice and Bob."""
    found = History()
    found.admit(signed(body(found, opening_statement(), asks=(Role.ALICE, Role.BOB))))
    return found


def admit(history: History, statement: Statement, **fields: Any) -> None:
    """Admit the statement in an entry by Trent; whatever is refused must leave the history as it was."""
    before = history.copy()
    try:
        history.admit(signed(body(history, statement, **fields)))
    except Exception:
        assert (history.head, history.questions, history.size) == (before.head, before.questions, before.size)
        raise


def note(**fields: Any) -> Statement:
    return says(Role.TRENT, "note", **fields)


def test_entries_that_follow_one_another_are_admitted(history: History) -> None:
    first = history.head
    admit(history, note())
    assert history.size == 2
    given = answer(says(Role.ALICE, "report", answers=first))
    admit(history, given.statement, signature=given.signature)
    assert history.size == 3
    assert history.questions == {(Role.BOB, first): 0}


def test_an_entry_without_trents_signature_is_damage(history: History) -> None:
    for key in (KEYS[Role.ALICE], SigningKey(bytes(32))):
        with pytest.raises(Damaged, match="Trent's signature"):
            history.admit(signed(body(history, note()), key))


def test_a_signature_over_other_bytes_is_damage(history: History) -> None:
    good, other = signed(body(history, note())), signed(body(history, note(round=9)))
    with pytest.raises(Damaged, match="Trent's signature"):
        history.admit(replace_fields(good, entry=Entry(body=good.entry.body, signature=other.entry.signature)))


@pytest.mark.parametrize("sequence", [0, 2, 7])
def test_an_entry_out_of_sequence_is_damage_since_anyone_can_move_lines(history: History, sequence: int) -> None:
    with pytest.raises(Damaged, match=f"entry {sequence} is in the place of entry 1"):
        history.admit(signed(replace(body(history, note()), sequence=sequence)))


def test_an_entry_of_another_matter_by_the_same_trent_is_damage(history: History) -> None:
    with pytest.raises(Damaged, match="another matter"):
        history.admit(signed(replace(body(history, note(matter=OTHER_MATTER)), matter=OTHER_MATTER)))


def test_two_signed_entries_that_do_not_fit_are_trents_fault(history: History) -> None:
    other = History()
    other.admit(signed(body(other, opening_statement(), time=8)))
    with pytest.raises(Fault, match="two histories") as caught:
        history.admit(signed(body(other, note())))
    assert (caught.value.party, caught.value.entry) == (Role.TRENT, 1)


TRENTS_FAULTS: dict[str, tuple[Statement, dict[str, Any], str]] = {
    "a statement for another matter": (note(matter=OTHER_MATTER), {}, "another matter"),
    "a second opening": (opening_statement(), {}, "opened by its first entry"),
    "Trent answers": (note(answers=MATTER), {}, "must answer nobody"),
    "Trent replaces": (note(replaces=(MATTER,)), {}, "must answer nobody"),
    "Trent signs twice": (note(), {"signature": KEYS[Role.TRENT].sign("statement", b"")}, "no second signature"),
    "Trent is asked": (note(), {"asks": (Role.TRENT,)}, "`asks`"),
    "asked twice": (note(), {"asks": (Role.BOB, Role.BOB)}, "`asks`"),
    "asked out of order": (note(), {"asks": (Role.BOB, Role.ALICE)}, "`asks`"),
    "sealed for the public": (
        note(sealed={"x": Sealed(audiences=(Audience.PUBLIC,), commitments=entries.Commitments([MATTER]))}),
        {},
        "without the public",
    ),
    "audiences out of order": (
        note(sealed={"x": Sealed(audiences=(Audience.COURT, Audience.BOB), commitments=entries.Commitments([MATTER]))}),
        {},
        "in order",
    ),
    "an empty sealed field": (
        note(sealed={"x": Sealed(audiences=(Audience.COURT,), commitments=entries.Commitments())}),
        {},
        "holds nothing",
    ),
    "a release of a later entry": (
        note(),
        {"releases": (Release(audience=Audience.BOB, entry=1, field="x", indices=None),)},
        "earlier entry",
    ),
    "a release to the public": (
        note(),
        {"releases": (Release(audience=Audience.PUBLIC, entry=0, field="x", indices=None),)},
        "other than the public",
    ),
    "a release of nothing": (
        note(),
        {"releases": (Release(audience=Audience.BOB, entry=0, field="x", indices=()),)},
        "in order",
    ),
    "a release out of order": (
        note(),
        {"releases": (Release(audience=Audience.BOB, entry=0, field="x", indices=(1, 0)),)},
        "in order",
    ),
    "one commitment twice": (
        note(sealed={"x": Sealed(audiences=(Audience.COURT,), commitments=entries.Commitments([MATTER, MATTER]))}),
        {},
        "one commitment twice",
    ),
    "releases out of order": (
        note(),
        {
            "releases": tuple(
                Release(audience=audience, entry=0, field="x", indices=None)
                for audience in (Audience.BOB, Audience.ALICE)
            )
        },
        "in order of audience",
    ),
    "one field released twice": (
        note(),
        {"releases": (Release(audience=Audience.BOB, entry=0, field="x", indices=(0,)),) * 2},
        "in order of audience",
    ),
}


@pytest.mark.parametrize("name", TRENTS_FAULTS)
def test_what_breaks_a_rule_above_trents_signature_is_his_fault(history: History, name: str) -> None:
    statement, fields, sentence = TRENTS_FAULTS[name]
    with pytest.raises(Fault, match=sentence) as caught:
        admit(history, statement, **fields)
    assert (caught.value.party, caught.value.entry) == (Role.TRENT, 1)


def alices(history: History, **fields: Any) -> Statement:
    return says(Role.ALICE, "report", **({"answers": history.head} | fields))


def test_a_statement_that_its_author_did_not_sign_is_trents_fault_and_not_the_authors(history: History) -> None:
    statement = alices(history)
    forged = answer(statement, KEYS[Role.BOB]).signature
    for signature in (None, forged, answer(alices(history, round=9)).signature):
        with pytest.raises(Fault, match="not signed by Alice's key") as caught:
            admit(history, statement, signature=signature)
        assert caught.value.party is Role.TRENT


def test_a_statement_signed_as_an_entry_is_not_signed_as_a_statement(history: History) -> None:
    statement = alices(history)
    confused = KEYS[Role.ALICE].sign("entry", entries.encode_statement(statement))
    with pytest.raises(Fault, match="not signed"):
        admit(history, statement, signature=confused)


@pytest.mark.parametrize("answers", [None, MATTER])
def test_a_party_is_not_heard_unasked(history: History, answers: Any) -> None:
    given = answer(alices(history, answers=answers))
    with pytest.raises(Fault, match="was not asked"):
        admit(history, given.statement, signature=given.signature)


def test_a_party_that_was_not_asked_cannot_answer_for_another(history: History) -> None:
    given = answer(says(Role.COURT, "ruling", answers=history.head))
    with pytest.raises(Fault, match="the court was not asked"):
        admit(history, given.statement, signature=given.signature)


def test_a_question_is_answered_once(history: History) -> None:
    given = answer(alices(history))
    admit(history, given.statement, signature=given.signature)
    with pytest.raises(Fault, match="has answered already"):
        admit(history, given.statement, signature=given.signature)


def test_an_answer_is_for_the_round_of_its_question(history: History) -> None:
    given = answer(alices(history, round=1))
    with pytest.raises(Fault, match="another round"):
        admit(history, given.statement, signature=given.signature)


def deep(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels - 1):
        value = {"x": value}
    return value


def test_what_a_party_can_say_fits_into_a_conflict(history: History) -> None:
    says(Role.TRENT, "note", content=deep(24))
    with pytest.raises(LedgerError, match="nested more than 32 deep"):
        says(Role.TRENT, "note", content=deep(25))
    with pytest.raises(LedgerError, match="nested more than 32 deep"):
        alices(history, content=deep(23))
    signed = entries.sign_statement(KEYS[Role.ALICE], alices(history, content=deep(22)))
    evidence: Any = records.to_value(signed)
    Opening(field="evidence", index=0, salt=Salt(bytes(32)), value=evidence)
    with pytest.raises(LedgerError, match="nested more than 32 deep"):
        Opening(field="evidence", index=0, salt=Salt(bytes(32)), value={"x": evidence})


def test_the_words_of_a_statement_hold_what_its_author_says_and_nothing_that_trent_wrote(history: History) -> None:
    words = entries.hash_words(alices(history))
    assert entries.hash_words(alices(history, answers=MATTER)) == words
    assert entries.hash_words(alices(history, replaces=(MATTER,))) == words
    sealed = {"x": Sealed(audiences=(Audience.COURT,), commitments=entries.Commitments([MATTER]))}
    for changed in ({"content": {"x": 1}}, {"round": 1}, {"matter": OTHER_MATTER}, {"sealed": sealed}):
        assert entries.hash_words(alices(history, **changed)) != words
    assert entries.hash_words(says(Role.ALICE, "other", answers=history.head)) != words
    assert entries.hash_words(says(Role.BOB, "report", answers=history.head)) != words


def open_with(content: dict[str, Any]) -> None:
    history = History()
    history.admit(signed(body(history, says(Role.TRENT, entries.OPEN, content=content))))


def keys_with(**changed: str) -> dict[str, str]:
    return {role.value: key.public.hex() for role, key in KEYS.items()} | changed


def test_an_opening_with_a_key_that_cannot_be_trusted_blames_nobody() -> None:
    low_order = "01" + "00" * 31
    for role in Role:
        with pytest.raises(Damaged, match="not a usable Ed25519 public key"):
            open_with({"format": 1, "keys": keys_with(**{role: low_order})})


def test_an_opening_must_enrol_all_four() -> None:
    keys = keys_with()
    del keys["court"]
    with pytest.raises(Damaged, match="a key for each"):
        open_with({"format": 1, "keys": keys})
    with pytest.raises(Damaged, match="does not open a matter"):
        open_with({"format": 1, "keys": keys_with(stranger=keys["bob"])})
    with pytest.raises(Damaged, match="does not open a matter"):
        open_with({"format": 1})


def test_one_key_for_two_roles_is_trents_fault() -> None:
    with pytest.raises(Fault, match="four different keys"):
        open_with({"format": 1, "keys": keys_with(bob=KEYS[Role.ALICE].public.hex())})


def test_an_unknown_format_is_refused_with_a_word_on_what_to_do() -> None:
    with pytest.raises(UnknownFormat, match="format 2.*install a newer version"):
        open_with({"format": 2, "keys": keys_with()})


def test_a_chain_begins_with_an_opening() -> None:
    history = History()
    with pytest.raises(Damaged, match="does not open a matter"):
        history.admit(signed(body(history, note())))


def test_the_state_does_not_grow_with_the_chain(history: History) -> None:
    for _ in range(50):
        admit(history, note(), asks=(Role.COURT,))
        given = answer(says(Role.COURT, "ruling", answers=history.head))
        admit(history, given.statement, signature=given.signature)
    assert len(history.questions) == 2
