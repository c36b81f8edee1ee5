"""Work split among processes is done, or fails at once with the reason; no worker outlives its parent."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.corpus import crew
from tests.support import crew_work

PATIENCE = 30  # seconds


@given(st.lists(st.integers(0, 1000), max_size=30), st.integers(1, 9))
def test_shares_take_every_item_once_and_in_order(costs: list[int], workers: int) -> None:
    ranges = crew.shares(np.array(costs, np.int64), alone=0, workers=workers)
    assert len(ranges) == workers
    assert [item for first, last in ranges for item in range(first, last)] == list(range(len(costs)))


def test_shares_cost_about_the_same() -> None:
    costs = np.array([1] * 900 + [9] * 100, np.int64)
    assert [int(costs[first:last].sum()) for first, last in crew.shares(costs, alone=0, workers=2)] == [899, 901]


def test_little_work_is_done_by_one_and_much_by_all_cores() -> None:
    assert len(crew.shares(np.full(10, 10), alone=101)) == 1
    assert len(crew.shares(np.full(10, 10), alone=100)) == min(crew.cores(), crew.MAX_WORKERS)
    assert crew.shares(np.zeros(0, np.int64), alone=1) == [(0, 0)]


def test_every_task_is_done(tmp_path: Path) -> None:
    crew.run(crew_work.write, [(str(tmp_path / str(number)), number) for number in range(3)])
    assert [(tmp_path / str(number)).read_text() for number in range(3)] == ["0", "1", "2"]


def test_a_single_task_needs_no_process(tmp_path: Path) -> None:
    seen = []
    crew.run(lambda number: seen.append((number, os.getpid())), [(5,)])
    assert seen == [(5, os.getpid())]


def test_results_come_back_in_the_order_of_the_tasks_whoever_ends_first() -> None:
    told: list[int] = []
    results = crew.gather(crew_work.answer_late, [(number, 3 - number) for number in range(4)], told.append)
    assert results == [{"number": number} for number in range(4)]
    assert sorted(told) == told
    assert told[-1] == 4


def test_what_a_worker_prints_is_not_the_commands_output(capfd: pytest.CaptureFixture[str]) -> None:
    assert crew.gather(crew_work.chat, [(1,), (2,)]) == [1, 2]
    assert capfd.readouterr().out == ""


def test_a_single_result_needs_no_process_and_looks_the_same() -> None:
    assert crew.gather(lambda number: {1: (number, os.getpid())}, [(5,)]) == [{"1": [5, os.getpid()]}]


def test_gathering_nothing_gives_nothing() -> None:
    assert crew.gather(crew_work.answer_late, []) == []


def test_a_worker_that_fails_ends_the_gathering() -> None:
    with pytest.raises(crew.WorkerDied, match="No space left on device"):
        crew.gather(crew_work.fail, [("here",), ("",), ("",)])


either = pytest.mark.parametrize("tasks", [[("here",), ("",)], [("",), ("here",)]], ids=["first", "last"])


@either
def test_the_error_of_a_worker_is_told_and_the_others_are_ended(tasks: list[crew.Task]) -> None:
    start = time.monotonic()
    with pytest.raises(crew.WorkerDied, match=r"ended early: OSError: \[Errno 28\] No space left on device.*try again"):
        crew.run(crew_work.fail, tasks)
    assert time.monotonic() - start < PATIENCE


@either
def test_a_killed_worker_is_noticed_and_the_others_are_ended(tasks: list[crew.Task]) -> None:
    start = time.monotonic()
    with pytest.raises(crew.WorkerDied, match="exit code -9"):
        crew.run(crew_work.die, tasks)
    assert time.monotonic() - start < PATIENCE


def test_workers_find_the_modules_of_their_parent_and_none_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("numpy", "json", "protocol"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a stranger was here')")
    monkeypatch.setattr(sys, "path", [str(Path(each).absolute()) for each in sys.path])
    monkeypatch.chdir(tmp_path)
    crew.run(crew_work.say_where_modules_come_from, [("first",), ("second",)])
    assert str(tmp_path) not in (tmp_path / "first").read_text().splitlines()


@pytest.fixture
def parent(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process with two workers that would go on for ever."""
    command = [sys.executable, "-m", "tests.support.crew_work", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as process:
        until(lambda: len(list(tmp_path.glob("*.worker"))) == 2)
        yield process
        process.kill()


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "this takes too long"
        time.sleep(0.02)


def workers_are_gone(folder: Path) -> bool:
    for path in folder.glob("*.worker"):
        status = Path("/proc") / path.read_text() / "stat"
        if status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z":
            return False
    return True


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")


@needs_proc
def test_an_interrupted_parent_ends_at_once_and_its_workers_with_it(
    parent: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    parent.send_signal(signal.SIGINT)
    _, said = parent.communicate(timeout=PATIENCE)
    assert said.strip().endswith(b"KeyboardInterrupt")
    until(lambda: workers_are_gone(tmp_path))


@needs_proc
def test_an_interrupt_of_the_whole_terminal_shows_one_traceback_only(
    parent: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    os.killpg(parent.pid, signal.SIGINT)
    _, said = parent.communicate(timeout=PATIENCE)
    assert said.count(b"Traceback") <= 1
    until(lambda: workers_are_gone(tmp_path))


@needs_proc
def test_workers_do_not_outlive_a_killed_parent(parent: subprocess.Popen[bytes], tmp_path: Path) -> None:
    parent.kill()
    parent.wait()
    until(lambda: workers_are_gone(tmp_path))
