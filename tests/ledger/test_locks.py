"""One process at a time holds a lock, and a killed one holds none."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from ledger import locks
from ledger.errors import Refused

COUNTING = """
import sys
from pathlib import Path
from ledger import locks
lock, counter = map(Path, sys.argv[1:])
for _ in range(40):
    with locks.held(lock, "busy", patience=60):
        counter.write_text(str(int(counter.read_text()) + 1))
"""
HOLDING = """
import sys, time
from pathlib import Path
from ledger import locks
with locks.held(Path(sys.argv[1]), "busy"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_holder_is_refused_in_the_given_words(tmp_path: Path) -> None:
    with (
        locks.held(tmp_path / "lock", "busy"),
        pytest.raises(Refused, match="^somebody has it$"),
        locks.held(tmp_path / "lock", "somebody has it", patience=0.1),
    ):
        raise AssertionError("both hold it")


def test_a_lock_leaves_nothing_behind(tmp_path: Path) -> None:
    for _ in range(2):
        with locks.held(tmp_path / "lock", "busy"):
            assert [each.name for each in tmp_path.iterdir()] == ["lock"]
        assert not list(tmp_path.iterdir())


def test_a_file_that_a_killed_process_left_is_no_lock(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(tmp_path / "lock")], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(Refused, match="busy"), locks.held(tmp_path / "lock", "busy"):
            raise AssertionError("both hold it")
        process.kill()
    assert (tmp_path / "lock").exists()
    with locks.held(tmp_path / "lock", "busy"):
        pass
    assert not (tmp_path / "lock").exists()


def test_a_lock_that_was_removed_while_one_waited_is_not_taken_for_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last holder removes the file between the opening and the locking of the next one."""
    path, taken = tmp_path / "lock", locks._lock
    removals = iter([path.unlink])

    def lock(handle: int) -> bool:
        for remove in removals:
            remove()
        return taken(handle)

    monkeypatch.setattr(locks, "_lock", lock)
    with (
        locks.held(path, "busy"),
        pytest.raises(Refused, match="busy"),
        locks.held(path, "busy"),
    ):
        raise AssertionError("both hold it")


def test_a_folder_that_is_not_there_holds_no_lock(tmp_path: Path) -> None:
    with (
        pytest.raises(FileNotFoundError, match="missing/lock"),
        locks.held(tmp_path / "missing" / "lock", "busy"),
    ):
        raise AssertionError("held")


def test_many_processes_take_turns(tmp_path: Path) -> None:
    (tmp_path / "counter").write_text("0")
    command = [sys.executable, "-c", COUNTING, str(tmp_path / "lock"), str(tmp_path / "counter")]
    processes = [subprocess.Popen(command) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4
    assert (tmp_path / "counter").read_text() == "160"


def test_whoever_waits_goes_on_when_the_lock_is_free(tmp_path: Path) -> None:
    """A holder that ends while another waits."""
    script = HOLDING.replace("60", "0.3")
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "lock")], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        start = time.monotonic()
        with locks.held(tmp_path / "lock", "busy", patience=30):
            assert time.monotonic() - start > 0.1
