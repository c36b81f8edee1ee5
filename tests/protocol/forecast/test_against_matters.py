"""The forecast against whole matters: signed, with real coins, a real ranking, and the same terms."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from protocol.cli import main
from protocol.forecast.assumed import assumed
from protocol.forecast.forecast import Range, forecast
from protocol.forecast.scheme import scheme
from protocol.matter import summary

pytestmark = pytest.mark.slow

DOCUMENTS, RESPONSIVE, BATCH = 3000, 60, 100


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("forecast")
    source, built = folder / "mail.jsonl.gz", folder / "corpus"
    made_up = ["--documents", str(DOCUMENTS), "--responsive", str(RESPONSIVE), "--seed", "1"]
    run("corpus", "synth", *made_up, "--out", str(source))
    run("corpus", "build", str(source), "--out", str(built), "--seed", "1")
    return built


def run(*words: str) -> str:
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 0, found.output
    return found.output


def is_near(number: float, expected: Range) -> bool:
    """One matter is one trial: usually within the range, and hardly ever far from it."""
    apart = expected.high - expected.low + 5
    return expected.low - apart / 2 <= number <= expected.high + apart / 2


@pytest.mark.parametrize(
    ("words", "alice"),
    [
        ((), "truthful"),
        ((), "careless:0.05"),
        (("--limit", "1"), "careless:0.05:0.9"),
        (("--penalty", "batch", "--target", "0.7"), "truthful"),
        (("--validation", "show=0.1"), "truthful"),
        (("--validation", "show=0.1", "--validation", "viewer=court"), "truthful"),
        (("--validation", "review=0.4", "--validation", "show=0.3"), "careless:0.02"),
    ],
)
def test_a_matter_costs_about_what_was_forecast(
    corpus: Path, tmp_path: Path, words: tuple[str, ...], alice: str
) -> None:
    path = tmp_path / "matter"
    about = ("--responsive", "responsive", "--query", "swap collateral", "--alice", alice)
    review = ("--protocol", "spot-check", "--rounds", "8", "--batch", str(BATCH), *words)
    run("simulate", str(corpus), *about, *review, "--out", str(path))
    state = summary.read(path)
    stated: dict[str, Any] = summary.summary(state)
    share = str(RESPONSIVE / DOCUMENTS)
    found = forecast(scheme(state.terms), assumed(documents=DOCUMENTS, richness=share, alice=alice), trials=60)
    sorts = [each["sort"] for each in stated["rounds"]]
    assert is_near(stated["found"], found.range(lambda each: each.found))
    assert is_near(stated["nrd"], found.range(lambda each: each.other))
    assert is_near(sorts.count("escalation"), found.range(lambda each: each.escalations))
    assert is_near(sorts.count("validation"), found.range(lambda each: each.validations))
    reviewed = found.range(lambda each: each.reviewed)
    assert reviewed.low - BATCH <= stated["reviewed"] <= reviewed.high  # a query may find less than a batch
    certified = stated["certificates"]["reviewed"]["recall_at_least"]
    expected = found.range(lambda each: each.certified_reviewed)
    assert expected.low - 0.1 <= certified <= expected.high + 0.1
