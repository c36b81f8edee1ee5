"""An exhibit of a document of several parts: each part is in the folder, and is the committed one."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ledger import canonical, records
from ledger.roles import Role
from protocol.corpus import leaves
from protocol.corpus.corpus import Corpus
from protocol.corpus.leaves import OpenPart, Parts, withheld
from tests.support import answers, matters, small_corpus
from tests.support.exhibits import cut
from tests.support.validated_matters import until_asked
from verifier import exhibit
from verifier.exhibit import Answer
from verifier.exhibit.story import story

FILES = {
    f"document/{kind}{number}.{ending}"
    for number, ending in (("", "eml"), ("-1", "txt"), ("-2", "txt"), ("-3", "txt"))
    for kind in ("content", "text")
    if (kind, ending) != ("text", "eml")
} | {"document/text.txt"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    documents = [replace(each, labels=("responsive",)) if each.text else each for each in small_corpus.DOCUMENTS]
    return small_corpus.make(tmp_path_factory.mktemp("corpus") / "corpus", documents)


@pytest.fixture(scope="module")
def genuine(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exhibits")
    with matters.start(corpus, folder / "matter", rounds=1, batch=corpus.size, protocol="reveal-all", query="") as run:
        run.run()
    family = next(number for number in range(corpus.size) if corpus.parts(number) > 1)
    return cut(folder / "matter", corpus, family, folder / "exhibit")


def test_every_part_is_in_the_folder_and_the_exhibit_is_verified(genuine: Path) -> None:
    assert {str(path.relative_to(genuine)) for path in (genuine / "document").iterdir()} == FILES
    for number, part in enumerate(small_corpus.FAMILY.parts):
        name = f"-{number}" if number else ""
        assert (genuine / f"document/text{name}.txt").read_bytes() == part.text.encode()
    value = json.loads((genuine / "exhibit.json").read_bytes())["document"]
    assert value["files"] == ["content.eml", "content-1.txt", "content-2.txt", "content-3.txt"]
    assert exhibit.judge(genuine).answer is Answer.VERIFIED


def test_the_path_is_that_of_the_one_document(genuine: Path, corpus: Corpus) -> None:
    value = json.loads((genuine / "exhibit.json").read_bytes())["document"]
    path = bytes.fromhex(value["proof"].pop("path"))
    named = {value["number"]: (value["name"], leaves.read_proof(value["proof"]))}
    assert leaves.opens(corpus.root, corpus.size, "family", named, path)


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_part_that_is_changed_or_missing_is_damage(genuine: Path, name: str) -> None:
    path = genuine / name
    before = path.read_bytes()
    try:
        path.write_bytes(before + b" ")
        assert exhibit.judge(genuine).answer is Answer.UNDECIDED
        path.unlink()
        assert exhibit.judge(genuine).answer is Answer.UNDECIDED
    finally:
        path.write_bytes(before)
    assert exhibit.judge(genuine).answer is Answer.VERIFIED


def test_a_part_can_be_taken_out_whose_log_stays(genuine: Path, corpus: Corpus) -> None:
    """The certification no longer fits then; without it, the exhibit is a story with a part withheld."""
    record = genuine / "exhibit.json"
    value = json.loads(record.read_bytes())
    whole = corpus.proof(value["document"]["number"])
    parts = [each for each in whole.parts if isinstance(each, OpenPart)]
    hidden = Parts((*parts[:2], withheld(parts[2]), parts[3]))
    value["document"]["proof"]["parts"] = [records.to_value(each) for each in hidden]
    value["document"]["files"][:3] = [None] * 3  # the archive and the mail hold its bytes
    changed = {record: canonical.encode(value), genuine / "certification.txt": None, genuine / "README.txt": None}
    changed |= {
        genuine / "document" / name: None for name in ("content-2.txt", "text-2.txt", "content-1.txt", "content.eml")
    }
    before = {path: path.read_bytes() for path in changed}
    try:
        for path, data in changed.items():
            path.unlink() if data is None else path.write_bytes(data)
        assert exhibit.judge(genuine).answer is Answer.VERIFIED
    finally:
        for path, data in before.items():
            path.write_bytes(data)


@pytest.fixture(scope="module")
def partly(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same document, of which the court withholds part 2."""
    folder = tmp_path_factory.mktemp("partly")
    family = next(number for number in range(corpus.size) if corpus.parts(number) > 1)
    with matters.start(corpus, folder / "matter", rounds=1, batch=corpus.size, protocol="reveal-all", query="") as run:
        until_asked(run, Role.ALICE, "report")
        place = run.alice.shelf.documents.index(family) + 1
        claimed = {place: (2, 3)}
        run.desk.accept(answers.report(run.alice, run.alice.truth, None, {place: "advice"}, parts=claimed))
        until_asked(run, Role.COURT, "privilege")
        run.desk.accept(answers.uphold(run.court, [False], {place: (2,)}))
        run.run()
    return cut(folder / "matter", corpus, family, folder / "exhibit")


def test_an_exhibit_of_what_bob_has_does_not_hold_a_part_that_the_court_withheld(partly: Path) -> None:
    held = {path.name for path in (partly / "document").iterdir()}
    assert held == {"text.txt", "text-1.txt", "content-3.txt", "text-3.txt"}  # no bytes of what holds the part
    everything = b"".join(path.read_bytes() for path in partly.rglob("*") if path.is_file())
    hidden = small_corpus.FAMILY.parts[2]
    assert hidden.content not in everything
    assert hidden.text.encode() not in everything
    assert hidden.name.encode() not in everything
    assert (
        "PARTS WITHHELD. The court has withheld parts of this document as privileged: 2."
        in (partly / "README.txt").read_text()
    )
    judged = exhibit.judge(partly)
    assert judged.answer is Answer.VERIFIED, judged.trouble
    told = " ".join(story(judged))
    assert "The files here are 3 of them and their texts" in told
    assert "The court read it alone, withheld part 2 as privileged and held it to be responsive" in told
    assert "Bob was shown it in wave 1" in told
