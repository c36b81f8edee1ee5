"""A report that is withdrawn before anybody has it."""

from pathlib import Path

from ledger import entries
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.exchange import answer_file
from protocol.parties.reply import Reply
from tests.support.exchange_cases import Table
from tests.support.forging.questions import asked_of, package, proven, refused, shown


def words(answer: Reply) -> Digest:
    assert answer.answer is not None
    return entries.hash_words(answer.answer.statement)


def test_a_report_is_withdrawn_on_demand_with_other_salts_and_a_warning(reporting: Table) -> None:
    path = reporting.until(Role.ALICE, "report")
    first = reporting.said(Role.ALICE, path, "--labels", str(reporting.filled(path, lambda _: "no")))
    form = str(reporting.filled(path))
    said = refused(reporting, Role.ALICE, path, "--labels", form)
    assert "destroy the file and add --replace" in said
    result = reporting.answer(Role.ALICE, path, "--labels", form, "--replace")
    assert "Do not send an earlier report any more: destroy its file." in result.output
    second = answer_file.read(reporting.out)
    assert first.answer is not None
    assert second.answer is not None
    assert second.answer.statement.replaces == (
        entries.hash_statement(entries.encode_statement(first.answer.statement)),
    )
    assert {each.salt for each in first.openings}.isdisjoint(each.salt for each in second.openings)
    again = reporting.said(Role.ALICE, path, "--labels", form)
    assert again == second
    reporting.accept(second)
    reporting.until(Role.BOB, "labels")


def test_each_withdrawal_has_salts_of_its_own(reporting: Table) -> None:
    path = reporting.until(Role.ALICE, "report")
    forms = [str(reporting.filled(path, lambda _, word=word: word)) for word in ("no", "yes")]  # type: ignore[misc]
    given = [
        reporting.said(Role.ALICE, path, "--labels", forms[number % 2], *(["--replace"] if number else []))
        for number in range(4)
    ]
    assert len({words(each) for each in given}) == 4
    assert len({each.salt for answer in given for each in answer.openings}) == 4
    assert given[-1].answer is not None
    assert len(given[-1].answer.statement.replaces) == 3


def test_a_report_that_is_on_record_is_not_withdrawn(reporting: Table) -> None:
    path = reporting.until(Role.ALICE, "report")
    batch = asked_of(reporting, Role.ALICE)
    with reporting.office() as office:
        places = office.state.rounds[-1].places
    first = reporting.said(Role.ALICE, path, "--labels", str(reporting.filled(path)))
    reporting.accept(first)
    documents = shown(reporting, places, range(1, len(places) + 1))
    later = package(reporting, Role.ALICE, "report", batch, 1, documents, proven(reporting, places))
    form = str(reporting.filled(path, lambda _: "no"))
    said = refused(reporting, Role.ALICE, later, "--labels", form, "--replace")
    assert "or has the answer already" in said


def test_bob_does_not_give_a_link_for_a_second_report(reporting: Table, tmp_path: Path) -> None:
    """Alice lets Trent choose between two reports of hers; he cannot try them against Bob's link."""
    path = reporting.until(Role.ALICE, "report")
    first = reporting.said(Role.ALICE, path, "--labels", str(reporting.filled(path, lambda _: "no")))
    second = reporting.said(Role.ALICE, path, "--labels", str(reporting.filled(path)), "--replace")
    other = reporting.copied(tmp_path / "other")
    reporting.accept(first)
    reporting.said(Role.BOB, reporting.until(Role.BOB, "link"))
    other.accept(second)
    result = reporting.answer(Role.BOB, other.until(Role.BOB, "link"))
    assert result.exit_code == 1
    assert "he shows different histories" in result.output
    assert not reporting.out.exists()
