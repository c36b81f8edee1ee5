"""`tallystick experiment coverage|frontier|incentives|stopping`, as they are typed."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from protocol.cli import main
from protocol.corpus.corpus import Corpus
from protocol.paper.experiments import coverage
from protocol.workers import pool
from tests.support.corpora import QUERY

ENDINGS = ("csv", "svg", "png", "txt")


def typed(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["experiment", *map(str, words)])


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without workers, each of which would first import everything."""

    def gather(work: Any, tasks: Sequence[Sequence[Any]], progress: Any) -> list[Any]:
        return [json.loads(json.dumps(work(*task))) for task in tasks]

    monkeypatch.setattr(pool, "gather", gather)


def contents(folder: Path, name: str) -> list[bytes]:
    return [(folder / f"{name}.{ending}").read_bytes() for ending in ENDINGS]


@pytest.mark.slow
@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize("name", ["frontier", "incentives", "stopping"])
def test_the_same_command_writes_the_same_files_twice(small_corpus: Corpus, tmp_path: Path, name: str) -> None:
    corpus = ("--corpus", small_corpus.path, "--responsive", "responsive", "--query", QUERY)
    for folder in ("first", "second"):
        small = ("--rounds", "2", "--batch", "40", "--repeats", "1", "--target", "0.8", "--seed", "3")
        result = typed(name, *corpus, *small, "--out", tmp_path / folder, "--json")
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["experiment"] == name
    assert contents(tmp_path / "first", name) == contents(tmp_path / "second", name)


@pytest.mark.slow
@pytest.mark.usefixtures("one_process")
def test_a_quick_coverage_says_that_all_keep_their_level_and_every_mistake_fails(tmp_path: Path) -> None:
    result = typed("coverage", "--quick", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith((tmp_path / "coverage.txt").read_text())
    assert "Claims: 12 holds." in result.stdout
    assert len((tmp_path / "coverage.csv").read_text().splitlines()) > 100


def test_the_number_of_matters_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[coverage.Settings] = []

    def run(settings: coverage.Settings, progress: object) -> None:
        seen.append(settings)
        raise KeyboardInterrupt

    monkeypatch.setattr(coverage, "run", run)
    typed("coverage", "--quick", "--matters", "7", "--seed", "4", "--out", tmp_path)
    assert [(each.matters, each.seed, each.cases) for each in seen] == [(7, 4, coverage.Settings.quick().cases)]


@pytest.mark.parametrize("name", ["frontier", "incentives", "stopping"])
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--responsive", "responsive"), "give that with --corpus"),
        (("--corpus", "CORPUS"), "needs --responsive LABEL"),
        (("--corpus", "CORPUS", "--responsive", "no such label"), "no such label"),
        (("--corpus", "CORPUS", "--responsive", "responsive", "--query", "zzzzzz"), "zzzzzz"),
        (("--corpus", "CORPUS", "--responsive", "responsive", "--rounds", "0"), "--rounds"),
        (("--corpus", "CORPUS", "--responsive", "responsive", "--target", "1"), "a target lies between 0 and 1"),
        (("--corpus", "CORPUS", "--responsive", "responsive", "--target", "much"), "is not a decimal"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_played(
    small_corpus: Corpus, tmp_path: Path, name: str, words: tuple[str, ...], reason: str
) -> None:
    given = [str(small_corpus.path) if word == "CORPUS" else word for word in words]
    result = typed(name, *given, "--out", tmp_path / "out")
    assert result.exit_code in (1, 2)
    assert reason in result.output
    assert not (tmp_path / "out").exists()
