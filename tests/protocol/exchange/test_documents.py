"""A party's own check that a file is the committed document, without the corpus and without numpy."""

from hashlib import sha256
from typing import Any

import pytest

from ledger import records
from ledger.hashing import Digest
from protocol.corpus.corpus import Corpus
from protocol.exchange import documents
from protocol.matter.values import CorpusCommitment, Place
from tests.support import small_corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return small_corpus.make(tmp_path_factory.mktemp("corpus") / "corpus")


def committed(corpus: Corpus, **changed: Any) -> CorpusCommitment:
    fields: dict[str, Any] = {"documents": corpus.size, "extraction": "", "root": corpus.root}
    return CorpusCommitment(**(fields | changed))


def test_every_document_of_a_corpus_is_proven_by_its_opening(corpus: Corpus) -> None:
    for document in range(corpus.size):
        place = Place(document=document, name=corpus.name(document))
        content = Digest(sha256(corpus.content(document)).digest())
        text = Digest(sha256(corpus.text(document).encode()).digest())
        value = records.to_value(corpus.opening(document))
        assert documents.proves(value, committed(corpus), place, content, text)


def test_nothing_else_is(corpus: Corpus) -> None:
    place = Place(document=3, name=corpus.name(3))
    content = Digest(sha256(corpus.content(3)).digest())
    text = Digest(sha256(corpus.text(3).encode()).digest())
    value = records.to_value(corpus.opening(3))
    nothing = Digest(bytes(32))
    proven = committed(corpus)
    assert not documents.proves(value, committed(corpus, root=nothing), place, content, text)
    assert not documents.proves(value, committed(corpus, documents=3), place, content, text)
    assert not documents.proves(value, proven, Place(document=4, name=place.name), content, text)
    assert not documents.proves(value, proven, Place(document=3, name="another"), content, text)
    assert not documents.proves(value, proven, Place(document=3, name="\ud800"), content, text)
    assert not documents.proves(value, proven, place, nothing, text)
    assert not documents.proves(value, proven, place, content, nothing)
    for name in ("text", "salt", "row"):
        assert not documents.proves(value | {name: nothing.hex()}, proven, place, content, text)
    for path in ("", str(value["path"])[:-2], str(value["path"])[:-64], "zz", str(value["path"]) + "00" * 32):
        assert not documents.proves(value | {"path": path}, proven, place, content, text)
    malformed: list[Any] = [None, {}, [], "x", value | {"more": 1}]
    for wrong in malformed:
        assert not documents.proves(wrong, proven, place, content, text)
