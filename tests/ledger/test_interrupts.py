"""Signals: raised at once, or after what must be finished first; a second one is ignored."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ledger import files, interrupts, locks

PATIENCE = 30.0
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def send(number: signal.Signals = signal.SIGTERM) -> None:
    os.kill(os.getpid(), number)


def interrupted(work: Callable[[], None]) -> None:
    """Do it where signals are raised, and expect one."""
    with pytest.raises(KeyboardInterrupt), interrupts.raised():
        work()


@pytest.fixture(autouse=True)
def _usual() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        assert signal.getsignal(number) is handler
    assert (interrupts._Waiting.depth, interrupts._Waiting.signalled) == (0, False)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_an_exception_and_a_second_one_is_ignored(number: signal.Signals) -> None:
    undone = []

    def work() -> None:
        try:
            send(number)
        finally:
            for each in SIGNALS:
                send(each)
            undone.append(True)

    interrupted(work)
    assert undone == [True]


def test_a_signal_that_is_ignored_from_outside_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupts.raised():
            send(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_deferred_signal_waits_for_the_outermost_end() -> None:
    done = []

    def work() -> None:
        with interrupts.deferred():
            with interrupts.deferred():
                send()
                done.append("inner")
            done.append("outer")

    interrupted(work)
    assert done == ["inner", "outer"]


def test_within_what_is_allowed_a_signal_is_raised_at_once_and_what_follows_is_undone() -> None:
    done = []

    def work() -> None:
        with interrupts.deferred():
            try:
                with interrupts.allowed():
                    send()
                    done.append("never")
            finally:
                done.append("undone")

    interrupted(work)
    assert done == ["undone"]


def test_a_signal_that_waits_is_raised_where_it_is_allowed() -> None:
    done = []

    def work() -> None:
        with interrupts.deferred():
            send()
            try:
                with interrupts.allowed():
                    done.append("never")
            finally:
                done.append("undone")

    interrupted(work)
    assert done == ["undone"]


def test_other_threads_hold_no_signal_up() -> None:
    inside, over = threading.Event(), threading.Event()

    def hold() -> None:
        with interrupts.raised(), interrupts.deferred():
            inside.set()
            over.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait()

    def work() -> None:
        send()
        over.wait(PATIENCE)

    try:
        interrupted(work)
    finally:
        assert not over.is_set()
        over.set()
        thread.join()


@pytest.mark.parametrize("where", ["_acquired", "_release"])
def test_a_signal_at_either_end_of_a_lock_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    usual = getattr(locks, where)

    def signalled(*given: object) -> object:
        send()
        return usual(*given)

    monkeypatch.setattr(locks, where, signalled)
    with pytest.raises(KeyboardInterrupt), interrupts.raised(), locks.held(tmp_path / ".lock", "busy"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_signal_while_an_unfinished_folder_is_removed_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = files._remove

    def signalled(path: Path) -> None:
        if path.exists():
            send()
        usual(path)

    monkeypatch.setattr(files, "_remove", signalled)

    def work() -> None:
        with files.unfinished(tmp_path / "folder") as hidden:
            hidden.mkdir()
            (hidden / "file").write_text("half")

    interrupted(work)
    assert list(tmp_path.iterdir()) == []
