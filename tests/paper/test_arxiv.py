"""On real documents, the shape of the paper's figures: `docs/results.md` has the numbers."""

import os
from pathlib import Path
from typing import Any

import pytest

from protocol.corpus import build
from protocol.corpus.corpus import Corpus
from protocol.matter import summary, terms
from protocol.simulation import run as simulation
from protocol.sources import intake, registry
from tests.support import paper_rules
from tests.support.corpora import SECRET

pytestmark = pytest.mark.slow

NAME = "arxiv_50k.jsonl.gz"
QUERIES = {"cs.CR": "cryptography attack security", "cs.SE": "software engineering testing"}


@pytest.fixture(scope="module")
def arxiv(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = os.environ.get("TALLYSTICK_DATA")
    if folder is None or not (Path(folder) / NAME).exists():
        pytest.skip(f"{NAME} is not there: set TALLYSTICK_DATA to the folder that holds it")
    items = registry.find(Path(folder) / NAME).read(lambda _: None)
    documents = intake.Intake().take(items)
    return build.build(documents, tmp_path_factory.mktemp("arxiv") / "corpus", secret=SECRET)


@pytest.mark.parametrize("topic", QUERIES)
def test_label_finds_what_revealing_all_finds_and_shows_less_and_classifier_less_again(
    arxiv: Corpus, tmp_path: Path, topic: str
) -> None:
    found: dict[str, dict[str, Any]] = {}
    for protocol in paper_rules.NAMES:
        agreed = terms.terms(protocol=protocol, rounds=20, batch=500, query=QUERIES[topic])
        plan = simulation.plan(arxiv, agreed, label=topic, seed="1", alice="truthful", bob="truthful", court="right")
        with simulation.Run(arxiv, plan, tmp_path / protocol) as run:
            found[protocol] = summary.summary(run.run())
    everything, label, classifier = (found[protocol] for protocol in paper_rules.NAMES)
    assert label["found"] == everything["found"] > 0.8 * everything["responsive"]
    assert [row["found"] for row in label["rounds"]] == [row["found"] for row in everything["rounds"]]
    assert label["nrd"] < 0.75 * everything["nrd"]
    assert classifier["nrd"] < label["nrd"]
    assert 0.8 * everything["recall"] < classifier["recall"] <= everything["recall"]
    assert label["certificates"]["reviewed"]["recall_at_least"] > 0.5
    assert all(row["near_cut"] is None or row["near_cut"] <= 20 for each in found.values() for row in each["rounds"])
