"""A party's decisions as values, with no form behind them: what the question does not ask for is not signed."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ledger.roles import Role
from protocol.exchange import answer_file, documents, question_file
from protocol.matter.decisions import MAX_BASIS, Decisions
from protocol.matter.statements import Kind
from protocol.parties import answer, memory, view
from protocol.parties.errors import NotAnswered, WrongDecision
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
    return asked(reporting, Role.ALICE, reporting.until(Role.ALICE, Kind.REPORT))


def test_decisions_and_a_form_that_says_the_same_give_the_same_answer(reporting: Table) -> None:
    path = reporting.until(Role.ALICE, Kind.REPORT)
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
        (Decisions(labels=ALL, claims={3: "x" * (MAX_BASIS + 1)}), "position 3 needs a basis"),
        (Decisions(labels=ALL, threshold=3), "for no threshold"),
        (Decisions(labels=ALL, granted=False), "granted has no place in it"),
        (Decisions(labels=ALL, upheld={}), "upheld has no place in it"),
        (Decisions(), "decide on labels"),
    ],
)
def test_what_was_not_asked_or_is_missing_is_not_signed(reported: Asked, decisions: Decisions, reason: str) -> None:
    with pytest.raises(NotAnswered, match=reason):
        answer.draft(*reported, decisions, replacing=False, now=0)


def test_a_link_needs_no_decision(table: Table) -> None:
    table.begin()
    question = asked(table, Role.BOB, table.until(Role.BOB, Kind.LINK))
    with pytest.raises(WrongDecision, match="labels has no place in it"):
        answer.draft(*question, Decisions(labels={}), replacing=False, now=0)
    assert answer.draft(*question, Decisions(), replacing=False, now=0).reply.role is Role.BOB
