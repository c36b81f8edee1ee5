"""The verifier for the browser and this one were written apart, and agree on every copy.

`TALLYSTICK_FUZZ` multiplies the number of changed copies (`make fuzz`).
"""

import gzip
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support import node
from tests.support.forging.disturbed import STORED, chosen, content, earlier, forged, nudged, spoiled
from tests.support.forging.mutations import Lines
from tests.support.node import Judge, needs_node
from tests.vectors import FOLDER, load
from verifier import browser, values
from verifier.checks import Role
from verifier.comparison import compare
from verifier.verdict import Outcome
from verifier.verification import verify

pytestmark = [pytest.mark.slow, needs_node]

TIMES = int(os.environ.get("TALLYSTICK_FUZZ", "1"))
CASES: list[dict[str, Any]] = load("transcripts.json")["cases"]
VERDICTS = [case for case in CASES if "other" not in case]
COMPARISONS = [case for case in CASES if "other" in case]
FORGED, NUDGED, SPOILED = 3_000 * TIMES, 7_000 * TIMES, 1_000 * TIMES
"""Changed copies of each sort: the first two, signed anew, are 10,000."""
BY_THE_OTHER = 2_000 * TIMES
"""Copies that the forger in TypeScript changed, rule by rule, and signed anew."""
PAIRS = 1_000 * TIMES
"""Copies that are compared with others of the same matter."""
STATED = ("verdict", "blamed", "outcomes")
"""What a vector states of a copy; what is counted for each check that passed, both verifiers must count alike."""
PARTS = 8
"""Tests of each sort, so that workers share them."""


@pytest.fixture(scope="module")
def judge(page_built: Path) -> Iterator[Judge]:
    with node.judging(page_built) as found:
        yield found


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    return tmp_path / "copy.jsonl"


def ours(path: Path, trust: Mapping[str, Any] = {}) -> dict[str, Any]:
    verdict = verify(path, trusted={Role(role): fingerprints for role, fingerprints in trust.items()})
    return {
        "verdict": str(verdict.answer),
        "blamed": list(values.blamed(verdict)),
        "outcomes": {str(each.check): str(each.outcome) for each in verdict.checks},
        "counts": {str(each.check): each.items for each in verdict.checks if each.outcome is Outcome.PASS},
    }


def theirs(judge: Judge, path: Path, trust: Mapping[str, Any] = {}) -> dict[str, Any]:
    answer = judge.ask({"file": str(path), "trust": trust})
    return {key: answer[key] for key in ("verdict", "blamed", "outcomes", "counts")}


def test_the_page_that_is_handed_out_is_built_from_these_sources(page_built: Path) -> None:
    assert (page_built / "dist" / browser.NAME).read_bytes() == browser.page()


def test_every_transcript_gets_the_same_verdict_outcomes_and_blame(judge: Judge) -> None:
    for case in VERDICTS:
        found = theirs(judge, FOLDER / case["copy"], case["trust"])
        assert found == ours(FOLDER / case["copy"], case["trust"]), case["id"]
        if not case["corpus"]:
            assert {key: found[key] for key in STATED} == {key: case[key] for key in STATED}, case["id"]


def test_every_comparison_gets_the_same_result(judge: Judge) -> None:
    for case in COMPARISONS:
        found = judge.ask({"compare": [str(FOLDER / case["copy"]), str(FOLDER / case["other"])]})
        assert found["result"] == case["result"], case["id"]
        assert found["result"] == compare(FOLDER / case["copy"], FOLDER / case["other"]).result


@pytest.mark.parametrize("part", range(PARTS))
def test_copies_with_odd_values_that_were_signed_anew_are_judged_alike(judge: Judge, scratch: Path, part: int) -> None:
    _agree(judge, scratch, forged, range(part, FORGED, PARTS))


@pytest.mark.parametrize("part", range(PARTS))
def test_copies_with_other_values_that_were_signed_anew_are_judged_alike(
    judge: Judge, scratch: Path, part: int
) -> None:
    _agree(judge, scratch, nudged, range(part, NUDGED, PARTS))


@pytest.mark.parametrize("part", range(PARTS))
def test_copies_that_break_a_rule_by_the_hand_of_the_other_forger_are_judged_alike(
    judge: Judge, scratch: Path, page_built: Path, part: int
) -> None:
    each = BY_THE_OTHER // PARTS
    ends = set()
    for made in node.forged(page_built, range(part * each, (part + 1) * each)):
        scratch.write_bytes(made.copy)
        judge.send({"file": str(scratch), "trust": {}})
        own = ours(scratch)
        answer = judge.receive()
        assert {key: answer[key] for key in own} == own, (made.seed, made.source, made.change)
        ends.add(own["verdict"])
    assert ends == {"verified", "not closed", "rejected", "undecided"}


@pytest.mark.parametrize("part", range(PARTS))
def test_copies_whose_bytes_were_changed_are_judged_alike(judge: Judge, scratch: Path, part: int) -> None:
    for seed in range(part, SPOILED, PARTS):
        random = Random(seed)
        data = content(random.choice(STORED))
        scratch.write_bytes(spoiled(gzip.compress(data, 1, mtime=0) if seed % 4 == 0 else data, random))
        assert theirs(judge, scratch) == ours(scratch), seed


def test_pairs_of_copies_that_were_changed_and_signed_anew_are_compared_alike(judge: Judge, tmp_path: Path) -> None:
    results = set()
    for seed in sorted(range(PAIRS), key=lambda seed: chosen(Random(seed))):
        random = Random(seed)
        stored = chosen(random)
        pair = [_either(stored, random), _either(stored, random)]
        paths = [tmp_path / f"{name}.jsonl" for name in "ab"]
        for path, lines in zip(paths, pair, strict=True):
            path.write_bytes(b"".join(line + b"\n" for line in lines))
        judge.send({"compare": [str(path) for path in paths]})
        own = compare(*paths)
        answer = judge.receive()
        assert answer["result"] == own.result, (seed, stored.name, own.message)
        results.add(str(own.result))
    assert results == {"same history", "one continues the other", "two histories", "undecided"}


def _either(stored: Path, random: Random) -> Lines:
    """A transcript as it is, as it was before, or changed, signed by the same keys each time."""
    lines = None
    while lines is None:
        lines = random.choice([earlier, earlier, nudged, nudged, forged])(stored, random)
    return lines


def _agree(judge: Judge, scratch: Path, change: Callable[[Path, Random], Lines | None], seeds: range) -> None:
    """What is signed by everybody after a change is judged alike. A change that cannot be signed is made again.

    Changes of one copy come after one another, since it is then read only once. Both verifiers work at the same time.
    """
    for seed in sorted(seeds, key=lambda seed: chosen(Random(seed))):
        random, lines = Random(seed), None
        stored = chosen(random)
        while lines is None:
            lines = change(stored, random)
        scratch.write_bytes(b"".join(line + b"\n" for line in lines))
        judge.send({"file": str(scratch), "trust": {}})
        own = ours(scratch)
        answer = judge.receive()
        assert {key: answer[key] for key in own} == own, (seed, stored.name)
