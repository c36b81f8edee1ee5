"""`docs/extending.md` is true: its files exist, and what it says is noticed if it is left out."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
import pytest

from protocol.cli import main
from protocol.matter import kinds
from protocol.parties import preview
from protocol.parties.question import COSIGN
from tests.system.test_documentation import ROOT, undocumented
from verifier import replay
from verifier.checks import Check
from verifier.replay import catalogue, disclosures
from verifier.replay.condition import Blamed, Candidate, ReplayCondition, condition

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
    assert list(SECTIONS) == ["A rule", "A kind of entry", "A check", "A source format", "A command"]
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


def test_every_answer_is_shown_before_it_is_signed() -> None:
    answers = {name for name, kind in kinds.KINDS.items() if kind.asking is not None}
    assert preview._WORDS.keys() == {*answers, COSIGN}


def unlisted() -> list[str]:
    """The conditions of the verifier's modules that the catalogue does not list, so that nobody would try them."""
    listed = {id(each) for each in catalogue.ENTRY}
    listed |= {id(each) for kind in catalogue.KINDS.values() for each in kind.conditions}
    modules = [
        importlib.import_module(f"{replay.__name__}.{each.name}") for each in pkgutil.iter_modules(replay.__path__)
    ]
    return [
        f"{module.__name__}.{name}"
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, ReplayCondition) and id(value) not in listed
    ]


def test_a_condition_that_is_not_in_the_catalogue_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    @condition(Check.DISCLOSURES, Blamed.TRENT, "A toy condition")
    def toy(entry: Candidate[Any]) -> None:
        """It holds."""

    assert unlisted() == []
    monkeypatch.setattr(disclosures, "toy", toy, raising=False)
    assert unlisted() == ["verifier.replay.disclosures.toy"]


def test_a_condition_without_a_check_does_not_load() -> None:
    with pytest.raises(TypeError, match="check"):
        condition(blames=Blamed.TRENT, sentence="A toy condition")  # type: ignore[call-arg]
