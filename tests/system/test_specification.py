"""The specification is a page that somebody can work from: short lines, one version, contents in order, no programs."""

import re
from pathlib import Path

import pytest

from ledger import copylines, entries
from tests.system.test_documentation import ROOT
from verifier.checks import Check
from verifier.record import lines
from verifier.record.entries import FORMAT
from verifier.replay import catalogue
from verifier.replay.contents import METHOD
from verifier.replay.forms import FORMS

SPECIFICATION = ROOT / "docs/specification.md"
PAGES = [
    SPECIFICATION,
    *(ROOT / f"docs/{name}.md" for name in ("exchange", "exhibits", "matter-file", "critical-points")),
]


def test_page_changelog_and_program_name_one_version() -> None:
    found = re.search(
        r"^Specification (\d+)\.(\d+), for method (\d+), format (\d+)\.$", SPECIFICATION.read_text(), re.M
    )
    assert found
    major, minor, method, format_ = found.groups()
    assert int(major) == int(method) == METHOD
    assert {int(format_)} == {FORMAT, entries.FORMAT, copylines.FORMAT, lines.COPY_FORMAT}
    tags = re.findall(
        r"`spec-([\d.]+)`: \[Specification\]\(docs/specification\.md\) ([\d.]+), for method (\d+), format (\d+)\.",
        re.sub(r"\s+", " ", (ROOT / "CHANGELOG.md").read_text()),
    )
    assert tags
    assert tags[-1] == (f"{major}.{minor}", f"{major}.{minor}", method, format_)


def test_the_contents_list_the_headings_in_their_order() -> None:
    text = SPECIFICATION.read_text()
    listed = re.findall(r"\(#([\w-]+)\)", text[text.index("**Contents**") : text.index("## An example")])
    bare = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    headings = re.findall(r"^##? (.*)$", bare, re.MULTILINE)[1:]
    assert listed == [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_generated_parts_show_no_program(page: Path) -> None:
    for line in page.read_text().splitlines():
        if "[[[cog" in line:
            assert re.fullmatch(r"<!-- \[\[\[cog from docs import tables; tables\.\w+\((\"\w+\")?\) \]\]\] -->", line)


def test_every_kind_of_entry_has_a_heading_and_a_numbered_table_of_its_conditions() -> None:
    text = SPECIFICATION.read_text()
    rules = text[text.index("## The rules, kind by kind") : text.index("## Conflicts")]
    headings = re.findall(r"^### `(\w+)`$", rules, re.MULTILINE)
    assert sorted(headings) == sorted(FORMS)
    tables = catalogue.tables()
    assert re.findall(r'tables\.conditions\("(\w+)"\)', rules) == [
        "entry",
        *(kind for kind in headings if tables[kind]),
    ]


def test_the_table_of_outcomes_says_of_each_check_when_it_is_not_checked() -> None:
    text = SPECIFICATION.read_text()
    table = text[text.index("is not checked if") : text.index("*The reading ended early*")]
    named = [check for row in re.findall(r"^((?:V\d\d ?)+)", table, re.MULTILINE) for check in row.split()]
    assert sorted(named) == sorted(Check)


def test_every_section_that_the_code_names_is_there() -> None:
    headings = re.findall(r"^##? (.*)$", SPECIFICATION.read_text(), re.MULTILINE)
    sources = [path for package in ("ledger", "protocol", "verifier") for path in (ROOT / package).rglob("*.py")]
    named = [
        (path.name, section)
        for path in sources
        for section in re.findall(r'\(specification, (?:section )?"([^"]+)"\)', path.read_text())
    ]
    assert len(named) > 10
    assert [each for each in named if each[1] not in headings] == []
