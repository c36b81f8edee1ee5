"""`tallystick produce`, killed for real at its steps on the disk: given again, it makes the same volume."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from click.testing import CliRunner

from protocol.cli import main
from tests.support import productions
from tests.support.killing import killer
from tests.support.productions import Office, contents

pytestmark = pytest.mark.slow

APART = 9
"""How many steps on the disk from one kill to the next."""


def words(office: Office) -> list[object]:
    return ["produce", office.matter, "--corpus", office.corpus.path, "--prefix", "ACME", "--out", office.folder / "V1"]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Office:
    """An office whose matter has one closed round."""
    office = productions.office(tmp_path_factory.mktemp("begun"))
    office.play(1)
    return office


def offices(begun: Office, folder: Path) -> Iterator[tuple[int, Office]]:
    """By step, a copy of the office in which the command is killed there."""
    for step in count(1, APART):
        shutil.copytree(begun.folder, folder / str(step))
        yield step, replace(begun, folder=folder / str(step))


def test_a_killed_command_given_again_makes_the_volume_that_it_would_have_made(begun: Office, tmp_path: Path) -> None:
    whole = replace(begun, folder=tmp_path / "whole")
    shutil.copytree(begun.folder, whole.folder)
    assert CliRunner().invoke(main, [*map(str, words(whole))]).exit_code == 0
    kills = 0
    with killer() as killed:
        for step, office in offices(begun, tmp_path):
            was_killed = killed("tallystick", words(office), step)
            again = CliRunner().invoke(main, [*map(str, words(office))])
            assert again.exit_code == 0 or "exists already" in again.output, again.output
            assert contents(office.folder / "V1") == contents(whole.folder / "V1")
            assert office.numbers.read_bytes() == whole.numbers.read_bytes()
            assert not list(office.folder.rglob(".*"))
            if not was_killed:
                break
            kills += 1
    assert kills >= 5
