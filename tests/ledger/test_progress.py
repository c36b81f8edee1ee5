"""Progress: what is said of long work, when, and to whom."""

import io
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr

import click
import pytest
from click.testing import CliRunner

from ledger import display, progress, watching
from ledger.progress import Bar, Reporter
from ledger.terminal import Program, note, progress_bar, quiet_option, refusals


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


class Screen(io.StringIO):
    """What is written to a terminal, or to a file."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def lines(self) -> list[str]:
        return [line for line in self.getvalue().replace("\r", "\n").split("\n") if line.strip()]


@contextmanager
def screen(*, terminal: bool = True) -> Iterator[Screen]:
    found = Screen(terminal=terminal)
    with redirect_stderr(found):
        display.install()
        yield found
        if not found.closed:
            display.clear()


@pytest.mark.parametrize(
    ("seconds", "position", "said"),
    [
        (0, 0, "[]  0 %  0 of 1,000 documents"),
        (0.5, 10, "[]  1 %  10 of 1,000 documents"),
        (2, 500, "[###############]  50 %  500 of 1,000 documents, 250 a second, 00:00:02 left"),
        (7200, 500, "[###############]  50 %  500 of 1,000 documents, 0.1 a second, 02:00:00 left"),
        (4, 1000, "[##############################]  100 %  1,000 of 1,000 documents, 250 a second"),
        (4, 2000, "[##############################]  100 %  2,000 of 1,000 documents, 500 a second"),
    ],
)
def test_a_bar_says_how_much_is_done_how_fast_and_what_is_left(
    clock: list[float], seconds: float, position: int, said: str
) -> None:
    bar = Bar(1000, "Writing")
    clock[0] += seconds
    bar.update(position)
    assert bar.drawn(200).replace(" ", "") == f"Writing{said}".replace(" ", "")


def test_in_a_narrow_terminal_the_bar_is_shorter_and_the_words_are_not(clock: list[float]) -> None:
    bar = Bar(1000, "Writing")
    clock[0] += 2
    bar.update(500)
    words = "50 %  500 of 1,000 documents, 250 a second, 00:00:02 left"
    assert bar.drawn(80) == f"Writing  [{'#' * 5}{' ' * 5}]  {words}"
    assert bar.drawn(70) == f"Writing  {words}"
    bar.update(500, "recall 3 %, which may be cut off")
    assert bar.drawn(80) == f"Writing  [{'#' * 4}{' ' * 4}]  {words}  recall 3 %, which may be cut off"


def test_a_bar_may_count_documents_where_its_position_is_something_else(clock: list[float]) -> None:
    done = [0]
    bar = Bar(10**9, "Reading", lambda: done[0])
    clock[0] += 2
    done[0] = 3000
    bar.update(10**9 // 2)
    assert bar.line().endswith(" 50 %  3,000 documents, 1,500 a second, 00:00:02 left")


def test_a_bar_without_a_total_says_what_is_done_and_how_long_it_took(clock: list[float]) -> None:
    bar = Bar(0, "Moving", lambda: 12, "entries")
    clock[0] += 65
    bar.update(0, "a report is checked")
    assert bar.line() == "Moving:  12 entries, 0.2 a second, 00:01:05 so far  a report is checked"
    assert Bar(0, "Making features").drawn(80) == "Making features  00:00:00 so far"


def test_without_a_terminal_a_line_has_no_bar(clock: list[float]) -> None:
    bar = Bar(20, "Playing", unit="rounds")
    clock[0] += 10
    bar.update(5, "recall 3 %")
    assert bar.line() == "Playing:  25 %  5 of 20 rounds, 0.5 a second, 00:00:30 left  recall 3 %"


# When it is shown


def looks(reporter: Reporter, clock: list[float], *seconds: float) -> None:
    for each in seconds:
        clock[0] = 100.0 + each
        reporter.look()


def test_what_is_over_within_a_second_shows_nothing(clock: list[float]) -> None:
    with screen() as shown:
        reporter = Reporter(idle=True)
        bar = Bar(10, "Writing")
        reporter.open(bar)
        looks(reporter, clock, 0.3, 0.9)
        reporter.close(bar)
        looks(reporter, clock, 1.5)
    assert shown.getvalue().strip() == ""  # a command of another test, in a thread, may wipe its own line


def test_the_bar_that_was_opened_last_is_shown_and_the_one_before_it_again(clock: list[float]) -> None:
    with screen() as shown:
        reporter = Reporter(idle=True)
        outer, inner = Bar(10, "Outer"), Bar(10, "Inner")
        reporter.open(outer)
        looks(reporter, clock, 2)
        reporter.open(inner)
        inner.began = 102.0
        looks(reporter, clock, 4)
        reporter.close(inner)
        looks(reporter, clock, 5)
    assert [line.split()[0] for line in shown.lines()] == ["Outer", "Inner", "Outer"]


def test_a_command_that_counts_nothing_is_seen_to_work_after_two_seconds(clock: list[float]) -> None:
    with screen() as shown:
        looks(Reporter(idle=True), clock, 1.9, 65)
        looks(Reporter(idle=False), clock, 65 + 10)
    assert [line.strip() for line in shown.lines()] == ["Working  00:01:05 so far"]


def test_without_a_terminal_there_is_a_line_every_half_minute(clock: list[float]) -> None:
    with screen(terminal=False) as shown:
        reporter = Reporter(idle=True)
        bar = Bar(100, "Writing")
        reporter.open(bar)
        bar.update(50)
        looks(reporter, clock, *range(95))
    assert len(shown.lines()) == 3
    assert shown.lines()[0] == "Writing:  50 %  50 of 100 documents, 1.7 a second, 00:00:30 left"
    assert "\r" not in shown.getvalue()


def test_nothing_is_drawn_while_a_person_is_asked(clock: list[float]) -> None:
    with screen() as shown:
        reporter = Reporter(idle=True)
        reporter.open(Bar(10, "Writing"))
        looks(reporter, clock, 2)
        with reporter.held():
            before = shown.getvalue()
            looks(reporter, clock, 3, 4)
            assert shown.getvalue() == before
            assert before.endswith(" \r")  # the line is gone
        looks(reporter, clock, 5)
    assert len(shown.lines()) == 2


def test_stages_follow_each_other_and_may_count(clock: list[float]) -> None:
    with screen() as shown:
        reporter = Reporter(idle=False)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(progress, "_current", [reporter])
            with progress.stages() as stage:
                stage("Making features")
                looks(reporter, clock, 3)
                stage("Making the commitment", 0, 8)
                looks(reporter, clock, 5)
                stage("Making the commitment", 4, 8)
                looks(reporter, clock, 7)
            assert not reporter.is_busy
    assert [line.rstrip() for line in shown.lines()] == [
        "Making features  00:00:03 so far",
        f"Making the commitment  [{' ' * 30}]  0 %  0 of 8 documents",
        "Making the commitment  50 %  4 of 8 documents, 1.0 a second, 00:00:04 left",
    ]


def test_a_record_that_is_read_shows_a_bar_of_its_own_unless_there_is_another(clock: list[float]) -> None:
    with screen() as shown, pytest.MonkeyPatch.context() as patch:
        reporter = Reporter(idle=False)
        patch.setattr(progress, "_current", [reporter])
        with progress.reading() as tell, watching.watched(tell):
            watching.watcher()(1, 10)
            looks(reporter, clock, 2)
            watching.watcher()(10, 10)
            assert not reporter.is_busy
            with progress.bar(10, "Writing"):
                watching.watcher()(1, 10)
                looks(reporter, clock, 9)
            watching.watcher()(1, 10)
        assert not reporter.is_busy
    watching.watcher()(1, 1)  # nobody is told
    assert [line.split()[0] for line in shown.lines()] == ["Reading", "Writing"]
    assert "1 of 10 entries" in shown.lines()[0]


# In a command


def ran(work: Callable[[], None], *words: str, terminal: bool = True) -> Screen:
    @click.command()
    @quiet_option
    @refusals
    def command() -> None:
        work()

    with screen(terminal=terminal) as shown:
        Program("program", commands=[command]).main(["command", *words], standalone_mode=False)
    return shown


def slowly() -> None:
    with progress_bar(10, "Writing") as tell:
        tell(5)
        time.sleep(0.3)
    note("WARNING: others may read this")


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0)
    monkeypatch.setattr(progress, "_PAUSE", 0.01)
    monkeypatch.setattr(progress, "_SELDOM", 0.05)


@pytest.mark.usefixtures("hasty")
def test_a_command_shows_its_progress_and_leaves_no_line_and_no_thread_behind() -> None:
    shown = ran(slowly)
    assert "5 of 10 documents" in shown.lines()[0]
    assert shown.getvalue().endswith(" \rWARNING: others may read this\n")
    assert [each.name for each in threading.enumerate() if each is not threading.main_thread()] == []


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("terminal", [True, False])
def test_a_quiet_command_prints_neither_progress_nor_warnings(*, terminal: bool) -> None:
    assert ran(slowly, "--quiet", terminal=terminal).getvalue() == ""
    assert "Writing:  50 %  5 of 10 documents" in ran(slowly, terminal=False).getvalue()


@pytest.mark.usefixtures("hasty")
def test_a_quiet_command_still_says_what_is_wrong() -> None:
    @click.command()
    @quiet_option
    @refusals
    def command() -> None:
        raise OSError(13, "Permission denied", "somewhere")

    result = CliRunner().invoke(Program("program", commands=[command]), ["command", "--quiet"])
    assert result.exit_code == 1
    assert "somewhere cannot be read or written: Permission denied" in result.stderr


@pytest.mark.usefixtures("hasty")
def test_a_terminal_that_is_gone_ends_no_work() -> None:
    def work() -> None:
        import sys

        sys.stderr.stream.close()  # type: ignore[union-attr]
        with progress_bar(10, "Writing") as tell:
            tell(5)
            time.sleep(0.1)
        done.append(True)

    done: list[bool] = []
    with pytest.raises(ValueError, match="closed file"):  # of the test's own screen, when it is read
        ran(work).getvalue()
    assert done == [True]
