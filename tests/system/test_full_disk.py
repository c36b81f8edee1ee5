"""On a full disk every command says so, leaves nothing behind, and works once there is room."""

import json
from pathlib import Path

import pytest

from tests.support import writing_commands
from tests.support.disks import in_namespace
from tests.support.exchange_cases import Table
from tests.support.writing_commands import COMMANDS

pytestmark = pytest.mark.slow


def test_a_full_disk_is_said_in_a_sentence_and_nothing_is_left(labelling: Table, tmp_path: Path) -> None:
    writing_commands.prepare(labelling, tmp_path / "twin")
    (tmp_path / "disk").mkdir()
    lines = in_namespace(
        f'mount -t tmpfs -o size=6m tmpfs {tmp_path / "disk"}; "$1" -m tests.support.full_disk "$2" "$3" "$4"',
        *map(str, (labelling.folder, labelling.corpus.path, tmp_path / "disk")),
    )
    refused = set()
    for name, free, (code, said), left, (code_again, said_again), left_again in map(json.loads, lines):
        case = f"{name} with {free} blocks free: {said} {said_again}"
        if code:
            refused.add(name)
            assert code == 1, case
            assert "the disk is full" in said, case
            assert "make room" in said.lower(), case
        assert left == left_again == [], case
        assert code_again == 0 or "exists already" in said_again or "exists, and is left" in said_again, case
    assert refused == COMMANDS.keys() - {"tallystick-verify"}  # whose answer stands even without its report
