"""An experiment's files say the same each time, and say what was expected and what was seen."""

import csv
import io
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ledger.errors import Refused
from protocol.paper.experiments import outcome, plots
from protocol.paper.experiments.outcome import Finding, Line, Outcome, Panel, Verdict

pytestmark = pytest.mark.slow  # draws figures

PANEL = Panel(
    title="a title",
    x_label="N",
    y_label="documents",
    lines=[
        Line(label="seen", x=[1, 10, 100], y=[2.0, 4.0, 6.0], low=[1.5, 3.0, 5.0], high=[3.0, 5.0, 7.0]),
        Line(label="bound", x=[1, 10, 100], y=[3.0, 6.0, 9.0], dashed=True),
    ],
    log_x=True,
)
MADE = Outcome(
    name="made",
    title="A made experiment",
    setting="ten documents",
    columns=["name", "value"],
    rows=[["a, with a comma", 1], ["b", 0.1]],
    panels=[PANEL, replace(PANEL, log_y=True), PANEL],
    findings=[
        Finding(claim="less than three", seen="two", verdict=Verdict.HOLDS),
        Finding(claim="more than three", seen="two", verdict=Verdict.DIFFERS),
        Finding(claim="three and a bit " * 20, seen="nobody looked", verdict=Verdict.OPEN),
    ],
)


def test_four_files_are_written_and_a_second_run_writes_the_same_bytes(tmp_path: Path) -> None:
    first = plots.write(MADE, tmp_path / "first")
    second = plots.write(MADE, tmp_path / "second")
    assert [path.name for path in first] == ["made.csv", "made.svg", "made.png", "made.txt"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_results_of_an_earlier_run_are_replaced_and_other_files_stay(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    plots.write(MADE, tmp_path)
    plots.write(replace(MADE, rows=[["c", 3]]), tmp_path)
    assert (tmp_path / "made.csv").read_text() == "name,value\nc,3\n"
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(Refused, match="is a file"):
        plots.write(MADE, tmp_path / "out")


def test_the_table_reads_back(tmp_path: Path) -> None:
    read = list(csv.reader(io.StringIO(outcome.table(MADE))))
    assert read == [["name", "value"], ["a, with a comma", "1"], ["b", "0.1"]]


def test_the_text_says_each_claim_what_was_seen_and_the_verdict_in_lines_that_fit() -> None:
    said = outcome.text(MADE)
    assert "Claims: 1 holds, 1 differs, 1 open." in said
    assert "1. Expected: less than three\n   Seen: two\n   Verdict: holds" in said
    assert "2. Expected: more than three\n   Seen: two\n   Verdict: differs" in said
    assert max(map(len, said.splitlines())) <= outcome.WIDTH


def test_the_figure_is_an_svg_with_every_curve_named_as_text_and_a_png(tmp_path: Path) -> None:
    _, svg, png, _ = plots.write(MADE, tmp_path)
    words = [element.text for element in ElementTree.parse(svg).iter() if element.text and element.text.strip()]
    assert words.count("seen") == 3
    assert words.count("bound") == 3
    assert png.read_bytes().startswith(b"\x89PNG\r\n")


def test_a_script_gets_the_same_findings() -> None:
    assert outcome.value(MADE)["findings"][1] == {"claim": "more than three", "seen": "two", "verdict": "differs"}
