"""What cog writes into the pages of `docs/`: help texts, and what the commands print about good and bad copies."""

import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill

import click
from click.testing import CliRunner

from ledger.copies import write_copy
from ledger.roles import Audience, Role
from ledger.store import Store
from protocol.cli import main as protocol_main
from protocol.exchange.termstemplate import template
from protocol.sources import registry
from tests.support.builders import KEYS, build_matter
from tests.support.forging.trent import CheatingTrent, rewrite_one_entry
from tests.vectors import FOLDER

WIDTH = 100


def help_texts(command: click.Command, *words: str, parent: click.Context | None = None) -> None:
    """The help of a command and of all commands below it, a section each."""
    context = command.context_class(command, parent=parent, info_name=words[-1], **command.context_settings)
    context.terminal_width = WIDTH
    print(f"## `{' '.join(words)}`\n\n```text\n{command.get_help(context)}\n```\n")  # noqa: T201 - cog takes what is printed
    for name, inner in within(command, context).items():
        help_texts(inner, *words, name, parent=context)


def within(command: click.Command, context: click.Context | None = None) -> dict[str, click.Command]:
    """The commands of a group by name, in the order in which its help lists them; another command has none."""
    if not isinstance(command, click.Group):
        return {}
    context = context or click.Context(command)
    found = {name: command.get_command(context, name) for name in command.list_commands(context)}
    return {name: each for name, each in found.items() if each is not None}


def formats() -> None:
    """The formats of sources, a line each."""
    for each in registry.FORMATS:
        print(f"- {each.name}: {each.described}")  # noqa: T201 - cog takes what is printed


def verdict(vector: str, shown: str, *, first: int | None = None, parts: tuple[str, str] | None = None) -> None:
    """What the verifier says about a copy: all of it, its first lines, or its answer and what is between two words.

    The answer is everything above the matter: the verdict, and what is proven about recall.
    """
    with TemporaryDirectory() as folder:
        shutil.copy(FOLDER / f"transcripts/{vector}.jsonl", Path(folder, shown))
        lines = _printed(Path(folder), "tallystick-verify", shown).splitlines()
    if parts:
        lines = _between(lines, parts)
    _show(f"tallystick-verify {shown}", "\n".join(lines[:first]))


def played(page: str, shown: str, *, parts: tuple[str, str]) -> None:
    """What the verifier says about a copy that a page's commands make: its answer, and what is between two words."""
    with TemporaryDirectory() as folder:
        for line in re.findall(r"^\$ (tallystick (?:corpus|simulate|copy) .*)$", Path(page).read_text(), re.MULTILINE):
            _printed(Path(folder), *line.split())
        lines = _printed(Path(folder), "tallystick-verify", shown).splitlines()
    _show(f"tallystick-verify {shown}", "\n".join(_between(lines, parts)))


def _between(lines: list[str], parts: tuple[str, str]) -> list[str]:
    """The answer, which is everything above the matter, and the lines from one that begins so to one that begins so."""
    start, end = (next(place for place, line in enumerate(lines) if line.startswith(word)) for word in parts)
    answer = lines[: next(place for place, line in enumerate(lines) if line.startswith("Matter")) - 1]
    return [*answer, "…", *lines[start : end - 1]]


def check(shown: str) -> None:
    """What `tallystick ledger check` says about Bob's copy of a small matter: as it is, damaged, or signed falsely."""
    lines = _bobs_copy()
    match shown:
        case "damaged.jsonl":
            lines = (*lines[:3], lines[3].replace(b"report", b"retort", 1), *lines[4:])
        case "fault.jsonl":
            lines = tuple(rewrite_one_entry(CheatingTrent(list(lines)), 3))
    with TemporaryDirectory() as folder:
        Path(folder, shown).write_bytes(b"".join(line + b"\n" for line in lines))
        printed = _printed(Path(folder), "tallystick", "ledger", "check", shown)
    shortened = re.sub(r"([0-9a-f]{12})[0-9a-f]{52}", r"\1…", printed).splitlines()
    _show(f"tallystick ledger check {shown}", "\n".join(fill(line, 120) for line in shortened))


@cache
def _bobs_copy() -> tuple[bytes, ...]:
    with TemporaryDirectory() as folder:
        build_matter(Path(folder, "matter"))
        with Store.open(Path(folder, "matter")) as store:
            write_copy(store, Audience.BOB, KEYS[Role.TRENT], Path(folder, "copy"))
        return tuple(Path(folder, "copy").read_bytes().splitlines())


def _printed(folder: Path, program: str, *arguments: str) -> str:
    command = [str(Path(sys.executable).parent / program), *arguments]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr


def _show(command: str, printed: str) -> None:
    print(f"```text\n$ {command}\n{printed}\n```")  # noqa: T201 - cog takes what is printed


def forecast() -> None:
    """What the forecast says of a blank terms file."""
    with TemporaryDirectory() as folder:
        terms = Path(folder) / "terms.toml"
        terms.write_text(template())
        said = CliRunner().invoke(protocol_main, ["forecast", str(terms)], catch_exceptions=False).stdout
    lines = [fill(line, WIDTH, subsequent_indent="  " * line.startswith("-")) for line in said.splitlines()]
    print("```text\n" + "\n".join(lines).strip() + "\n```")  # noqa: T201 - cog takes what is printed
