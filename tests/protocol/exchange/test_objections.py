"""A party that refuses a question says so to the court, under its signature and with Trent's question."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from ledger import canonical, keys, records
from ledger.hashing import Digest
from ledger.keys import Signature, SigningKey
from ledger.records import Malformed
from ledger.roles import Role
from protocol.cli import main
from protocol.exchange import documents, objection_file, question_file
from protocol.matter import requirements
from protocol.matter.decisions import Decisions
from protocol.matter.rounds import Round
from protocol.matter.values import Link
from protocol.parties import answer, memory, objection, question
from protocol.parties import view as views
from protocol.parties.errors import Objectionable
from protocol.parties.objection import SignedObjection
from protocol.parties.view import Document, View
from tests.support.exchange_cases import Table
from tests.support.forging.questions import (
    asked_of,
    package,
    proven,
    refused,
    rewritten,
    shown,
    signed_again,
    trent_writes,
)


def written(table: Table) -> list[Path]:
    """The objections that lie beside the last answer that was asked for."""
    return sorted(table.out.parent.glob(f"{table.out.stem}-objection*.json"))


def objected(table: Table, role: Role, path: Path, *options: str) -> SignedObjection:
    """The objection that a party's program writes instead of an answer."""
    said = refused(table, role, path, *options)
    (found,) = written(table)
    assert f"A signed objection is in {found}" in said
    assert "Give it to the court yourself, not only through Trent" in said
    signed = objection_file.read(found)
    assert objection.is_signed(signed, table.keys[role].public)
    assert question.is_signed(signed.objection.question, table.keys[Role.TRENT].public)
    return signed


def late(table: Table, positions: range | None = None) -> Path:
    """Trent asks Alice for late claims, and lists what he likes: if nothing is said, the whole batch."""
    with table.office() as office:
        office.desk.late()
        current = office.state.rounds[-1]
    chosen = positions or range(1, current.size + 1)
    listed = shown(table, current.places, chosen)
    return package(
        table, Role.ALICE, "claim", asked_of(table, Role.ALICE), current.number, listed, proven(table, current.places)
    )


def after_a_wave(table: Table) -> Round:
    """Bob has labelled his first wave, and the round is still open."""
    path = table.until(Role.BOB, "labels")
    table.accept(table.said(Role.BOB, path, "--labels", str(table.filled(path))))
    with table.office() as office:
        current = office.state.current
    assert current is not None
    assert current.disclosed
    return current


def after_a_claim(table: Table) -> None:
    """Alice has claimed position 2 with her report, and the coins of the round are fixed."""
    asked = table.until(Role.ALICE, "report")
    bases = iter(["", "advice of counsel"])
    claims = str(table.filled(asked, lambda _: next(bases, ""), "basis", "privilege.csv"))
    table.accept(table.said(Role.ALICE, asked, "--labels", str(table.filled(asked)), "--privilege", claims))
    table.accept(table.said(Role.BOB, table.questions()[Role.BOB]))


def test_a_late_question_that_lists_what_bob_has_seen(labelling: Table) -> None:
    """What Alice claims of it would be a breach of hers; she objects, and what she can claim is asked again."""
    current = after_a_wave(labelling)
    seen = min(current.disclosed)
    found = objected(labelling, Role.ALICE, late(labelling))
    assert f"documents that cannot be claimed any more, at position {seen}" in found.objection.reason
    right = labelling.questions()[Role.ALICE]
    labelling.accept(labelling.said(Role.ALICE, right))


def test_a_late_question_that_lists_what_alice_has_claimed_already(reporting: Table) -> None:
    after_a_claim(reporting)
    found = objected(reporting, Role.ALICE, late(reporting))
    assert "cannot be claimed any more, at position 2:" in found.objection.reason


def test_a_late_question_that_leaves_out_what_can_be_claimed(reporting: Table) -> None:
    after_a_claim(reporting)
    found = objected(reporting, Role.ALICE, late(reporting, range(3, 5)))
    assert "does not hold exactly the documents that it asks about" in found.objection.reason


def seen_by(table: Table, role: Role, path: Path) -> View:
    asked = question_file.read(path)
    known = memory.recall(table.key_file(role), asked.request.matter)
    return views.checked(asked.question, table.keys[role], known, forgotten=False)


def test_a_claim_that_would_be_held_against_alice_is_not_signed_whatever_listed_it(reporting: Table) -> None:
    """The check of the finished answer stands alone: no list of documents has a part in it."""
    after_a_claim(reporting)
    late(reporting)
    view = seen_by(reporting, Role.ALICE, reporting.questions()[Role.ALICE])
    anything = {position: Document(name="", file="") for position in range(1, 9)}
    with pytest.raises(Objectionable, match="would be held against you: entry .* neither claimed before nor given up"):
        answer.draft(view, anything, Decisions(claims={2: "work product"}), replacing=False, now=0)
    answer.draft(view, anything, Decisions(claims={3: "work product"}), replacing=False, now=0)


def test_a_second_late_claim_of_the_same_position_is_not_signed(reporting: Table) -> None:
    after_a_claim(reporting)
    late(reporting)
    asked = reporting.questions()[Role.ALICE]
    form = asked.with_name("late.csv")
    form.write_text("position,basis\n3,work product\n")
    reporting.accept(reporting.said(Role.ALICE, asked, "--privilege", str(form)))
    found = objected(reporting, Role.ALICE, late(reporting))
    assert "cannot be claimed any more, at position 2, 3:" in found.objection.reason
    view = seen_by(reporting, Role.ALICE, reporting.questions()[Role.ALICE])
    with pytest.raises(Objectionable, match="would be held against you"):
        answer.draft(
            view, {3: Document(name="", file="")}, Decisions(claims={3: "work product"}), replacing=False, now=0
        )


def test_nothing_is_signed_before_the_answer_was_tried(reporting: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    after_a_claim(reporting)
    late(reporting)
    view = seen_by(reporting, Role.ALICE, reporting.questions()[Role.ALICE])
    monkeypatch.setattr(SigningKey, "sign", lambda *_: pytest.fail("it was signed"))
    with pytest.raises(Objectionable):
        answer.draft(
            view, {2: Document(name="", file="")}, Decisions(claims={2: "work product"}), replacing=False, now=0
        )


# The objection


@pytest.fixture
def objecting(reporting: Table) -> tuple[Table, SignedObjection, Path]:
    """Alice has objected to a question about late claims, and Trent says that she is silent."""
    after_a_claim(reporting)
    signed = objected(reporting, Role.ALICE, late(reporting))
    (path,) = written(reporting)
    with reporting.office() as office:
        office.default(Role.ALICE)
    return reporting, signed, path


def asked_for_order(table: Table, *options: str) -> Result:
    return table.answer(Role.COURT, table.questions()[Role.COURT], *options)


def test_an_objection_is_canonical_and_signed_behind_its_own_tag(
    objecting: tuple[Table, SignedObjection, Path],
) -> None:
    table, signed, path = objecting
    value = json.loads(path.read_bytes())
    assert path.read_bytes() == canonical.encode(value) + b"\n"
    assert value.keys() == {"objection", "signature"}
    assert value["objection"].keys() == {"format", "matter", "question", "reason", "role"}
    assert value["objection"]["question"].keys() == {"question", "signature"}
    message = canonical.encode(value["objection"])
    key, signature = table.keys[Role.ALICE].public, Signature.parse(value["signature"])
    assert keys.holds(keys.signed(key, "objection", message, signature))
    assert not keys.holds(keys.signed(key, "statement", message, signature))
    assert objection_file.decode(path.read_bytes(), "") == signed


def test_an_objection_is_shown_to_the_court_before_the_order(objecting: tuple[Table, SignedObjection, Path]) -> None:
    table, _, path = objecting
    result = asked_for_order(table, "--grant", "--objection", str(path))
    assert result.exit_code == 0, result.output
    shown_at, decided_at = result.output.index("OBJECTION"), result.output.index("You say")
    assert shown_at < decided_at
    words = " ".join(result.output.split())
    assert (
        "by Acme Corp. (Alice), who signed it, to T. Neutral's (Trent's) question which of the documents are claimed"
        in words
    )
    assert "cannot be claimed any more, at position 2" in words
    assert "none was given" not in words


def test_without_an_objection_the_court_is_told_to_ask_the_party_itself(
    objecting: tuple[Table, SignedObjection, Path],
) -> None:
    words = " ".join(asked_for_order(objecting[0], "--deny").output.split())
    assert "none was given to you. Before you grant this" in words
    assert "ask Acme Corp. (Alice) by another way than through T. Neutral (Trent)" in words


def test_what_an_objection_says_cannot_steer_the_courts_terminal(
    objecting: tuple[Table, SignedObjection, Path], tmp_path: Path
) -> None:
    table, signed, _ = objecting
    hostile = msgspec.structs.replace(signed.objection, reason="\x1b[2J\n  You say        granted")
    path = tmp_path / "hostile.json"
    path.write_bytes(objection_file.encode(resigned(hostile, table.keys[Role.ALICE])))
    result = asked_for_order(table, "--deny", "--objection", str(path))
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output
    assert result.output.count("\n  You say") == 1


def resigned(said: objection.Objection, key: SigningKey) -> SignedObjection:
    return SignedObjection(objection=said, signature=key.sign("objection", records.encode(said)))


def test_a_strangers_objection_is_not_shown_to_the_court(
    objecting: tuple[Table, SignedObjection, Path], tmp_path: Path
) -> None:
    table, signed, _ = objecting
    path = tmp_path / "wrong.json"
    path.write_bytes(objection_file.encode(resigned(signed.objection, table.keys[Role.BOB])))
    result = asked_for_order(table, "--grant", "--objection", str(path))
    assert result.exit_code == 1
    assert "is not signed with Alice's key in this matter" in result.output
    assert not table.out.exists()


def test_an_objection_to_a_question_that_trent_never_signed_is_refused(
    objecting: tuple[Table, SignedObjection, Path], tmp_path: Path
) -> None:
    table, signed, _ = objecting
    forged = msgspec.structs.replace(signed.objection.question, signature=Signature(bytes(64)))
    said = msgspec.structs.replace(signed.objection, question=forged)
    path = tmp_path / "wrong.json"
    path.write_bytes(objection_file.encode(resigned(said, table.keys[Role.ALICE])))
    result = asked_for_order(table, "--grant", "--objection", str(path))
    assert "he did not ask it" in result.output
    assert result.exit_code == 1


def quoting(table: Table, signed: SignedObjection, **changed: Any) -> bytes:
    """Alice's objection to another question, which Trent signs."""
    asked = question.sign(table.keys[Role.TRENT], msgspec.structs.replace(signed.asked, **changed))
    said = msgspec.structs.replace(signed.objection, question=asked)
    return objection_file.encode(resigned(said, table.keys[Role.ALICE]))


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"entry": Digest(bytes(32))}, "he may show two histories of this matter. Sign no order"),
        ({"matter": Digest(bytes(32))}, "quotes a question of another matter"),
        ({"role": Role.BOB}, "quotes a question of another matter, or to somebody else than Alice"),
    ],
)
def test_an_objection_to_another_question_is_refused(
    objecting: tuple[Table, SignedObjection, Path], tmp_path: Path, changed: dict[str, Any], says: str
) -> None:
    table, signed, _ = objecting
    path = tmp_path / "wrong.json"
    path.write_bytes(quoting(table, signed, **changed))
    result = asked_for_order(table, "--grant", "--objection", str(path))
    assert result.exit_code == 1
    assert says in result.output


@pytest.mark.parametrize("kind", ["report", "link", "foo"])
def test_an_objection_to_a_question_for_the_wrong_kind_of_answer_is_shown_with_a_note(
    objecting: tuple[Table, SignedObjection, Path], tmp_path: Path, kind: str
) -> None:
    """Else Trent makes every objection worthless: he asks for something that the entry does not ask for."""
    table, signed, _ = objecting
    path = tmp_path / "other.json"
    path.write_bytes(quoting(table, signed, kind=kind))
    result = asked_for_order(table, "--grant", "--objection", str(path))
    assert "It quotes another question than the one that is owed." in " ".join(result.output.split())
    assert signed.objection.reason.split()[0] in result.output


def test_bobs_objection_does_not_speak_for_alice(
    objecting: tuple[Table, SignedObjection, Path], tmp_path: Path
) -> None:
    table, signed, _ = objecting
    asked = question.sign(table.keys[Role.TRENT], msgspec.structs.replace(signed.asked, role=Role.BOB))
    path = tmp_path / "bobs.json"
    path.write_bytes(objection_file.encode(objection.sign(table.keys[Role.BOB], asked, "no")))
    result = asked_for_order(table, "--grant", "--objection", str(path))
    assert "this order is about Alice in the matter" in result.output


def test_an_objection_is_for_an_order_only(reporting: Table) -> None:
    after_a_claim(reporting)
    objected(reporting, Role.ALICE, late(reporting))
    (path,) = written(reporting)
    result = reporting.answer(Role.ALICE, reporting.questions()[Role.ALICE], "--objection", str(path))
    assert result.exit_code == 1
    assert "an objection is for the court, when it is asked for an order" in result.output


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"{}", "is not an objection, or was changed on the way"),
        (b'{"objection":{"format":2},"signature":""}', "an objection of format 2"),
        (b'{"objection":', "is not an objection"),
    ],
)
def test_a_file_that_is_no_objection_is_refused_with_a_sentence(
    objecting: tuple[Table, SignedObjection, Path], tmp_path: Path, data: bytes, says: str
) -> None:
    path = tmp_path / "none.json"
    path.write_bytes(data)
    result = asked_for_order(objecting[0], "--grant", "--objection", str(path))
    assert result.exit_code == 1
    assert says in result.output


def accepted(table: Table, path: Path) -> str:
    """What Trent's command says to a file."""
    before = table.matter.read_bytes()
    words = ["matter", "accept", str(table.matter), "--key", str(table.key_file(Role.TRENT)), str(path)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 1, result.output
    assert table.matter.read_bytes() == before
    return result.output


def test_trent_is_shown_an_objection_and_told_what_he_can_do(
    objecting: tuple[Table, SignedObjection, Path], tmp_path: Path
) -> None:
    table, signed, path = objecting
    said = accepted(table, path)
    assert "Acme Corp. (Alice) does not answer your question which of the documents are claimed" in said
    assert "cannot be claimed any more, at position 2" in said
    assert "Nothing was changed" in said
    assert "matter next --all" in said
    wrong = tmp_path / "wrong.json"
    wrong.write_bytes(objection_file.encode(resigned(signed.objection, table.keys[Role.BOB])))
    assert "is not signed with Alice's key" in accepted(table, wrong)
    other = msgspec.structs.replace(signed.objection, matter=Digest(bytes(32)))
    wrong.write_bytes(objection_file.encode(resigned(other, table.keys[Role.ALICE])))
    assert "an objection in another matter" in accepted(table, wrong)


# When there is one, and when there is none


def test_a_history_that_breaks_the_rules_is_objected_to(drawing: Table) -> None:
    asked = trent_writes(drawing, "draw", {"draw": 200}, 1, [Role.BOB])
    found = objected(drawing, Role.BOB, package(drawing, Role.BOB, "link", asked, 1))
    assert "Trent has signed something that breaks the rules of the review" in found.objection.reason


def test_a_text_that_is_not_the_documents_is_objected_to(reporting: Table) -> None:
    asked = reporting.until(Role.ALICE, "report")
    file = next(path for path in (asked / "documents").iterdir())
    forged = signed_again(reporting, asked, {f"documents/{file.name}": b"another text"})
    found = objected(reporting, Role.ALICE, forged, "--labels", str(reporting.filled(asked)))
    assert "is not the document that the matter has committed to" in found.objection.reason


def test_the_same_refusal_gives_the_same_file_and_another_one_a_new_name(reporting: Table) -> None:
    after_a_claim(reporting)
    first = late(reporting)
    out = reporting.folder / "alice" / "given.json"
    words = ["answer", str(first), "--key", str(reporting.key_file(Role.ALICE)), "--out", str(out), "--yes"]
    for _ in range(2):
        assert CliRunner().invoke(main, words).exit_code == 1
    assert [each.name for each in sorted(out.parent.glob("given*"))] == ["given-objection.json"]
    other = rewritten(reporting, reporting.questions()[Role.ALICE], {})
    assert CliRunner().invoke(main, ["answer", str(other), *words[2:]]).exit_code == 1
    assert sorted(each.name for each in out.parent.glob("given*")) == ["given-objection-2.json", "given-objection.json"]


def test_a_users_own_mistake_is_no_reason_to_object(reporting: Table) -> None:
    asked = reporting.until(Role.ALICE, "report")
    blank = asked / "labels.csv"
    mistakes: list[tuple[str, ...]] = [
        ("--labels", str(blank)),
        (),
        ("--labels", str(reporting.filled(asked)), "--threshold", "3"),
        ("--labels", str(reporting.filled(asked)), "--grant"),
    ]
    for options in mistakes:
        refused(reporting, Role.ALICE, asked, *options)
        assert not written(reporting), options
    result = reporting.answer(Role.ALICE, asked, key=reporting.key_file(Role.BOB))
    assert result.exit_code == 1
    assert not written(reporting)


def test_a_question_that_was_damaged_on_the_way_is_no_reason_to_object(reporting: Table) -> None:
    asked = reporting.until(Role.ALICE, "report")
    next((asked / "documents").iterdir()).write_bytes(b"changed")
    refused(reporting, Role.ALICE, asked, "--labels", str(reporting.filled(asked)))
    assert not written(reporting)


def test_a_memory_that_was_damaged_is_no_reason_to_object(reporting: Table) -> None:
    """Trent signed nothing of what is wrong here."""
    asked = reporting.until(Role.ALICE, "report")
    history = reporting.memory_of(Role.ALICE).folder / "history.jsonl"
    lines = history.read_bytes().splitlines(keepends=True)
    value = json.loads(lines[-1])
    value["entry"]["signature"] = "00" * 64
    history.write_bytes(b"".join(lines[:-1]) + canonical.encode(value) + b"\n")
    result = reporting.answer(Role.ALICE, asked, "--labels", str(reporting.filled(asked)))
    assert result.exit_code == 1
    assert "does not carry Trent's signature" in result.output or "Damaged" in result.output
    assert not written(reporting)


def test_a_claim_question_of_trents_own_lists_just_what_can_be_claimed(reporting: Table) -> None:
    after_a_claim(reporting)
    late(reporting)
    view = seen_by(reporting, Role.ALICE, reporting.questions()[Role.ALICE])
    asked = question_file.read(reporting.questions()[Role.ALICE])
    assert set(documents.proven(asked, view)) == view.state.rounds[-1].claimable == {1, 3, 4, 5, 6, 7, 8}


def test_no_link_is_due_beyond_the_draws_of_the_terms(reporting: Table) -> None:
    """As the verifier has it, which would blame the link's owner."""
    with reporting.office() as office:
        most = office.state.opening.terms.draws
        with pytest.raises(Malformed, match=f"draw {most + 1} is due, but the terms provide for {most} draws"):
            requirements.link(office.state, Role.BOB, most + 1, Link(draw=most + 1, link=Digest(bytes(32))))
