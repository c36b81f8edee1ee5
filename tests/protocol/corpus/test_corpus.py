"""A corpus gives what it was made of, and commits to it as the definition says."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from ledger import records
from ledger.commitments import Salt, Secret
from ledger.hashing import Digest
from protocol.corpus import build, leaves
from protocol.corpus.corpus import Corpus, NoSuchDocument
from protocol.corpus.leaves import DocumentProof, OpenPart, Parts
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
    assert found == [(document.name, document.parts[0].content, document.text) for document in NUMBERED]
    assert (corpus.path.name, corpus.unit, corpus.secret) == ("corpus", "family", SECRET)


def test_a_content_that_is_its_text_is_stored_once(corpus: Corpus) -> None:
    parts = [part for document in DOCUMENTS for part in document.parts]
    apart = [part.content for part in parts if part.content != part.text.encode()]
    assert (corpus.path / "shards/00000/contents.bin").read_bytes() == b"".join(apart)
    assert (corpus.path / "shards/00000/texts.bin").read_bytes() == "".join(
        document.text for document in DOCUMENTS
    ).encode()


def test_every_part_has_its_content_text_and_fields(corpus: Corpus) -> None:
    for number, document in enumerate(NUMBERED):
        assert corpus.parts(number) == len(document.parts)
        for place, part in enumerate(document.parts):
            assert (corpus.content(number, place), corpus.part_text(number, place)) == (part.content, part.text)
            known = corpus.fields(number, place)
            assert records.encode(known.log) == literal_corpus.log(part)
            assert records.encode(known.rest) == literal_corpus.rest(part)
        for other in (-1, len(document.parts), 2**40):
            with pytest.raises(NoSuchDocument, match=f"no part {other} of document {number} in"):
                corpus.content(number, other)


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
    with pytest.raises(BadTerms, match=r"no document .* is labelled 'Mail'; choose .* such as energy, mail, scan$"):
        corpus.labels("Mail")
    many = [
        SourceDocument.of_one(name=str(n), content=b"", text="", labels=tuple(f"l{m}" for m in range(n)))
        for n in range(20)
    ]
    with pytest.raises(BadTerms, match="such as l0, l1, l2, l3, l4, l5, l6, l7, l8, l9$"):
        make(tmp_path / "many", many).labels("l99")
    with pytest.raises(BadTerms, match="its source had no labels"):
        make(tmp_path / "none", DOCUMENTS[:1]).labels("energy")


@pytest.mark.parametrize("number", [-1, len(DOCUMENTS), 2**63, -len(DOCUMENTS)])
def test_a_number_that_no_document_has_is_refused(corpus: Corpus, number: int) -> None:
    for ask in (corpus.name, corpus.content, corpus.text, corpus.proof, corpus.parts):
        with pytest.raises(NoSuchDocument, match=f"no document {number} in .* from 0 to {len(DOCUMENTS) - 1}"):
            ask(number)


# What it commits to


def test_the_root_is_that_of_the_definition(corpus: Corpus) -> None:
    assert corpus.root == mth(literal_corpus.leaves(NUMBERED, SECRET))


def test_the_format_does_not_drift(corpus: Corpus) -> None:
    assert corpus.root.hex() == "a166e69ad82c3ca0aaf522cdaa566113d7eccd197a9233110f6ecc3509289418"
    assert corpus.term_table_digest.hex() == "1da1d30e38c1075529ba2be70ab6e5f3f2433effea37f83e029f8a1ca88f556d"


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
    documents = [SourceDocument.of_one(name=name, content=content, text=text) for name, content, text in parts]
    corpus = build.build(documents, tmp_path_factory.mktemp("any") / "corpus", secret=Secret(secret))
    numbered = literal_corpus.numbered(documents, secret)
    assert [corpus.content(number) for number in range(corpus.size)] == [each.parts[0].content for each in numbered]
    assert corpus.root == mth(literal_corpus.leaves(numbered, secret))
    for number, each in enumerate(numbered):
        assert opens(corpus, number, each.name, corpus.proof(number))


def test_another_secret_gives_another_root_and_another_order(tmp_path: Path, corpus: Corpus) -> None:
    other = build.build(DOCUMENTS, tmp_path / "other", secret=Secret(sha256(SECRET).digest()))
    assert other.root != corpus.root
    assert [other.name(n) for n in range(other.size)] != [corpus.name(n) for n in range(corpus.size)]


# Proofs


def opens(corpus: Corpus, document: int, name: str, proof: DocumentProof, **other: Any) -> bool:
    """Whether a proof shows that a document has this name."""
    path = corpus.paths([document if 0 <= document < corpus.size else 0])
    root, size = other.get("root", corpus.root), other.get("size", corpus.size)
    return leaves.opens(root, size, "family", {document: (name, proof)}, other.get("path", path))


def test_every_proof_verifies_and_survives_its_json(corpus: Corpus) -> None:
    for number, document in enumerate(NUMBERED):
        proof = corpus.proof(number)
        assert opens(corpus, number, document.name, proof)
        assert records.decode(DocumentProof, records.encode(proof)) == proof
        assert len(proof.parts) == len(document.parts)
        for part, each in zip(proof.parts, document.parts, strict=True):
            assert isinstance(part, OpenPart)
            assert part.content == sha256(each.content).digest()
            assert part.text_hash == sha256(each.text.encode()).digest()
            assert (part.text is None) == (each.content == each.text.encode())
            assert (records.encode(part.log), records.encode(part.rest)) == (
                literal_corpus.log(each),
                literal_corpus.rest(each),
            )


def test_the_path_of_any_documents_leads_to_the_root(corpus: Corpus) -> None:
    for some in ([0], [3, 5], range(corpus.size), [corpus.size - 1, 0, 4]):
        named = {number: (corpus.name(number), corpus.proof(number)) for number in some}
        path = corpus.paths(some)
        assert leaves.opens(corpus.root, corpus.size, "family", named, path)
        left_out = dict(list(named.items())[1:])
        assert not leaves.opens(corpus.root, corpus.size, "family", left_out, path)


def test_a_proof_shows_neither_the_row_nor_its_salt(corpus: Corpus) -> None:
    terms = literal_corpus.table([document.text for document in NUMBERED])
    for number, document in enumerate(NUMBERED):
        row = literal_corpus.row_bytes(literal_corpus.row(document.text, terms, corpus.size))
        salt = literal_corpus.salt(SECRET, "row", number)
        shown = records.encode(corpus.proof(number)).decode()
        assert corpus.proof(number).row == literal_corpus.tagged("row", salt, row)
        assert salt.hex() not in shown
        assert literal_corpus.tagged("row", row).hex() not in shown


def test_a_proof_holds_for_no_other_number_name_size_or_root(corpus: Corpus) -> None:
    for number in range(corpus.size):
        name, proof = corpus.name(number), corpus.proof(number)
        for other in {*range(-2, corpus.size + 3), 2**64, -(2**64)} - {number}:
            assert not opens(corpus, other, name, proof)
        for other_name in ("", name + " ", name.upper() + "x", "\ud800"):
            assert not opens(corpus, number, other_name, proof)
        for size in (0, -1, 1, corpus.size // 2, 4 * corpus.size, 2**31, 2**70):
            assert not opens(corpus, number, name, proof, size=size)
        assert not opens(corpus, number, name, proof, root=Digest(sha256(corpus.root).digest()))


def test_a_proof_with_anything_changed_is_refused(corpus: Corpus) -> None:
    for number in range(corpus.size):
        name, proof = corpus.name(number), corpus.proof(number)
        first, *others = proof.parts
        assert isinstance(first, OpenPart)
        changed = [
            replace(first, content=proof.row),
            replace(first, salt=Salt(bytes(32))),
            replace(first, text=Digest(bytes(32))),
            replace(first, log=replace(first.log, author="somebody")),
            replace(first, log=replace(first.log, recipients="somebody")),
            replace(first, rest=replace(first.rest, pages=7)),
            replace(first, rest=replace(first.rest, fields={"subject": "x"})),
            replace(first, rest=replace(first.rest, custodians=("x",))),
        ]
        wrong = [replace(proof, parts=Parts((each, *others))) for each in changed]
        wrong += [replace(proof, row=first.content), replace(proof, parts=Parts((first, *others, first)))]
        assert not any(opens(corpus, number, name, each) for each in wrong)
        path = corpus.paths([number])
        for other in (path[:-32], path[32:], path + corpus.root, b"", path[:-1]):
            assert not opens(corpus, number, name, proof, path=other)


def test_no_proof_fits_another_document(corpus: Corpus) -> None:
    for number in range(corpus.size):
        for other in set(range(corpus.size)) - {number}:
            assert not opens(corpus, number, corpus.name(number), corpus.proof(other))


def test_what_stands_in_a_traceback_does_not_give_the_secret_away(corpus: Corpus) -> None:
    assert "Secret" not in repr(corpus)
    assert repr(bytes(SECRET))[2:-1] not in repr(corpus)


# Reopening


def test_a_corpus_opens_again_as_it_was(corpus: Corpus) -> None:
    again = Corpus.open(corpus.path)
    assert (again.root, again.size, again.secret) == (corpus.root, corpus.size, corpus.secret)
    assert again.proof(3) == corpus.proof(3)
    assert again.term_table_digest == corpus.term_table_digest


@pytest.mark.parametrize("name", ["nothing", "file", "folder"])
def test_what_is_no_corpus_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadCorpus, match=rf"{name} is not a corpus: its manifest\.json cannot be read"):
        Corpus.open(tmp_path / name)
