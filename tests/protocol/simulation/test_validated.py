"""`simulate` with validations and sensitive classes, as it is typed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from protocol.cli import main
from protocol.corpus.corpus import Corpus
from tests.support import corpora

COMMON = ["--responsive", "responsive", "--rounds", "2", "--batch", "20"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpora.sensitive(tmp_path_factory.mktemp("sensitive") / "corpus")


def typed(corpus: Corpus, out: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["simulate", str(corpus.path), *COMMON, *words, "--out", str(out)])


def simulated(corpus: Corpus, out: Path, *words: str) -> dict[str, Any]:
    found = typed(corpus, out, *words, "--json")
    assert found.exit_code == 0, found.output
    stated: dict[str, Any] = json.loads(found.stdout)
    return stated


def sorts(stated: dict[str, Any]) -> list[str]:
    return [row["sort"] for row in stated["rounds"]]


def test_without_a_word_nothing_is_validated(corpus: Corpus, tmp_path: Path) -> None:
    stated = simulated(corpus, tmp_path / "matter")
    assert "validation" not in sorts(stated)
    assert stated["validations"] == []
    collection = stated["certificates"]["collection"]
    assert (collection["target"], collection["reached"], collection["at_most"]) == (None, None, None)


def test_validations_come_by_the_usual_terms(corpus: Corpus, tmp_path: Path) -> None:
    stated = simulated(corpus, tmp_path / "matter", "--validate")
    (row,) = stated["validations"]
    assert (row["stages"], row["certificate"]["target"]) == (1, 0.8)
    assert 0 < row["chance"] <= 0.2
    assert stated["certificates"]["collection"]["at_most"] == row["certificate"]["at_most"]


def test_validations_come_by_other_terms(corpus: Corpus, tmp_path: Path) -> None:
    words = ["review=0.5", "show=0.5", "yield=none", "every=1", "target=0.05"]
    stated = simulated(corpus, tmp_path / "matter", *(word for each in words for word in ("--validation", each)))
    assert sorts(stated)[:2] == ["batch", "validation"]
    assert stated["ended"] == "validation"
    assert stated["validations"][-1]["stages"] == 2
    assert stated["certificates"]["collection"]["reached"]


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("show=2", "show is 2"),
        ("every=often", "validation: "),
        ("show", "validation: show"),
        ("rate=0.1", "no parameter rate"),
        ("viewer=alice", "validation: "),
    ],
)
def test_terms_of_validations_that_cannot_be_run_are_refused(
    corpus: Corpus, tmp_path: Path, word: str, reason: str
) -> None:
    found = typed(corpus, tmp_path / "matter", "--validation", word)
    assert found.exit_code == 1
    assert reason in found.output
    assert not (tmp_path / "matter").exists()


def test_the_court_reads_what_is_sensitive(corpus: Corpus, tmp_path: Path) -> None:
    words = ["--class", "medical", "--class-share", "0.2", "--rate", "0.5", "--validation", "show=0.3"]
    stated = simulated(corpus, tmp_path / "matter", *words)
    plain = simulated(corpus, tmp_path / "plain", *words[4:])
    assert stated["in_camera"] > plain["in_camera"] == 0
    assert stated["recall"] == plain["recall"]
    assert stated["nrd"] < plain["nrd"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--class", "family"], "no document in .* is labelled 'family'"),
        (["--class", "Medical"], "classes: "),
        (["--class", "medical", "--class-share", "1"], "share of the classes is 1"),
        (["--class", "medical", "--class", "medical"], "all different"),
    ],
)
def test_classes_that_cannot_be_simulated_are_refused(
    corpus: Corpus, tmp_path: Path, words: list[str], reason: str
) -> None:
    found = typed(corpus, tmp_path / "matter", *words)
    assert found.exit_code == 1
    assert re.search(reason, found.output.replace("\n", " "))


@pytest.mark.parametrize("alice", ["truthful", "careless:0.2", "hiding:0.5:far", "adaptive:0.5", "best:10"])
@pytest.mark.parametrize("protocol", ["spot-check", "classifier"])
def test_every_alice_labels_what_is_called(corpus: Corpus, tmp_path: Path, alice: str, protocol: str) -> None:
    words = ["--validation", "review=0.3", "--validation", "show=0.5", "--alice", alice, "--protocol", protocol]
    stated = simulated(corpus, tmp_path / "matter", *words, "--rounds", "1")
    (row,) = stated["validations"]
    assert row["called"] > 0
    assert row["certificate"]["at_most"] is not None
