"""A document is asked back: what Alice, the court and Bob read and sign. And the reasons that they give."""

from pathlib import Path
from typing import Any

import pytest

from ledger.roles import Role
from protocol.errors import OutOfTurn
from protocol.exchange import filenames, question_file
from protocol.matter import terms
from tests.support.exchange_cases import Table
from tests.support.forging.questions import asked_of, package, refused, signed_again
from tests.support.real_matter import Asked, Rows, Saved, save

BASIS = "Advice of counsel"
REASON = "It quotes counsel."


@pytest.fixture(scope="module")
def _shown(tmp_path_factory: pytest.TempPathFactory, _table: Table) -> Table:
    table = _table.copied(tmp_path_factory.mktemp("shown"))
    table.begin(rounds=1)
    wave = table.until(Role.BOB, "labels")
    form = rows(wave)
    for row in form:
        row["responsive"] = "yes" if row["document"] in table.responsive else "no"
    form[0]["responsive"], form[0]["reason"] = other(form[0]["responsive"]), "  It is about swaps.  "
    filled = str(save(table.folder / "bob.csv", form, Saved()))
    table.accept(table.said(Role.BOB, wave, "--labels", filled))
    return table


@pytest.fixture
def shown(tmp_path: Path, _shown: Table) -> Table:
    """A matter in which Bob has labelled a wave, and gave a reason where he disagrees with Alice."""
    return _shown.copied(tmp_path / "table")


def other(label: str) -> str:
    return "no" if label == "yes" else "yes"


def rows(question: Path, form: str = filenames.LABELS) -> Rows:
    return Asked(role="", kind="", round=0, path=question, request={}).form(form)


def ask(table: Table) -> Path:
    """Trent asks Alice what she wants back."""
    with table.office() as office:
        office.desk.clawback()
    return table.questions()[Role.ALICE]


def asking_back(table: Table, question: Path, count: int) -> str:
    """The form in which Alice asks back the first documents of the list."""
    form = rows(question, filenames.CLAIMS)
    for row in form[:count]:
        row["basis"] = BASIS
    return str(save(table.folder / "back.csv", form, Saved()))


def ruled(table: Table, question: Path, *upheld: str) -> str:
    form = rows(question)
    for row, said in zip(form, upheld, strict=True):
        row["upheld"] = said
    form[0]["reason"] = REASON
    return str(save(table.folder / "ruled.csv", form, Saved()))


def test_the_list_has_all_that_bob_was_shown_and_no_contents(shown: Table) -> None:
    wave = rows(shown.folder / "outbox" / "1-labels-for-bob")
    asked = ask(shown)
    listed = rows(asked, filenames.CLAIMS)
    reported = shown.folder / "outbox" / "1-report-for-alice"
    assert [row["document"] for row in listed] == [row["document"] for row in wave]
    assert {row["round"] for row in listed} == {"1"}
    assert all((reported / row["file"]).exists() for row in listed)
    assert not (asked / filenames.DOCUMENTS).exists()
    told = (asked / filenames.INSTRUCTIONS).read_text()
    assert "--privilege privilege.csv" in told
    assert "redaction is not offered" in " ".join(told.split())


def test_by_default_nothing_is_asked_back_and_the_court_is_not_asked(shown: Table) -> None:
    asked = ask(shown)
    result = shown.answer(Role.ALICE, asked)
    assert f"that you ask back none of {len(rows(asked, filenames.CLAIMS))} documents" in result.output
    shown.accept(shown.said(Role.ALICE, asked))
    with shown.office() as office:
        assert not office.state.awaits


def test_a_form_that_asks_nothing_back_is_refused_since_leaving_it_out_says_so(shown: Table) -> None:
    asked = ask(shown)
    said = " ".join(refused(shown, Role.ALICE, asked, "--privilege", asking_back(shown, asked, 0)).split())
    assert "claims nothing: no row has a basis" in said
    assert "if nothing is claimed, leave out --privilege" in said


def test_the_court_reads_what_is_asked_back_and_rules_with_reasons(shown: Table) -> None:
    asked = ask(shown)
    listed = rows(asked, filenames.CLAIMS)
    result = shown.answer(Role.ALICE, asked, "--privilege", asking_back(shown, asked, 2))
    assert f"that you ask back 2 of {len(listed)} documents that Jo Smith was shown" in result.output
    assert "round 1, position 1: It is about swaps." in result.output
    assert f"privileged: 1, {listed[0]['document']}: {BASIS}" in result.output
    shown.accept(shown.said(Role.ALICE, asked, "--privilege", asking_back(shown, asked, 2)))
    (court,) = shown.questions().values()
    form = rows(court)
    assert [row["document"] for row in form] == [row["document"] for row in listed[:2]]
    assert form[0]["basis"] == f"{BASIS} (Jo Smith (Bob) was shown it in round 1, at position 1)"
    assert list(question_file.read(court).documents) == [1, 2]
    assert "Jo Smith was shown these documents" in (court / filenames.INSTRUCTIONS).read_text()
    answer = shown.answer(Role.COURT, court, "--upheld", ruled(shown, court, "yes", "no"))
    assert "1 upheld, 1 overruled" in answer.output
    assert f"reason: 1, {form[0]['document']}: {REASON}" in answer.output
    assert "sealed for Acme Corp. and the court" in answer.output


def claw_back(table: Table) -> None:
    """Alice asks two documents back, and the court upholds the first."""
    asked = ask(table)
    table.accept(table.said(Role.ALICE, asked, "--privilege", asking_back(table, asked, 2)))
    (court,) = table.questions().values()
    table.accept(table.said(Role.COURT, court, "--upheld", ruled(table, court, "yes", "no")))


def end(table: Table) -> dict[Role, Path]:
    """Play to the end, and ask for the cosignatures."""
    for _ in range(20):
        asked = table.questions()
        if not asked:
            break
        for role, question in asked.items():
            table.accept(table.truthful(role, question))
    with table.office() as office:
        office.close()
    return table.questions()


def test_bob_is_told_to_return_or_destroy_what_is_clawed_back_and_alice_hears_why(shown: Table) -> None:
    claw_back(shown)
    last = end(shown)
    wave = rows(shown.folder / "outbox" / "1-labels-for-bob")
    bob = " ".join(shown.answer(Role.BOB, last[Role.BOB]).output.split())
    assert "CLAWED BACK" in bob
    assert "Return or destroy every copy" in bob
    assert f"round 1, position 1, {wave[0]['document']}: {BASIS}" in bob
    assert "Not clawed back" in bob
    assert REASON not in bob
    assert "CLAWED BACK" in (last[Role.BOB] / filenames.INSTRUCTIONS).read_text()
    alice = " ".join(shown.answer(Role.ALICE, last[Role.ALICE]).output.split())
    assert f"round 1, position 1: {REASON}" in alice
    assert "1 clawed back;" in alice


def test_bob_is_told_once(shown: Table) -> None:
    """What he has been told of with an answer that he gave is not news any more."""
    claw_back(shown)
    last = end(shown)
    shown.said(Role.BOB, last[Role.BOB])
    assert "CLAWED BACK" not in shown.answer(Role.BOB, last[Role.BOB]).output


def test_the_court_reads_bobs_reason_where_the_parties_disagree(shown: Table) -> None:
    dispute = shown.questions()[Role.COURT]
    assert "Jo Smith&#x27;s reason: It is about swaps." in (dispute / filenames.INDEX).read_text()
    shown.said(Role.COURT, dispute, "--labels", str(shown.filled(dispute)))


def test_a_document_is_asked_back_once(shown: Table) -> None:
    claw_back(shown)
    names = {row["document"] for row in rows(shown.folder / "outbox" / "1-labels-for-bob")[:2]}
    again = ask(shown)
    assert not names & {row["document"] for row in rows(again, filenames.CLAIMS)}


def test_without_a_document_that_bob_was_shown_there_is_nothing_to_ask(table: Table) -> None:
    table.begin(rounds=1)
    with table.office() as office, pytest.raises(OutOfTurn, match="Bob was shown nothing"):
        office.desk.clawback()


def test_while_somebody_must_answer_alice_is_not_asked(table: Table) -> None:
    table.begin(rounds=1)
    table.until(Role.BOB, "labels")
    with table.office() as office, pytest.raises(OutOfTurn, match="others must answer first"):
        office.desk.clawback()


def test_a_list_that_shows_something_else_is_objected_to(shown: Table) -> None:
    """Trent leaves a document out of the page, so that Alice does not see that it went to Bob."""
    ask(shown)
    entry = asked_of(shown, Role.ALICE)
    said = refused(shown, Role.ALICE, package(shown, Role.ALICE, "reclaim", entry, 0))
    assert "is missing; ask Trent to write the question again" in said
    assert "A signed objection is in" in said


def test_a_court_that_gets_another_document_objects(shown: Table) -> None:
    asked = ask(shown)
    shown.accept(shown.said(Role.ALICE, asked, "--privilege", asking_back(shown, asked, 1)))
    (court,) = shown.questions().values()
    name = next(iter(question_file.read(court).documents[1].values()))
    said = refused(shown, Role.COURT, signed_again(shown, court, {name: b"Something else."}))
    assert "is not the document that the matter has committed to at position 1" in said


@pytest.mark.parametrize(("column", "said", "why"), [
    ("basis", "x" * 2001, "the basis has 2001 characters"),
    ("position", "77", "position 77 was not asked about"),
    ("file", "documents/0001-r9-another.txt", "This is the form of another round"),
])  # fmt: skip
def test_a_form_that_is_not_clear_is_refused(shown: Table, column: str, said: str, why: str) -> None:
    asked = ask(shown)
    form = rows(asked, filenames.CLAIMS)
    form[0] |= {"basis": BASIS, column: said}
    filled = save(shown.folder / "wrong.csv", form, Saved())
    assert why in refused(shown, Role.ALICE, asked, "--privilege", str(filled))


def test_a_reason_that_is_too_long_is_refused_with_its_row(shown: Table) -> None:
    dispute = shown.questions()[Role.COURT]
    filled = shown.filled(dispute, lambda _: "x" * 2001, "reason")
    form = [
        row | {"responsive": "yes"}
        for row in Asked(role="", kind="", round=0, path=filled.parent, request={}).form(filled.name)
    ]
    filled = save(shown.folder / "long.csv", form, Saved())
    said = refused(shown, Role.COURT, dispute, "--labels", str(filled))
    assert "row 2: the reason has 2001 characters; at most 2000 are allowed" in said


def test_a_question_without_documents_to_explain_takes_no_reasons(shown: Table) -> None:
    """A column that nobody asked for does no harm: Alice's own table may have one."""
    asked = ask(shown)
    form = [row | {"reason": "mine"} for row in rows(asked, filenames.CLAIMS)]
    form[0]["basis"] = BASIS
    filled = save(shown.folder / "own.csv", form, Saved())
    reply = shown.said(Role.ALICE, asked, "--privilege", str(filled))
    assert reply.answer is not None
    assert set(reply.answer.statement.sealed) == {"privilege"}


SPOT: dict[str, Any] = {"protocol": "spot-check", "batch": 30, "rounds": 1, "query": "", "rate": "0.0001"}
ROUNDS = {
    "escalation": SPOT | {"target": "0.95", "every": 1, "limit": "1"},
    "validation": SPOT | {"target": "0.01", "validation": {"show": "0.999"}},
    "call": SPOT | {"target": "0.01", "validation": {"show": "0.9", "review": "0.9"}},
}


@pytest.mark.slow  # plays two rounds of each sort
@pytest.mark.parametrize("sort", ROUNDS)
def test_what_a_later_round_showed_is_listed_with_the_file_that_alice_has(table: Table, sort: str) -> None:
    """She has a document from the round in which she labelled it, or in which a validation drew it."""
    settings = dict(ROUNDS[sort])
    if "validation" in settings:
        settings["validation"] = terms.validation(every=1, **({"yield": None} | settings["validation"]))
    table.begin(**settings)
    for _ in range(30):
        for role, question in table.questions().items():
            table.accept(table.truthful(role, question))
        with table.office() as office:
            review = office.state.rounds[-1] if len(office.state.rounds) > 1 else None
            if review is not None and review.bob and not office.state.awaits:
                break
    asked = ask(table)
    listed = rows(asked, filenames.CLAIMS)
    assert {row["round"] for row in listed} == {"1", "2"}
    boxes = [
        table.folder / "outbox" / name for name in ("1-report-for-alice", "2-claim-for-alice", "2-report-for-alice")
    ]
    assert all(any((box / row["file"]).exists() for box in boxes) for row in listed)
    filled = save(table.folder / "late.csv", [row | {"basis": BASIS} for row in listed[-1:]], Saved())
    table.accept(table.said(Role.ALICE, asked, "--privilege", str(filled)))
    (court,) = table.questions().values()
    assert [row["document"] for row in rows(court)] == [listed[-1]["document"]]
    table.accept(table.said(Role.COURT, court, "--upheld", ruled(table, court, "yes")))
