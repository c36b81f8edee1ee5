"""What Trent's record takes at its end, and what it takes of deposits: nothing that no reader accepts afterwards."""

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from ledger.entries import Addition, Statement
from ledger.errors import LedgerError
from ledger.roles import Role
from protocol.cli import main
from protocol.errors import OutOfTurn
from protocol.exchange import answer_file
from protocol.parties.reply import Reply
from protocol.parties.secrets import SealedRoot
from tests.support.exchange_cases import Table

pytestmark = pytest.mark.slow


def held(table: Table) -> None:
    """Play until all rounds are held."""
    for _ in range(60):
        questions = table.questions()
        if not questions:
            return
        for role, question in questions.items():
            table.accept(table.truthful(role, question))
    raise AssertionError("the matter has no end")


def tallystick(table: Table, *words: object, code: int = 0) -> str:
    result = CliRunner().invoke(main, [*map(str, words), "--key", str(table.key_file(Role.TRENT))])
    assert result.exit_code == code, result.output
    return result.output


def two_answers(table: Table) -> tuple[Reply, Path]:
    """Bob's labels, and a second answer of his in a file."""
    asked = table.until(Role.BOB, "labels")
    first = table.said(Role.BOB, asked, "--labels", str(table.filled(asked)))
    table.said(Role.BOB, asked, "--labels", str(table.filled(asked, lambda _: "no")), "--replace")
    return first, table.out


def test_a_closed_matter_takes_no_evidence_and_stays_readable(labelling: Table) -> None:
    first, second = two_answers(labelling)
    labelling.accept(first)
    held(labelling)
    tallystick(labelling, "matter", "close", labelling.matter)
    before = labelling.matter.read_bytes()
    said = tallystick(labelling, "matter", "accept", labelling.matter, second, code=1)
    assert "the first answer stands. The matter is closed: keep the file" in said
    said = tallystick(labelling, "matter", "accept", labelling.matter, second, "--as-evidence", code=1)
    assert "the matter is closed, and nothing can be added to its record, not even evidence. Keep the file" in said
    assert labelling.matter.read_bytes() == before
    tallystick(labelling, "matter", "close", labelling.matter)
    tallystick(labelling, "copy", labelling.matter, "--for", "bob", "--out", labelling.folder / "bob.copy")


def test_before_the_close_evidence_goes_on_record(labelling: Table) -> None:
    first, second = two_answers(labelling)
    labelling.accept(first)
    said = tallystick(labelling, "matter", "accept", labelling.matter, second, "--as-evidence")
    assert "second labels" in said
    held(labelling)
    tallystick(labelling, "matter", "close", labelling.matter)


def test_nothing_is_stored_that_has_no_place(reporting: Table) -> None:
    """The log knows the rules of the chain only; what breaks those of the review must not reach it."""
    with reporting.office() as office:
        size, matter = office.log.history.size, office.state.number
        misplaced = Statement(
            answers=None,
            author=Role.TRENT,
            content={"draw": 200},
            kind="draw",
            matter=matter,
            replaces=(),
            round=1,
            sealed={},
        )
        addition = Addition(statement=misplaced, asks=(Role.ALICE, Role.BOB))
        with pytest.raises(LedgerError, match="others must answer first"):
            office.desk.add(addition)
        assert office.log.history.size == size
    reporting.until(Role.BOB, "labels")


def test_evidence_of_the_very_answer_on_record_is_none(labelling: Table) -> None:
    first, _ = two_answers(labelling)
    labelling.accept(first)
    with labelling.office() as office, pytest.raises(OutOfTurn, match="gave this same answer"):
        office.keep_as_evidence(first)


def interrupted(table: Table) -> None:
    """The close was stopped between the claims and their checkpoint."""
    held(table)
    with table.office() as office:
        office.desk.conclude()
        assert office.log.store.notes() == {}


def test_a_close_that_was_interrupted_is_mended_by_next(labelling: Table) -> None:
    interrupted(labelling)
    questions = labelling.questions()
    with labelling.office() as office:
        assert list(office.log.store.notes()) == [office.state.size]
    for role, question in questions.items():
        labelling.accept(labelling.said(role, question))
    assert labelling.questions() == {}


def test_a_close_that_was_interrupted_is_mended_by_accept(labelling: Table, tmp_path: Path) -> None:
    interrupted(labelling)
    untouched = labelling.copied(tmp_path / "untouched")
    answers = {role: labelling.said(role, question) for role, question in labelling.questions().items()}
    assert answers.keys() == {Role.ALICE, Role.BOB, Role.COURT}
    for answer in answers.values():
        untouched.accept(answer)
    with untouched.office() as office:
        assert office.tasks() == []


def garbled(answer: Reply) -> Reply:
    """Nobody signs a deposit: whoever carries the file can change it."""
    return msgspec.structs.replace(answer, deposit=SealedRoot(bytes(80)))


def test_a_deposit_that_was_changed_on_its_way_is_named_and_mended(table: Table) -> None:
    table.open()
    questions = table.questions()
    alice = table.said(Role.ALICE, questions[Role.ALICE])
    table.accept(table.said(Role.BOB, questions[Role.BOB]))
    with table.office() as office:
        assert office.accept(garbled(alice)).warning == ""
    result = table.answer(Role.COURT, table.questions()[Role.COURT])
    assert result.exit_code == 1
    assert "Alice's deposit was not sealed for the court's key, or was damaged on the way" in result.output
    with table.office() as office:
        assert "differs from the one already kept, and replaces it" in office.accept(alice).warning
        assert office.accept(alice).warning == ""
    table.accept(table.said(Role.COURT, table.questions()[Role.COURT]))


def test_accept_warns_where_a_deposit_takes_the_place_of_another(table: Table) -> None:
    table.open()
    alice = table.said(Role.ALICE, table.questions()[Role.ALICE])
    table.accept(alice)
    bad = table.folder / "bad.json"
    bad.write_bytes(answer_file.encode(garbled(alice)))
    said = tallystick(table, "matter", "accept", table.matter, bad)
    assert "Note: its sealed deposit differs from the one already kept" in said
