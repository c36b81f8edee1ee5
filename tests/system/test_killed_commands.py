"""A command that is killed at any step leaves nothing that the same command, given again, does not remove."""

import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from click.testing import CliRunner

from ledger.roles import Role
from protocol.exchange.termstemplate import template
from tests.support.exchange_cases import Table
from tests.support.killing import PROGRAMS, Killer, killer

pytestmark = pytest.mark.slow

Words = Callable[[Table], list[object]]


def trent(table: Table, *words: object) -> list[object]:
    """A command of Trent's."""
    return [*words, "--key", table.key_file(Role.TRENT)]


def copying(table: Table) -> list[object]:
    return trent(table, "copy", table.matter, "--for", "bob", "--out", table.folder / "copy")


def answering(table: Table) -> list[object]:
    question, form = table.folder / "outbox" / "1-labels-for-bob", table.folder / "labels.csv"
    given = ["answer", question, "--key", table.key_file(Role.BOB), "--labels", form, "--yes"]
    return [*given, "--out", table.folder / "answer"]


def opening(table: Table) -> list[object]:
    words = trent(table, "matter", "open", table.folder / "terms", "--corpus", table.corpus.path)
    return [*words, "--out", table.folder / "opened"]


def continuing(table: Table) -> list[object]:
    words = trent(table, "matter", "next", table.matter, "--corpus", table.corpus.path)
    return [*words, "--outbox", table.folder / "new-outbox"]


def simulating(table: Table) -> list[object]:
    words = ["simulate", table.corpus.path, "--responsive", "responsive", "--protocol", "label"]
    return [*words, "--rounds", 1, "--batch", 5, "--out", table.folder / "simulated"]


def exhibiting(table: Table) -> list[object]:
    words = trent(table, "exhibit", table.matter, "--number", 0, "--corpus", table.corpus.path, "--undisclosed")
    return [*words, "--out", table.folder / "exhibit"]


def synthesising(table: Table) -> list[object]:
    return ["corpus", "synth", "--documents", 20, "--responsive", 5, "--out", table.folder / "synthetic.jsonl.gz"]


COMMANDS: dict[str, tuple[int, Words]] = {  # how many steps from one kill to the next
    "corpus build": (
        16,
        lambda table: ["corpus", "build", table.folder / "source.jsonl", "--out", table.folder / "c2"],
    ),
    "corpus synth": (3, synthesising),
    "matter open": (4, opening),
    "matter next": (17, continuing),
    "matter next --zip": (4, lambda table: [*continuing(table), "--zip"]),
    "matter accept": (4, lambda table: trent(table, "matter", "accept", table.matter, table.folder / "given")),
    "answer": (4, answering),
    "copy": (3, copying),
    "exhibit": (7, exhibiting),
    "simulate": (4, simulating),
    "key new": (4, lambda table: ["key", "new", "--role", "bob", "--no-passphrase", "--out", table.folder / "new.key"]),
    "tallystick-verify": (
        3,
        lambda table: ["copy", table.folder / "bob.jsonl", "--report", table.folder / "report.html"],
    ),
}


@pytest.fixture(scope="module")
def base(_labelling: Table, tmp_path_factory: pytest.TempPathFactory) -> Table:
    """A matter in which Bob is asked for labels, with all that the commands are given."""
    table = _labelling.copied(tmp_path_factory.mktemp("base"))
    wave = table.until(Role.BOB, "labels")
    shutil.move(table.filled(wave), table.folder / "labels.csv")
    twin = table.copied(tmp_path_factory.mktemp("twin"))
    twin.said(Role.BOB, wave, "--labels", str(table.folder / "labels.csv"))
    shutil.move(twin.out, table.folder / "given")
    shutil.move(cut(table), table.folder / "bob.jsonl")
    (table.folder / "source.jsonl").write_text('{"id":"1","text":"a document"}\n')
    text = template().replace('"""\n"""', '"x"').replace('query = ""', "query = ''").replace('= ""', '= "x"')
    for role in Role:
        text = text.replace(f'key = "{role}', f'key = "{role}/{role}')
    (table.folder / "terms").write_text(text)
    return table


@pytest.fixture(scope="module")
def killed() -> Iterator[Killer]:
    with killer() as found:
        yield found


def cut(table: Table) -> Path:
    assert run("tallystick", copying(table)) == (0, "")
    return table.folder / "copy"


def run(program: str, words: list[object]) -> tuple[int, str]:
    """The exit code of a command, and what it says if that is not zero."""
    result = CliRunner().invoke(PROGRAMS[program], [*map(str, words)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output if result.exit_code else ""


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_given_again_removes_what_a_killed_one_left(
    base: Table, killed: Killer, tmp_path: Path, name: str
) -> None:
    apart, words = COMMANDS[name]
    program = name if name in PROGRAMS else "tallystick"
    kills = 0
    for step in count(1, apart):
        table = base.copied(tmp_path / str(step))
        was_killed = killed(program, words(table), step)
        code, said = run(program, words(table))
        assert code == 0 or "exists" in said, said  # it had its name already when the command was killed
        assert sorted(each.name for each in table.folder.rglob(".*")) == []
        if not was_killed:
            break
        kills += 1
    assert kills >= 2
