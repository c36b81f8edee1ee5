"""Privilege for a part of a family, judged: who cheats is caught, nobody else is blamed, and readers are told."""

from pathlib import Path
from typing import Any

import pytest

from ledger.roles import Audience
from protocol.corpus.corpus import Corpus
from tests.support import corpora
from tests.support.forging.catalogue import EVERYBODY
from tests.support.forging.catching import assert_caught
from tests.support.forging.partcheats import PARTED, PARTS
from tests.support.forging.running import cut, plan, play
from verifier.checks import Check
from verifier.position import explain
from verifier.record.parts import Log, Part, Rest, holding
from verifier.replay.basis import is_claim, names_class, parts_named, parts_of, text_of
from verifier.replay.commitment import Unit
from verifier.report.privilege import concluded, privilege
from verifier.rules.terms import Classes
from verifier.verdict import Answer, Outcome, Verdict
from verifier.verification import verify


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Twenty families of three parts."""
    return corpora.families(tmp_path_factory.mktemp("families") / "corpus", documents=20, responsive=8)


def verdicts(corpus: Corpus, folder: Path, terms: Any, players: Any, **bends: Any) -> dict[Audience, Verdict]:
    played = plan(corpus, players=dict(players), protocol=PARTED.protocol, **terms)
    cheated = play(corpus, played, folder / "matter", **bends)
    assert cheated or "change" not in bends
    found = {}
    for audience in EVERYBODY:
        copy = cut(folder / "matter", played, audience, folder / f"{audience}.jsonl")
        found[audience] = verify(copy, corpus=corpus.path if audience is Audience.COURT else None, detailed=True)
    return found


@pytest.fixture(scope="module")
def honest(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> dict[Audience, Verdict]:
    return verdicts(corpus, tmp_path_factory.mktemp("honest"), PARTED.terms, PARTED.players, course=PARTED.run)


def test_the_matter_from_which_the_cheats_depart_is_verified_for_everybody(honest: dict[Audience, Verdict]) -> None:
    for audience, verdict in honest.items():
        assert verdict.answer is Answer.VERIFIED, (audience, verdict.findings, verdict.trouble)
    claims = {verdict.claims for verdict in honest.values() if verdict.claims}
    whole = honest[Audience.COURT].claims
    assert whole is not None
    assert whole.in_camera > 0
    assert whole.privileged > 0
    assert {(each.found, each.in_camera, each.privileged) for each in claims} == {
        (whole.found, whole.in_camera, whole.privileged)
    }


def ruled(verdict: Verdict, *, shown: bool) -> tuple[int, int]:
    """A round and a position of which the court withheld a part."""
    return next(
        (detail.number, position)
        for detail in verdict.details
        for position in detail.upheld_parts
        if detail.court[position] is shown
    )


def test_a_position_of_which_a_part_is_withheld_is_explained(honest: dict[Audience, Verdict]) -> None:
    for audience in (Audience.ALICE, Audience.BOB, Audience.COURT):
        verdict = honest[audience]
        told = " ".join(explain(verdict, *ruled(verdict, shown=True)).split())
        assert "as privileged with the report that labelled it, on the basis 'advice of counsel" in told
        assert "as privileged and found it responsive: Bob gets it without these." in told
        told = " ".join(explain(verdict, *ruled(verdict, shown=False)).split())
        assert "as privileged and found it not responsive: Bob does not get it. Bob was not shown it." in told
    public = honest[Audience.PUBLIC]
    told = " ".join(explain(public, *ruled(public, shown=True)).split())
    assert "the basis is sealed in this copy" in told
    assert "Bob gets it without these" in told


def test_the_report_counts_withheld_parts(honest: dict[Audience, Verdict]) -> None:
    verdict = honest[Audience.BOB]
    withheld = [parts for detail in verdict.details for parts in detail.upheld_parts.values()]
    sentence = f"Of {len(withheld)} documents the court withheld {sum(map(len, withheld))} parts as privileged"
    assert any(each.startswith(sentence) for each in concluded(verdict))
    page = str(privilege(verdict))
    assert f"{sum(map(len, withheld))} parts of {len(withheld)} documents withheld" in page
    assert "withheld as privileged; responsive: goes to Bob without" in page
    assert "parts 1, 2: " in page


@pytest.mark.slow
@pytest.mark.parametrize("name", PARTS)
def test_a_cheater_is_caught_by_the_expected_check_and_nobody_else_is_blamed(
    corpus: Corpus, tmp_path: Path, name: str
) -> None:
    cheat = PARTS[name]
    assert_caught(cheat, verdicts(corpus, tmp_path, cheat.terms, cheat.players, **cheat.bends))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["alice-claims-a-part-that-is-not-there", "alice-claims-every-part-by-its-number"])
def test_a_claim_for_parts_that_are_not_there_is_found_once_and_the_matter_goes_on(
    corpus: Corpus, tmp_path: Path, name: str
) -> None:
    cheat = PARTS[name]
    found = verdicts(corpus, tmp_path, cheat.terms, cheat.players, **cheat.bends)
    for audience in (Audience.ALICE, Audience.BOB, Audience.COURT):
        (finding,) = found[audience].findings
        assert (finding.check, finding.party) == (Check.PRIVILEGE, "alice")
        assert found[audience].claims is not None, "the replay has come to the end"
        assert {each.check for each in found[audience].checks if each.outcome is Outcome.FAIL} == {Check.PRIVILEGE}
    assert found[Audience.PUBLIC].answer is Answer.VERIFIED


CLASSES = Classes(names=("medical",), share="0.5")


@pytest.mark.parametrize(
    ("value", "family", "document"),
    [
        ("advice", True, True),
        ({"basis": "advice", "parts": [0]}, True, False),
        ({"basis": "advice", "parts": [1, 65535]}, True, False),
        ({"class": "medical"}, True, True),
        ("", False, False),
        ({"basis": "", "parts": [0]}, False, False),
        ({"basis": "x" * 2001, "parts": [0]}, False, False),
        ({"basis": "advice", "parts": []}, False, False),
        ({"basis": "advice", "parts": [1, 1]}, False, False),
        ({"basis": "advice", "parts": [2, 1]}, False, False),
        ({"basis": "advice", "parts": [-1]}, False, False),
        ({"basis": "advice", "parts": [65536]}, False, False),
        ({"basis": "advice", "parts": [True]}, False, False),
        ({"basis": "advice", "parts": ["1"]}, False, False),
        ({"basis": "advice", "parts": {"1": 1}}, False, False),
        ({"basis": ["advice"], "parts": [1]}, False, False),
        ({"basis": "advice"}, False, False),
        ({"parts": [1]}, False, False),
        ({"basis": "advice", "class": "medical", "parts": [1]}, False, False),
        (None, False, False),
        ([], False, False),
    ],
)
def test_what_is_a_claim(value: object, *, family: bool, document: bool) -> None:
    assert is_claim(value, Unit.FAMILY, CLASSES) is family
    assert is_claim(value, Unit.DOCUMENT, CLASSES) is document


def test_a_claim_is_told_by_its_kind() -> None:
    partly = {"basis": "advice", "parts": [1, 2]}
    assert (parts_of(partly), parts_of("advice"), parts_of({"class": "medical"}), parts_of(None)) == (
        (1, 2),
        (),
        (),
        (),
    )
    assert (text_of(partly), text_of("advice")) == ("advice", "advice")
    assert [names_class(each) for each in (partly, "advice", {"class": "medical"}, None)] == [False, False, True, False]
    assert parts_named(()) == "no part"
    assert parts_named((3,)) == "part 3"
    assert parts_named(range(9)) == "parts 0, 1, 2, 3, 4, 5, 6, 7, …"


def part(parent: int | None, *, withheld: bool = False) -> Part:
    log = Log(author="", date="", parent=parent, recipients="", type="")
    return Part(b"", log, None if withheld else Rest.__new__(Rest))


@pytest.mark.parametrize(
    ("withheld", "found"),
    [((), set()), ((0,), set()), ((2,), {0, 1}), ((3,), {0}), ((1, 2), {0, 1}), ((4,), {0, 1, 2})],
)
def test_what_holds_a_withheld_part(withheld: tuple[int, ...], found: set[int]) -> None:
    parents = (None, 0, 1, 0, 2)
    assert holding([part(parent, withheld=number in withheld) for number, parent in enumerate(parents)]) == found
