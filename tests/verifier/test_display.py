"""Whatever the verifier prints, its display takes out what could steer a terminal."""

import io
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from itertools import chain
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ledger.plain import shown
from verifier import display, values
from verifier.cli import main
from verifier.plain import harmless

STEERING = "a\x1b[2J\x1b]52;c;AAAA\x07b\x9b2J\x08\r\x7f\u202ec\u2066\u200b\u3164\nbelow"
SHOWN = "a\ufffd[2J\ufffd]52;c;AAAA\ufffdb\ufffd2J\ufffd\ufffd\ufffd\ufffdc\ufffd\ufffd\ufffd\nbelow"


@contextmanager
def streams() -> Iterator[dict[str, io.BytesIO]]:
    """Standard output and standard error in ASCII, which makes click look for the bytes below the text."""
    raw = {name: io.BytesIO() for name in ("stdout", "stderr")}
    out, err = (io.TextIOWrapper(each, encoding="ascii", errors="strict") for each in raw.values())
    with redirect_stdout(out), redirect_stderr(err):
        display.install()
        yield raw


def test_the_two_programs_agree_on_what_is_harmless() -> None:
    """They share no code. Only the end of a line differs: a name has none, a text may have many."""
    planes = (range(plane, plane + 0x10000, 1 if not plane else 0x55) for plane in range(0, 0x110000, 0x10000))
    points = chain(*planes, range(0xDFF00, 0xE2000), (each + 0xFFFE for each in range(0, 0x110000, 0x10000)))
    everything = "".join(chr(each) for each in points if each != ord("\n"))
    assert harmless(everything) == shown(everything)
    assert harmless("\n") == "\n"
    hidden = {
        unicodedata.category(each) for each, told in zip(everything, harmless(everything), strict=True) if told != each
    }
    assert hidden == {"Cc", "Cf", "Cn", "Co", "Cs", "Lo", "Mn", "So", "Zl", "Zp"}


@pytest.mark.parametrize(
    "arguments", [[f"--{STEERING}"], [STEERING], ["compare", STEERING, STEERING], ["exhibit", "x\x1b"]]
)
def test_no_complaint_about_the_command_line_steers_the_terminal(arguments: list[str]) -> None:
    said = CliRunner().invoke(main, arguments)
    assert said.exit_code == 2
    assert said.output.replace("\n", "").isprintable()


def test_no_complaint_about_a_file_steers_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "trust\x1b[2J.txt"
    path.write_text(f"carol{STEERING}")
    for arguments in (
        [path],
        [path, "--trust", path],
        ["compare", path, path],
        ["exhibit", tmp_path],
        ["critical", path],
    ):
        said = CliRunner().invoke(main, [*map(str, arguments)])
        assert said.exit_code in (2, 3)
        assert said.output.replace("\n", "").isprintable(), arguments
    assert "\ufffd[2J" in said.output


def test_what_is_printed_carelessly_steers_no_terminal() -> None:
    with streams() as raw:
        click.echo(STEERING, color=True)
        click.echo(STEERING, color=True, err=True)
        assert not hasattr(sys.stdout, "buffer")
        for below in raw.values():
            assert below.getvalue().decode("ascii") == f"{SHOWN}\n".replace("\ufffd", "\\ufffd")


def test_json_is_printed_as_it_is() -> None:
    printed = values.written({"name": STEERING})
    assert printed.isascii()
    assert "\\u007f" in printed
    with streams() as raw:
        click.echo(printed, nl=False)
        assert raw["stdout"].getvalue().decode() == printed


def test_the_line_that_shows_the_progress_is_written_over_and_leaves_nothing() -> None:
    with on_a_terminal() as (raw, clock):
        stage = display.Stage()
        for seconds in (0.5, 2, 2.1):  # the first comes too soon, and the last too soon after it
            clock[0] = seconds
            stage.show("replaying \x1b[2J", 1, 4)
        stage.clear()
        stage.clear()
        line = "replaying \ufffd[2J: 25 %, 1 of 4 documents, 0.7 a second, 00:00:04 left"
        assert raw["stderr"].getvalue().decode() == f"\r{line:<79}\r{'':<79}\r".replace("\ufffd", "\\ufffd")


def test_a_stage_counts_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    said = []
    for stage, done, total in (
        ("Reading the copy", 3_000_000, 12_000_000),
        ("Comparing files", 40, 0),
        ("Recomputing features", 30_000, 720_000),
        ("Checking points", 8, 8),
    ):
        with on_a_terminal() as (raw, clock):
            shown = display.Stage()
            clock[0] = 1
            shown.show(stage, 0, total)
            clock[0] = 3
            shown.show(stage, done, total)
            *_, last = raw["stderr"].getvalue().decode().split("\r")
            said.append(last.strip())
    assert said == [
        "Reading the copy: 25 %, 3.0 of 12.0 MB, 1.5 a second, 00:00:06 left",
        "Comparing files: 40 files, 20 a second",
        "Recomputing features: 4 %, 30,000 of 720,000 documents, 15,000 a second, 00:00:46 left",
        "Checking points: 100 %, 8 of 8 points, 4.0 a second",
    ]


def test_where_there_is_no_terminal_a_line_comes_now_and_then() -> None:
    with streams() as raw, pytest.MonkeyPatch.context() as patch:
        clock = [0.0]
        patch.setattr(display, "monotonic", lambda: clock[0])
        stage = display.Stage()
        for clock[0] in range(95):
            stage.show("Reading the copy", 10**6, 2 * 10**6)
        stage.clear()
        lines = raw["stderr"].getvalue().decode().splitlines()
    assert len(lines) == 3
    assert lines[0] == "Reading the copy: 50 %, 1.0 of 2.0 MB, 0.0 a second, 00:00:30 left"


@contextmanager
def on_a_terminal() -> Iterator[tuple[dict[str, io.BytesIO], list[float]]]:
    """Standard error as a terminal, and a clock."""
    with streams() as raw, pytest.MonkeyPatch.context() as patch:
        clock = [0.0]
        patch.setattr(display, "monotonic", lambda: clock[0])
        patch.setattr(display.Display, "isatty", lambda self: True)
        yield raw, clock
