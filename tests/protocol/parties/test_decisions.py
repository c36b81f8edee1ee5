"""A party's decisions as values, with no form behind them: what the question does not ask for is not signed."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ledger.roles import Role
from protocol.errors import Undecided
from protocol.exchange import answer_file, documents, question_file
from protocol.matter.decisions import Decisions
from protocol.matter.values import LONGEST_BASIS
from protocol.parties import answer, memory, preview, screen, view
from protocol.parties.errors import NotAnswered, WrongDecision
from protocol.parties.facts import Fact
from protocol.parties.view import Document, View
from tests.support.exchange_cases import Table

ALL = dict.fromkeys(range(1, 9), False)


Asked = tuple[View, Mapping[int, Document]]


def asked(table: Table, role: Role, path: Path) -> Asked:
    request = question_file.read_request(path)
    known = memory.recall(table.key_file(role), request.matter)
    file = question_file.read(path, known.trent)
    found = view.checked(file.question, table.keys[role], known, forgotten=False)
    return found, documents.proven(file, found)


@pytest.fixture
def reported(reporting: Table) -> Asked:
    return asked(reporting, Role.ALICE, reporting.until(Role.ALICE, "report"))


def test_decisions_and_a_form_that_says_the_same_give_the_same_answer(reporting: Table) -> None:
    path = reporting.until(Role.ALICE, "report")
    form = reporting.said(Role.ALICE, path, "--labels", str(reporting.filled(path, lambda _: "no")))
    values = answer.draft(
        *asked(reporting, Role.ALICE, path), Decisions(labels=dict(reversed(ALL.items()))), replacing=False, now=0
    )
    assert values.reply == form == answer_file.read(reporting.out)
    assert values.again


@pytest.mark.parametrize(
    ("decisions", "reason"),
    [
        (Decisions(labels={**ALL, 9: True}), "position 9, which the question does not ask about"),
        (Decisions(labels={**ALL, 0: True}), "position 0, which the question does not ask about"),
        (Decisions(labels={1: True}), "nothing was decided about position 2"),
        (Decisions(labels=ALL, claims={9: "advice"}), "position 9, which the question does not ask about"),
        (Decisions(labels=ALL, claims={3: ""}), "position 3 needs a basis"),
        (Decisions(labels=ALL, claims={3: "x" * (LONGEST_BASIS + 1)}), "position 3 needs a basis"),
        (Decisions(labels=ALL, threshold=3), "for no threshold"),
        (Decisions(labels=ALL, granted=False), "do not decide on granted"),
        (Decisions(labels=ALL, upheld={}), "do not decide on upheld"),
        (Decisions(labels=ALL, given_up=frozenset()), "do not decide on given_up"),
        (Decisions(labels=ALL, classes={3: "medical"}), "position 3 cannot be put into the class 'medical'"),
        (Decisions(), "decide on labels"),
    ],
)
def test_what_was_not_asked_or_is_missing_is_not_signed(reported: Asked, decisions: Decisions, reason: str) -> None:
    with pytest.raises((NotAnswered, Undecided), match=reason):
        answer.draft(*reported, decisions, replacing=False, now=0)


def test_a_link_needs_no_decision(table: Table) -> None:
    table.begin()
    question = asked(table, Role.BOB, table.until(Role.BOB, "link"))
    with pytest.raises(WrongDecision, match="do not decide on labels"):
        answer.draft(*question, Decisions(labels={}), replacing=False, now=0)
    assert answer.draft(*question, Decisions(), replacing=False, now=0).reply.role is Role.BOB


def test_what_is_shown_before_signing_is_rows_of_data(reported: Asked) -> None:
    decisions = Decisions(labels={**ALL, 2: True}, claims={3: "Advice\nof counsel"})
    shown = preview.about_to_sign(reported[0], answer.draft(*reported, decisions, replacing=False, now=0))
    facts = {fact.name: fact.words for fact in shown.facts}
    assert (facts["You say"], facts["Privileged"]) == ("1 responsive, 7 not responsive", "you claim it for 1 document")
    names = [document.name for document in reported[1].values()]
    labels = ["responsive" if position == 2 else "not responsive" for position in ALL]
    assert [(row.position, row.name, row.label) for row in shown.documents] == list(
        zip(ALL, names, labels, strict=True)
    )
    assert [row.claim for row in shown.documents if row.claim] == ["Advice\nof counsel"]


def test_a_terminal_lays_out_the_rows_and_obeys_none_of_them() -> None:
    rows = tuple(
        preview.DocumentRow(position=position, name=f"\x1b[2J{position}", label=label, claim=claim)
        for position, label, claim in ((1, "responsive", ""), (2, "not responsive", "a\nb"), (3, "not responsive", ""))
    )
    shown = preview.Preview(heading="Look:", facts=(Fact("Case", "A\n  As  Bob"),), documents=rows)
    assert screen.lines(shown) == [
        "Look:",
        "",
        "  Case           A\ufffd  As  Bob",
        "  Documents",
        "                 responsive:",
        "                   1, \ufffd[2J1",
        "                 all others: not responsive",
        "                 privileged: 2, \ufffd[2J2: a\ufffdb",
    ]
    assert screen.lines(preview.Preview(heading="Look:", facts=(), documents=rows, in_full=True))[3:] == [
        "                 responsive: 1, \ufffd[2J1",
        "                 not responsive: 2, \ufffd[2J2",
        "                 not responsive: 3, \ufffd[2J3",
        "                 privileged: 2, \ufffd[2J2: a\ufffdb",
    ]
