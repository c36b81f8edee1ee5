"""Exhibits of documents that were drawn again: every round that showed one is in its exhibit, and none that did not."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ledger import canonical
from protocol.corpus.corpus import Corpus
from protocol.exhibit import exhibit as exhibits
from protocol.exhibit import folder
from protocol.exhibit.exhibit import Exhibit
from protocol.exhibit.fates import Fate
from protocol.matter import summary, terms
from protocol.matter.state import Matter
from tests.support import answers, corpora, matters
from tests.support.exhibits import trents_key
from tests.support.flat import one_by_one
from tests.support.validated_matters import NEARLY_ALL, begin, withheld_claim
from tests.support.validated_matters import SPOT_CHECKS as ONE_BATCH
from verifier import exhibit
from verifier.exhibit import Answer

pytestmark = pytest.mark.slow  # plays whole matters, and cuts an exhibit of many documents

SPOT_CHECKS: dict[str, Any] = {
    "protocol": "spot-check", "rate": "0.05", "target": "0.8", "every": 1, "limit": "0.5", "rounds": 2, "batch": 40,
}  # fmt: skip
VALIDATIONS = {
    "one stage": terms.validation(every=1, show="0.1", target="0.8", **{"yield": None}),
    "by the court": terms.validation(every=1, show="0.1", target="0.8", viewer="court", **{"yield": None}),
    "two stages": terms.validation(every=1, review="0.2", show="0.3", target="0.8", **{"yield": None}),
}


class Case:
    """A matter of one sort of validations, and the exhibit of every document in it."""

    def __init__(self, corpus: Corpus, path: Path, validation: str) -> None:
        with matters.start(corpus, path, **SPOT_CHECKS, validation=VALIDATIONS[validation]) as run:
            run.run()
        self.corpus = corpus
        self.state: Matter = summary.read(path)
        self.exhibits: dict[int, Exhibit] = {
            document: exhibits.gather(path, corpus, document, trents_key) for document in range(corpus.size)
        }


@pytest.fixture(scope="module")
def fewer(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Half as much mail: the exhibit of every document is cut."""
    return corpora.make(tmp_path_factory.mktemp("fewer") / "corpus", documents=150)


@pytest.fixture(scope="module", params=VALIDATIONS)
def case(request: pytest.FixtureRequest, fewer: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Case:
    return Case(fewer, tmp_path_factory.mktemp("drawn") / "matter", request.param)


def rounds_of(found: Exhibit) -> set[int]:
    entries: list[Any] = found.entries
    return {each["entry"]["body"]["statement"]["round"] for each in entries} - {0}


def test_an_exhibit_holds_the_rounds_that_list_or_show_the_document(case: Case) -> None:
    for document, found in case.exhibits.items():
        due = set()
        for each in case.state.rounds:
            places = [position for position, place in enumerate(each.places, start=1) if place.document == document]
            seen = each.disclosed | each.privilege.withheld | each.in_camera.keys()
            own = range(1, (each.called or each.size) + 1) if str(each.sort) != "escalation" else ()
            due |= {each.number for position in places if position in seen or position in own}
        assert rounds_of(found) == due, document
    assert any(len(rounds_of(found)) > 1 for found in case.exhibits.values())


def test_what_bob_has_is_known_from_the_exhibit(case: Case) -> None:
    shown = {each.places[position - 1].document for each in case.state.rounds for position in each.disclosed}
    kept = {each.places[position - 1].document for each in case.state.rounds for position in each.kept}
    assert {document for document, found in case.exhibits.items() if found.fate is Fate.SHOWN} == shown
    assert {document for document, found in case.exhibits.items() if found.fate is Fate.JUDGED} == kept


def test_every_exhibit_is_verified(case: Case, tmp_path: Path) -> None:
    answers: Counter[Answer] = Counter()
    chosen = {len(rounds_of(found)): document for document, found in case.exhibits.items()}
    few = {*chosen.values(), *range(0, case.corpus.size, 7)}
    for document in few:
        folder.write(case.exhibits[document], case.corpus, tmp_path / str(document))
        judged = exhibit.judge(tmp_path / str(document))
        assert not judged.findings
        assert (judged.answer is Answer.COMMITMENT_ONLY) is not case.exhibits[document].reviewed
        answers[judged.answer] += 1
    assert answers.keys() == {Answer.VERIFIED, Answer.COMMITMENT_ONLY}


def test_no_other_document_is_named_in_an_exhibit(case: Case) -> None:
    for document, found in case.exhibits.items():
        entries: list[Any] = found.entries
        opened = [each for piece in entries for each in one_by_one(piece["openings"])]
        assert {each["value"]["document"] for each in opened if each["field"] == "documents"} <= {document}
        assert not [each for each in opened if each["field"] in ("numbers", "model", "evidence", "path", "account")]
        proof = json.loads(canonical.encode(found.proof))
        own = {key: each for key, each in proof.items() if key != "path"}
        assert all(each["value"] == own for each in opened if each["field"] == "proofs")


@pytest.mark.parametrize("viewer", ["bob", "court"])
@pytest.mark.parametrize("upheld", [True, False])
def test_what_a_report_claims_is_privileged_when_a_validation_draws_it(
    small_corpus: Corpus, tmp_path: Path, viewer: str, *, upheld: bool
) -> None:
    path = tmp_path / "matter"
    with begin(small_corpus, path, NEARLY_ALL | {"viewer": viewer}, **ONE_BATCH) as run:
        current, place = withheld_claim(run)
        run.desk.accept(answers.claim(run.alice, {}))
        run.step()
        kept = {each: not true for each, true in enumerate(run.alice.truth, start=1)} | {place: upheld}
        run.desk.accept(answers.uphold(run.court, [kept[each] for each in current.privilege.asked]))
        run.run()
    found = exhibits.gather(path, small_corpus, current.places[place - 1].document, trents_key)
    assert found.fate is (Fate.WITHHELD if upheld else Fate.SHOWN)
    folder.write(found, small_corpus, tmp_path / "exhibit")
    judged = exhibit.judge(tmp_path / "exhibit")
    assert judged.answer is Answer.VERIFIED
    assert not judged.findings
