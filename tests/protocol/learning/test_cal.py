"""Continuous active learning chooses the same batch whatever was chosen before by the same object."""

import pytest

from protocol.corpus.corpus import Corpus
from protocol.learning.cal import Cal, Selection
from protocol.sources.source import SourceDocument
from tests.support import small_corpus

BATCH = 20
DOCUMENTS = 120


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return small_corpus.make(tmp_path_factory.mktemp("cal") / "corpus", [document(place) for place in range(DOCUMENTS)])


def document(place: int) -> SourceDocument:
    words = [f"word{(place * step) % 37}" for step in range(1, 12)] + ["gas"] * (place % 5 == 0)
    return SourceDocument.of_one(name=f"mail/{place}", content=str(place).encode(), text=" ".join(words))


def responsive(corpus: Corpus, documents: list[int]) -> list[bool]:
    return ["gas" in corpus.text(document) for document in documents]


def test_a_later_round_is_the_same_for_who_begins_there_and_for_who_ran_the_earlier_ones(corpus: Corpus) -> None:
    cal, reviewed = Cal(corpus), list(range(BATCH))
    previous: bytes | None = None
    for _ in range(4):
        labels = responsive(corpus, reviewed)
        chosen = cal.by_model(reviewed, labels, BATCH, previous)
        assert Cal(corpus).by_model(reviewed, labels, BATCH, previous) == chosen
        reviewed, previous = reviewed + chosen.documents, chosen.model
    assert len(set(reviewed)) == 5 * BATCH


def test_labels_that_changed_since_the_round_before_are_not_forgotten(corpus: Corpus) -> None:
    cal, reviewed = Cal(corpus), list(range(BATCH))
    labels = responsive(corpus, reviewed)
    before = cal.by_model(reviewed, labels, BATCH, None)
    other = [not labels[0], *labels[1:]]
    after = cal.by_model(reviewed, other, BATCH, None)
    assert after.model != before.model
    assert after == fresh(corpus, reviewed, other)


def test_documents_in_another_order_are_another_training_set(corpus: Corpus) -> None:
    cal, reviewed = Cal(corpus), list(range(BATCH))
    cal.by_model(reviewed, responsive(corpus, reviewed), BATCH, None)
    turned = reviewed[::-1]
    labels = responsive(corpus, turned)
    assert cal.by_model(turned, labels, BATCH, None) == fresh(corpus, turned, labels)


def fresh(corpus: Corpus, reviewed: list[int], labels: list[bool]) -> Selection:
    return Cal(corpus).by_model(reviewed, labels, BATCH, None)


def test_a_document_that_was_put_up_without_a_label_is_never_chosen(corpus: Corpus) -> None:
    reviewed = list(range(0, corpus.size, 3))
    labels = responsive(corpus, reviewed)
    first = Cal(corpus).by_model(reviewed, labels, BATCH, None)
    kept = first.documents[::2]
    second = Cal(corpus).by_model(reviewed, labels, BATCH, None, kept)
    assert second.model == first.model
    assert second.documents[: BATCH // 2] == first.documents[1::2][: BATCH // 2]
    assert not {*kept, *reviewed} & set(second.documents)
