"""A second look: Alice sees all that is withheld, gives up what she wants, and signs nothing that Trent made up."""

from pathlib import Path
from typing import Any

import pytest

from ledger.coins import LinkChain
from ledger.keyfiles import write_keys
from ledger.keys import SigningKey
from ledger.roles import Role
from protocol.exchange import filenames, question_file
from protocol.learning.cal import Cal
from protocol.matter.seal import Seal
from protocol.matter.trent import Trent
from protocol.parties import secrets
from tests.support.exchange_cases import Table
from tests.support.forging.questions import asked_of, package, proven, refused, rewritten, shown, trent_writes
from tests.support.real_matter import Asked, Rows

TERMS: dict[str, Any] = {
    "protocol": "spot-check", "rate": "0.0001", "target": "0.95", "every": 1, "limit": "1", "batch": 30, "rounds": 1,
    "query": "",
}  # fmt: skip
"""A batch with more than ten documents that are not responsive, nearly all of which stay withheld."""


@pytest.fixture(scope="module")
def _looking(tmp_path_factory: pytest.TempPathFactory, _table: Table) -> Table:
    table = _table.copied(tmp_path_factory.mktemp("looking"))
    table.begin(**TERMS)
    table.until(Role.ALICE, "look")
    return table


@pytest.fixture
def looking(tmp_path: Path, _looking: Table) -> Table:
    """A matter in which Alice is asked for a second look."""
    return _looking.copied(tmp_path / "table")


def rows(question: Path, form: str = filenames.WITHHELD) -> Rows:
    return Asked(role="", kind="", round=0, path=question, request={}).form(form)


def giving_up(table: Table, question: Path, count: int) -> list[str]:
    """The options to give up the first documents of the list."""
    first = {row["document"] for row in rows(question)[:count]}
    form = table.filled(question, lambda name: "yes" if name in first else "", "give up", filenames.WITHHELD)
    return ["--give-up", str(form)]


def test_the_list_has_all_that_alice_withholds_and_no_contents(looking: Table) -> None:
    asked = looking.until(Role.ALICE, "look")
    reported = looking.folder / "outbox" / "1-report-for-alice"
    listed = rows(asked)
    names = {row["document"] for row in rows(reported, filenames.LABELS)}
    with looking.office() as office:
        shown = {office.state.rounds[0].places[position - 1].name for position in office.state.rounds[0].disclosed}
    assert {row["document"] for row in listed} == names - shown
    assert len(listed) >= 10
    assert {row["round"] for row in listed} == {"1"}
    assert all((reported / row["file"]).exists() for row in listed)
    assert all(row["file"] in (asked / filenames.INDEX).read_text() for row in listed)
    assert not (asked / filenames.DOCUMENTS).exists()
    assert "--give-up withheld.csv" in (asked / filenames.INSTRUCTIONS).read_text()


def test_by_default_nothing_is_given_up(looking: Table) -> None:
    asked = looking.until(Role.ALICE, "look")
    result = looking.answer(Role.ALICE, asked)
    assert f"that you give up none of {len(rows(asked))} withheld documents" in result.output
    blank = looking.said(Role.ALICE, asked, "--give-up", str(asked / filenames.WITHHELD))
    assert blank.answer is not None
    assert blank.answer.statement.content["positions"] == []


def test_what_is_given_up_is_shown_to_bob_first(looking: Table) -> None:
    asked = looking.until(Role.ALICE, "look")
    options = giving_up(looking, asked, 2)
    result = looking.answer(Role.ALICE, asked, *options)
    assert "that you give up 2 of" in result.output
    assert f"given up: 1, {rows(asked)[0]['document']}" in result.output
    looking.accept(looking.said(Role.ALICE, asked, *options))
    wave = looking.until(Role.BOB, "labels")
    found = question_file.read(wave)
    assert list(found.documents) == [1, 2]
    shown, listed = rows(wave, filenames.LABELS), rows(asked)
    assert [row["document"] for row in shown] == [row["document"] for row in listed[:2]]


def test_bob_who_disagrees_with_what_was_given_up_brings_it_to_the_court(looking: Table) -> None:
    asked = looking.until(Role.ALICE, "look")
    looking.accept(looking.said(Role.ALICE, asked, *giving_up(looking, asked, 1)))
    looking.accept(looking.said(Role.BOB, looking.until(Role.BOB, "link")))
    wave = looking.until(Role.BOB, "labels")
    looking.accept(looking.said(Role.BOB, wave, "--labels", str(looking.filled(wave, lambda _: "no"))))
    dispute = looking.questions()[Role.COURT]
    assert (
        "Acme Corp. (Alice) holds it responsive, Jo Smith (Bob) not responsive"
        in (dispute / filenames.INDEX).read_text()
    )
    looking.accept(looking.said(Role.COURT, dispute, "--labels", str(looking.filled(dispute))))


def test_a_form_of_another_list_is_refused(looking: Table) -> None:
    asked = looking.until(Role.ALICE, "look")
    form = looking.filled(asked, lambda _: "perhaps", column="give up", form=filenames.WITHHELD)
    said = refused(looking, Role.ALICE, asked, "--give-up", str(form))
    assert "rows say neither yes nor no" in said
    labels = looking.folder / "outbox" / "1-report-for-alice" / filenames.LABELS
    assert "has no row of headings with position and give up" in refused(
        looking, Role.ALICE, asked, "--give-up", str(labels)
    )
    assert "leave out --labels FILE" in refused(looking, Role.ALICE, asked, "--labels", str(labels))


def test_two_different_looks_are_refused_unless_the_first_is_withdrawn(looking: Table) -> None:
    asked = looking.until(Role.ALICE, "look")
    first = looking.said(Role.ALICE, asked)
    options = giving_up(looking, asked, 1)
    assert "you gave a different second look to this question before" in refused(looking, Role.ALICE, asked, *options)
    second = looking.said(Role.ALICE, asked, *options, "--replace")
    assert first.answer is not None
    assert second.answer is not None
    assert len(second.answer.statement.replaces) == 1
    looking.accept(second)


@pytest.mark.parametrize("more", [-1, 1, 40])
def test_a_list_that_is_not_all_that_is_withheld_is_objected_to(table: Table, more: int) -> None:
    """Trent leaves out what he wants hidden, or lists what Alice never withheld."""
    table.begin(**TERMS)
    table.accept(table.truthful(Role.BOB, table.until(Role.BOB, "labels")))
    withheld = close_the_round(table)
    entry = trent_writes(table, "escalation", {"size": withheld + more}, 2, asks=[Role.ALICE])
    said = refused(table, Role.ALICE, package(table, Role.ALICE, "look", entry, 2))
    assert f"documents are withheld, but by your reports and what Bob was shown there are {withheld}" in said
    assert "A signed objection is in" in said


def close_the_round(table: Table) -> int:
    """Let Trent close the round, and no more. Returns how many documents are withheld."""
    with table.office() as office:
        secret, root = (
            secrets.seal(office.key, office.state.number),
            secrets.chain_root(office.key, office.state.number),
        )
        chain = LinkChain(matter=office.state.number, role=Role.TRENT, length=office.state.terms.draws, root=root)
        seal = Seal(secret=secret, matter=office.state.number)
        neutral = Trent(corpus=table.corpus, cal=Cal(table.corpus), seal=seal, chain=chain, truth=None)
        while office.state.current is not None:
            assert office.desk.advance(neutral)
        return len(office.state.withheld())


def test_a_page_that_lists_something_else_is_objected_to(looking: Table) -> None:
    asked = looking.until(Role.ALICE, "look")
    page = (asked / filenames.INDEX).read_bytes().replace(rows(asked)[0]["document"].encode(), b"another")
    said = refused(looking, Role.ALICE, rewritten(looking, asked, {filenames.INDEX: page}))
    assert "index.html does not show what is proven" in said


def test_without_a_look_nothing_is_given_up_and_the_next_draw_comes(looking: Table) -> None:
    looking.until(Role.ALICE, "look")
    with looking.office() as office:
        before = office.state.draws
        office.default(Role.ALICE)
    order = looking.questions()[Role.COURT]
    assert "Acme Corp. gives up nothing of what is withheld" in (order / filenames.INSTRUCTIONS).read_text()
    looking.accept(looking.said(Role.COURT, order, "--grant"))
    links = looking.questions()
    assert set(links) == {Role.ALICE, Role.BOB}
    for role, question in links.items():
        given = looking.said(role, question)
        assert given.answer is not None
        assert given.answer.statement.content["draw"] == before + 2
        looking.accept(given)
    assert looking.until(Role.BOB, "labels").name.startswith("2-")


def test_a_new_key_looks_again_for_a_draw_of_its_own(looking: Table) -> None:
    asked = looking.until(Role.ALICE, "look")
    old = looking.said(Role.ALICE, asked)
    fresh = SigningKey(b"\x21" * 32)
    with looking.office() as office:
        office.desk.rekey(Role.ALICE, fresh.public)
    looking.accept(looking.said(Role.COURT, looking.questions()[Role.COURT], "--grant"))
    key = looking.folder / "alice" / "new.key"
    write_keys(key, fresh, Role.ALICE, None)
    again = looking.questions()[Role.ALICE]
    assert len(rows(again)) == len(rows(asked))
    new = looking.said(Role.ALICE, again, *giving_up(looking, again, 1), key=key)
    assert old.answer is not None
    assert new.answer is not None
    assert new.answer.statement.content["draw"] == old.answer.statement.content["draw"] + 1
    looking.accept(new)
    looking.accept(looking.said(Role.BOB, looking.until(Role.BOB, "link")))


def test_a_late_question_that_lists_what_was_given_up_is_objected_to(looking: Table) -> None:
    asked = looking.until(Role.ALICE, "look")
    looking.accept(looking.said(Role.ALICE, asked, *giving_up(looking, asked, 1)))
    looking.accept(looking.said(Role.BOB, looking.until(Role.BOB, "link")))
    with looking.office() as office:
        office.desk.late()
        places = office.state.rounds[-1].places
    everything = shown(looking, places, range(1, len(places) + 1))
    claim = package(looking, Role.ALICE, "claim", asked_of(looking, Role.ALICE), 2, everything, proven(looking, places))
    said = " ".join(refused(looking, Role.ALICE, claim).split())
    assert "cannot be claimed any more, at position 1: Bob was shown them, or you have claimed them or given" in said


def test_late_claims_can_be_made_of_what_is_withheld(looking: Table) -> None:
    asked = looking.until(Role.ALICE, "look")
    looking.accept(looking.said(Role.ALICE, asked, *giving_up(looking, asked, 1)))
    looking.accept(looking.said(Role.BOB, looking.until(Role.BOB, "link")))
    with looking.office() as office:
        office.desk.late()
    late = looking.questions()[Role.ALICE]
    assert list(question_file.read(late).documents) == list(range(2, len(rows(asked)) + 1))
    said = (late / filenames.INSTRUCTIONS).read_text()
    assert "You have given up 1 document. They cannot be claimed any more, and are not listed." in said
    name = rows(asked)[-1]["document"]
    form = looking.filled(late, lambda each: "advice" if each == name else "", "basis", filenames.CLAIMS)
    looking.accept(looking.said(Role.ALICE, late, "--privilege", str(form)))
    camera = looking.until(Role.COURT, "privilege")
    assert list(question_file.read(camera).documents) == [len(rows(asked))]
    upheld = looking.filled(camera, lambda _: "yes", column="upheld")
    looking.accept(looking.said(Role.COURT, camera, "--upheld", str(upheld)))
