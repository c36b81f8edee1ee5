"""Every transcript vector gets the verdict that it states, and the stored files are those that are generated."""

import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.vectors import FOLDER, load, transcripts
from verifier.checks import Role
from verifier.comparison import compare
from verifier.values import blamed
from verifier.verdict import Outcome
from verifier.verification import verify

CASES: list[dict[str, Any]] = load("transcripts.json")["cases"]
VERDICTS = [case for case in CASES if "other" not in case]
COMPARISONS = [case for case in CASES if "other" in case]


@pytest.mark.parametrize("case", VERDICTS, ids=lambda case: case["id"])
def test_a_transcript_gets_its_verdict(case: dict[str, Any]) -> None:
    verdict = verify(
        FOLDER / case["copy"],
        trusted={Role(role): fingerprints for role, fingerprints in case["trust"].items()},
        corpus=FOLDER / case["corpus"] if case["corpus"] else None,
    )
    assert verdict.answer == case["verdict"], (verdict.findings, verdict.trouble)
    assert {each.check: each.outcome for each in verdict.checks} == case["outcomes"], verdict.findings
    assert [check for check, outcome in case["outcomes"].items() if outcome == Outcome.FAIL] == case["checks"]
    assert blamed(verdict) == case["blamed"]


@pytest.mark.parametrize("case", COMPARISONS, ids=lambda case: case["id"])
def test_a_comparison_gets_its_result(case: dict[str, Any]) -> None:
    found = compare(FOLDER / case["copy"], FOLDER / case["other"])
    assert found.result == case["result"], found.message
    assert bool(found.proof) == (case["blamed"] == ["trent"])


def test_more_transcripts_are_invalid_than_valid() -> None:
    valid = [case for case in VERDICTS if {"Valid", "NotClosed"} & set(case["flags"])]
    assert len(VERDICTS) > 3 * len(valid)
    assert len({case["id"] for case in CASES}) == len(CASES)
    assert all(case["comment"] and case["flags"] for case in CASES)


def test_every_transcript_states_how_each_of_the_33_checks_ends() -> None:
    for case in VERDICTS:
        assert list(case["outcomes"]) == [f"V{number:02}" for number in range(1, 34)], case["id"]
        assert bool(case["checks"]) == (case["verdict"] == "rejected"), case["id"]


def test_every_check_that_can_fail_fails_in_some_transcript() -> None:
    """V21 never fails: another corpus is damage. V23 is about files beside a copy, and V32 and V33 blame nobody."""
    failing = {check for case in VERDICTS for check in case["checks"]}
    assert failing == {f"V{number:02}" for number in range(1, 34)} - {"V21", "V23", "V32", "V33"}


@pytest.mark.slow
def test_the_stored_files_are_those_that_are_generated(tmp_path: Path) -> None:
    transcripts.write(tmp_path)
    for kind in ("transcripts.json", "transcripts", "corpora"):
        stored = {each.relative_to(FOLDER) for each in [FOLDER / kind, *(FOLDER / kind).rglob("*")] if each.is_file()}
        made = {
            each.relative_to(tmp_path) for each in [tmp_path / kind, *(tmp_path / kind).rglob("*")] if each.is_file()
        }
        assert stored == made
        for name in stored:
            assert _content(FOLDER / name) == _content(tmp_path / name), name


def _content(path: Path) -> bytes:
    """The bytes of a file; of a compressed one those within, since programs compress differently.

    Some are torn on purpose: of these, what the first member gives.
    """
    data = path.read_bytes()
    return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data) if path.suffix == ".gz" else data
