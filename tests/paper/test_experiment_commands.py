"""`tallystick experiment`, as it is typed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from protocol.cli import main
from protocol.corpus.corpus import Corpus
from protocol.paper.experiments import topics
from tests.support.corpora import QUERY

TALLYSTICK = Path(sys.executable).with_name("tallystick")
QUICK = ("--rounds", "2", "--batch", "20", "--repeats", "1")


def typed(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["experiment", *map(str, words)])


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.is_file()}


def named(name: str) -> set[str]:
    return {f"{name}.{ending}" for ending in ("csv", "svg", "png", "txt")}


@pytest.mark.slow
def test_curves_of_two_topics_go_into_one_figure(small_corpus: Corpus, tmp_path: Path) -> None:
    topics = ("--responsive", "responsive", "--query", QUERY) * 2
    result = typed("curves", "--corpus", small_corpus.path, *topics, *QUICK, "--out", tmp_path / "out", "--json")
    assert result.exit_code == 0, result.output
    assert files(tmp_path / "out") == named("curves")
    said = json.loads(result.stdout)
    assert len(said["findings"]) == 10
    assert all(Path(name).exists() for name in said["files"])


@pytest.mark.slow
def test_without_a_corpus_one_is_made_up_and_kept_for_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topics, "MADE_UP", (300, 40))
    assert typed("curves", *QUICK, "--out", tmp_path).exit_code == 0
    made = (tmp_path / "corpus-300-40" / "manifest.json").stat().st_mtime_ns
    result = typed("tolerance", *QUICK, "--rate", "0", "--rate", "0.2", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "corpus-300-40" / "manifest.json").stat().st_mtime_ns == made
    assert files(tmp_path) == named("curves") | named("tolerance")
    assert "Expected: Alice's mistakes" in result.stdout


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--responsive", "responsive"), "give that with --corpus"),
        (("--corpus", "CORPUS"), "needs --responsive LABEL"),
        (("--corpus", "CORPUS", "--responsive", "no such label"), "is labelled 'no such label'"),
        (
            ("--corpus", "CORPUS", "--responsive", "responsive", "--query", "a", "--query", "b"),
            "1 topics and 2 queries",
        ),
        (("--corpus", "CORPUS", "--responsive", "responsive", "--query", "zzzzzz"), "zzzzzz"),
        (("--corpus", "CORPUS", "--responsive", "responsive", "--delta", "1"), "delta is 1"),
        (("--corpus", "CORPUS", "--responsive", "responsive", "--rounds", "0"), "rounds is 0"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_played(
    small_corpus: Corpus, tmp_path: Path, words: tuple[str, ...], reason: str
) -> None:
    given = [str(small_corpus.path) if word == "CORPUS" else word for word in words]
    result = typed("curves", *given, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert reason in result.output
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_place_of_the_results_is_refused_before_the_work(small_corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    corpus = ("--corpus", small_corpus.path, "--responsive", "responsive")
    assert typed("curves", *corpus, "--out", tmp_path / "out").exit_code == 2


@pytest.mark.slow
def test_a_quick_run_of_the_installed_command_writes_its_files(tmp_path: Path) -> None:
    quick_run("high-dimensional", tmp_path)


@pytest.mark.slow
def test_a_second_run_writes_the_same_files(tmp_path: Path) -> None:
    """The tests of the dearer experiments run them twice without the command."""
    quick_run("lower-bound", tmp_path / "first")
    quick_run("lower-bound", tmp_path / "second")
    for file in named("lower-bound"):
        assert (tmp_path / "first" / file).read_bytes() == (tmp_path / "second" / file).read_bytes()


def quick_run(name: str, out: Path, *options: str | Path) -> None:
    command = [str(TALLYSTICK), "experiment", name, "--quick", "--seed", "3", *map(str, options), "--out", str(out)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.startswith((out / f"{name}.txt").read_text())
    assert files(out) == named(name)


@pytest.mark.slow
def test_kept_proofs_convince_the_verifiers_command(tmp_path: Path) -> None:
    quick_run("critical", tmp_path / "out", "--proofs", tmp_path / "proofs")
    proofs = list((tmp_path / "proofs").iterdir())
    assert len(proofs) == 4
    for path in proofs:
        said = subprocess.run(
            [TALLYSTICK.with_name("tallystick-verify"), "critical", path], capture_output=True, text=True
        )
        assert said.returncode == 0
        assert said.stdout.startswith("PROVEN")


@pytest.mark.slow
def test_an_installation_without_the_plotting_package_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text("raise ImportError('not here', name='matplotlib')")
    run = subprocess.run(
        [TALLYSTICK, "experiment", "curves", "--out", tmp_path / "out"],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert "pip install 'tallystick[trent,experiments]'" in run.stderr
    assert not (tmp_path / "out").exists()
