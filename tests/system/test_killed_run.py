"""`tallystick run` is killed for real, again and again: the record is the same, and nothing is asked or lost twice."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from ledger.roles import Role
from protocol.exchange import office
from tests.support.exchange_cases import Table
from tests.support.killing import CLOCK, killer
from tests.support.operated import Operated

pytestmark = pytest.mark.slow


NOW = 1_000_000


@pytest.fixture(autouse=True)
def _fixed_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries hold the time, and coins depend on entries: two records are alike only if their clocks are."""
    monkeypatch.setattr(office, "clock", lambda: NOW)
    monkeypatch.setenv(CLOCK, str(NOW))


@pytest.fixture
def reporting_in_one_round(table: Table) -> Operated:
    """A matter of one round, in which Alice is asked for her report."""
    table.begin(rounds=1)
    operated = Operated(table)
    operated.until(Role.ALICE, "report")
    return operated


def _words(operated: Operated, *more: str) -> list[object]:
    table = operated.table
    trent = ["--key", table.key_file(Role.TRENT), "--box", operated.box.root]
    return ["run", table.matter, "--corpus", table.corpus.path, *trent, "--hold", "0", "--no-page", *more]


def _played(operated: Operated, go: Iterator[object]) -> list[bytes]:
    """The record of the whole matter; `go` lets Trent go on before each look into the mailbox."""
    asked: set[tuple[Role, str]] = set()
    for _ in range(60):
        next(go)
        found = {(role, name) for role in operated.asked() for name in operated.names(role)}
        assert not found & asked  # each question comes once
        asked |= found
        for role, _name in sorted(found):
            operated.answer(role)
        if not found:
            return operated.record()
    raise AssertionError("the matter does not end")


def _unharmed(operated: Operated) -> Iterator[object]:
    while True:
        yield operated.go()


def test_killed_at_its_steps_on_the_disk_it_writes_the_same_record(
    reporting_in_one_round: Operated, tmp_path: Path
) -> None:
    twin = reporting_in_one_round.copied(tmp_path / "twin")
    expected = _played(twin, _unharmed(twin))
    operated = reporting_in_one_round
    kills: list[bool] = []
    with killer() as killed:

        def harmed() -> Iterator[object]:
            for turn in count():
                kills.extend(killed("tallystick", _words(operated, "--once"), 3 + 9 * each + turn) for each in range(2))
                yield operated.go()

        assert _played(operated, harmed()) == expected
    assert sum(kills) >= 5


def test_killed_at_moments_that_nobody_chose_it_writes_the_same_record(
    reporting_in_one_round: Operated, tmp_path: Path
) -> None:
    twin = reporting_in_one_round.copied(tmp_path / "twin")
    expected = _played(twin, _unharmed(twin))
    operated = reporting_in_one_round
    program = [sys.executable, "-c", f"import time; time.time = lambda: {NOW}; from protocol.cli import main; main()"]

    lock = operated.table.matter.with_name(f".{operated.table.matter.name}.running")

    def started() -> subprocess.Popen[bytes]:
        return subprocess.Popen([*program, *map(str, _words(operated))], stdout=subprocess.DEVNULL)

    def harmed() -> Iterator[object]:
        for turn in count():
            if turn in (1, 2):
                process = started()
                while not lock.exists():
                    time.sleep(0.01)
                time.sleep(0.03 * turn)  # it is at work now
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
            yield operated.go()

    assert _played(operated, harmed()) == expected
