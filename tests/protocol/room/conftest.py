"""Real matters at the points where a room is needed, each made once and copied for each test."""

from pathlib import Path

import pytest

from ledger.roles import Role
from protocol.room import questions
from tests.support import exchange_cases
from tests.support.exchange_cases import Table


@pytest.fixture(scope="session")
def reporting(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """A matter that all have signed. Alice is asked for her first report."""
    folder = tmp_path_factory.mktemp("reporting")
    (folder / "table").mkdir()
    table = Table(folder=folder / "table", corpus=exchange_cases.corpus(folder / "corpus"))
    table.begin()
    table.until(Role.ALICE, "report")
    return table


@pytest.fixture
def table(reporting: Table, tmp_path: Path) -> Table:
    """A copy of it, for a test that goes on."""
    return reporting.copied(tmp_path)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine must not turn a question's page into the one that says that it is being checked."""
    monkeypatch.setattr(questions, "PATIENCE", 60)
