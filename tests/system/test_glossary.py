"""One word for one thing: the words that `docs/glossary.md` rules out are in no page, help text or report."""

import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from protocol.cli import main
from tests.support.pages import within
from tests.system.test_documentation import PAGES, ROOT
from tests.vectors import FOLDER
from verifier.cli import main as verify

GLOSSARY = ROOT / "docs/glossary.md"
COPIES = (
    "valid-label-bob", "valid-classifier-court", "valid-reveal-all-public", "valid-eventful-label-bob",
    "valid-eventful-label-alice", "trent-skips-a-sampled-document", "damage-a-changed-label",
)  # fmt: skip
EXCEPTIONS = {
    ("sampling", "paper.md"): "the paper's own name for an algorithm",
}
"""What may be written all the same: a word, where, and why."""

Term = re.compile(r"^- \*\*(?P<words>[^*]+)\*\*: (?P<meaning>.*?)(?: \*Not:\* (?P<ruled_out>.*?)\.)?$")


def terms() -> list[re.Match[str]]:
    text = re.sub(r"\n +", " ", GLOSSARY.read_text())
    found = [Term.match(line) for line in text.splitlines() if line.startswith("- ")]
    assert None not in found
    return [each for each in found if each]


def ruled_out() -> list[str]:
    return [word for term in terms() for word in (term["ruled_out"] or "").split(", ") if word]


def used(text: str, where: str) -> list[str]:
    """The ruled out words in a text, except where an exception has a reason."""
    return [
        word
        for word in ruled_out()
        if (word, where) not in EXCEPTIONS and re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE)
    ]


def prose(page: Path) -> str:
    """A page without what is no prose of its own: code, what a program printed, and addresses of links."""
    text = re.sub(r"<!-- \[\[\[cog.*?\]\]\] -->", "", page.read_text(), flags=re.DOTALL)
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return re.sub(r"`[^`]*`|\]\([^)]*\)", "", text)


def helps(command: click.Command, name: str) -> Iterator[str]:
    yield command.get_help(click.Context(command, info_name=name))
    for inner_name, inner in within(command).items():
        yield from helps(inner, inner_name)


def said(vector: str, folder: Path, *options: str) -> str:
    """What the verifier prints about a copy, whose name tells nothing."""
    shutil.copy(FOLDER / f"transcripts/{vector}.jsonl", folder / "copy.jsonl")
    return CliRunner().invoke(verify, ["copy", str(folder / "copy.jsonl"), *options]).output


def report(vector: str, folder: Path) -> str:
    said(vector, folder, "--report", str(folder / "page"))
    return (folder / "page").read_text()


def test_the_glossary_is_read_in_full() -> None:
    assert len(terms()) > 60
    assert len(ruled_out()) > 30
    named = {word for term in terms() for word in re.split("[,;] ", term["words"])}
    assert not named & set(ruled_out())


def test_a_ruled_out_word_would_be_noticed() -> None:
    assert used("Only then are lots drawn.", "a page") == ["lots"]
    assert used("A lottery-like draw, allotted, and a cut-off point.", "a page") == ["cut-off"]


@pytest.mark.parametrize("page", [page for page in PAGES if page != GLOSSARY], ids=lambda page: page.name)
def test_no_page_uses_a_ruled_out_word(page: Path) -> None:
    assert used(prose(page), page.name) == []


@pytest.mark.parametrize(("program", "name"), [(main, "tallystick"), (verify, "tallystick-verify")])
def test_no_help_text_uses_a_ruled_out_word(program: click.Command, name: str) -> None:
    texts = list(helps(program, name))
    assert len(texts) >= 5
    for text in texts:
        assert used(text, "help") == [], text


def test_the_terms_file_uses_no_ruled_out_word() -> None:
    printed = CliRunner().invoke(main, ["matter", "terms"]).output
    assert len(printed) > 1000
    assert used(printed, "terms") == []


@pytest.mark.parametrize("copy", COPIES)
def test_no_verdict_and_no_report_uses_a_ruled_out_word(tmp_path: Path, copy: str) -> None:
    for options in ((), ("--explain",)):
        text = said(copy, tmp_path, *options)
        assert len(text) > 100
        assert used(text, "verdict") == []
    html = re.sub(r"<style>.*?</style>|<[^>]+>", " ", report(copy, tmp_path), flags=re.DOTALL)
    assert used(unescape(html), "report") == []


def test_every_word_that_the_report_explains_is_in_the_glossary(tmp_path: Path) -> None:
    page = report("valid-label-bob", tmp_path)
    explained = re.findall(r"<dt>(.*?)</dt>", page[page.index('class="glossary"') :])
    named = {word.lower() for term in terms() for word in re.split("[,;] ", term["words"])}
    assert len(explained) > 15
    assert [word for entry in explained for word in entry.lower().split(", ") if word not in named] == []
