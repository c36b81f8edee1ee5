"""A party's decisions as values, with no form behind them: what the question does not ask for is not signed."""

from pathlib import Path

import pytest

from ledger.roles import Role
from protocol.exchange import answerfile, answering, memory, question, standing
from protocol.exchange.errors import NotAnswered, WrongDecision
from protocol.exchange.standing import Standing
from protocol.matter.decisions import MAX_BASIS, Decisions
from protocol.matter.statements import Kind
from tests.support.exchange_cases import Table

ALL = dict.fromkeys(range(1, 9), False)


def stand(table: Table, role: Role, path: Path) -> Standing:
    request = question.read_request(path)
    known = memory.recall(table.key_file(role), request.matter)
    return standing.stand(question.read(path, known.trent), table.keys[role], known, forgotten=False)


@pytest.fixture
def reported(reporting: Table) -> Standing:
    return stand(reporting, Role.ALICE, reporting.until(Role.ALICE, Kind.REPORT))


def test_decisions_and_a_form_that_says_the_same_give_the_same_answer(reporting: Table) -> None:
    path = reporting.until(Role.ALICE, Kind.REPORT)
    form = reporting.said(Role.ALICE, path, "--labels", str(reporting.filled(path, lambda _: "no")))
    values = answering.draft(
        stand(reporting, Role.ALICE, path), Decisions(labels=dict(reversed(ALL.items()))), replacing=False, now=0
    )
    assert values.file == form == answerfile.read(reporting.out)
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
def test_what_was_not_asked_or_is_missing_is_not_signed(reported: Standing, decisions: Decisions, reason: str) -> None:
    with pytest.raises(NotAnswered, match=reason):
        answering.draft(reported, decisions, replacing=False, now=0)


def test_a_link_needs_no_decision(table: Table) -> None:
    table.begin()
    asked = stand(table, Role.BOB, table.until(Role.BOB, Kind.LINK))
    with pytest.raises(WrongDecision, match="labels has no place in it"):
        answering.draft(asked, Decisions(labels={}), replacing=False, now=0)
    assert answering.draft(asked, Decisions(), replacing=False, now=0).file.role is Role.BOB
