"""`docs/extending.md` is true: its files exist, and what it says is noticed if it is left out."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import click
import pytest

from protocol.cli import main
from tests.system.test_documentation import ROOT, undocumented

PAGE = (ROOT / "docs/extending.md").read_text()
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
PATHS = sorted(set(re.findall(r"`((?:ledger|protocol|verifier|tests|docs)/[^`]*)`", PAGE)))


@contextmanager
def added(command: click.Command) -> Iterator[None]:
    """One more command of `tallystick`, for a while."""
    main.add_command(command)
    try:
        yield
    finally:
        del main.commands[str(command.name)]


def test_each_section_lists_its_files_and_the_tests_that_keep_it_true() -> None:
    assert len(SECTIONS) >= 2
    for name, text in SECTIONS.items():
        files, _, tests = text.partition("Kept true by ")
        assert len(re.findall(r"^- `[\w/<>.-]+`: ", files, re.MULTILINE)) >= 3, name
        assert re.search(r"`tests/[\w/]+\.py`", tests), name


@pytest.mark.parametrize("path", PATHS)
def test_every_file_that_the_page_names_exists(path: str) -> None:
    if "<name>" not in path:
        assert (ROOT / path).exists()
        return
    folder, name = (ROOT / path).parent, (ROOT / path).name
    alike = [each for each in folder.glob(name.replace("<name>", "*")) if each.name != "__init__.py"]
    assert len(alike) >= 2, f"there is nothing like {path}"


def test_a_command_that_is_not_in_the_docs_is_noticed() -> None:
    @click.command("toy")
    def toy() -> None:
        """A command that nobody documented."""

    assert undocumented() == []
    with added(toy):
        assert undocumented() == ["tallystick toy"]
    assert undocumented() == []
