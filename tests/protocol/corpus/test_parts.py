"""Documents of several parts: what a proof shows of them, and what it can leave out."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ledger import records
from ledger.commitments import Salt, Secret, derived_once
from ledger.hashing import Digest
from ledger.records import Malformed
from protocol.corpus import build, leaves
from protocol.corpus.corpus import Corpus
from protocol.corpus.leaves import DocumentProof, OpenPart, Parts, WithheldPart, leaf_of, withheld
from protocol.errors import BadSource
from protocol.sources.source import SourceDocument, SourcePart
from tests.support import literal_corpus
from tests.support.rfc9162 import mth
from tests.support.small_corpus import DOCUMENTS, FAMILY, SECRET, make

NUMBER = literal_corpus.numbered(DOCUMENTS, SECRET).index(FAMILY)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return make(tmp_path_factory.mktemp("corpora") / "corpus")


def proof(corpus: Corpus) -> tuple[DocumentProof, list[OpenPart]]:
    found = corpus.proof(NUMBER)
    return found, [part for part in found.parts if isinstance(part, OpenPart)]


def shows(corpus: Corpus, found: DocumentProof, name: str = FAMILY.name, unit: Any = "family") -> bool:
    return leaves.opens(corpus.root, corpus.size, unit, {NUMBER: (name, found)}, corpus.paths([NUMBER]))


def test_the_salts_of_a_parts_nodes_are_those_of_the_definition() -> None:
    for purpose in ("log", "rest", "body"):
        assert derived_once(Salt(SECRET), purpose) == literal_corpus.tagged(f"{purpose}-salt", SECRET)


def test_whichever_parts_are_withheld_a_proof_leads_to_the_same_leaf(corpus: Corpus) -> None:
    whole, parts = proof(corpus)
    for chosen in range(2 ** len(parts)):
        some = Parts(withheld(each) if chosen >> place & 1 else each for place, each in enumerate(parts))
        found = replace(whole, parts=some)
        assert leaf_of(NUMBER, found) == leaf_of(NUMBER, whole)
        assert shows(corpus, found)
        assert leaves.read_proof(records.to_value(found)) == found


def test_a_withheld_part_shows_its_log_and_nothing_else(corpus: Corpus) -> None:
    whole, parts = proof(corpus)
    hidden = replace(whole, parts=Parts((parts[0], withheld(parts[1]), withheld(parts[2]), parts[3])))
    shown = records.encode(hidden).decode()
    for secret in (parts[2].salt, parts[2].content, parts[2].text_hash):
        assert secret.hex() not in shown
    assert "prices.pdf" not in shown
    assert '"type":"pdf"' in shown


def test_nobody_can_say_of_a_withheld_part_what_its_log_does_not(corpus: Corpus) -> None:
    whole, parts = proof(corpus)
    hidden = withheld(parts[2])
    for wrong in (
        replace(hidden, log=replace(hidden.log, author="somebody else")),
        replace(hidden, log=replace(hidden.log, date="1999-01-01")),
        replace(hidden, log=replace(hidden.log, parent=0)),
        replace(hidden, log=replace(hidden.log, type="")),
        replace(hidden, rest=hidden.body, body=hidden.rest),
        replace(hidden, salt=parts[2].salt),
        replace(hidden, salt=withheld(parts[1]).salt),
        withheld(parts[1]),
    ):
        found = replace(whole, parts=Parts((parts[0], parts[1], wrong, parts[3])))
        assert leaf_of(NUMBER, found) != leaf_of(NUMBER, whole)
        assert not shows(corpus, found)


def test_parts_cannot_be_left_out_added_or_put_in_another_order(corpus: Corpus) -> None:
    whole, parts = proof(corpus)
    for wrong in (parts[:3], parts[1:], [*parts, parts[3]], [parts[0], parts[1], parts[3], parts[2]], parts[::-1]):
        assert not shows(corpus, replace(whole, parts=Parts(wrong)))


def test_the_name_is_that_of_part_0_and_cannot_be_shown_where_that_is_withheld(corpus: Corpus) -> None:
    whole, parts = proof(corpus)
    assert not shows(corpus, whole, name="offer.zip")
    hidden = replace(whole, parts=Parts((withheld(parts[0]), *parts[1:])))
    assert shows(corpus, hidden, name="whatever")


def test_where_a_single_file_is_the_unit_no_document_has_two_parts(corpus: Corpus) -> None:
    assert not shows(corpus, proof(corpus)[0], unit="document")
    other = next(number for number in range(corpus.size) if corpus.parts(number) == 1)
    named = {other: (corpus.name(other), corpus.proof(other))}
    assert leaves.opens(corpus.root, corpus.size, "document", named, corpus.paths([other]))


def test_what_is_no_proof_is_refused(corpus: Corpus) -> None:
    whole, parts = proof(corpus)
    value = records.to_value(whole)
    first: Any = records.to_value(parts[0])
    hidden: Any = records.to_value(withheld(parts[1]))
    bad: list[Any] = [
        None,
        [],
        {},
        value | {"parts": []},
        value | {"parts": {}},
        value | {"parts": [None]},
        value | {"parts": [hidden]},  # it has a parent
        value | {"parts": [first, first]},  # it has none
        value | {"parts": [first, hidden | {"log": hidden["log"] | {"parent": 1}}]},
        value | {"parts": [first, hidden | {"log": hidden["log"] | {"parent": -1}}]},
        value | {"parts": [first | {"body": first["content"]}]},
        value | {"parts": [{key: each for key, each in first.items() if key != "salt"}]},
        value | {"parts": [first | {"text": first["content"]}]},
        value | {"parts": [first | {"text": None}]},
        value | {"parts": [first | {"log": {}}]},
        value | {"parts": [first | {"log": first["log"] | {"author": ""}}]},
        value | {"parts": [first | {"rest": first["rest"] | {"paths": []}}]},
        value | {"parts": [first | {"rest": first["rest"] | {"pages": None}}]},
        value | {"parts": [first | {"rest": first["rest"] | {"extraction": {}}}]},
        value | {"parts": [first | {"rest": first["rest"] | {"extraction": {"options": ""}}}]},
        value | {"parts": [first | {"log": first["log"] | {"more": ""}}]},
        value | {"parts": [first | {"rest": first["rest"] | {"fields": {"subject": 1}}}]},
        value | {"parts": [first | {"rest": first["rest"] | {"pages": -1}}]},
        value | {"parts": [first | {"rest": first["salt"]}]},
        value | {"path": ""},
        {"parts": value["parts"]},
    ]
    for each in bad:
        with pytest.raises(Malformed):
            leaves.read_proof(each)


texts = st.text(max_size=6)


@st.composite
def families(draw: st.DrawFn) -> SourceDocument:
    parts = [
        SourcePart(
            name=draw(texts),
            content=draw(st.binary(max_size=5)),
            text=draw(texts),
            type=draw(texts),
            parent=draw(st.integers(0, place - 1)) if place else None,
            author=draw(texts),
            date=draw(st.sampled_from(["", "2001-02-03T04:05", "soon"])),
            recipients=draw(texts),
            custodians=tuple(draw(st.lists(texts, max_size=2))),
            paths=tuple(draw(st.lists(texts, max_size=2))),
            fields=draw(st.dictionaries(st.sampled_from(["subject", "cc"]), texts, max_size=2)),
            pages=draw(st.none() | st.integers(0, 2**53 - 1)),
            tool=draw(texts),
            options=draw(texts),
        )
        for place in range(draw(st.integers(1, 5)))
    ]
    return SourceDocument(parts=tuple(parts))


@settings(deadline=None, max_examples=15)
@given(st.lists(families(), min_size=1, max_size=6, unique_by=lambda each: each.name))
def test_every_corpus_of_families_commits_to_them_as_the_definition_says(
    tmp_path_factory: pytest.TempPathFactory, documents: list[SourceDocument]
) -> None:
    corpus = build.build(documents, tmp_path_factory.mktemp("any") / "corpus", secret=Secret(bytes(32)))
    numbered = literal_corpus.numbered(documents, bytes(32))
    assert corpus.root == mth(literal_corpus.leaves(numbered, bytes(32)))
    assert [corpus.text(number) for number in range(corpus.size)] == [each.text for each in numbered]
    named = {number: (corpus.name(number), corpus.proof(number)) for number in range(corpus.size)}
    assert leaves.opens(corpus.root, corpus.size, "family", named, b"")
    for number, (_, found) in named.items():
        hidden = Parts(withheld(each) for each in found.parts if isinstance(each, OpenPart))
        assert leaf_of(number, replace(found, parts=hidden)) == leaf_of(number, found)
        assert all(isinstance(each, WithheldPart) for each in hidden)


@pytest.mark.parametrize(
    ("parents", "unit", "message"),
    [
        ((0,), "family", "a part of 'name' does not come after"),
        ((None, None), "family", "a part of 'name' does not come after"),
        ((None, 1), "family", "a part of 'name' does not come after"),
        ((None, 2, 0), "family", "a part of 'name' does not come after"),
        ((None, -1), "family", "a part of 'name' does not come after"),
        ((None, 0), "document", "'name' has 2 parts, but the unit is a single file"),
        ((None, *[0] * 2**16), "family", "'name' has 65537 parts, more than the 65536 of a document"),
    ],
)
def test_what_is_no_family_is_refused(tmp_path: Path, parents: tuple[int | None, ...], unit: Any, message: str) -> None:
    parts = tuple(SourcePart(name="name", content=b"", text="x", parent=parent) for parent in parents)
    with pytest.raises(BadSource, match=message):
        build.build([SourceDocument(parts=parts)], tmp_path / "corpus", secret=SECRET, unit=unit)
    assert not (tmp_path / "corpus").exists()


def test_a_field_that_no_record_can_hold_is_refused(tmp_path: Path) -> None:
    for part, message in (
        (SourcePart(name="a", content=b"", text="", fields={"sübject": "x"}), "a name with characters beyond ASCII"),
        (SourcePart(name="a", content=b"", text="", author="x\ud800"), "a field of 'a' holds a lone surrogate"),
    ):
        with pytest.raises(BadSource, match=message):
            build.build([SourceDocument(parts=(part,))], tmp_path / "corpus", secret=SECRET)


def test_a_proof_is_of_one_number(corpus: Corpus) -> None:
    whole, _ = proof(corpus)
    assert leaf_of(NUMBER, whole) != leaf_of(NUMBER + 1, whole)
    assert isinstance(leaf_of(NUMBER, whole), Digest)
