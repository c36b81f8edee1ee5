"""The help of both programs, as it is shown in a terminal of 80 columns."""

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from protocol.cli import main
from tests.support.pages import within
from verifier.cli import main as verify


def groups(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """The name and the help of a group, and of each group in it."""
    context = command.context_class(command, parent=parent, info_name=name, **command.context_settings)
    context.terminal_width = 80
    inner = within(command, context)
    if inner:
        yield context.command_path, command.get_help(context)
    for word, each in inner.items():
        yield from groups(each, word, context)


GROUPS = dict([*groups(main, "tallystick"), *groups(verify, "tallystick-verify")])


def test_there_are_groups_in_both_programs() -> None:
    assert {"tallystick", "tallystick matter", "tallystick experiment", "tallystick-verify"} <= GROUPS.keys()


@pytest.mark.parametrize("name", GROUPS)
def test_no_line_about_a_command_is_cut_off(name: str) -> None:
    _, _, listed = GROUPS[name].partition("\nCommands:\n")
    lines = listed.splitlines()
    assert lines
    assert [line for line in lines if line.endswith(("...", "\u2026"))] == []


@pytest.mark.parametrize("words", [["--help"], ["corpus", "--help"], ["status", "--help"]])
def test_help_does_not_load_the_papers_experiments(words: list[str]) -> None:
    script = (
        "import sys; from protocol.cli import main\n"
        f"main({words!r}, standalone_mode=False)\n"
        "loaded = [name for name in sys.modules if name.startswith(('protocol.paper', 'scipy', 'matplotlib'))]\n"
        "sys.exit(repr(loaded) if loaded else 0)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
