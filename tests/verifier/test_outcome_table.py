"""How each check ends in the transcripts follows from the specification's table "How each check ends".

What a table's row asks is read off the copy's own lines, without the verifier. The only thing that is told here is at
which cases the reading ended early though the check alone does not say so.
"""

import gzip
import json
from typing import Any

import pytest

from tests.vectors import FOLDER, load

CASES = [case for case in load("transcripts.json")["cases"] if "other" not in case]
CHECKS = [f"V{number:02}" for number in range(1, 34)]
RECORD = {"V01", "V02", "V03", "V06", "V20"}  # a finding of theirs ends the reading, or is its end
FINDING_ONLY = {"V04", "V10", "V11", "V22", "V23", "V24"}  # these stop no replay
OF_THE_CORPUS = {"trent-miscounts-the-parts"}  # V30 stops no replay if only the corpus shows it
OF_PARTS = {
    "alice-claims-a-part-that-is-not-there",
    "alice-claims-every-part-by-its-number",
}  # V25 stops no replay here
ENDED_EARLY = {
    "alice-opens-another-label-than-committed",
    "edge-a-fault-and-then-damage",
    "edge-a-field-that-alice-did-not-seal",
    "edge-an-index-that-alice-did-not-seal",
    "edge-openings-of-alice-after-a-suspicion",
    "edge-trent-countersigns-himself",
    "edge-trent-withdraws-an-answer",
    "forgery-a-link-before-the-look",
    "forgery-a-look-after-the-link",
    "forgery-answer-in-another-round",
    "forgery-asks-the-wrong-party",
    "forgery-round-skipped",
    "forgery-the-new-key-answers-the-old-question",
    "forgery-trent-answers",
    "trent-replays-an-answer",
}
"""Conditions of the chain, and damage after a finding."""
OTHER_CORPUS = "damage-another-corpus"
OTHER_TABLE = "trent-commits-to-another-vocabulary"
EVERY_ROLE = {"alice", "bob", "court", "trent"}
COSIGNERS = {"alice", "bob", "court"}
BEGINNING = {"batch", "escalation", "validation", "call"}
"""The entries that begin a round."""


class Shown:
    """What a copy shows, as far as the table asks for it."""

    def __init__(self, case: dict[str, Any]) -> None:
        path = FOLDER / case["copy"]
        data = path.read_bytes()
        lines = [json.loads(line) for line in (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines()]
        self.audience = lines[0]["manifest"]["audience"]
        self.entries = [line for line in lines if "entry" in line]
        self.said = [line["entry"]["body"]["statement"] for line in self.entries]
        self.kinds = [said["kind"] for said in self.said]
        self.reports = [line for line, kind in zip(self.entries, self.kinds, strict=True) if kind == "report"]
        self.closed = {said["round"] for said in self.said if said["kind"] == "closed"}
        self.open = {said["round"] for said in self.said if said["kind"] in BEGINNING} - self.closed
        self.terms = self.said[0]["content"].get("terms") or {}
        self.conflicts = [line for line, kind in zip(self.entries, self.kinds, strict=True) if kind == "conflict"]
        note = lines[-1].get("checkpoint", "")
        self.signed = {role for role in COSIGNERS if f"/{role} " in note}

    @property
    def excused(self) -> set[str]:
        """Without whose signatures the court lets the matter end."""
        after = self.said[self.kinds.index("claims") :] if "claims" in self.kinds else []
        return {said["content"]["absent"] for said in after if said["kind"] == "order" and said["content"]["granted"]}

    def opens(self, line: Any, field: str) -> bool:
        """Whether the copy opens a sealed field of an entry as a whole."""
        sealed: dict[str, list[str | None]] = line["entry"]["body"]["statement"]["sealed"].get(
            field, {"commitments": [None]}
        )
        opened = len(line["openings"].get(field, {"values": []})["values"])
        return opened == len(sealed["commitments"])

    def seals(self, report: Any, field: str) -> bool:
        sealed: dict[str, object] = report["entry"]["body"]["statement"]["sealed"]
        return field in sealed

    def of_closed_round(self, report: Any) -> bool:
        return report["entry"]["body"]["statement"]["round"] in self.closed


def _by_the_copy(shown: Shown) -> set[str]:
    """What no copy of this content can answer."""
    found: set[str] = {"V23", "V32", "V33"}  # nothing is given but the copy
    found |= set() if shown.signed | shown.excused >= COSIGNERS else {"V20"}
    found |= set() if all(shown.opens(each, "evidence") for each in shown.conflicts) else {"V19"}
    found |= set() if "claims" in shown.kinds else {"V17", "V18", "V29"}
    found |= set() if shown.closed else {"V13", "V16"}
    found |= {"V12", "V13", "V14", "V15", "V16", "V18", "V25"} if shown.audience == "public" else set()
    if shown.audience == "public":
        found |= {"V27"} if shown.terms.get("protocol") == "spot-check" else set()
        found |= {"V28", "V29"} if shown.terms.get("validation") else set()
    found |= set() if any(shown.opens(each, "labels") for each in shown.reports) else {"V12"}
    found |= set() if {"labels", "dispute", "rulings"} & set(shown.kinds) else {"V15"}
    for report in shown.reports:
        if not shown.of_closed_round(report):
            found |= set() if shown.opens(report, "labels") else {"V12", "V15"}
            found |= {"V25"} if shown.seals(report, "privilege") else set()
        elif shown.seals(report, "privilege") and not shown.opens(report, "privilege"):
            found |= {"V12", "V25"}
    now = [said for said in shown.said if said["round"] in shown.open]
    found |= {"V13"} if any(said["kind"] == "disclosure" for said in now) else set()
    late = any(said["kind"] == "claim" and said["content"]["positions"] for said in now)
    found |= {"V25"} if late or any(said["kind"] == "privilege" for said in now) else set()
    return found


def _by_the_corpus(case: dict[str, Any], shown: Shown) -> set[str]:
    """What needs a corpus, or more than a corpus."""
    if not case["corpus"] or case["id"] == OTHER_CORPUS:
        return {"V10", "V11", "V21", "V22", "V24", "V30"}
    found = set() if shown.audience == "court" else {"V10", "V11", "V22"}
    found |= set() if shown.audience in ("alice", "court") else {"V24"}
    found |= set() if any("model" in said["sealed"] for said in shown.said) else {"V11"}
    found |= {"V10"} if case["id"] == OTHER_TABLE else set()
    return found


def _not_checked(case: dict[str, Any]) -> set[str]:
    failed = set(case["checks"])
    found = set() if set(case["trust"]) == EVERY_ROLE else {"V04"}
    damaged = case["verdict"] == "undecided" and case["id"] != OTHER_CORPUS
    if damaged or failed & RECORD or case["id"] in ENDED_EARLY:
        return found | set(CHECKS) - {"V04"}
    shown = Shown(case)
    found |= _by_the_copy(shown) | _by_the_corpus(case, shown)
    stops = failed - FINDING_ONLY - (set() if case["blamed"] == ["trent"] else {"V19"})
    stops -= {"V30"} if case["id"] in OF_THE_CORPUS else set()
    stops -= {"V25"} if case["id"] in OF_PARTS else set()
    if stops:
        found |= set(CHECKS) - RECORD - {"V04", "V21", "V22", "V30"}
    if stops and case["id"] == "edge-opening-broken-with-corpus":
        found |= {"V21", "V22", "V30"}
    if shown.said[0]["content"].get("simulation") is None:
        found.add("V24")
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_outcomes_follow_from_the_specifications_table(case: dict[str, Any]) -> None:
    unchecked = _not_checked(case)
    derived = {
        check: "fail" if check in case["checks"] else "not checked" if check in unchecked else "pass"
        for check in CHECKS
    }
    assert derived == case["outcomes"]
