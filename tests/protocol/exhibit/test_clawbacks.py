"""The exhibit of a document that Alice asked back says so, and what the court ruled; whoever cuts it is warned."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ledger.roles import Role
from protocol.cli import main
from protocol.corpus.corpus import Corpus
from protocol.exhibit.exhibit import gather
from protocol.exhibit.fates import Fate
from protocol.matter import course, summary
from protocol.matter.books import Seat
from tests.support import corpora, matters
from tests.support.exhibits import cut, record, rewrite, trents_key
from tests.support.forging import clawedback
from tests.support.forging.catalogue import DISPUTED
from tests.support.forging.clawedback import BASES, REASON, ClawbackRun
from tests.support.forging.running import plan, play
from tests.support.validated_matters import pass_over, until_asked
from tests.vectors.agreed import AGREED
from verifier import exhibit
from verifier.exhibit import Answer


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpora.doubled(tmp_path_factory.mktemp("corpus") / "few", documents=20, responsive=8)


@pytest.fixture(scope="module")
def matter(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("matter") / "matter"
    play(
        corpus,
        plan(corpus, players=DISPUTED, protocol="label", **(AGREED | clawedback.AGREED)),
        path,
        course=ClawbackRun,
    )
    return path


def seats(matter: Path) -> list[Seat]:
    """What was asked back: in round 1 an upheld and an overruled one, and between the rounds an upheld one."""
    return list(summary.read(matter).clawbacks.bases)


def document_at(matter: Path, seat: Seat) -> int:
    return summary.read(matter).rounds[seat.round - 1].places[seat.position - 1].document


def told(folder: Path) -> str:
    judgement = exhibit.judge(folder)
    assert judgement.answer is Answer.VERIFIED, (judgement.trouble, judgement.findings)
    return " ".join(exhibit.text(judgement).split())


@pytest.mark.parametrize("which", [0, 2], ids=["in its round", "between rounds"])
def test_what_is_clawed_back_is_told_with_its_basis(matter: Path, corpus: Corpus, tmp_path: Path, which: int) -> None:
    document = document_at(matter, seats(matter)[which])
    assert gather(matter, corpus, document, trents_key).fate is Fate.CLAWED_BACK
    folder = cut(matter, corpus, document, tmp_path / "e")
    said = told(folder)
    assert f"on the basis {BASES[0]!r}. The court upheld that" in said
    assert "it is clawed back, and Bob must return or destroy it" in said
    assert "CLAWED BACK" in (folder / "README.txt").read_text()
    assert REASON not in (folder / "exhibit.json").read_text()
    assert BASES[1] not in (folder / "exhibit.json").read_text()


def test_what_the_court_overruled_stays_shown(matter: Path, corpus: Corpus, tmp_path: Path) -> None:
    document = document_at(matter, seats(matter)[1])
    assert gather(matter, corpus, document, trents_key).fate is Fate.SHOWN
    assert "The court overruled that" in told(cut(matter, corpus, document, tmp_path / "e"))


def test_every_other_document_has_an_exhibit_that_says_nothing_of_it(
    matter: Path, corpus: Corpus, tmp_path: Path
) -> None:
    """Also where a document of another round was asked back in the document's own round."""
    asked = {document_at(matter, seat) for seat in seats(matter)}
    for document in sorted(set(range(8)) - asked):
        judgement = exhibit.judge(cut(matter, corpus, document, tmp_path / str(document)))
        assert judgement.answer in (Answer.VERIFIED, Answer.COMMITMENT_ONLY), (judgement.trouble, judgement.findings)
        assert judgement.asked_back is None


def test_without_the_ruling_the_exhibit_does_not_say_that_there_is_none(
    matter: Path, corpus: Corpus, tmp_path: Path
) -> None:
    seat = seats(matter)[2]
    folder = cut(matter, corpus, document_at(matter, seat), tmp_path / "e")
    value = record(folder)
    last = max(place for place, each in enumerate(value["entries"]) if _kind(each) == "returned")
    del value["entries"][last]
    rewrite(folder, value)
    judgement = exhibit.judge(folder)
    assert judgement.answer is Answer.VERIFIED, judgement.trouble
    assert "The exhibit holds no ruling of the court on that" in " ".join(exhibit.text(judgement).split())


def _kind(piece: object) -> str:
    assert isinstance(piece, dict)
    kind: str = piece["entry"]["body"]["statement"]["kind"]
    return kind


def test_an_answer_without_its_question_is_damage(matter: Path, corpus: Corpus, tmp_path: Path) -> None:
    folder = cut(matter, corpus, document_at(matter, seats(matter)[2]), tmp_path / "e")
    value = record(folder)
    last = max(place for place, each in enumerate(value["entries"]) if _kind(each) == "again")
    del value["entries"][last]
    rewrite(folder, value)
    assert exhibit.judge(folder).answer is Answer.UNDECIDED


def test_the_claw_back_of_another_document_does_not_belong(matter: Path, corpus: Corpus, tmp_path: Path) -> None:
    """Its entries, put into the exhibit of a document that nobody asked back."""
    asked = {document_at(matter, seat) for seat in seats(matter)}
    mine = cut(matter, corpus, document_at(matter, seats(matter)[2]), tmp_path / "asked")
    other = cut(matter, corpus, min(set(range(20)) - asked), tmp_path / "other")
    value, known = record(other), {each["entry"]["body"]["sequence"] for each in record(other)["entries"]}
    more = [each for each in record(mine)["entries"] if _kind(each) in ("again", "reclaim", "returned")]
    value["entries"] += [each for each in more[-3:] if each["entry"]["body"]["sequence"] not in known]
    value["entries"].sort(key=lambda each: each["entry"]["body"]["sequence"])
    rewrite(other, value)
    judgement = exhibit.judge(other)
    assert judgement.answer is Answer.UNDECIDED
    assert "does not belong" in judgement.trouble


def test_whoever_cuts_it_must_want_it(matter: Path, corpus: Corpus, tmp_path: Path) -> None:
    words = ["exhibit", str(matter), "--corpus", str(corpus.path), "--out", str(tmp_path / "e")]
    words += ["--number", str(document_at(matter, seats(matter)[0]))]
    refused = CliRunner().invoke(main, words)
    assert refused.exit_code == 1
    assert "was CLAWED BACK" in refused.output
    assert not (tmp_path / "e").exists()
    assert "WARNING" in CliRunner().invoke(main, [*words, "--undisclosed"]).output


@pytest.mark.slow
def test_silence_about_a_claw_back_leaves_no_draw_out(corpus: Corpus, tmp_path: Path) -> None:
    """The look was ordered away, and then Alice does not say what she wants back; only the first costs a draw."""
    path = tmp_path / "matter"
    agreed: dict[str, Any] = {
        "rounds": 1,
        "protocol": "spot-check",
        "rate": "0.01",
        "target": "0.99",
        "every": 1,
        "limit": "1",
    }
    with matters.start(corpus, path, **agreed) as run:
        until_asked(run, Role.ALICE, "look")
        pass_over(run, Role.ALICE)
        assert course.draw_missing(run.state, run.state.rounds[-1])
        run.desk.clawback()
        pass_over(run, Role.ALICE)
        run.run()
    review = summary.read(path).rounds[1]
    shown = sorted(review.disclosed)
    assert shown
    for position in shown[:3]:
        told(cut(path, corpus, review.places[position - 1].document, tmp_path / str(position)))
