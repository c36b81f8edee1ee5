"""The matter that most tests of rooms begin with."""

from pathlib import Path

import pytest

from protocol.room import questions
from tests.support.exchange_cases import Table


@pytest.fixture
def table(_reporting: Table, tmp_path: Path) -> Table:
    """A matter that all have signed. Alice is asked for her first report."""
    return _reporting.copied(tmp_path)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine must not turn a question's page into the one that says that it is being checked."""
    monkeypatch.setattr(questions, "PATIENCE", 60)
