"""The pages for readers: what they tell somebody to type is understood, and the court's page is one page."""

import re
import shlex
from pathlib import Path

import click
import pytest

from protocol.cli import main
from tests.support.pages import within
from tests.system.test_documentation import ROOT, commands, console_commands
from verifier.cli import main as verify

PAGES = sorted((ROOT / "docs").glob("for-*.md"))
PROGRAMS: dict[str, click.Command] = {"tallystick": main, "tallystick-verify": verify}
FOLDERS = ("corpus", "question", "received", "exhibit", "VOL001", "VOL002", "operators-log", "served-log")
FILES = (
    "alice.key", "alice.key.pub", "alice-new.key.pub", "bob.key", "bob.key.pub", "court.key", "court.key.pub",
    "trent.key", "trent.key.pub", "terms.toml", "smith.matter", "alice-6-report.json", "question.zip", "labels.csv",
    "privilege.csv", "withheld.csv", "objection.json", "fingerprints.txt", "alice.jsonl", "bob.jsonl", "court.jsonl",
    "mail.mbox", "log.jsonl", "alike.csv", "counsel.txt",
    "log.key", "policy.txt", "roots.pem", "smith.tlog-proof", "smith-25.checkpoint.tsr",
)  # fmt: skip


def lines() -> list[tuple[str, str]]:
    return [(page.name, line) for page in PAGES for line in console_commands(page)]


def understood(line: str) -> str:
    """The command that a line gives, with its words; refuses options, arguments and files that it does not take."""
    program, *words = shlex.split(line.partition(" > ")[0])
    command, path = PROGRAMS[program], [program]
    while isinstance(command, click.Group):
        known = within(command)
        word = words[0] if words[0] in known else "copy"  # `tallystick-verify COPY`
        words = words[1:] if word == words[0] else words
        command = known[word]
        path.append(word)
    with command.make_context(path[-1], words):
        return " ".join(path)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the lines speak of, so that only a wrong line is refused."""
    for name in FOLDERS:
        (tmp_path / name).mkdir()
    for name in FILES:
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("page", "line"), lines(), ids=[" ".join(each) for each in lines()])
def test_every_command_of_a_readers_page_is_understood(page: str, line: str) -> None:
    assert understood(line), page


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "line",
    [
        "tallystick matter accept smith.matter --key trent.key",
        "tallystick matter next smith.matter --key trent.key --outbox outbox",
        "tallystick answer question --key nobody.key --out answer.json",
        "tallystick answer question --key alice.key --lables labels.csv --out answer.json",
        "tallystick-verify nothing.jsonl",
    ],
)
def test_a_wrong_line_would_be_noticed(line: str) -> None:
    with pytest.raises(click.UsageError):
        understood(line)


@pytest.mark.usefixtures("files")
def test_every_command_of_a_real_matter_is_on_a_readers_page() -> None:
    shown = {understood(line) for _, line in lines()}
    matter = set(commands(within(main)["matter"], ["tallystick", "matter"])) - {"tallystick matter"}
    assert len(matter) >= 9
    assert matter | {"tallystick answer", "tallystick status", "tallystick copy", "tallystick exhibit"} <= shown
    assert "tallystick forecast" in shown
    assert {"tallystick-verify copy", "tallystick-verify compare", "tallystick-verify exhibit"} <= shown


def test_the_readme_leads_to_every_readers_page() -> None:
    readme = (ROOT / "README.md").read_text()
    assert len(PAGES) >= 5
    for page in PAGES:
        assert f"(docs/{page.name})" in readme


def test_the_courts_page_is_one_page_without_commands() -> None:
    page = (ROOT / "docs/for-the-court.md").read_text()
    assert len(page.splitlines()) <= 60
    assert len(re.findall(r"[A-Za-z']+", page)) <= 670
    assert "`" not in page
