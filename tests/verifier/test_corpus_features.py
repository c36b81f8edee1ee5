"""The verifier's own rows: from the texts, by the definition, equal to the protocol's wherever those are right."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.corpus import features as protocol_features
from protocol.corpus.corpus import Corpus
from protocol.learning.cal import query_weights
from protocol.sources.source import SourceDocument
from tests.support import literal_corpus
from tests.support.verifier_corpora import (
    SHARD,
    documents_of,
    edit,
    flip,
    literal,
    numbers_of,
    of_texts,
    rows_of,
)
from verifier.corpus import packed, reading, tokens, weighing
from verifier.corpus.features import Recomputed, query_row, recompute, stored_table_digest
from verifier.corpus.folder import SealedCorpus
from verifier.corpus.leaves import root
from verifier.corpus.rows import Integers
from verifier.corpus.weighing import Weigher

some_text = st.text(st.sampled_from("abABéß \n.-1\x00\U0001f4e7"), max_size=30) | st.text(max_size=20)
some_texts = st.lists(some_text, min_size=1, max_size=8)


def found(folder: Path) -> Recomputed:
    return recompute(SealedCorpus.open(folder))


def texts_of(corpus: SealedCorpus) -> list[str]:
    return [bytes(text).decode() for _, text in documents_of(corpus)]


# Tokens


@given(some_text)
def test_tokens_are_the_runs_that_the_definition_says(text: str) -> None:
    assert tokens.tokens(text.encode()) == literal_corpus.tokens(text)


def test_every_byte_is_a_token_of_its_own_or_separates() -> None:
    for byte in range(256):
        kept = bytes([byte]).isalnum() or byte >= 0x80
        assert tokens.tokens(b"x" + bytes([byte]) + b"y") == (
            [b"x" + bytes([byte]).lower() + b"y"] if kept else [b"x", b"y"]
        )


@given(st.binary(max_size=60), st.integers(1, 20))
def test_tokens_are_the_same_however_the_text_is_cut(text: bytes, piece: int) -> None:
    pieces = list(tokens.tokens_by_piece(memoryview(text), piece))
    assert [token for some in pieces for token in some] == tokens.tokens(text)


def test_no_piece_has_more_tokens_than_bytes() -> None:
    pieces = list(tokens.tokens_by_piece(memoryview(b"a " * 1000), 10))
    assert max(map(len, pieces)) <= 5


some_tokens = st.text(st.sampled_from("abAB9 .é"), max_size=25)


@given(st.lists(some_tokens, max_size=6), st.lists(st.binary(max_size=9), unique=True))
def test_tokens_of_many_texts_are_numbered_as_one_by_one(texts: list[str], others: list[bytes]) -> None:
    every = [tokens.tokens(text.encode()) for text in texts]
    terms = sorted({token for some in every for token in some[::2]} | set(others) - {b""})
    columns = {term: column for column, term in enumerate(terms)}
    unknown = {token: len(terms) + place for place, token in enumerate({each for some in every for each in some})}
    asked = unknown | columns
    places, numbers = packed.numbered([text.encode() for text in texts], packed.PackedTerms(columns), asked.__getitem__)
    assert places.tolist() == [place for place, some in enumerate(every) for _ in some]
    assert numbers.tolist() == [asked[token] for some in every for token in some]


def test_terms_that_all_want_one_place_are_found_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_SPREAD", np.uint64(0))
    columns = {b"t%d" % number: number for number in range(100)}
    text = b" ".join(columns)
    assert packed.numbered([text], packed.PackedTerms(columns), columns.__getitem__)[1].tolist() == list(range(100))


# Rows


@settings(deadline=None, max_examples=60)
@given(st.lists(st.dictionaries(st.integers(0, 7), st.integers(1, 70_000)), min_size=1, max_size=6), st.data())
def test_rows_are_those_of_the_protocol_for_any_counts_and_frequencies(
    documents: list[dict[int, int]], data: st.DataObject
) -> None:
    size = data.draw(st.integers(2, 2**31 - 1))
    frequencies = data.draw(st.lists(st.integers(2, size), min_size=8, max_size=8))
    lengths = np.array([len(each) for each in documents])
    columns = np.array([column for each in documents for column in sorted(each)], np.int64)
    counts = np.array([each[column] for each in documents for column in sorted(each)], np.int64)
    made = Weigher(np.array(frequencies), size).rows(lengths, columns, counts)
    tfs = np.array([protocol_features.tf(count) for count in counts.tolist()], np.int64)
    idfs = np.array([protocol_features.idf(frequencies[column], size) for column in columns.tolist()], np.int64)
    assert made.values.tolist() == protocol_features.row_values(tfs, idfs, lengths).tolist()
    assert made.columns.tolist() == columns.tolist()
    assert np.diff(made.starts).tolist() == lengths.tolist()


def weighed(counts: Integers, frequencies: Integers, documents: int) -> tuple[list[int], list[int]]:
    made = Weigher(frequencies, documents).rows(np.array([len(counts)]), np.arange(len(counts)), counts)
    return made.columns.tolist(), made.values.tolist()


def test_a_row_of_two_to_the_17_terms_is_exact_and_one_more_makes_it_empty() -> None:
    most = 2**17
    frequencies = np.full(most + 1, 2)
    columns, values = weighed(np.full(most, 65535), frequencies[:-1], 2**31 - 1)
    assert columns == list(range(most))
    assert set(values) == {round(2**15 / most**0.5)}
    assert weighed(np.full(most + 1, 65535), frequencies, 2**31 - 1) == ([], [])


def test_values_that_round_to_zero_are_left_out() -> None:
    most, documents = 2**17, 2**31 - 1
    frequencies = np.full(most, 2)
    frequencies[5] = documents
    counts = np.full(most, 65535)
    counts[5] = 1
    columns, values = weighed(counts, frequencies, documents)
    assert columns == [*range(5), *range(6, most)]
    assert min(values) > 0


def test_rows_beside_an_oversized_one_or_one_with_zeros_stay_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighing, "MOST_TERMS", 2)
    weigher = Weigher(np.array([2, 2, 2]), 4)
    lengths, columns = np.array([2, 3, 0, 1, 3, 1]), np.array([0, 1, 0, 1, 2, 2, 0, 1, 2, 0])
    made = weigher.rows(lengths, columns, np.ones(10, np.int64))
    assert np.diff(made.starts).tolist() == [2, 0, 0, 1, 0, 1]
    assert made.columns.tolist() == [0, 1, 2, 0]
    assert made.values.tolist() == [23170, 23170, 32768, 32768]


def test_a_count_beyond_65535_counts_as_that() -> None:
    frequencies = np.array([2, 3])
    at, beyond, below = (weighed(np.array([count, 1]), frequencies, 9) for count in (65535, 2**40, 65000))
    assert at == beyond != below


@given(st.lists(st.integers(0, 2**31).map(lambda root: root * root), max_size=9), st.sampled_from([-1, 0, 1]))
def test_square_roots_are_rounded_down_also_next_to_squares(squares: list[int], off: int) -> None:
    numbers = [max(0, min(square + off, 2**62 - 1)) for square in squares]
    roots = weighing._roots(np.array(numbers, np.int64)).tolist()
    assert all(root**2 <= number < (root + 1) ** 2 for root, number in zip(roots, numbers, strict=True))


# All of a corpus


@settings(deadline=None)
@given(some_texts)
def test_the_rows_that_the_definition_gives_are_found_right(texts: list[str]) -> None:
    corpus = of_literal_texts(texts)
    assert recompute(corpus) == Recomputed(table=stored_table_digest(corpus))


@settings(deadline=None)
@given(some_texts, st.data())
def test_the_rows_of_other_texts_are_found_wrong_just_where_they_differ(texts: list[str], data: st.DataObject) -> None:
    other = list(texts)
    other[data.draw(st.integers(0, len(texts) - 1))] = data.draw(some_text)
    corpus, others = of_literal_texts(texts), of_literal_texts(other)
    table = replace(corpus, terms=others.terms, frequencies=others.frequencies)
    assert recompute(table) == Recomputed(table=stored_table_digest(corpus))
    wrong = tuple(
        place for place, pair in enumerate(zip(rows_of(corpus), rows_of(others), strict=True)) if pair[0] != pair[1]
    )
    for own, their in zip(corpus.shards, others.shards, strict=True):
        for name in ("starts.npy", "columns.npy", "values.npy"):
            copyfile(their.path / name, own.path / name)
    assert recompute(corpus) == Recomputed(table=stored_table_digest(corpus), wrong=wrong, wrong_count=len(wrong))


def of_literal_texts(texts: list[str]) -> SealedCorpus:
    return literal(
        [SourceDocument.of_one(name=f"d{n}", content=text.encode(), text=text) for n, text in enumerate(texts)]
    )


@settings(deadline=None, max_examples=5)
@given(some_texts)
def test_what_the_protocol_built_is_found_right_and_is_what_the_definition_says(texts: list[str]) -> None:
    with TemporaryDirectory() as folder:
        corpus = of_texts(Path(folder) / "corpus", texts)
        terms = literal_corpus.table(texts_of(corpus))
        assert rows_of(corpus) == [literal_corpus.row(text, terms, corpus.size) for text in texts_of(corpus)]
        assert recompute(corpus) == Recomputed(table=stored_table_digest(corpus))


def test_everything_that_documents_can_have_is_found_right(built: Corpus) -> None:
    assert found(built.path) == Recomputed(table=built.term_table_digest)


def test_generated_mail_is_found_right(small_corpus: Corpus) -> None:
    assert found(small_corpus.path) == Recomputed(table=small_corpus.term_table_digest)


def test_the_digest_of_the_stored_table_is_the_protocols(built: Corpus, small_corpus: Corpus) -> None:
    for corpus in (built, small_corpus):
        assert stored_table_digest(SealedCorpus.open(corpus.path)) == corpus.term_table_digest


BLOCKS = {
    "a document a block": ("_DOCUMENTS", 1),
    "a byte a block": ("_BYTES", 1),
    "some bytes a block": ("_BYTES", 100),
    "every text larger than a piece": ("PIECE", 0),
    "nearly all texts larger than a piece": ("PIECE", 12),
    "some texts larger than a piece": ("PIECE", 26),
}


@pytest.mark.parametrize("change", BLOCKS.values(), ids=BLOCKS)
def test_the_same_is_found_in_blocks_of_every_size(
    built: Corpus, folder: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[str, int]
) -> None:
    edit(folder, "shards/00000/values.npy", {0: 1, -1: 1})
    expected = found(folder)
    monkeypatch.setattr(reading, *change)
    monkeypatch.setattr(tokens.tokens_by_piece, "__defaults__", (7,))
    assert found(built.path) == Recomputed(table=built.term_table_digest)
    assert found(folder) == expected
    assert expected.wrong_count == 2


def test_oversized_documents_have_empty_rows_and_their_terms_count(tmp_path: Path) -> None:
    most = " ".join(f"t{number}" for number in range(2**17))
    corpus = of_texts(tmp_path / "corpus", ["extra t0", most, most + " extra", "t0 t1"])
    starts = np.load(tmp_path / "corpus" / SHARD / "starts.npy")
    lengths = np.diff(starts)
    assert sorted(lengths.tolist()) == [0, 2, 2, 2**17]
    assert recompute(corpus) == Recomputed(table=stored_table_digest(corpus))
    empty, full = int(np.argmin(lengths)), int(np.argmax(lengths))
    starts[min(empty, full) + 1 : max(empty, full) + 1] += 2**17 if empty < full else -(2**17)
    np.save(tmp_path / "corpus" / SHARD / "starts.npy", starts)  # as if the oversized one had a row, the other none
    numbers = numbers_of(tmp_path / "corpus")
    assert {numbers[empty], numbers[full]} <= set(found(tmp_path / "corpus").wrong)


def test_progress_is_told_up_to_all_documents(built: Corpus) -> None:
    told: list[int] = []
    recompute(SealedCorpus.open(built.path), told.append)
    assert told == sorted(told)
    assert told[-1] == built.size


# Rows that are not those of the texts


def filled(folder: Path) -> Iterator[tuple[int, int]]:
    """The rows that are not empty, each with its first entry."""
    starts = np.load(folder / SHARD / "starts.npy")
    for row in np.flatnonzero(np.diff(starts)).tolist():
        yield row, int(starts[row])


@pytest.mark.parametrize("change", [1, -1])
def test_a_wrong_value_is_found_in_every_document_though_the_leaves_commit_to_it(
    built: Corpus, folder: Path, change: int
) -> None:
    values, numbers = np.load(folder / SHARD / "values.npy").tolist(), numbers_of(folder)
    for row, entry in filled(built.path):
        edit(folder, f"{SHARD}/values.npy", {entry: values[entry] + change})
        assert root(SealedCorpus.open(folder)) != built.root
        assert found(folder) == Recomputed(table=built.term_table_digest, wrong=(numbers[row],), wrong_count=1)
        edit(folder, f"{SHARD}/values.npy", {entry: values[entry]})


def test_a_wrong_column_is_found(built: Corpus, folder: Path) -> None:
    columns, numbers = np.load(folder / SHARD / "columns.npy").tolist(), numbers_of(folder)
    for row, entry in filled(built.path):
        edit(folder, f"{SHARD}/columns.npy", {entry: columns[entry] ^ 1})
        assert found(folder).wrong == (numbers[row],)
        edit(folder, f"{SHARD}/columns.npy", {entry: columns[entry]})


def test_an_entry_that_moved_to_the_document_before_makes_both_wrong(built: Corpus, folder: Path) -> None:
    numbers = numbers_of(folder)
    for row, entry in filled(built.path):
        if row:
            edit(folder, f"{SHARD}/starts.npy", {row: entry + 1})
            assert found(folder).wrong == tuple(sorted((numbers[row - 1], numbers[row])))
            edit(folder, f"{SHARD}/starts.npy", {row: entry})


def test_a_row_that_was_emptied_and_one_that_was_made_up_are_found(folder: Path) -> None:
    starts, numbers = np.load(folder / SHARD / "starts.npy"), numbers_of(folder)
    names = SealedCorpus.open(folder).names(numbers)
    empty, full = names.index("scan.pdf"), names.index("plain.txt")
    length = int(starts[full + 1] - starts[full])
    low, high, shift = (empty, full, length) if empty < full else (full, empty, -length)
    starts[low + 1 : high + 1] += shift
    np.save(folder / SHARD / "starts.npy", starts)
    assert {numbers[empty], numbers[full]} <= set(found(folder).wrong)


def test_an_entry_of_value_zero_is_a_wrong_row(built: Corpus, folder: Path) -> None:
    edit(folder, "shards/00000/values.npy", {0: 0})
    assert found(folder).wrong_count == 1


def test_only_the_first_hundred_wrong_rows_are_named_and_all_are_counted(tmp_path: Path) -> None:
    of_texts(tmp_path / "corpus", ["same words"] * 150)
    values = np.load(tmp_path / "corpus/shards/00000/values.npy")
    np.save(tmp_path / "corpus/shards/00000/values.npy", values + np.uint16(1))
    result = found(tmp_path / "corpus")
    assert (result.wrong, result.wrong_count) == (tuple(range(100)), 150)


# A term table that is not that of the texts


TABLES: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "another term": lambda terms: [b"zzz", *terms[1:]],
    "no term that occurs": lambda terms: [b"z%d" % place for place in range(len(terms))],
    "a term twice": lambda terms: [terms[0], terms[0], *terms[2:]],
    "one term only": lambda terms: [terms[0]] * len(terms),
    "unsorted": lambda terms: terms[::-1],
    "without names": lambda terms: [b""] * len(terms),
    "what is no token": lambda terms: [b"A b\x00", *terms[1:]],
}


@pytest.mark.parametrize("change", TABLES.values(), ids=TABLES)
def test_rows_are_judged_by_the_table_that_the_texts_have_whatever_the_folder_holds(
    built: Corpus, folder: Path, change: Callable[[list[bytes]], list[bytes]]
) -> None:
    terms = (folder / "terms.bin").read_bytes().split(b"\n")[:-1]
    (folder / "terms.bin").write_bytes(b"".join(term + b"\n" for term in change(terms)))
    assert stored_table_digest(SealedCorpus.open(folder)) != built.term_table_digest
    assert found(folder) == Recomputed(table=built.term_table_digest)


@pytest.mark.parametrize("frequency", [0, 1, 3, 10, 2**31 - 1])
def test_frequencies_that_no_text_has_change_nothing_about_the_rows(
    built: Corpus, folder: Path, frequency: int
) -> None:
    edit(folder, "frequencies.npy", {1: frequency})
    assert stored_table_digest(SealedCorpus.open(folder)) != built.term_table_digest
    assert found(folder) == Recomputed(table=built.term_table_digest)


def test_a_frequency_that_would_make_a_weight_of_zero_changes_nothing_about_the_rows(tmp_path: Path) -> None:
    table = stored_table_digest(of_texts(tmp_path / "corpus", ["word"] * 70))
    edit(tmp_path / "corpus", "frequencies.npy", {0: 192})  # ln((1 + 70) / (1 + 192)) is nearly -1
    assert found(tmp_path / "corpus") == Recomputed(table=table)


def test_a_table_that_lacks_its_last_terms_changes_nothing_about_the_rows(built: Corpus, folder: Path) -> None:
    terms = (folder / "terms.bin").read_bytes().split(b"\n")[:-1]
    (folder / "terms.bin").write_bytes(b"".join(term + b"\n" for term in terms[:3]))
    np.save(folder / "frequencies.npy", np.load(folder / "frequencies.npy")[:3])
    assert found(folder) == Recomputed(table=built.term_table_digest)
    edit(folder, "shards/00000/values.npy", {0: 7})
    assert found(folder).wrong_count == 1


# Documents that are not those that were committed to


@pytest.mark.parametrize("name", ["shards/00000/texts.bin", "shards/00000/contents.bin"])
def test_a_damaged_document_is_damaged_and_no_row_is_wrong(built: Corpus, folder: Path, name: str) -> None:
    edit(folder, "shards/00000/values.npy", {0: 7})  # which would be wrong
    size = (folder / name).stat().st_size
    for place in range(0, size, max(1, size // 23)):
        flip(folder / name, place)
        result = found(folder)
        assert result == Recomputed(damaged=result.damaged, damaged_count=1)
        assert len(result.damaged) == 1
        flip(folder / name, place)


@pytest.mark.parametrize("half", [0, 1])
def test_a_damaged_digest_is_a_damaged_document(folder: Path, half: int) -> None:
    digests, parts = (np.load(folder / SHARD / name) for name in ("digests.npy", "parts.npy"))
    for row, number in enumerate(numbers_of(folder)):
        place = (int(parts[row]), half, 31)
        edit(folder, f"{SHARD}/digests.npy", {place: int(digests[place]) ^ 1})
        assert found(folder) == Recomputed(damaged=(number,), damaged_count=1)
        edit(folder, f"{SHARD}/digests.npy", {place: int(digests[place])})


def test_all_damaged_documents_are_counted_and_the_first_hundred_named(tmp_path: Path) -> None:
    of_texts(tmp_path / "corpus", [f"text {place}" for place in range(150)])
    digests = np.load(tmp_path / "corpus/shards/00000/digests.npy")
    np.save(tmp_path / "corpus/shards/00000/digests.npy", digests[::-1])
    result = found(tmp_path / "corpus")
    assert (result.damaged, result.damaged_count, result.table) == (tuple(range(100)), 150, b"")


def test_two_documents_in_each_others_place_are_both_damaged(folder: Path) -> None:
    places = np.load(folder / "shards/00000/places.npy")
    places[[2, 5]] = places[[5, 2]]
    np.save(folder / "shards/00000/places.npy", places)
    rows = np.searchsorted(np.load(folder / SHARD / "parts.npy"), [2, 5], side="right") - 1
    assert found(folder).damaged == tuple(sorted(numbers_of(folder)[row] for row in rows))


# A query


@pytest.mark.parametrize(
    "query",
    [
        "gas",
        "GAS prices, and storage!",
        "prüfung der",
        "gas " * 70_000 + "prices",
        "and and and of of lunch",
        "",
        "...",
        "nobody wrote these",
        "mail nobody",
        "\U0001f4e7",
    ],
    ids=lambda query: query[:30],
)
def test_a_query_has_the_row_of_a_document_with_its_words(built: Corpus, query: str) -> None:
    columns, values = query_row(SealedCorpus.open(built.path), query)
    weights = query_weights(built, query)
    assert columns.tolist() == np.flatnonzero(weights).tolist()
    assert values.tolist() == weights[columns].tolist()
    terms = literal_corpus.table([built.text(document) for document in range(built.size)])
    assert list(zip(columns.tolist(), values.tolist(), strict=True)) == literal_corpus.row(query, terms, built.size)


@settings(deadline=None, max_examples=100)
@given(query=st.text(st.sampled_from("gaspricesnd lunch,Gü"), max_size=40))
def test_any_query_has_the_row_that_the_protocol_gives_it(built: Corpus, query: str) -> None:
    columns, values = query_row(SealedCorpus.open(built.path), query)
    weights = np.zeros(len(built.terms) + 1, np.int64)
    weights[columns] = values
    assert weights.tolist() == query_weights(built, query).tolist()


def test_a_query_of_more_than_two_to_the_17_terms_has_an_empty_row_like_any_document(
    built: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weighing, "MOST_TERMS", 2)
    corpus = SealedCorpus.open(built.path)
    assert [len(query_row(corpus, query)[0]) for query in ("gas prices", "gas prices and")] == [2, 0]


def test_a_query_by_a_table_that_no_text_has_is_a_row_all_the_same(folder: Path) -> None:
    edit(folder, "frequencies.npy", dict(enumerate([0, 1, 2**31 - 1, 10, 0, 0, 0, 0])))
    columns, values = query_row(SealedCorpus.open(folder), "and der gas lunch mail of prices storage prüfung")
    assert len(columns) == 8
    assert values.min() > 0
