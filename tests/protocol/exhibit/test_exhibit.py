"""An exhibit tells one document's story as the matter has it, needs nothing else, and tells no other document's."""

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import Refused, WrongKey
from ledger.roles import Role
from ledger.store import Store
from protocol.corpus.corpus import Corpus
from protocol.errors import BadCorpus
from protocol.exhibit import folder
from protocol.exhibit.exhibit import WhichDocument, find, gather
from protocol.matter import summary
from protocol.matter.rounds import Round
from protocol.matter.state import Matter
from tests.support import corpora, matters
from tests.support.exhibits import cut, record, trents_key
from tests.support.flat import one_by_one
from tests.support.keyfile_samples import KEY
from verifier import exhibit
from verifier.exhibit import Answer
from verifier.exhibit.story import Course, course
from verifier.replay.reason import Reason

pytestmark = pytest.mark.slow  # cuts an exhibit of each document of whole matters

PROTOCOLS = ("label", "classifier", "reveal-all")
AGREED: dict[str, Any] = {"rounds": 3, "batch": 12, "delta": "0.6"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpora.make(tmp_path_factory.mktemp("corpus") / "small", documents=60, responsive=20)


@pytest.fixture(scope="module", params=PROTOCOLS)
def played(request: pytest.FixtureRequest, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first matter in which, under the label report, a find makes a whole batch due."""
    folder = tmp_path_factory.mktemp("matters")
    for seed in range(1, 40):
        path = folder / str(seed)
        with matters.start(corpus, path, protocol=request.param, seed=str(seed), **AGREED) as run:
            run.run(lambda _: None)
        compelled = [each for each in run.state.rounds if each.outcome is not None and each.outcome.compelled]
        if request.param != "label" or any(len(each.waves) > 1 for each in compelled[: len(run.state.rounds) - 1]):
            return path
    raise RuntimeError("no seed brings what the tests need")


def placed(state: Matter) -> dict[int, tuple[Round, int]]:
    """Where each reviewed document stands."""
    return {
        place.document: (each, position) for each in state.rounds for position, place in enumerate(each.places, start=1)
    }


def way(folder: Path) -> tuple[exhibit.Judgement, Course | None]:
    judgement = exhibit.judge(folder)
    return judgement, course(judgement)


def test_every_documents_story_is_the_matters(played: Path, corpus: Corpus, tmp_path: Path) -> None:
    state = summary.read(played)
    where, reasons, certain = placed(state), set(), set()
    for document in range(corpus.size):
        judgement, found = way(cut(played, corpus, document, tmp_path / str(document)))
        if document not in where:
            assert judgement.answer is Answer.COMMITMENT_ONLY
            assert found is None
            assert "proves the commitment alone" in exhibit.text(judgement).replace("\n  ", " ")
            continue
        assert judgement.answer is Answer.VERIFIED, (document, judgement.trouble, judgement.findings)
        review, position = where[document]
        assert found is not None
        assert review.outcome is not None
        assert review.report is not None
        assert (found.round, found.position, found.size) == (review.number, position, review.size)
        assert found.label == review.report.labels[position - 1]
        assert found.threshold == review.outcome.threshold
        assert (found.bob, found.ruling) == (review.bob.get(position), review.rulings.get(position))
        waves = [number for number, wave in enumerate(review.waves, start=1) if position in wave]
        assert found.wave == (waves[0] if waves else None)
        assert found.responsive is (position in review.outcome.responsive)
        assert review.examination is not None
        assert found.chance == review.examination.chances.get(position)
        assert (found.reason in (Reason.COIN, Reason.LATE)) == (position in review.examination.drawn)
        assert (found.reason is Reason.NOT_DRAWN) == (found.wave is None)
        reasons.add(found.reason)
        assert (found.certain is not None) == (found.reason is Reason.CERTAIN)
        certain.add(found.certain or "")
    protocol = state.terms.protocol
    due = {"reveal-all": {Reason.CERTAIN}, "classifier": {Reason.CERTAIN, Reason.COIN}}
    assert reasons >= due.get(protocol, {Reason.CERTAIN, Reason.COIN, Reason.COMPELLED})
    words = "the rule shows every document" if protocol == "reveal-all" else "it stands at or above the threshold"
    assert any(said.startswith(words) for said in certain)


def test_an_exhibit_names_no_other_document(played: Path, corpus: Corpus, tmp_path: Path) -> None:
    where = placed(summary.read(played))
    for document in list(where)[::7]:
        folder = cut(played, corpus, document, tmp_path / str(document))
        files = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        assert len(files) == 5
        everything = b"\n".join(files.values())
        assert set(re.findall(rb"mail-\d+", everything)) == {corpus.name(document).encode()}
        for other in set(range(corpus.size)) - {document}:
            assert corpus.content(other) not in everything
            assert corpus.text(other).encode() not in everything
        opened = [each for entry in record(folder)["entries"] for each in one_by_one(entry["openings"])]
        assert [each["value"]["document"] for each in opened if each["field"] == "documents"] == [document]
        assert {each["field"] for each in opened} <= {"documents", "labels", "threshold", "privilege"}


def test_an_exhibit_of_a_simulation_says_everywhere_that_it_is_one(
    played: Path, corpus: Corpus, tmp_path: Path
) -> None:
    folder = cut(played, corpus, 0, tmp_path / "e")
    said = " ".join(exhibit.text(exhibit.judge(folder)).split())
    assert "SIMULATION" in said
    assert "evidence of nothing" in said
    assert "SIMULATION" in (folder / "certification.txt").read_text()
    assert "evidence of nothing" in " ".join((folder / "README.txt").read_text().split())


def test_a_certification_is_a_draft_with_the_hashes_filled_in(played: Path, corpus: Corpus, tmp_path: Path) -> None:
    folder = cut(played, corpus, 0, tmp_path / "e")
    draft = (folder / "certification.txt").read_text()
    assert draft.startswith("DRAFT FOR COUNSEL. NOT LEGAL ADVICE.")
    assert all(rule in draft for rule in ("902(11)", "902(13)", "902(14)"))
    assert sha256(corpus.content(0)).hexdigest() in draft
    assert draft.count("____") > 10


def open_round(corpus: Corpus, path: Path, role: Role, kind: str) -> Matter:
    """A matter that waits for somebody in its second round."""
    with matters.start(corpus, path, **AGREED) as run:
        while len(run.state.rounds) < 2:
            assert run.step()
        matters.run_until(run, role, kind)
        return run.state


def test_in_an_open_round_alices_report_stays_sealed_and_the_story_is_not_at_its_end(
    corpus: Corpus, tmp_path: Path
) -> None:
    state = open_round(corpus, tmp_path / "matter", Role.BOB, "labels")
    review = state.rounds[1]
    position = review.waves[0][0]
    folder = cut(tmp_path / "matter", corpus, review.places[position - 1].document, tmp_path / "e")
    judgement, found = way(folder)
    assert judgement.answer is Answer.NOT_CLOSED
    assert not judgement.cosigned
    assert found is not None
    assert (found.wave, found.bob, found.label, found.reason) == (1, None, None, Reason.UNKNOWN)
    assert [field for entry in record(folder)["entries"] for field in entry["openings"]] == ["documents"]
    said = " ".join(exhibit.text(judgement).split())
    assert "At this checkpoint a round of the document is OPEN" in said
    assert "stays sealed until the round is closed" in said


def test_a_story_that_only_trent_has_signed_says_so(corpus: Corpus, tmp_path: Path) -> None:
    state = open_round(corpus, tmp_path / "matter", Role.ALICE, "report")
    shown = state.rounds[0].places[state.rounds[0].waves[0][0] - 1].document
    folder = cut(tmp_path / "matter", corpus, shown, tmp_path / "e")
    judgement, found = way(folder)
    assert judgement.answer is Answer.NOT_CLOSED
    assert found is not None
    said = " ".join(exhibit.text(judgement).split())
    assert "It holds NO signature of Alice, Bob and the court on the record" in said
    assert "have NOT all cosigned" in (folder / "certification.txt").read_text()


def test_cutting_an_exhibit_leaves_the_matter_as_it_is(corpus: Corpus, tmp_path: Path) -> None:
    open_round(corpus, tmp_path / "matter", Role.ALICE, "report")
    cut(tmp_path / "matter", corpus, 0, tmp_path / "e")
    with Store.open(tmp_path / "matter") as store:
        assert store.notes() == {}


def test_a_matter_that_not_all_have_signed_has_nothing_to_exhibit(corpus: Corpus, tmp_path: Path) -> None:
    with matters.start(corpus, tmp_path / "matter", **AGREED) as run:
        matters.run_until(run, Role.COURT, "deposited")
    with pytest.raises(Refused, match="not everybody has signed"):
        gather(tmp_path / "matter", corpus, 0, trents_key)


def test_only_the_enrolled_trent_can_sign_for_an_exhibit(corpus: Corpus, tmp_path: Path) -> None:
    open_round(corpus, tmp_path / "matter", Role.ALICE, "report")
    with pytest.raises(WrongKey):
        gather(tmp_path / "matter", corpus, 0, lambda _: KEY)


def test_another_corpus_is_refused(played: Path, tmp_path: Path) -> None:
    other = corpora.make(tmp_path / "other", documents=60, responsive=20, seed="another")
    with pytest.raises(BadCorpus, match="not the corpus that the matter was opened with"):
        gather(played, other, 0, trents_key)


def test_an_exhibit_never_takes_the_place_of_anything(played: Path, corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    gathered = gather(played, corpus, 0, trents_key)
    with pytest.raises(Refused, match="exists already"):
        folder.write(gathered, corpus, tmp_path / "there")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["there"]
    assert (tmp_path / "there").read_text() == "mine"


def test_a_name_that_no_document_has_is_answered_with_those_near_it(corpus: Corpus) -> None:
    name = corpus.name(5)
    assert find(corpus, name, None) == 5
    with pytest.raises(WhichDocument, match=re.escape(repr(name))):
        find(corpus, name.upper(), None)
    with pytest.raises(WhichDocument, match=re.escape(repr(name))):
        find(corpus, name.replace("-", "_"), None)
    with pytest.raises(WhichDocument, match="no document"):
        find(corpus, "", None)
    with pytest.raises(WhichDocument, match=f"document 4 in .* is called '{corpus.name(4)}'"):
        find(corpus, name, 4)


def test_the_json_tells_the_same_story(played: Path, corpus: Corpus, tmp_path: Path) -> None:
    state = summary.read(played)
    shown = state.rounds[0].waves[0][0]
    folder = cut(played, corpus, state.rounds[0].places[shown - 1].document, tmp_path / "e")
    value = json.loads(json.dumps(exhibit.value(exhibit.judge(folder))))
    assert (value["verdict"], value["exit_code"], value["findings"]) == ("verified", 0, [])
    assert value["courses"][0]["position"] == shown
    assert value["courses"][0]["wave"] == 1
    assert value["checkpoint"]["cosigned"] is True
    assert [line.partition(".")[0] for line in value["story"]][:3] == ["Commitment", "Batch", "Report"]


@pytest.mark.parametrize(
    ("name", "data", "file"),
    [
        ("mail/17.eml", b"", "content.eml"),
        ("mail-0000017", b"From: a@example.com\nSubject: x\n\nwords", "content.eml"),
        ("mail-0000017", b"plain words", "content.txt"),
        ("scan", b"%PDF-1.7 ...", "content.txt"),
        ("letter.TXT", b"words", "content.txt"),
        ("letter.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "content.txt"),
        ("page.html", b"<script>", "content.txt"),
        ("page.eml.js", b"alert(1)", "content.txt"),
        ("4711@mail.example.com", b"From: a@example.com\n\nwords", "content.eml"),
        ("unknown", b"\x00\x01", "content.txt"),
    ],
)
def test_a_documents_file_is_called_so_that_a_computer_shows_it_and_runs_nothing(
    name: str, data: bytes, file: str
) -> None:
    assert folder.content_file(name, data) == file
