"""Work split among processes is done, or fails at once with the reason; no worker outlives its parent."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.workers import pool
from tests.support import pool_work

pytestmark = pytest.mark.slow

PATIENCE = 30  # seconds


@given(st.lists(st.integers(0, 1000), max_size=30), st.integers(1, 9))
def test_shares_take_every_item_once_and_in_order(costs: list[int], workers: int) -> None:
    ranges = pool.shares(np.array(costs, np.int64), alone=0, workers=workers)
    assert len(ranges) == workers
    assert [item for first, last in ranges for item in range(first, last)] == list(range(len(costs)))


def test_shares_cost_about_the_same() -> None:
    costs = np.array([1] * 900 + [9] * 100, np.int64)
    assert [int(costs[first:last].sum()) for first, last in pool.shares(costs, alone=0, workers=2)] == [899, 901]


def test_little_work_is_done_by_one_and_much_by_all_cores() -> None:
    assert len(pool.shares(np.full(10, 10), alone=101)) == 1
    assert len(pool.shares(np.full(10, 10), alone=100)) == min(pool.cores(), pool.MAX_WORKERS)
    assert pool.shares(np.zeros(0, np.int64), alone=1) == [(0, 0)]


def test_every_task_is_done(tmp_path: Path) -> None:
    pool.gather(pool_work.write, [(str(tmp_path / str(number)), number) for number in range(3)], workers=3)
    assert [(tmp_path / str(number)).read_text() for number in range(3)] == ["0", "1", "2"]


def test_a_single_task_needs_no_process(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    pool.gather(lambda number: seen.append((number, os.getpid())), [(5,)], workers=1)
    assert seen == [(5, os.getpid())]


def test_results_come_back_in_the_order_of_the_tasks_whoever_ends_first() -> None:
    told: list[int] = []
    results = pool.gather(pool_work.answer_late, [(number, 3 - number) for number in range(4)], told.append)
    assert results == [{"number": number} for number in range(4)]
    assert sorted(told) == told
    assert told[-1] == 4


def test_the_task_of_a_killed_process_is_done_by_another(tmp_path: Path) -> None:
    tasks = [(str(tmp_path / str(number)),) for number in range(2)]
    assert pool.gather(pool_work.die_at_first, tasks, workers=2) == [3, 3]


def test_a_task_that_fails_by_itself_is_not_tried_again(tmp_path: Path) -> None:
    with pytest.raises(pool.WorkerDied, match=r"No space left on device"):
        pool.gather(pool_work.fail, [(str(tmp_path / "full"),)] * 2, workers=2)


@pytest.mark.parametrize("workers", [1, 2])
def test_tasks_may_have_different_numbers_of_arguments(workers: int) -> None:
    tasks: list[pool.Task] = [(1, 0), (2,), (3, 0), (4,)]
    assert pool.gather(pool_work.answer_late, tasks, workers=workers) == [{"number": number} for number in range(1, 5)]


def test_a_failure_in_this_process_ends_the_gathering_at_once() -> None:
    told: list[int] = []

    def work(number: int) -> int:
        if number == 2:
            raise ValueError("two")
        return number

    with pytest.raises(ValueError, match="two"):
        pool.gather(work, [(1,), (2,), (3,)], told.append, workers=1)
    assert told == [1]


def test_what_a_worker_prints_is_not_the_commands_output(capfd: pytest.CaptureFixture[str]) -> None:
    assert pool.gather(pool_work.chat, [(1,), (2,)]) == [1, 2]
    assert capfd.readouterr().out == ""


def test_a_single_result_needs_no_process_and_looks_the_same() -> None:
    assert pool.gather(lambda number: {1: (number, os.getpid())}, [(5,)]) == [{"1": [5, os.getpid()]}]


def test_gathering_nothing_gives_nothing() -> None:
    assert pool.gather(pool_work.answer_late, []) == []


def test_a_worker_that_fails_ends_the_gathering() -> None:
    with pytest.raises(pool.WorkerDied, match="No space left on device"):
        pool.gather(pool_work.fail, [("here",), ("",), ("",)])


@pytest.mark.parametrize("made", [pool.Here, lambda: pool.Processes(2), lambda: ThreadPoolExecutor(2)])
def test_any_executor_of_the_standard_library_serves(made: Callable[[], Executor]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "executor", lambda _: made())
        assert pool.gather(pool_work.answer_late, [(1, 1), (2, 0)]) == [{"number": 1}, {"number": 2}]
    with made() as workers:
        futures = [workers.submit(pool_work.answer_late, number, tenths=0) for number in (1, 2)]
        assert [future.result() for future in futures] == [{"number": 1}, {"number": 2}]


@pytest.mark.parametrize("made", [pool.Here, lambda: pool.Processes(2)], ids=["here", "processes"])
def test_a_submitted_task_that_fails_tells_it_in_its_future(made: Callable[[], Executor]) -> None:
    with made() as workers:
        failed, done = workers.submit(pool_work.fail, "here"), workers.submit(pool_work.answer_late, 1, 0)
        assert "No space left on device" in str(failed.exception())
        assert done.result() == {"number": 1}


either = pytest.mark.parametrize("tasks", [[("here",), ("",)], [("",), ("here",)]], ids=["first", "last"])


@either
def test_the_error_of_a_worker_is_told_and_the_others_are_ended(tasks: list[pool.Task]) -> None:
    start = time.monotonic()
    with pytest.raises(
        pool.WorkerDied, match=r"ended early: OSError: \[Errno 28\] No space left on device.*run the command again"
    ):
        pool.gather(pool_work.fail, tasks, workers=2)
    assert time.monotonic() - start < PATIENCE


@either
def test_a_killed_worker_is_noticed_and_the_others_are_ended(tasks: list[pool.Task]) -> None:
    start = time.monotonic()
    with pytest.raises(pool.WorkerDied, match="exit code -9"):
        pool.gather(pool_work.die, tasks, workers=2)
    assert time.monotonic() - start < PATIENCE


def test_workers_find_the_modules_of_their_parent_and_none_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("numpy", "json", "protocol"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a stranger was here')")
    monkeypatch.setattr(sys, "path", [str(Path(each).absolute()) for each in sys.path])
    monkeypatch.chdir(tmp_path)
    pool.gather(pool_work.say_where_modules_come_from, [("first",), ("second",)], workers=2)
    assert str(tmp_path) not in (tmp_path / "first").read_text().splitlines()


@pytest.fixture
def parent(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process with two workers that would go on for ever."""
    command = [sys.executable, "-m", "tests.support.pool_work", str(tmp_path)]
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
