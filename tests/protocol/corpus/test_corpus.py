"""A corpus gives what it was made of, and commits to it as the definition says."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ledger import records
from ledger.commitments import Salt, Secret
from ledger.hashing import Digest
from protocol.corpus import build
from protocol.corpus.corpus import Corpus, DocumentOpening, NoSuchDocument, opens
from protocol.corpus.leaves import ProofPath
from protocol.errors import BadCorpus, BadTerms
from protocol.sources.source import SourceDocument
from tests.support import literal_corpus
from tests.support.rfc9162 import mth
from tests.support.small_corpus import DOCUMENTS, SECRET, make

NUMBERED = literal_corpus.numbered(DOCUMENTS, SECRET)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return make(tmp_path_factory.mktemp("corpora") / "corpus")


# What it holds


def test_every_document_has_its_name_content_and_text(corpus: Corpus) -> None:
    found = [(corpus.name(number), corpus.content(number), corpus.text(number)) for number in range(corpus.size)]
    assert found == [(document.name, document.content, document.text) for document in NUMBERED]
    assert (corpus.path.name, corpus.extraction, corpus.secret) == ("corpus", "as written", SECRET)


def test_a_content_that_is_its_text_is_stored_once(corpus: Corpus) -> None:
    apart = [document.content for document in DOCUMENTS if document.content != document.text.encode()]
    assert (corpus.path / "contents.bin").read_bytes() == b"".join(apart)
    assert (corpus.path / "texts.bin").read_bytes() == "".join(document.text for document in DOCUMENTS).encode()


def test_features_and_terms_are_those_of_the_definition(corpus: Corpus) -> None:
    terms = literal_corpus.table([document.text for document in NUMBERED])
    assert [corpus.terms.find(term) for term, _ in terms] == list(range(len(corpus.terms))) == list(range(len(terms)))
    assert corpus.terms.frequencies.tolist() == [frequency for _, frequency in terms]
    rows = [literal_corpus.row_bytes(literal_corpus.row(each.text, terms, corpus.size)) for each in NUMBERED]
    assert [corpus.features.row_bytes(number) for number in range(corpus.size)] == rows
    assert corpus.terms.find(b"storage") is not None
    assert corpus.terms.find(b"preis") is None


def test_labels_are_told_by_number_and_apart_from_the_commitment(corpus: Corpus) -> None:
    for label in ("energy", "mail", "scan"):
        assert corpus.labels(label) == {number for number, each in enumerate(NUMBERED) if label in each.labels}


def test_a_label_that_a_document_has_twice_is_stored_once(corpus: Corpus) -> None:
    stored: dict[str, list[int]] = json.loads((corpus.path / "labels.json").read_bytes())
    assert stored == {label: sorted(corpus.labels(label)) for label in ("energy", "mail", "scan")}


def test_a_label_that_no_document_has_is_refused_with_the_most_frequent_ones(tmp_path: Path, corpus: Corpus) -> None:
    with pytest.raises(BadTerms, match=r"no document .* is labelled 'Mail'; choose .* such as mail, energy, scan$"):
        corpus.labels("Mail")
    many = [
        SourceDocument(name=str(n), content=b"", text="", labels=tuple(f"l{m}" for m in range(n))) for n in range(20)
    ]
    with pytest.raises(BadTerms, match="such as l0, l1, l2, l3, l4, l5, l6, l7, l8, l9$"):
        make(tmp_path / "many", many).labels("l99")
    with pytest.raises(BadTerms, match="its source had no labels"):
        make(tmp_path / "none", DOCUMENTS[:1]).labels("energy")


@pytest.mark.parametrize("number", [-1, len(DOCUMENTS), 2**63, -len(DOCUMENTS)])
def test_a_number_that_no_document_has_is_refused(corpus: Corpus, number: int) -> None:
    for ask in (corpus.name, corpus.content, corpus.text, corpus.opening):
        with pytest.raises(NoSuchDocument, match=f"no document {number} in .* from 0 to {len(DOCUMENTS) - 1}"):
            ask(number)


# What it commits to


def test_the_root_is_that_of_the_definition(corpus: Corpus) -> None:
    assert corpus.root == mth(literal_corpus.leaves(NUMBERED, SECRET))


def test_the_format_does_not_drift(corpus: Corpus) -> None:
    assert corpus.root.hex() == "ff07df94ec4a2d5093add5bc708d14896ca4539847bb3ce147b61caffb7c94e3"
    assert corpus.term_table_digest.hex() == "9b19a27acc3c886f3b96cfb7e9fd4d1b22d06336d24b4e7183aada0b06b2ddc5"


@settings(deadline=None, max_examples=15)
@given(
    st.lists(
        st.tuples(st.text(max_size=5), st.binary(max_size=5), st.text(max_size=9)), min_size=1, unique_by=lambda t: t[0]
    ),
    st.binary(min_size=32, max_size=32),
)
def test_every_corpus_commits_to_its_documents_as_the_definition_says(
    tmp_path_factory: pytest.TempPathFactory, parts: list[tuple[str, bytes, str]], secret: bytes
) -> None:
    documents = [SourceDocument(name=name, content=content, text=text) for name, content, text in parts]
    corpus = build.build(documents, tmp_path_factory.mktemp("any") / "corpus", secret=Secret(secret))
    numbered = literal_corpus.numbered(documents, secret)
    assert [corpus.content(number) for number in range(corpus.size)] == [each.content for each in numbered]
    assert corpus.root == mth(literal_corpus.leaves(numbered, secret))
    for number, each in enumerate(numbered):
        assert opens(corpus.root, corpus.size, number, each.name, corpus.opening(number))


def test_another_secret_gives_another_root_and_another_order(tmp_path: Path, corpus: Corpus) -> None:
    other = build.build(DOCUMENTS, tmp_path / "other", secret=Secret(sha256(SECRET).digest()))
    assert other.root != corpus.root
    assert [other.name(n) for n in range(other.size)] != [corpus.name(n) for n in range(corpus.size)]


# Openings


def test_every_opening_verifies_and_survives_its_json(corpus: Corpus) -> None:
    for number, document in enumerate(NUMBERED):
        opening = corpus.opening(number)
        assert opens(corpus.root, corpus.size, number, document.name, opening)
        assert records.decode(DocumentOpening, records.encode(opening)) == opening
        assert opening.content == sha256(document.content).digest()
        assert opening.text == sha256(document.text.encode()).digest()


def test_an_opening_shows_neither_the_row_nor_its_salt(corpus: Corpus) -> None:
    terms = literal_corpus.table([document.text for document in NUMBERED])
    for number, document in enumerate(NUMBERED):
        row = literal_corpus.row_bytes(literal_corpus.row(document.text, terms, corpus.size))
        salt = literal_corpus.salt(SECRET, "row", number)
        shown = records.encode(corpus.opening(number)).decode()
        assert corpus.opening(number).row == literal_corpus.tagged("row", salt, row)
        assert salt.hex() not in shown
        assert literal_corpus.tagged("row", row).hex() not in shown


def test_an_opening_holds_for_no_other_number_name_size_or_root(corpus: Corpus) -> None:
    for number in range(corpus.size):
        name, opening = corpus.name(number), corpus.opening(number)
        for other in {*range(-2, corpus.size + 3), 2**64, -(2**64)} - {number}:
            assert not opens(corpus.root, corpus.size, other, name, opening)
        for other_name in ("", name + " ", name.upper() + "x", "\ud800"):
            assert not opens(corpus.root, corpus.size, number, other_name, opening)
        for size in (0, -1, 1, corpus.size - 1, 2 * corpus.size, 2**31, 2**70):
            assert not opens(corpus.root, size, number, name, opening)
        assert not opens(Digest(sha256(corpus.root).digest()), corpus.size, number, name, opening)
        assert not opens(corpus.root, 2**80, 2**64 + number, name, opening)


def test_an_opening_with_any_part_changed_is_refused(corpus: Corpus) -> None:
    for number in range(corpus.size):
        name, opening = corpus.name(number), corpus.opening(number)
        wrong = [
            replace(opening, content=opening.row),
            replace(opening, row=opening.content),
            replace(opening, salt=Salt(bytes(32))),
            replace(opening, text=Digest(bytes(32))),
            replace(opening, path=ProofPath(opening.path[:-32])),
            replace(opening, path=ProofPath(opening.path[32:])),
            replace(opening, path=ProofPath(opening.path + corpus.root)),
            replace(opening, path=ProofPath()),
        ]
        assert not any(opens(corpus.root, corpus.size, number, name, each) for each in wrong)


def test_no_opening_fits_another_document(corpus: Corpus) -> None:
    for number in range(corpus.size):
        for other in set(range(corpus.size)) - {number}:
            assert not opens(corpus.root, corpus.size, number, corpus.name(number), corpus.opening(other))


def test_what_stands_in_a_traceback_does_not_give_the_secret_away(corpus: Corpus) -> None:
    assert "Secret" not in repr(corpus)
    assert repr(bytes(SECRET))[2:-1] not in repr(corpus)


# Reopening


def test_a_corpus_opens_again_as_it_was(corpus: Corpus) -> None:
    again = Corpus.open(corpus.path)
    assert (again.root, again.size, again.secret) == (corpus.root, corpus.size, corpus.secret)
    assert again.opening(3) == corpus.opening(3)
    assert again.term_table_digest == corpus.term_table_digest


@pytest.mark.parametrize("name", ["nothing", "file", "folder"])
def test_what_is_no_corpus_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadCorpus, match=rf"{name} is not a corpus: its manifest\.json cannot be read"):
        Corpus.open(tmp_path / name)
