"""The specification is a page that somebody can work from: short lines, one version, contents in order, no programs."""

import re
from pathlib import Path

import pytest

from ledger import copylines, entries
from tests.system.test_documentation import ROOT
from verifier.checks import Check
from verifier.record import lines
from verifier.record.entries import FORMAT
from verifier.replay.contents import FORMS, METHOD

SPECIFICATION = ROOT / "docs/specification.md"
PAGES = [
    SPECIFICATION,
    *(ROOT / f"docs/{name}.md" for name in ("exchange", "exhibits", "matter-file", "critical-points")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_line_has_more_than_120_characters(page: Path) -> None:
    assert [line for line in page.read_text().splitlines() if len(line) > 120] == []


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
            assert re.fullmatch(r"<!-- \[\[\[cog from docs import tables; tables\.\w+\(\) \]\]\] -->", line)


def test_every_kind_of_entry_with_rules_of_its_own_has_a_numbered_table() -> None:
    text = SPECIFICATION.read_text()
    rules = text[text.index("## The rules, kind by kind") : text.index("## Conflicts")]
    with_table = set(re.findall(r"^\*\*`(\w+)`\*\*$", rules, re.MULTILINE))
    assert with_table == {*map(str, FORMS), "conflict"} - {"agreed", "amended"}


def test_the_table_of_outcomes_says_of_each_check_when_it_is_not_checked() -> None:
    text = SPECIFICATION.read_text()
    table = text[text.index("is not checked if") : text.index("*The reading ended early*")]
    named = [check for row in re.findall(r"^((?:V\d\d ?)+)", table, re.MULTILINE) for check in row.split()]
    assert sorted(named) == sorted(Check)
