"""`tallystick experiment models`: an outsider's tool finds the recorded models, and sees those that are none."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from ledger import canonical
from protocol.cli import main
from protocol.corpus.corpus import Corpus
from protocol.learning.cal import Cal, Selection
from protocol.paper.experiments.retraining import NoModel, dual_values
from tests.support import corpora
from tests.support.corpora import QUERY
from tests.support.matters import start

ROUNDS, BATCH = 4, 25
LOOSE = "scikit-learn 1e-4"
TIGHT = "scikit-learn 1e-10"


def play(corpus: Corpus, path: Path) -> Path:
    with start(corpus, path, rounds=ROUNDS, batch=BATCH, query=QUERY) as run:
        run.run()
    return path


@pytest.fixture(scope="module")
def matter(small_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play(small_corpus, tmp_path_factory.mktemp("matter") / "one.matter")


def typed(corpus: Corpus, matter: Path, *words: str | Path) -> Result:
    given = ["experiment", "models", "--corpus", str(corpus.path), "--matter", str(matter), *map(str, words)]
    return CliRunner().invoke(main, given)


def found(corpus: Corpus, matter: Path, *words: str | Path) -> dict[str, Any]:
    result = typed(corpus, matter, "--json", *words)
    assert result.exit_code == 0, result.output
    value: dict[str, Any] = json.loads(result.stdout)
    return value


def ranked(value: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [each for row in value["rounds"] for each in row["ranked"] if each["model"] == name]


def verdicts(value: dict[str, Any]) -> list[str]:
    return [each["verdict"] for each in value["findings"]]


def test_our_trainer_and_a_tight_scikit_learn_find_every_recorded_model_again(
    small_corpus: Corpus, matter: Path
) -> None:
    value = found(small_corpus, matter)
    assert [row["round"] for row in value["rounds"]] == [2, 3, 4]
    assert [row["trained_on"] for row in value["rounds"]] == [BATCH, 2 * BATCH, 3 * BATCH]
    for name in ("recorded", "ours again", TIGHT):
        assert all(each["accepted"] and 0 <= each["gap"] <= 1e-12 for each in ranked(value, name))
        assert all(each["ranks"] == [] and each["moved"] == 0 for each in ranked(value, name))
    assert all(each["same"] for each in ranked(value, "ours again"))
    assert not any(each["same"] for each in ranked(value, TIGHT))  # it is another vector, within the same gap
    assert not any(each["accepted"] for each in ranked(value, LOOSE))
    assert all(1e-12 < each["gap"] < 1e-2 for each in ranked(value, LOOSE))
    assert verdicts(value) == ["holds"] * 6


def test_a_loose_model_that_orders_otherwise_says_at_which_ranks(small_corpus: Corpus, matter: Path) -> None:
    value = found(small_corpus, matter, "--tolerance", "0.9")
    rows = ranked(value, "scikit-learn 9e-1")
    assert any(each["ranks"] for each in rows)
    for each in rows:
        assert each["ranks"] == sorted(set(each["ranks"]))
        assert all(1 <= rank <= BATCH for rank in each["ranks"])
        assert each["moved"] <= each["allowed"]
    said = typed(small_corpus, matter, "--tolerance", "0.9").stdout
    ranks = next(each["ranks"] for each in rows if each["ranks"])
    assert ", ".join(map(str, ranks[:5])) in said


def test_some_rounds_and_tolerances_can_be_picked(small_corpus: Corpus, matter: Path) -> None:
    value = found(small_corpus, matter, "--round", "4", "--round", "2", "--tolerance", "1e-8")
    assert [row["round"] for row in value["rounds"]] == [2, 4]
    assert [each["model"] for each in value["rounds"][0]["ranked"]] == ["recorded", "ours again", "scikit-learn 1e-8"]
    assert ranked(value, "ours again")[1]["same"]  # although round 3 was not trained again


def test_the_last_line_sums_up_and_the_files_are_those_of_other_experiments(
    small_corpus: Corpus, matter: Path, tmp_path: Path
) -> None:
    result = typed(small_corpus, matter, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    *_, last = result.stdout.strip().splitlines()
    assert last.startswith("recorded: 3 of 3 accepted, 0 ranks differ, 0 moved; ours again: 3 of 3 accepted in ")
    assert f"{TIGHT}: 3 of 3 accepted in " in last
    assert f"{LOOSE}: 0 of 3 accepted in " in last
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        f"models.{ending}" for ending in ("csv", "svg", "png", "txt")
    }
    header, *rows = (tmp_path / "out" / "models.csv").read_text().splitlines()
    assert header.startswith("round,trained on,model,gap,accepted,seconds")
    assert len(rows) == 3 * 4


def test_without_out_nothing_is_written(
    small_corpus: Corpus, matter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert typed(small_corpus, matter, "--round", "2").exit_code == 0
    assert list(tmp_path.iterdir()) == []


# Records with other models in them


def recorded(monkeypatch: pytest.MonkeyPatch, change: Callable[[Selection], Selection]) -> None:
    """From here on, Trent records something else than what his trainer found."""
    honest = Cal.by_model

    def by_model(self: Cal, *given: Any) -> Selection:
        return change(honest(self, *given))

    monkeypatch.setattr(Cal, "by_model", by_model)


def with_model(selection: Selection, change: Callable[[dict[str, Any]], Any]) -> Selection:
    assert selection.model is not None
    known: Any = canonical.decode(selection.model)
    return replace(selection, model=canonical.encode(change(known)))


def test_a_model_that_trent_has_changed_and_signed_is_refused_and_the_others_are_not(
    small_corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def doubled(known: dict[str, Any]) -> dict[str, Any]:
        return known | {"alphas": [2 * known["alphas"][0], *known["alphas"][1:]]}

    recorded(monkeypatch, lambda selection: with_model(selection, doubled))
    matter = play(small_corpus, tmp_path / "changed.matter")
    monkeypatch.undo()
    value = found(small_corpus, matter)
    assert not any(each["accepted"] for each in ranked(value, "recorded"))
    assert all(each["gap"] > 1e-6 for each in ranked(value, "recorded"))
    assert all(each["accepted"] and not each["same"] for each in ranked(value, "ours again"))
    assert all(each["accepted"] for each in ranked(value, TIGHT))
    assert verdicts(value)[0] == "differs"
    assert "0 of 3 are accepted" in value["findings"][0]["seen"]
    assert "not accepted in round 2, 3, 4" in value["findings"][0]["seen"]
    assert "recorded" in typed(small_corpus, matter).stdout


def test_a_batch_in_another_order_than_its_models_is_seen(
    small_corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def swapped(selection: Selection) -> Selection:
        first, second, *others = selection.documents
        return replace(selection, documents=[second, first, *others])

    recorded(monkeypatch, swapped)
    matter = play(small_corpus, tmp_path / "swapped.matter")
    monkeypatch.undo()
    value = found(small_corpus, matter)
    for name in ("recorded", "ours again", TIGHT):
        assert all(each["ranks"] == [1, 2] and each["moved"] == 0 for each in ranked(value, name))
    assert verdicts(value)[:2] == ["holds", "differs"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param(lambda known: [], "it does not read as a model", id="no object"),
        pytest.param(lambda known: {"alphas": ["a"], "documents": [1]}, "does not read", id="no numbers"),
        pytest.param(lambda known: known | {"alphas": known["alphas"][1:]}, "occur twice", id="too few values"),
        pytest.param(
            lambda known: known | {"documents": [known["documents"][1], *known["documents"][1:]]},
            "occur twice",
            id="a document twice",
        ),
        pytest.param(
            lambda known: known | {"alphas": [-1, *known["alphas"][1:]]}, "of them below 0", id="a negative value"
        ),
        pytest.param(
            lambda known: known | {"alphas": [2**53 - 1] * len(known["alphas"])}, "exact arithmetic", id="too large"
        ),
    ],
)
def test_what_is_recorded_in_place_of_a_model_is_named(
    small_corpus: Corpus,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[dict[str, Any]], Any],
    reason: str,
) -> None:
    last = ROUNDS - 1  # the honest trainer begins each search from the model before, and would stumble over these

    def changed(selection: Selection) -> Selection:
        changed.count += 1  # type: ignore[attr-defined]
        return with_model(selection, change) if changed.count == last else selection  # type: ignore[attr-defined]

    changed.count = 0  # type: ignore[attr-defined]
    recorded(monkeypatch, changed)
    matter = play(small_corpus, tmp_path / "none.matter")
    monkeypatch.undo()
    value = found(small_corpus, matter)
    *before, broken = ranked(value, "recorded")
    assert all(each["accepted"] for each in before)
    assert not broken["accepted"]
    assert broken["gap"] is None
    assert reason in broken["reason"]
    assert all(each["accepted"] for each in ranked(value, "ours again"))
    assert reason in typed(small_corpus, matter).stdout


def test_a_model_of_documents_that_were_not_reviewed_is_none() -> None:
    stored = canonical.encode({"alphas": [5], "documents": [7]})
    assert dual_values(stored, np.array([3, 7])).tolist() == [0, 5]
    with pytest.raises(NoModel, match="not among those it was trained on"):
        dual_values(stored, np.array([3, 8]))


def test_a_file_whose_attached_model_was_edited_is_damaged_and_nobody_is_blamed(
    small_corpus: Corpus, matter: Path, tmp_path: Path
) -> None:
    data, begin = bytearray(matter.read_bytes()), b'{"alphas":['
    place = data.index(begin) + len(begin)
    data[place] = ord("2") if data[place] != ord("2") else ord("3")
    copy = tmp_path / "edited.matter"
    copy.write_bytes(data)
    result = typed(small_corpus, copy)
    assert result.exit_code == 1
    assert result.stderr.startswith("Damaged: ")
    assert "Nobody is blamed for this" in result.stderr


# What cannot be run


def test_another_corpus_is_refused_before_anything_is_trained(matter: Path, tmp_path: Path) -> None:
    result = typed(corpora.make(tmp_path / "other", documents=40, responsive=10), matter)
    assert result.exit_code == 1
    assert "is not the corpus that the matter was opened with" in result.stderr


@pytest.mark.parametrize("number", ["1", "9"])
def test_a_round_without_a_model_is_refused(small_corpus: Corpus, matter: Path, number: str) -> None:
    result = typed(small_corpus, matter, "--round", "2", "--round", number)
    assert result.exit_code == 1
    assert f"no model chose the batch of round {number} in" in result.stderr
    assert "models chose those of 3 rounds, from 2 to 4" in result.stderr


def test_a_matter_without_any_model_is_refused(small_corpus: Corpus, tmp_path: Path) -> None:
    with start(small_corpus, tmp_path / "short.matter", rounds=1, batch=BATCH, query=QUERY) as run:
        run.run()
    result = typed(small_corpus, tmp_path / "short.matter")
    assert result.exit_code == 1
    assert "no model has chosen a batch of" in result.stderr


@pytest.mark.parametrize("tolerance", ["0", "-1", "2", "x"])
def test_a_tolerance_that_is_none_is_wrong_usage(small_corpus: Corpus, matter: Path, tolerance: str) -> None:
    assert typed(small_corpus, matter, "--tolerance", tolerance).exit_code == 2


def test_without_scikit_learn_the_refusal_says_what_to_install(small_corpus: Corpus, matter: Path) -> None:
    script = "import sys; sys.modules['sklearn'] = None; from protocol.cli import main; main()"
    words = ["experiment", "models", "--corpus", str(small_corpus.path), "--matter", str(matter)]
    run = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "pip install 'tallystick[trent,experiments]'" in run.stderr
    assert "Traceback" not in run.stderr
