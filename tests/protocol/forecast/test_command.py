"""`tallystick forecast`: what it prints, and what it refuses."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from protocol.cli import main
from protocol.exchange.termstemplate import template
from protocol.forecast.assumed import COLLECTION, GAIN, RICHNESS


@pytest.fixture
def blank(tmp_path: Path) -> Path:
    """A terms file in which names and keys are missing."""
    path = tmp_path / "terms.toml"
    path.write_text(template())
    return path


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["forecast", *map(str, words)])


def test_a_blank_terms_file_is_enough(blank: Path) -> None:
    found = run(blank, "--trials", "20")
    assert found.exit_code == 0, found.output
    for part in ("spot-check, up to 20 batches of 500 documents", "Alice reads", "  not responsive", "This assumes:"):
        assert part in found.output
    assert "The collection has 100,000 documents (--collection)." in found.output
    assert run(blank, "--trials", "20").output == found.output


def test_json_has_the_assumptions_and_the_ranges(blank: Path) -> None:
    found = json.loads(run(blank, "--trials", "20", "--json", "--collection", "5000", "--alice", "hides:0.2").output)
    assert found["trials"] == 20
    assert found["protocol"] == "spot-check"
    assert "5,000 documents" in found["assumes"][0]
    assert found["ranges"]["not_responsive"]["median"] > 0


def test_a_figure_is_written_once(blank: Path, tmp_path: Path) -> None:
    out = tmp_path / "forecast.svg"
    assert run(blank, "--trials", "5", "--figure", out).exit_code == 0
    assert out.read_bytes().startswith(b"<?xml")
    again = run(blank, "--trials", "5", "--figure", out)
    assert again.exit_code == 1
    assert "choose another name for the figure" in again.output


def test_without_matplotlib_a_figure_is_refused_before_the_trials(
    blank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for name in ("protocol.figures", "protocol.forecast.figure"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.delattr("protocol.forecast.figure", raising=False)
    found = run(blank, "--trials", "100000", "--figure", tmp_path / "forecast.svg")
    assert found.exit_code == 1
    assert "a figure needs more packages: pip install 'tallystick[experiments]'" in found.output
    assert not (tmp_path / "forecast.svg").exists()


def test_a_wanted_certificate_that_cannot_be_had_is_refused(blank: Path) -> None:
    found = run(blank, "--want-reviewed", "0.9", "--collection", "10000", "--richness", "0.002")
    assert found.exit_code == 1
    assert "With about 20 responsive documents a target of 0.9 shows Bob 71 % of what is withheld" in found.output


def test_a_wanted_certificate_of_the_reviewed_comes_with_its_terms(blank: Path) -> None:
    found = run(blank, "--want-reviewed", "0.8", "--richness", "0.01", "--gain", "0.9")
    assert found.exit_code == 0, found.output
    assert "review.limit" in found.output
    (way,) = json.loads(run(blank, "--want-reviewed", "0.8", "--richness", "0.01", "--gain", "0.9", "--json").output)[
        "ways"
    ]
    assert way["terms"]["review"]["target"] == "0.8"
    assert way["refusal"] is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--richness", "lots"], "--richness lots"),
        (["--alice", "sleepy"], "--alice 'sleepy' is not known"),
        (["--gain", "1"], "--gain 1"),
        (["--want-reviewed", "1"], "--want-reviewed is 1; it must lie between 0 and 1"),
        (["--want-collection", "most"], "--want-collection: "),
    ],
)
def test_a_wrong_option_is_refused_in_words(blank: Path, words: list[str], message: str) -> None:
    found = run(blank, *words)
    assert found.exit_code == 1
    assert message in found.output


@pytest.mark.parametrize(
    "words", [["--trials", "0"], ["--collection", "1"], ["--want-reviewed", "0.9", "--trials", "5"]]
)
def test_wrong_usage_is_exit_code_2(blank: Path, words: list[str]) -> None:
    assert run(blank, *words).exit_code == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rounds = 20", "rounds = 0", "review.rounds"),
        ("target = 0.9", "target = 2", "review.target"),
        ("[review]", "[revue]", "review.batch is missing"),
        ('viewer = "bob"', 'viewer = "eve"', "validation.viewer"),
    ],
)
def test_terms_that_cannot_be_run_are_refused_as_by_open(blank: Path, old: str, new: str, message: str) -> None:
    blank.write_text(blank.read_text().replace(old, new))
    found = run(blank)
    assert found.exit_code == 1
    assert "cannot be used as it stands" in found.output
    assert message in found.output


def test_what_is_no_terms_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"\0\1\2")
    assert run(path).exit_code == 1
    path.write_bytes(b"SQLite format 3\0 and nothing else")
    assert run(path).exit_code == 1


def test_the_help_names_the_defaults() -> None:
    said = " ".join(run("--help").output.split())
    assert f"or {COLLECTION}." in said
    assert f"[default: {RICHNESS}]" in said
    assert f"[default: {GAIN}]" in said


def test_the_command_line_does_not_load_the_forecast() -> None:
    script = (
        "import sys, protocol.cli\n"
        "loaded = [name for name in sys.modules if name.startswith(('protocol.forecast', 'numpy', 'matplotlib'))]\n"
        "sys.exit(repr(loaded) if loaded else 0)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
