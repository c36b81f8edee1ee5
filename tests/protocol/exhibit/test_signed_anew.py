"""Exhibits that were changed and signed anew by everybody: what is found first, and who is blamed, or nobody."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger.hashing import tagged_hash
from ledger.roles import Role as Signer
from tests.support import exhibit_samples
from tests.support.builders import KEYS
from tests.support.exhibit_matters import Corpora
from tests.support.flat import together
from tests.support.forging.exhibits import RECORD, ExhibitForger, Files, signed_anew
from tests.support.forging.mutations import canonical
from verifier import exhibit
from verifier.checks import Role
from verifier.exhibit import Answer, Judgement

MATTERS = ("chaotic-7", "drawn-first-batch", "renewed", "scripted", "validated", "witnessed")
Change = Callable[[ExhibitForger], None]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Files]:
    """Of each matter an exhibit with the most entries: if there is one, of those in which the document is asked back
    after its rounds, or the court gives somebody's link.
    """
    folder = tmp_path_factory.mktemp("samples")
    found: dict[str, Files] = {}
    for made in exhibit_samples.honest(folder, Corpora(folder), MATTERS):
        name, files = made.name.rpartition("-")[0], exhibit_samples.files(made)
        found[name] = max(found.get(name, files), files, key=_told)
    return found


def _told(files: Files) -> tuple[bool, int]:
    said = [each["entry"]["body"]["statement"] for each in json.loads(files[RECORD])["entries"]]
    given = any(each["kind"] == "order" and each["content"]["link"] is not None for each in said)
    return given or said[-1]["kind"] == "returned", len(said)


def judged(files: Files, folder: Path, *changes: Change) -> Judgement:
    forger = ExhibitForger(json.loads(files[RECORD]))
    for change in changes:
        change(forger)
    exhibit_samples.put({**signed_anew(files), RECORD: canonical(forger.signed())}, folder)
    return exhibit.judge(folder)


def found(judgement: Judgement) -> list[tuple[str, Role | None, int | None]]:
    return [(each.check, each.party, each.entry) for each in judgement.findings]


def body(forger: ExhibitForger, kind: str) -> Any:
    """The last entry of a kind."""
    bodies = [piece["entry"]["body"] for piece in forger.values]
    return next(each for each in reversed(bodies) if each["statement"]["kind"] == kind)


def saying(kind: str, **content: Any) -> Change:
    return lambda forger: body(forger, kind)["statement"]["content"].update(content)


def of_round(kind: str, number: int) -> Change:
    return lambda forger: body(forger, kind)["statement"].update(round=number)


def without(kind: str) -> Change:
    """The first entry of a kind is left out."""

    def change(forger: ExhibitForger) -> None:
        forger.values.remove(
            next(piece for piece in forger.values if piece["entry"]["body"]["statement"]["kind"] == kind)
        )

    return change


def number_of(files: Files, kind: str) -> int:
    number: int = body(ExhibitForger(json.loads(files[RECORD])), kind)["sequence"]
    return number


def test_what_is_signed_anew_without_a_change_gets_the_same_verdict(samples: dict[str, Files], tmp_path: Path) -> None:
    ends = {name: judged(files, tmp_path / name).answer for name, files in samples.items()}
    assert ends == {name: Answer.NOT_CLOSED if name == "renewed" else Answer.VERIFIED for name in MATTERS}


@pytest.mark.parametrize(
    ("sample", "kind", "content", "author"),
    [
        ("drawn-first-batch", "labels", {"labels": "none"}, Role.BOB),
        ("drawn-first-batch", "rulings", {"labels": [1]}, Role.COURT),
        ("drawn-first-batch", "draw", {"draw": "1"}, Role.TRENT),
        ("drawn-first-batch", "batch", {"drawn": "by lot"}, Role.TRENT),
        ("renewed", "rekey", {"role": "nobody"}, Role.TRENT),
        ("witnessed", "stamped", {"root": "00"}, Role.TRENT),
    ],
)
def test_a_content_of_the_wrong_form_is_its_authors_fault_before_anything_that_rests_on_it(
    samples: dict[str, Files], tmp_path: Path, sample: str, kind: str, content: dict[str, Any], author: Role
) -> None:
    files = samples[sample]
    judgement = judged(files, tmp_path / "e", saying(kind, **content), lambda forger: forger.document.update(name="x"))
    assert found(judgement) == [("V05", author, number_of(files, kind))]


def test_nobody_is_blamed_for_the_contents_of_another_method(samples: dict[str, Files], tmp_path: Path) -> None:
    changes = saying("open", method=7), saying("labels", labels={"by": "part"})
    judgement = judged(samples["drawn-first-batch"], tmp_path / "e", *changes)
    assert judgement.answer is Answer.UNDECIDED
    assert "version 7" in judgement.trouble


@pytest.mark.parametrize("kind", ["agreed", "deposited"])
def test_an_answer_to_the_opening_is_known_by_its_question_and_not_by_its_kind(
    samples: dict[str, Files], tmp_path: Path, kind: str
) -> None:
    def change(forger: ExhibitForger) -> None:
        body(forger, kind)["statement"]["kind"] = "labels"

    files = samples["drawn-first-batch"]
    author = Role.COURT if kind == "deposited" else Role.BOB
    assert found(judged(files, tmp_path / "e", change)) == [("V05", author, number_of(files, kind))]


def test_up_to_the_first_gap_a_false_signature_is_trents_fault_and_then_nobodys(
    samples: dict[str, Files], tmp_path: Path
) -> None:
    """Behind a gap another key may be in force."""
    files = samples["drawn-first-batch"]

    def under_a_strange_key(forger: ExhibitForger) -> None:
        forger.keys = {**KEYS, Signer.BOB: KEYS[Signer.COURT]}

    judgement = judged(files, tmp_path / "whole", under_a_strange_key)
    assert found(judgement) == [("V03", Role.TRENT, 2)]
    assert found(judged(files, tmp_path / "e", of_round("labels", 9))) == [
        ("V05", Role.TRENT, number_of(files, "labels"))
    ]
    judgement = judged(files, tmp_path / "gap", without("draw"))
    assert judgement.answer is Answer.UNDECIDED
    assert "may lack an entry that explains it" in judgement.trouble


@pytest.mark.parametrize(("sample", "kind", "more"), [("validated", "draw", -1), ("drawn-first-batch", "link", 7)])
def test_where_trent_and_the_parties_state_other_numbers_of_a_draw_nobody_is_blamed(
    samples: dict[str, Files], tmp_path: Path, sample: str, kind: str, more: int
) -> None:
    files = samples[sample]
    number = body(ExhibitForger(json.loads(files[RECORD])), kind)["statement"]["content"]["draw"]
    judgement = judged(files, tmp_path / "e", saying(kind, draw=number + more))
    assert judgement.answer is Answer.UNDECIDED
    assert "do not agree on the draws' numbers" in judgement.trouble


def test_a_false_link_is_its_signers_fault(samples: dict[str, Files], tmp_path: Path) -> None:
    files = samples["drawn-first-batch"]
    assert found(judged(files, tmp_path / "e", saying("link", link="11" * 32))) == [
        ("V08", Role.BOB, number_of(files, "link"))
    ]


def test_the_courts_link_states_no_number_so_the_court_is_not_blamed_for_it(
    samples: dict[str, Files], tmp_path: Path
) -> None:
    def change(forger: ExhibitForger) -> None:
        said = [piece["entry"]["body"]["statement"] for piece in forger.values]
        given = next(each for each in said if each["kind"] == "order" and each["content"]["link"] is not None)
        given["content"]["link"] = "11" * 32

    judgement = judged(samples["scripted"], tmp_path / "e", change)
    assert judgement.answer is Answer.UNDECIDED
    assert "is not for the draw under way" in judgement.trouble


def test_a_batch_that_is_half_drawn_is_trents_fault(samples: dict[str, Files], tmp_path: Path) -> None:
    files = samples["drawn-first-batch"]
    judgement = judged(files, tmp_path / "e", saying("batch", near_cut=0))
    assert found(judgement) == [("V09", Role.TRENT, number_of(files, "batch"))]


def test_an_opening_that_alice_signed_and_did_not_commit_to_is_her_fault(
    samples: dict[str, Files], tmp_path: Path
) -> None:
    files = samples["drawn-first-batch"]

    def change(forger: ExhibitForger) -> None:
        line = next(piece for piece in forger.values if piece["entry"]["body"]["statement"]["kind"] == "report")
        line["openings"][0]["value"] = not line["openings"][0]["value"]
        signed = tagged_hash("openings", canonical(together(line["openings"]))).hex()
        line["entry"]["body"]["statement"]["content"]["openings"] = signed

    assert found(judged(files, tmp_path / "e", change)) == [("V12", Role.ALICE, number_of(files, "report"))]


def test_a_key_that_nobody_could_use_is_trents_fault_wherever_it_is_granted(
    samples: dict[str, Files], tmp_path: Path
) -> None:
    files = samples["renewed"]
    changes = saying("rekey", key="00" * 32), saying("rekeyed", key="00" * 32)
    assert found(judged(files, tmp_path / "e", *changes)) == [("V03", Role.TRENT, number_of(files, "rekeyed"))]


@pytest.mark.parametrize("which", ["the question", "the ruling"])
def test_between_rounds_only_what_asks_a_document_back_belongs(
    samples: dict[str, Files], tmp_path: Path, which: str
) -> None:
    """Whatever stands there is not replayed, so its kind is all that tells what it is."""

    def change(forger: ExhibitForger) -> None:
        asked = body(forger, "reclaim")["statement"]["answers"]
        question = next(piece for piece in forger.values if forger.hash_of(piece) == asked)
        changed = question["entry"]["body"] if which == "the question" else body(forger, "returned")
        changed["statement"]["kind"] = "labelled"

    judgement = judged(samples["chaotic-7"], tmp_path / "e", change)
    assert judgement.answer is Answer.UNDECIDED
    assert "not whole" in judgement.trouble
