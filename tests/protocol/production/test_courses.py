"""Whatever happened in a matter, its production is what the record says, by each copy that shows the documents."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger.roles import Audience
from protocol.corpus.corpus import Corpus
from protocol.matter import summary
from protocol.matter.rounds import Sort
from tests.support import corpora, matters, validated_matters
from tests.support.productions import Office
from verifier.production import Answer

pytestmark = pytest.mark.slow  # plays whole matters


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return corpora.make(tmp_path_factory.mktemp("corpus") / "corpus", documents=120, responsive=45)


def one_stage(corpus: Corpus, path: Path) -> Any:
    return validated_matters.played(corpus, path)


def two_stages(corpus: Corpus, path: Path) -> Any:
    return validated_matters.played(corpus, path, validated_matters.IN_TWO)


def escalated(corpus: Corpus, path: Path) -> Any:
    """Few are drawn, and the target is high: all that is withheld is drawn again."""
    with matters.start(corpus, path, protocol="spot-check", rounds=2, batch=30, rate="0.1", target="0.8") as run:
        run.run()


COURSES: dict[str, tuple[Callable[[Corpus, Path], Any], set[Sort]]] = {
    "eventful": (matters.eventful, {Sort.BATCH}),
    "one stage": (one_stage, {Sort.BATCH, Sort.VALIDATION}),
    "two stages": (two_stages, {Sort.BATCH, Sort.VALIDATION}),
    "escalated": (escalated, {Sort.BATCH, Sort.ESCALATION}),
}


@pytest.mark.parametrize("course", COURSES)
def test_the_production_of_any_matter_is_verified_by_each_partys_copy(
    corpus: Corpus, tmp_path: Path, course: str
) -> None:
    play, sorts = COURSES[course]
    office = Office(folder=tmp_path, corpus=corpus)
    play(corpus, office.matter)
    state = summary.read(office.matter)
    shown_in = {review.sort for review, _ in state.closed if review.disclosed}
    assert shown_in >= sorts
    done = office.produce("V1")
    assert done.documents + done.to_return == sum(len(review.disclosed) for review, _ in state.closed)
    assert done.documents == state.found > 0
    for audience in (Audience.BOB, Audience.ALICE, Audience.COURT):
        assert office.judge("V1", copy=office.copy(audience)).answer is Answer.VERIFIED
