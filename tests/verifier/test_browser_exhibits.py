"""The verifier for the browser and this one were written apart, and agree on every exhibit.

`TALLYSTICK_FUZZ` multiplies the number of changed exhibits (`make fuzz`).
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support import exhibit_samples, node
from tests.support.exhibit_matters import Corpora
from tests.support.forging import exhibits
from tests.support.forging.exhibits import Files
from tests.support.node import Judge, needs_node
from tests.vectors import FOLDER, load
from verifier import exhibit

pytestmark = [pytest.mark.slow, needs_node]

TIMES = int(os.environ.get("TALLYSTICK_FUZZ", "1"))
FORGED, NUDGED, ALTERED, DAMAGED = 150 * TIMES, 1_350 * TIMES, 40 * TIMES, 60 * TIMES
"""Changed exhibits of each sort: the first two, signed anew, are 1,500."""
MANY_CHEATS = 80


@pytest.fixture(scope="module")
def judge(page_built: Path) -> Iterator[Judge]:
    with node.judging(page_built) as found:
        yield found


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """Exhibits out of honest matters, and of such in which somebody cheats."""
    folder = tmp_path_factory.mktemp("samples")
    corpora = Corpora(folder)
    return {
        "honest": list(exhibit_samples.honest(folder, corpora)),
        "cheated": list(exhibit_samples.cheated(folder, corpora)),
    }


def ours(folder: Path) -> dict[str, Any]:
    judgement = exhibit.judge(folder)
    return {
        "verdict": str(judgement.answer),
        "findings": sorted((str(each.check), str(each.party), each.entry) for each in judgement.findings),
    }


def theirs(answer: dict[str, Any]) -> dict[str, Any]:
    findings = ((each["check"], str(each["party"]), each["entry"]) for each in answer["findings"])
    return {"verdict": answer["verdict"], "findings": sorted(findings)}


def agree(judge: Judge, folder: Path, about: object) -> str:
    """Judge an exhibit twice, at the same time, and say how it ends."""
    judge.send({"exhibit": str(folder), "trust": {}})
    own = ours(folder)
    answer = judge.receive()
    assert theirs(answer) == own, (about, answer["error"])
    return str(own["verdict"])


def test_every_exhibit_among_the_vectors_gets_the_same_answer(judge: Judge) -> None:
    for case in load("exhibits.json")["cases"]:
        assert agree(judge, FOLDER / case["exhibit"], case["id"]) == case["verdict"]


def test_every_exhibit_of_an_honest_matter_gets_the_same_verdict(judge: Judge, samples: dict[str, list[Path]]) -> None:
    found = {agree(judge, folder, folder.name) for folder in samples["honest"]}
    assert found == {"verified", "not closed", "commitment only"}


def test_every_exhibit_that_shows_a_cheat_gets_the_same_verdict_and_blame(
    judge: Judge, samples: dict[str, list[Path]]
) -> None:
    assert len(samples["cheated"]) > MANY_CHEATS
    assert {agree(judge, folder, folder.name) for folder in samples["cheated"]} == {"rejected"}


def test_exhibits_that_were_changed_and_signed_anew_are_judged_alike(
    judge: Judge, samples: dict[str, list[Path]], tmp_path: Path
) -> None:
    found = changed(judge, samples["honest"], tmp_path / "e", ((exhibits.forged, FORGED), (exhibits.nudged, NUDGED)))
    assert found == {"verified", "not closed", "commitment only", "rejected", "undecided"}


def test_exhibits_that_were_damaged_are_judged_alike(
    judge: Judge, samples: dict[str, list[Path]], tmp_path: Path
) -> None:
    found = changed(
        judge, samples["honest"], tmp_path / "e", ((exhibits.altered, ALTERED), (exhibits.damaged, DAMAGED))
    )
    assert found >= {"verified", "undecided"}
    assert "rejected" not in found


Change = Callable[[Files, Random], Files | None]


def changed(judge: Judge, among: list[Path], folder: Path, changes: tuple[tuple[Change, int], ...]) -> set[str]:
    """How changed exhibits end; a change that cannot be signed is made again."""
    found = set()
    for change, count in changes:
        for seed in range(count):
            random, files = Random(seed), None
            sample = random.choice(among)
            while files is None:
                files = change(exhibit_samples.files(sample), random)
            exhibit_samples.put(files, folder)
            found.add(agree(judge, folder, (change.__name__, seed, sample.name)))
    return found
