"""What a report counts beside each check is what the specification says, counted here from the lines of a copy."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.vectors import FOLDER, load
from verifier.verdict import Outcome
from verifier.verification import verify

KINDS = {
    "V07": ("open", "agreed", "deposited"),
    "V09": ("batch",),
    "V15": ("labels", "dispute", "rulings"),
    "V26": ("default", "order", "rekey", "rekeyed", "amend", "amended"),
    "V27": ("escalation", "look"),
    "V28": ("validation", "call"),
    "V29": ("claims",),
    "V31": ("stamped", "logged"),
}
"""Entries of which kinds a check counts."""

CASES: list[dict[str, Any]] = [
    case for case in load("transcripts.json")["cases"] if case.get("verdict") == "verified" and not case["corpus"]
]


def lines_of(path: Path) -> list[bytes]:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_report_counts_what_the_specification_says(case: dict[str, Any]) -> None:
    values = [json.loads(line) for line in lines_of(FOLDER / case["copy"])]
    bodies = [value["entry"]["body"] for value in values if "entry" in value]
    kinds = Counter(body["statement"]["kind"] for body in bodies)
    signed = sum(body["signature"] is not None for body in bodies)
    notes = [value["checkpoint"] for value in values if "checkpoint" in value]
    counted = {check: sum(kinds[kind] for kind in names) for check, names in KINDS.items()} | {
        "V01": len(values),
        "V02": len(bodies),
        "V03": 1 + len(bodies) + signed + sum(note.count("\N{EM DASH} ") for note in notes),
        "V05": len(bodies),
    }
    checks = [each for each in verify(FOLDER / case["copy"]).checks if each.outcome is Outcome.PASS]
    found = {str(each.check): each.items for each in checks if each.check in counted}
    assert found == {check: counted[check] for check in found}
    assert {"V01", "V02", "V03", "V05", "V26"} <= found.keys()


@pytest.mark.parametrize("audience", ["alice", "bob", "court"])
def test_what_alice_asks_back_is_counted_once(audience: str) -> None:
    path = FOLDER / "transcripts" / f"valid-clawback-{audience}.jsonl.gz"
    said = [json.loads(line).get("entry", {}).get("body", {}).get("statement", {}) for line in lines_of(path)]
    back = sum(len(each["content"]["documents"]) for each in said if each.get("kind") == "reclaim")
    alone = sum(len(each["content"]["positions"]) for each in said if each.get("kind") == "camera")
    assert back
    assert {str(each.check): each.items for each in verify(path).checks}["V25"] == back + alone
