"""`serve` and `run` as two processes that share a folder: parties fetch and post through the real server."""

import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ledger.roles import Role
from protocol.box.client import Box, Waiting
from protocol.exchange import answer_file
from tests.support.boxes import served
from tests.support.exchange_cases import Table
from tests.support.operated import Operated

pytestmark = pytest.mark.slow


@contextmanager
def running(operated: Operated) -> Iterator[subprocess.Popen[bytes]]:
    table = operated.table
    words = ["run", table.matter, "--corpus", table.corpus.path, "--key", table.key_file(Role.TRENT)]
    words += ["--box", operated.box.root, "--hold", "0", "--no-page"]
    program = [sys.executable, "-c", "from protocol.cli import main; main()"]
    with subprocess.Popen([*program, *map(str, words)], stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def _waiting(box: Box) -> Waiting:
    """The question that comes for a party, sooner or later."""
    deadline = time.monotonic() + 60
    while not (found := box.questions()):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    (one,) = found
    return one


def _answered(table: Table, box: Box, role: Role, folder: Path, waiting: Waiting) -> None:
    """Fetch, answer and post through the network, and wait for the receipt."""
    folder.mkdir()
    box.fetch(waiting, folder / "question.zip")
    with zipfile.ZipFile(folder / "question.zip") as packed:
        packed.extractall(folder / "question")
    data = answer_file.encode(table.truthful(role, folder / "question"))
    trent = table.keys[Role.TRENT].public
    answer = box.post(waiting.place, data, trent)
    deadline = time.monotonic() + 60
    while (receipt := box.receipt(waiting.place, answer, trent)) is None:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert receipt.receipt.outcome == "accepted"


def test_a_round_goes_through_server_and_run_and_survives_a_kill_of_run(reporting: Table, tmp_path: Path) -> None:
    operated = Operated(reporting)
    operated.go()
    with served(reporting.folder) as server:
        boxes = {role: Box(server.origin, reporting.keys[role]) for role in (Role.ALICE, Role.BOB)}
        with running(operated) as process:
            _answered(reporting, boxes[Role.ALICE], Role.ALICE, tmp_path / "report", _waiting(boxes[Role.ALICE]))
            process.send_signal(signal.SIGKILL)
            process.wait()
        with running(operated) as process:
            bob = boxes[Role.BOB]
            _answered(reporting, bob, Role.BOB, tmp_path / "link", _waiting(bob))
            labels = _waiting(bob)
            assert "-labels-for-bob-" in labels.name
            _answered(reporting, bob, Role.BOB, tmp_path / "labels", labels)
            os.kill(process.pid, signal.SIGTERM)
            assert process.wait(30) == 0
    assert "disclosure" in operated.kinds()
    assert "labels" in operated.kinds()
