"""Every command that writes something, with what it is given, in a matter in which Bob is asked for labels."""

import shutil
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

from ledger.roles import Role
from protocol.cli import main as tallystick
from protocol.exchange.termstemplate import template
from tests.support.exchange_cases import Table
from verifier.cli import main as tallystick_verify

PROGRAMS = {"tallystick": tallystick, "tallystick-verify": tallystick_verify}

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


def forecasting(table: Table) -> list[object]:
    return ["forecast", table.folder / "terms", "--trials", 1, "--figure", table.folder / "forecast.svg"]


COMMANDS: dict[str, Words] = {
    "corpus build": lambda table: ["corpus", "build", table.folder / "source.jsonl", "--out", table.folder / "c2"],
    "corpus mail": lambda table: [
        *("corpus", "mail", "--documents", 20, "--responsive", 5, "--out", table.folder / "mail")
    ],
    "corpus synth": synthesising,
    "matter open": opening,
    "matter next": continuing,
    "matter next --zip": lambda table: [*continuing(table), "--zip"],
    "matter accept": lambda table: trent(table, "matter", "accept", table.matter, table.folder / "given"),
    "answer": answering,
    "copy": copying,
    "exhibit": exhibiting,
    "simulate": simulating,
    "forecast": forecasting,
    "stamp request": lambda table: ["stamp", "request", table.matter, "--out", table.folder / "stamp.tsq"],
    "key new": lambda table: ["key", "new", "--role", "bob", "--no-passphrase", "--out", table.folder / "new.key"],
    "tallystick-verify": lambda table: ["copy", table.folder / "bob.jsonl", "--report", table.folder / "report.html"],
}


def prepare(table: Table, twin: Path) -> None:
    """Put all that the commands are given into the table's folder."""
    wave = table.until(Role.BOB, "labels")
    shutil.move(table.filled(wave), table.folder / "labels.csv")
    answered = table.copied(twin)
    answered.said(Role.BOB, wave, "--labels", str(table.folder / "labels.csv"))
    shutil.move(answered.out, table.folder / "given")
    assert run("copy", table) == (0, "")
    shutil.move(table.folder / "copy", table.folder / "bob.jsonl")
    (table.folder / "source.jsonl").write_text('{"id":"1","text":"a document"}\n')
    text = template().replace('"""\n"""', '"x"').replace('query = ""', "query = ''").replace('= ""', '= "x"')
    for role in Role:
        text = text.replace(f'key = "{role}', f'key = "{role}/{role}')
    (table.folder / "terms").write_text(text)


def program(name: str) -> str:
    """The program that a command belongs to."""
    return name if name in PROGRAMS else "tallystick"


def run(name: str, table: Table) -> tuple[int, str]:
    """The exit code of a command, and what it says if that is not zero."""
    result = CliRunner().invoke(PROGRAMS[program(name)], [*map(str, COMMANDS[name](table))])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output if result.exit_code else ""


def hidden(table: Table) -> list[str]:
    """What lies in the table's folder under hidden names."""
    return sorted(each.relative_to(table.folder).as_posix() for each in table.folder.rglob(".*"))
