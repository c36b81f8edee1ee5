"""A party's own check that documents are the committed ones, without the corpus and without numpy."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from ledger import records
from ledger.hashing import Digest
from protocol.corpus.corpus import Corpus
from protocol.corpus.leaves import OpenPart, Parts, withheld
from protocol.exchange import proofs
from protocol.matter.values import CorpusCommitment, Place
from protocol.parties.errors import Objectionable
from protocol.parties.whereabouts import Proven
from tests.support import small_corpus

DOCUMENTS = {1: 4, 2: 0, 5: 7, 6: 9}
"""Some documents by position."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return small_corpus.make(tmp_path_factory.mktemp("corpus") / "corpus")


def committed(corpus: Corpus, **changed: Any) -> CorpusCommitment:
    fields: dict[str, Any] = {"account": corpus.account, "documents": corpus.size, "root": corpus.root}
    return CorpusCommitment(**(fields | {"unit": "family"} | changed))


def of(corpus: Corpus, documents: Mapping[int, int]) -> Proven:
    values = {position: records.to_value(corpus.proof(document)) for position, document in documents.items()}
    return Proven(proofs=dict(values), path=corpus.paths(documents.values()).hex())


def places(corpus: Corpus, documents: Mapping[int, int] = DOCUMENTS) -> proofs.PlaceOf:
    found = {each: Place(document=number, name=corpus.name(number)) for each, number in documents.items()}
    return found.get


def test_documents_are_proven_by_their_proofs_and_one_path(corpus: Corpus) -> None:
    found = proofs.opened(of(corpus, DOCUMENTS), committed(corpus), places(corpus))
    assert found == {position: corpus.proof(document) for position, document in DOCUMENTS.items()}
    for position, document in DOCUMENTS.items():
        alone = of(corpus, {position: document})
        assert proofs.opened(alone, committed(corpus), places(corpus)) is not None


def test_all_documents_of_a_wave_are_looked_at_where_some_are_asked_about(corpus: Corpus) -> None:
    wave = of(corpus, DOCUMENTS)
    found = proofs.of_positions([5], [wave], committed(corpus), places(corpus))
    assert found == {5: corpus.proof(7)}
    wrong = Proven(proofs=wave.proofs | {1: wave.proofs[2]}, path=wave.path)
    with pytest.raises(Objectionable, match="do not lead to what the matter has committed to"):
        proofs.of_positions([5], [wrong], committed(corpus), places(corpus))


def test_the_last_proofs_that_are_known_of_a_position_count(corpus: Corpus) -> None:
    camera, wave = of(corpus, {1: 4, 2: 0}), of(corpus, {2: 0, 5: 7})
    spoilt = Proven(proofs=camera.proofs, path="")
    assert proofs.of_positions([2, 5], [spoilt, wave], committed(corpus), places(corpus)).keys() == {2, 5}
    with pytest.raises(Objectionable, match="do not lead to"):
        proofs.of_positions([1, 2], [spoilt, wave], committed(corpus), places(corpus))


def test_a_document_without_a_proof_is_told(corpus: Corpus) -> None:
    known: list[Proven] = []
    for asked in ([2], [1, 2]):
        with pytest.raises(Objectionable, match="position 2 comes without a proof"):
            proofs.of_positions(asked, known, committed(corpus), places(corpus))
        known.append(of(corpus, {1: 4}))


def test_nothing_else_is_proven(corpus: Corpus) -> None:
    good = of(corpus, DOCUMENTS)
    path, value = str(good.path), good.proofs[1]
    assert isinstance(value, dict)

    def refused(proven: Proven, place_of: proofs.PlaceOf | None = None, **changed: Any) -> bool:
        return proofs.opened(proven, committed(corpus, **changed), place_of or places(corpus)) is None

    def called(name: str) -> proofs.PlaceOf:
        there = places(corpus)
        return lambda position: Place(document=4, name=name) if position == 1 else there(position)

    assert not refused(good)
    assert not refused(good, called(corpus.name(4)))
    assert refused(good, root=Digest(bytes(32)))
    assert refused(good, documents=3)
    assert refused(good, places(corpus, {1: 4, 2: 0, 5: 7}))  # one may not be seen
    assert refused(good, places(corpus, DOCUMENTS | {1: 3}))
    assert refused(good, places(corpus, DOCUMENTS | {1: 0}))  # one document at two positions
    assert refused(good, called("another"))
    assert refused(good, called("\ud800"))
    paths: list[Any] = ["", path[:-2], path[:-64], "zz", path + "00" * 32, path.upper(), None, 5, [path]]
    for wrong in paths:
        assert refused(Proven(proofs=good.proofs, path=wrong))
    malformed: list[Any] = [None, {}, [], "x", value | {"more": 1}, value | {"row": "00" * 32}]
    for each in malformed:
        assert refused(Proven(proofs=good.proofs | {1: each}, path=good.path))
    assert refused(Proven(proofs={each: good.proofs[each] for each in (1, 2, 5)}, path=good.path))
    assert refused(Proven(path=""))


def test_a_part_may_be_withheld_and_a_family_is_no_single_file(corpus: Corpus) -> None:
    family = next(number for number in range(corpus.size) if corpus.parts(number) > 1)
    whole = corpus.proof(family)
    first, *others = whole.parts
    hidden = replace(whole, parts=Parts((first, *(withheld(each) for each in others if isinstance(each, OpenPart)))))
    proven = Proven(proofs={3: records.to_value(hidden)}, path=corpus.paths([family]).hex())
    there = places(corpus, {3: family})
    assert proofs.opened(proven, committed(corpus), there) == {3: hidden}
    assert proofs.opened(proven, committed(corpus, unit="document"), there) is None
