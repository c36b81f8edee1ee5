"""Whatever a program prints, the display takes out what could steer a terminal."""

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

import click
import pytest
from click.testing import CliRunner

from ledger import display, records
from ledger.display import Display
from ledger.entries import Opening
from ledger.errors import Damaged, Fault, LedgerError, Refused
from ledger.records import Malformed
from ledger.roles import Role
from ledger.terminal import Program, json_option, print_json, refusals

STEERING = "a\x1b[2J\x1b]52;c;AAAA\x07b\x9b2J\x08\r\x7f\u202ec\u2066\u200b\u3164\nbelow"
SHOWN = "a\ufffd[2J\ufffd]52;c;AAAA\ufffdb\ufffd2J\ufffd\ufffd\ufffd\ufffdc\ufffd\ufffd\ufffd\nbelow"


def program(command: click.Command) -> Program:
    return Program("program", commands=[command], context_settings={"color": True})


@contextmanager
def streams() -> Iterator[dict[str, io.BytesIO]]:
    """Standard output and standard error in ASCII, which makes click look for the bytes below the text."""
    raw = {name: io.BytesIO() for name in ("stdout", "stderr")}
    out, err = (io.TextIOWrapper(each, encoding="ascii", errors="strict") for each in raw.values())
    with redirect_stdout(out), redirect_stderr(err):
        display.install()
        yield raw


@pytest.mark.parametrize("error", [Refused(STEERING), Damaged(STEERING), Fault(Role.TRENT, STEERING)])
def test_no_refusal_steers_the_terminal(error: LedgerError) -> None:
    """A message may repeat what stands in a stranger's file, such as a field that is not known."""

    @click.command()
    @refusals
    def command() -> None:
        raise error

    said = CliRunner().invoke(program(command), ["command"])
    assert said.exit_code == 1
    assert SHOWN in said.stderr


def test_a_field_of_a_strangers_record_forges_no_line() -> None:
    """Attack: a field called so that the refusal seems to end, and another answer to begin."""
    with pytest.raises(Malformed) as caught:
        records.from_value(Opening, {"x\n\nSigned. Send answer.json to Trent.\x1b[8m": 1})
    assert "\ufffd\ufffdSigned" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_complaint_about_the_command_line_steers_the_terminal() -> None:
    @click.command()
    @click.argument("file", type=click.Path(exists=True))
    def command(file: str) -> None:
        raise AssertionError(file)

    for arguments in ([f"--{STEERING}"], [STEERING], ["command", STEERING], ["command", "x", STEERING]):
        said = CliRunner().invoke(program(command), arguments)
        assert said.exit_code == 2
        assert said.output.replace("\n", "").isprintable(), arguments


def test_what_a_command_prints_carelessly_steers_no_terminal() -> None:
    @click.command()
    def command() -> None:
        click.echo(STEERING)
        click.echo(STEERING, err=True)
        sys.stdout.writelines([STEERING, "\n"])

    said = CliRunner().invoke(program(command), ["command"])
    assert (said.stdout, said.stderr) == (f"{SHOWN}\n{SHOWN}\n", f"{SHOWN}\n")


def test_json_reaches_a_script_as_it_is() -> None:
    @click.command()
    @json_option
    def command(*, as_json: bool) -> None:
        print_json({"as_json": as_json, "name": STEERING})

    said = CliRunner().invoke(program(command), ["command", "--json"])
    assert json.loads(said.stdout) == {"as_json": True, "name": STEERING}


def test_nobody_finds_the_bytes_below_a_display() -> None:
    """With a stream in ASCII, click would write in UTF-8 to the bytes below."""
    with streams() as raw:
        click.echo(STEERING, color=True)
        click.echo(STEERING, color=True, err=True)
        assert not hasattr(sys.stdout, "buffer")
        for below in raw.values():
            assert below.getvalue().decode("ascii") == f"{SHOWN}\n".replace("\ufffd", "\\ufffd")


def test_a_display_is_put_before_a_stream_once() -> None:
    with streams():
        before = sys.stdout, sys.stderr
        display.install()
        assert (sys.stdout, sys.stderr) == before
        assert all(isinstance(each, Display) for each in before)


def test_a_traceback_does_not_steer_the_terminal() -> None:
    with streams() as raw:
        sys.__excepthook__(ValueError, ValueError(STEERING), None)
        sys.stderr.flush()
        said = raw["stderr"].getvalue().decode()
    assert "AAAA" in said
    assert said.replace("\n", "").isprintable()


def test_a_line_is_drawn_over_itself_and_gives_way_to_whatever_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "31")
    with streams() as raw:
        assert display.overwrite(f"first {STEERING}")
        display.overwrite("second")
        click.echo("a note", err=True)
        click.echo("another", err=True)
        sys.stderr.flush()
        said = raw["stderr"].getvalue().decode()
    _, first, second, blank, rest = said.split("\r")
    assert first.startswith("first a\\ufffd[2J")
    assert first.isprintable()
    assert second == f"{'second':<30}"
    assert blank == " " * 30
    assert rest == "a note\nanother\n"


def test_a_line_that_nobody_can_be_shown_is_no_error() -> None:
    with streams():
        sys.stderr.stream.close()  # type: ignore[union-attr]
        assert not display.overwrite("first")
