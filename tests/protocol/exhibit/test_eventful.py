"""Exhibits out of a matter with privilege, silence, a new key and an amendment tell all of it, and blame nobody."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from ledger.keys import PublicKey, SigningKey, fingerprint
from ledger.matterreader import MatterReader
from ledger.roles import Role as LedgerRole
from protocol.corpus.corpus import Corpus
from protocol.exhibit.exhibit import gather
from protocol.exhibit.fates import Fate
from protocol.exhibit.story import Story
from protocol.matter import summary, terms
from protocol.matter.asking import Answer as Answered
from protocol.matter.kind import Entry
from protocol.simulation import run as simulation
from tests.support import answers, corpora, matters
from tests.support.exhibits import cut, record, rewrite, trents_key
from tests.support.scripted import BASES, ScriptedRun
from verifier import exhibit
from verifier.checks import Check, Role
from verifier.exhibit import Answer
from verifier.exhibit.story import Course, course
from verifier.findings import Finding
from verifier.replay.reason import Reason

pytestmark = pytest.mark.slow  # plays whole matters, and cuts an exhibit of each document

FREE = SigningKey(bytes(32))
PROTOCOLS = ("label", "classifier", "reveal-all")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpora.make(tmp_path_factory.mktemp("corpus") / "small", documents=60, responsive=25)


def play(corpus: Corpus, path: Path, protocol: str, course: type[ScriptedRun] = ScriptedRun) -> Path:
    parameters: dict[str, Any] = {} if protocol == "reveal-all" else {"delta": "0.6", "k": 1}
    agreed = terms.terms(protocol=protocol, rounds=3, batch=12, query=corpora.QUERY, **parameters)
    plan = simulation.plan(corpus, agreed, label="responsive", seed="1", **matters.PLAYERS)
    with course(corpus, plan, path) as run:
        run.run()
    return path


@pytest.fixture(scope="module", params=PROTOCOLS)
def matter(request: pytest.FixtureRequest, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play(corpus, tmp_path_factory.mktemp("matters") / str(request.param), request.param)


def document_at(matter: Path, number: int, position: int) -> int:
    return summary.read(matter).rounds[number - 1].places[position - 1].document


def told(folder: Path) -> tuple[Course, str]:
    judgement = exhibit.judge(folder)
    assert judgement.answer is Answer.VERIFIED, (judgement.trouble, judgement.findings)
    way = course(judgement)
    assert way is not None
    return way, " ".join(exhibit.text(judgement).split())


def test_every_document_of_an_eventful_matter_has_its_exhibit(matter: Path, corpus: Corpus, tmp_path: Path) -> None:
    by_round: dict[int, list[Course]] = defaultdict(list)
    for document in range(corpus.size):
        judgement = exhibit.judge(cut(matter, corpus, document, tmp_path / str(document)))
        way = course(judgement)
        due = Answer.COMMITMENT_ONLY if way is None else Answer.VERIFIED
        assert judgement.answer is due, (judgement.trouble, judgement.findings)
        if way is not None:
            by_round[way.round].append(way)
    assert sorted(by_round) == [1, 2, 3, 4]
    assert {each.position: each.upheld for each in by_round[1] if each.claimed} == {1: True, 2: False}
    assert {each.position for each in by_round[2] if each.late} == {12}
    assert any(each.unread for each in by_round[3])
    assert {each.reason for each in by_round[4]} == {Reason.ORDERED}
    assert not any(each.coin for each in by_round[4])


def test_a_claim_is_told_with_its_basis_and_its_ruling(matter: Path, corpus: Corpus, tmp_path: Path) -> None:
    way, said = told(cut(matter, corpus, document_at(matter, 1, 1), tmp_path / "upheld"))
    assert (way.upheld, way.wave, way.basis) == (True, None, BASES[1])
    assert "The court upheld the claim: it is withheld from Bob" in said
    way, said = told(cut(matter, corpus, document_at(matter, 1, 2), tmp_path / "overruled"))
    assert (way.upheld, way.basis) == (False, BASES[2])
    assert way.wave is not None
    assert "The court overruled the claim" in said
    way, said = told(cut(matter, corpus, document_at(matter, 2, 12), tmp_path / "late"))
    assert "Alice claimed it as privileged after her report on the basis 'Joint defence'" in said


def test_the_basis_of_another_documents_claim_is_not_in_an_exhibit(
    matter: Path, corpus: Corpus, tmp_path: Path
) -> None:
    for position, own in ((1, BASES[1]), (2, BASES[2]), (3, None)):
        folder = cut(matter, corpus, document_at(matter, 1, position), tmp_path / str(position))
        said = (folder / "exhibit.json").read_text()
        assert [basis for basis in BASES.values() if basis in said] == ([own] if own else [])


def test_what_is_withheld_counts_as_not_shown(matter: Path, corpus: Corpus, tmp_path: Path) -> None:
    gathered = gather(matter, corpus, document_at(matter, 1, 1), trents_key)
    assert gathered.fate is Fate.WITHHELD
    folder = cut(matter, corpus, document_at(matter, 1, 1), tmp_path / "e")
    assert "withheld as privileged" in (folder / "README.txt").read_text()


def test_a_new_key_is_in_every_exhibit_and_without_it_nobody_is_blamed(
    matter: Path, corpus: Corpus, tmp_path: Path
) -> None:
    folder = cut(matter, corpus, document_at(matter, 4, 1), tmp_path / "e")
    judgement = exhibit.judge(folder)
    assert [each.role for each in judgement.key_changes] == [Role.BOB]
    value = record(folder)
    kinds = ("rekey", "rekeyed")
    for left_out in (kinds, kinds[:1], kinds[1:]):
        kept = [each for each in value["entries"] if each["entry"]["body"]["statement"]["kind"] not in left_out]
        rewrite(folder, value | {"entries": kept})
        judgement = exhibit.judge(folder)
        assert judgement.answer is Answer.UNDECIDED
        assert not judgement.findings


def test_the_certification_names_every_key_that_a_party_has_had(matter: Path, corpus: Corpus, tmp_path: Path) -> None:
    folder = cut(matter, corpus, document_at(matter, 4, 1), tmp_path / "e")
    (change,) = exhibit.judge(folder).key_changes
    path = folder / "certification.txt"
    draft = path.read_text()
    former = f"    fingerprint of the key of Bob until entry {change.entry} = {fingerprint(PublicKey(change.before))}\n"
    assert former in draft
    assert draft.count("fingerprint of the key of ") == 5
    path.write_text(draft.replace(former, ""))
    assert (
        f"no longer states 'fingerprint of the key of Bob until entry {change.entry}'" in exhibit.judge(folder).trouble
    )


def test_each_key_of_a_party_is_trusted_by_itself(matter: Path, corpus: Corpus, tmp_path: Path) -> None:
    folder = cut(matter, corpus, document_at(matter, 4, 1), tmp_path / "e")
    judgement = exhibit.judge(folder)
    (change,) = judgement.key_changes
    old, new = (fingerprint(PublicKey(key)) for key in (change.before, judgement.keys[Role.BOB]))
    for trusted, blamed in (((old,), [Role.BOB, None]), ((new,), [None, Role.BOB]), ((old, new), [Role.BOB] * 2)):
        judgement = exhibit.judge(folder, {Role.BOB: trusted})
        assert [each.found for each in judgement.findings] == [each for each in (old, new) if each not in trusted]
        judgement.findings = [
            Finding(check=Check.ANSWERS, rule="", expected="", found="", entry=entry, party=Role.BOB)
            for entry in (change.entry, change.entry + 1)
        ]
        assert [each["party"] for each in exhibit.value(judgement)["findings"]] == blamed
        (former,) = exhibit.value(judgement)["keys"][Role.BOB]["before"]
        assert former == {"fingerprint": old, "identity": "confirmed" if old in trusted else "another key"}
        said = " ".join(exhibit.text(judgement).split())
        assert said.count("by Bob, with the key that you trust") == len(trusted)
        assert said.count("which is NOT that of Bob as you know it") == 2 - len(trusted)
        assert f"{old} (until entry {change.entry}, {'confirmed' if old in trusted else 'another key'})" in said


def test_no_part_of_an_eventful_round_can_be_left_out(corpus: Corpus, tmp_path: Path) -> None:
    matter = play(corpus, tmp_path / "matter", "label")
    for number in (1, 2, 3, 4):
        folder = cut(matter, corpus, document_at(matter, number, 1), tmp_path / str(number))
        value = record(folder)
        for index in range(len(value["entries"])):
            rewrite(folder, value | {"entries": value["entries"][:index] + value["entries"][index + 1 :]})
            judgement = exhibit.judge(folder)
            assert judgement.answer is Answer.UNDECIDED, (number, index)
            assert not judgement.findings


class DenyingRun(ScriptedRun):
    """Before the last round a key is asked for Alice as well, and the court does not grant it."""

    def _propose(self) -> bool:
        between = self.state.current is None and len(self.state.rounds) == 3 and self.seen["amend"] == 1
        if not between or self.state.drawing is not None or self.seen["rekey"] != 1:
            return super()._propose()
        self.desk.rekey(LedgerRole.ALICE, FREE.public)
        return True

    def _answer(self, role: LedgerRole, kind: str) -> Answered:
        if kind == "rekeyed" and self.seen["rekeyed"]:
            return answers.rekeyed(self.court, False)
        return super()._answer(role, kind)


@pytest.mark.parametrize("more", [{"rekey"}, {"rekey", "rekeyed"}], ids=len)
def test_a_key_that_was_denied_has_no_place_outside_of_the_round(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: set[str]
) -> None:
    matter = play(corpus, tmp_path / "matter", "label", DenyingRun)
    told_all = [Entry.stored(opened) for opened in MatterReader(matter)]
    keys = [each for each in told_all if each.statement.kind in ("rekey", "rekeyed")]
    assert [each.statement.content.get("granted") for each in keys] == [None, True, None, False]
    document = document_at(matter, 1, 3)
    assert exhibit.judge(cut(matter, corpus, document, tmp_path / "good")).answer is Answer.VERIFIED
    denied = {each.sequence for each in keys[2:] if each.statement.kind in more}
    chosen = Story.chosen
    monkeypatch.setattr(Story, "chosen", lambda story, size: {*chosen(story, size), *denied})
    judgement = exhibit.judge(cut(matter, corpus, document, tmp_path / "more"))
    assert judgement.answer is Answer.UNDECIDED
    assert f"entry {min(denied)} does not belong" in judgement.trouble
