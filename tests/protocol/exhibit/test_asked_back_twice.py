"""A document that is asked back more than once: in a round the replay judges it, and between rounds it is damage."""

from pathlib import Path

import pytest

from tests.support import exhibit_samples
from tests.support.forging.exhibits import ExhibitForger, changed_by
from tests.vectors import FOLDER
from tests.vectors.exhibit_changes import Change, asked_back_at, moved
from verifier import exhibit
from verifier.exhibit import Answer, Judgement

IN_ITS_ROUND = "asked-back"  # at position 3 of round 1, by entry 15; the round goes on with entry 17 and ends with 23
BETWEEN_ROUNDS = "asked-back-between-rounds"  # at position 11 of round 2, by entry 31
BEFORE_ITS_ROUND = moved(4, 23, 3)
WITHIN_ITS_ROUND = moved(17, 23, 3)


def judged(vector: str, out: Path, *changes: Change) -> Judgement:
    files = exhibit_samples.files(FOLDER / "exhibits" / vector)

    def change(forger: ExhibitForger) -> None:
        for each in changes:
            each(forger)

    exhibit_samples.put(changed_by(change, files), out)
    return exhibit.judge(out)


def found(judgement: Judgement) -> list[tuple[str, str | None, int | None]]:
    return [(each.check, each.party, each.entry) for each in judgement.findings]


def unopened(number: int) -> Change:
    return lambda forger: forger.piece(number).update(openings=[])


@pytest.mark.parametrize(
    "changes",
    [
        (asked_back_at(24, (1, 3), opened=False),),
        (asked_back_at(24, (1, 3), opened=True),),
        (BEFORE_ITS_ROUND, asked_back_at(4, (1, 3), opened=False)),
        (BEFORE_ITS_ROUND, asked_back_at(4, (1, 3), opened=True), unopened(18)),
    ],
    ids=["behind", "behind, opened", "before", "before, opened"],
)
def test_a_claw_back_between_rounds_is_damage_if_a_round_asks_the_document_back(
    tmp_path: Path, changes: tuple[Change, ...]
) -> None:
    judgement = judged(IN_ITS_ROUND, tmp_path / "e", *changes)
    assert judgement.answer is Answer.UNDECIDED
    assert "a claw-back between rounds is one too many" in judgement.trouble


def test_a_claw_back_of_another_document_in_the_round_is_no_damage(tmp_path: Path) -> None:
    judgement = judged(BETWEEN_ROUNDS, tmp_path / "e")
    assert judgement.answer is Answer.VERIFIED, judgement.trouble


def test_between_rounds_a_claw_back_may_name_the_document_twice(tmp_path: Path) -> None:
    """It is told and not judged; the first time counts."""
    twice = asked_back_at(30, (2, 11), (2, 11))
    judgement = judged(BETWEEN_ROUNDS, tmp_path / "e", lambda forger: forger.remove(30, 31, 32), twice)
    assert judgement.answer is Answer.VERIFIED, (judgement.trouble, judgement.findings)
    said = " ".join(exhibit.text(judgement).split())
    assert "on the basis 'advice of counsel'. The court upheld that (entry 32)" in said


def test_in_a_round_the_document_is_asked_back_once_and_again_is_alices_fault(tmp_path: Path) -> None:
    """The second time its basis is not opened."""
    judgement = judged(IN_ITS_ROUND, tmp_path / "e", WITHIN_ITS_ROUND, asked_back_at(17, (1, 3), opened=False))
    assert found(judgement) == [("V25", "alice", 18)]


def test_only_the_first_reclaim_of_a_round_opens_the_documents_basis(tmp_path: Path) -> None:
    judgement = judged(IN_ITS_ROUND, tmp_path / "e", WITHIN_ITS_ROUND, asked_back_at(17, (1, 3)))
    assert judgement.answer is Answer.UNDECIDED
    assert "opens more or less" in judgement.trouble


def test_what_a_round_asks_back_of_another_round_is_not_judged(tmp_path: Path) -> None:
    """Twice the same document of round 2, which the exhibit does not hold."""
    for at, place in enumerate([(2, 1), (1, 4)]):
        twice = asked_back_at(17, place, opened=False), asked_back_at(20, place, opened=False)
        judgement = judged(IN_ITS_ROUND, tmp_path / str(at), moved(28, 29, 12), moved(17, 23, 6), *twice)
        fault = [] if at == 0 else [("V25", "alice", 21)]
        assert (found(judgement), judgement.trouble) == (fault, "")


def test_each_round_is_judged_alone_so_a_second_one_may_ask_back_again(tmp_path: Path) -> None:
    """In the batch Alice asks back what only the escalation shows; there she asks for it once more."""
    place = (3, shown_at("an-escalation"))
    room = moved(14, 14, 3), moved(23, 27, -5), moved(28, 28, -2)
    twice = asked_back_at(14, place), asked_back_at(23, place, opened=False)
    judgement = judged("an-escalation", tmp_path / "e", *room, *twice)
    assert judgement.answer is Answer.VERIFIED, (judgement.trouble, judgement.findings)
    assert judgement.asked_back is not None
    assert judgement.asked_back.asked.entry.body.sequence == 15


def shown_at(vector: str) -> int:
    """Where the document stands in the last of its rounds."""
    return exhibit.judge(FOLDER / "exhibits" / vector).followed[-1].review.position
