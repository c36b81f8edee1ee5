"""A command that is killed at any step leaves nothing that the same command, given again, does not remove."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.support import writing_commands
from tests.support.exchange_cases import Table
from tests.support.killing import Killer, killer
from tests.support.writing_commands import COMMANDS

pytestmark = pytest.mark.slow

APART = {"corpus build": 25, "matter next": 25, "exhibit": 8}
"""How many steps on the disk from one kill to the next, where there are many; else 6."""


@pytest.fixture(scope="module")
def base(_labelling: Table, tmp_path_factory: pytest.TempPathFactory) -> Table:
    table = _labelling.copied(tmp_path_factory.mktemp("base"))
    writing_commands.prepare(table, tmp_path_factory.mktemp("twin"))
    return table


@pytest.fixture(scope="module")
def killed() -> Iterator[Killer]:
    with killer() as found:
        yield found


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_given_again_removes_what_a_killed_one_left(
    base: Table, killed: Killer, tmp_path: Path, name: str
) -> None:
    kills = 0
    for step in count(1, APART.get(name, 6)):
        table = base.copied(tmp_path / str(step))
        was_killed = killed(writing_commands.program(name), COMMANDS[name](table), step)
        code, said = writing_commands.run(name, table)
        assert code == 0 or "exists" in said, said  # it had its name already when the command was killed
        assert writing_commands.hidden(table) == []
        if not was_killed:
            break
        kills += 1
    assert kills >= 2
