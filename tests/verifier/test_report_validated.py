"""The page on matters with validations: the evidence of an error, what nobody read, and what revealing all adds."""

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.busy_verdict import checked
from tests.vectors import FOLDER
from tests.verifier.test_report import words
from tests.verifier.test_report_public import flat, rows
from verifier.replay.rounds import Sort
from verifier.report.disputes import errors
from verifier.report.escalations import escalations
from verifier.report.page import glossary
from verifier.report.rounds import by_round
from verifier.report.validations import validations
from verifier.summary import summary
from verifier.verdict import Verdict
from verifier.verification import verify

_KINDS = {
    "report": {"report"},
    "second look": {"look"},
    "validation": {"validation"},
    "call": {"call"},
    "disclosure": {"disclosure"},
    "Bob's labels": {"labels"},
    "ruling": {"rulings"},
}


def _copy(name: str) -> Path:
    return FOLDER / "transcripts" / f"{name}.jsonl.gz"


def _kinds(path: Path) -> list[str]:
    with gzip.open(path, "rt") as lines:
        told = [json.loads(line) for line in lines if line.startswith('{"entry"')]
    return [each["entry"]["body"]["statement"]["kind"] for each in told]


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("valid-called-bob", {"2 / 1": "report 19", "1 / 1": "report 8", "4 / 2": "report 38"}),
        ("valid-called-and-withheld", {"2 / 15": "report 8 of round 1"}),
        ("valid-validated-bob", {"6 / 1": "report 44 of round 5"}),
        ("valid-validated-public", {"6 / 1": "validation 54"}),  # which does not show where she labelled it
        ("valid-classed-court", {"3 / 3": "second look 30"}),
    ],
)
def test_the_evidence_of_an_error_begins_with_what_alice_said(name: str, first: dict[str, str]) -> None:
    verdict, kinds = verify(_copy(name), detailed=True), _kinds(_copy(name))
    told = {place: said.rsplit(" | ", 1)[-1] for place, said in rows(errors(verdict)).items() if " / " in place}
    told.pop("Round / position", None)
    assert told
    for evidence in told.values():
        for what, entry in re.findall("([A-Za-z' ]+) ([0-9]+)(?: of round [0-9]+)?(?:, |$)", evidence):
            assert kinds[int(entry)] in _KINDS[what]
    for place, said in first.items():
        assert told[place].startswith(f"{said}, disclosure ")


def test_what_bob_left_unread_in_a_validation_is_said_to_count() -> None:
    verdict = verify(_copy("valid-unread-validation"), detailed=True)
    assert verdict.claims is not None
    (unread,) = {each.unread for each in verdict.claims.validations if each.unread}
    said = f"Bob left {unread} of them unread: each counts as responsive in the certificate"
    for told in (flat(words(validations(verdict))), flat(summary(verdict))):
        assert said in told
    assert "unread" not in words(validations(checked()))


def test_a_hit_is_explained_with_what_may_be_responsive() -> None:
    for told in (words(glossary()), words(escalations(checked()))):
        assert "Bob left" in flat(told)
        assert "Alice claimed" in flat(told)
    shown = words(validations(checked()))
    assert "Found responsive" in shown  # in two stages, that counts what Alice reported, too
    assert "hits" not in shown


def _revealing_all(verdict: Verdict) -> dict[str, str]:
    table = rows(by_round(verdict))
    column = table["Round"].split(" | ").index("Revealing all")
    return {place: said.split(" | ")[column] for place, said in table.items() if place != "Round"}


def test_revealing_all_has_a_number_of_its_own_for_batches_alone() -> None:
    told = _revealing_all(checked())
    assert told["1, batch"] == "80 (80)"
    assert told["3, escalation"] == "(157)"  # 3 found, that were in a batch
    assert told["5, escalation"] == "(237)"  # nothing found
    assert told["6, validation"] == "(237)"
    found_all = checked(rounds=(replace(checked().rounds[0], sort=Sort.BATCH, found=100),))
    assert _revealing_all(found_all) == {"1": "0 (0)"}
