"""Certificates: the verifier's P, D and weights are the definition's, and what is no model is refused as one."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import isqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import canonical
from protocol.learning import model as protocol_model
from protocol.learning.cal import model_bytes
from protocol.learning.training import Trainer
from tests.support.labelled_sets import Row, features, labelled, topic
from tests.support.verifier_corpora import SHARD, edit, of_rows
from verifier.corpus.errors import BadModel, CorpusDamaged, NotReviewable, TooLarge
from verifier.corpus.exact import ceil_sqrt, sum_of_squares
from verifier.corpus.folder import SealedCorpus
from verifier.corpus.model import LabelledSet, Model
from verifier.record.encoding import encode

TERMS = 6
Case = tuple[list[Row], list[bool], list[int]]

alphas_of_all_sizes = st.integers(0, 3) | st.integers(0, 2**31) | st.integers(0, 2**40)


@st.composite
def duals(draw: st.DrawFn) -> Case:
    """Labelled rows with dual values far from the optimum."""
    found, labels = draw(labelled(terms=TERMS))
    return found, labels, draw(st.lists(alphas_of_all_sizes, min_size=len(found), max_size=len(found)))


def attachment(alphas: list[int], documents: list[int] | None = None) -> bytes:
    """A model that says nothing of documents with the dual value 0."""
    used = [place for place, alpha in enumerate(alphas) if alpha]
    named = list(range(len(alphas))) if documents is None else documents
    return canonical.encode(
        {"alphas": [alphas[place] for place in used], "documents": [named[place] for place in used]}
    )


def certified(rows: list[Row], labels: list[bool], alphas: list[int], terms: int = TERMS) -> Model:
    labelled = LabelledSet(of_rows(rows, terms))
    labelled.add(range(len(rows)), labels)
    return labelled.certify(attachment(alphas))


# P, D and the weights


@settings(deadline=None, max_examples=100)
@given(duals())
def test_weights_and_certificate_are_the_protocols(case: Case) -> None:
    rows, labels, alphas = case
    training = protocol_model.TrainingSet.of(features(rows, TERMS), np.arange(len(rows)), np.array(labels))
    expected = protocol_model.derive(training, np.array(alphas))
    found = certified(*case)
    assert found.weights.tolist() == expected.weights.tolist()
    assert (found.primal, found.dual) == (expected.certificate.primal, expected.certificate.dual)
    assert (found.gap, found.accepted) == (expected.certificate.gap, expected.certificate.accepted)


@settings(deadline=None, max_examples=100)
@given(duals())
def test_the_certificate_is_the_definition_in_fractions(case: Case) -> None:
    rows, labels, alphas = case
    found = certified(*case)
    vectors = [[Fraction(row.get(column, 0), 2**15) for column in range(TERMS)] + [Fraction(1)] for row in rows]
    signs = [1 if label else -1 for label in labels]
    values = [Fraction(alpha, 2**30) for alpha in alphas]
    combined = [
        sum((a * y * x[column] for a, y, x in zip(values, signs, vectors, strict=True)), Fraction(0))
        for column in range(TERMS + 1)
    ]
    rounded = [Fraction((int(each * 2**45) + 2**16) // 2**17, 2**28) for each in combined]
    assert [Fraction(each, 2**28) for each in found.weights.tolist()] == rounded
    slacks = [
        max(Fraction(0), 1 - y * sum((w * v for w, v in zip(rounded, x, strict=True)), Fraction(0)))
        for y, x in zip(signs, vectors, strict=True)
    ]
    assert Fraction(found.primal, 2**91) == squares(rounded) / 2 + squares(slacks)
    assert Fraction(found.dual, 2**91) == sum(values) - squares(combined) / 2 - squares(values) / 4
    assert found.gap >= 0


def squares(numbers: list[Fraction]) -> Fraction:
    return sum((each * each for each in numbers), Fraction(0))


@pytest.mark.parametrize(
    ("label", "value", "weight"),
    [(True, 2, 1), (False, 2, 0), (True, 1, 0), (False, 1, 0), (False, 3, -1), (True, 6, 2)],
)
def test_half_a_unit_is_rounded_up_on_either_side_of_zero(*, label: bool, value: int, weight: int) -> None:
    assert certified([{0: value}], [label], [2**15], terms=1).weights[0] == weight


@pytest.mark.parametrize(
    ("primal", "gap", "accepted"),
    [(10**12, 0, True), (10**12, 1, True), (10**12 - 1, 1, False), (2 * 10**12 - 1, 2, False), (0, 1, False)],
)
def test_a_gap_of_one_in_ten_to_the_twelfth_is_accepted_and_no_more(*, primal: int, gap: int, accepted: bool) -> None:
    model = Model(weights=np.zeros(1, np.int64), primal=primal, dual=primal - gap)
    assert model.accepted is accepted
    assert model.gap == gap


def test_the_model_that_knows_nothing_is_not_accepted() -> None:
    model = certified([{0: 2**15}, {1: 2**15}], [True, False], [0, 0])
    assert (model.primal, model.dual, model.accepted) == (2 << 91, 0, False)


def test_documents_without_terms_count_with_their_bias() -> None:
    model = certified([{}, {}], [True, False], [2**30, 0])
    assert model.weights.tolist() == [0] * TERMS + [2**28]
    assert model.primal == (1 << 90) + (4 << 91)


# Models that the protocol finds


@pytest.fixture(scope="module")
def optimum() -> tuple[SealedCorpus, list[bool], list[int]]:
    corpus, labels = topic(600)
    found = Trainer(corpus).train(np.arange(corpus.size), labels)
    rows = [dict(zip(*(each.tolist() for each in corpus.row(n)), strict=True)) for n in range(corpus.size)]
    return of_rows(rows, corpus.terms), labels.tolist(), found.alphas.tolist()


def certify(optimum: tuple[SealedCorpus, list[bool], list[int]], alphas: list[int]) -> Model:
    labelled = LabelledSet(optimum[0])
    labelled.add(range(len(alphas)), optimum[1])
    return labelled.certify(attachment(alphas))


def test_a_trained_model_is_accepted(optimum: tuple[SealedCorpus, list[bool], list[int]]) -> None:
    assert certify(optimum, optimum[2]).accepted


@pytest.mark.parametrize("change", [2**14, -(2**14), 2**20])
@pytest.mark.parametrize("which", [0, -1])
def test_one_dual_value_changed_by_a_little_is_not_accepted(
    optimum: tuple[SealedCorpus, list[bool], list[int]], change: int, which: int
) -> None:
    alphas = list(optimum[2])
    place = [place for place, alpha in enumerate(alphas) if alpha > 2**14][which]
    alphas[place] += change
    assert not certify(optimum, alphas).accepted


def test_a_model_of_other_labels_is_not_accepted(optimum: tuple[SealedCorpus, list[bool], list[int]]) -> None:
    corpus, labels, alphas = optimum
    other = list(labels)
    other[alphas.index(max(alphas))] ^= True
    assert not certify((corpus, other, alphas), alphas).accepted


def test_a_model_that_lacks_a_document_is_not_accepted(optimum: tuple[SealedCorpus, list[bool], list[int]]) -> None:
    alphas = list(optimum[2])
    alphas[alphas.index(max(alphas))] = 0
    assert not certify(optimum, alphas).accepted


def test_the_model_of_a_round_before_is_not_accepted_for_this_one(
    optimum: tuple[SealedCorpus, list[bool], list[int]],
) -> None:
    corpus, labels, alphas = optimum
    labelled = LabelledSet(corpus)
    labelled.add(range(500), labels[:500])
    with pytest.raises(BadModel, match="which is not labelled"):
        labelled.certify(attachment(alphas))


# The set grows


@settings(deadline=None, max_examples=60)
@given(duals(), st.data())
def test_it_does_not_matter_in_which_steps_documents_are_labelled(case: Case, data: st.DataObject) -> None:
    rows, labels, alphas = case
    order = data.draw(st.permutations(range(len(rows))))
    labelled = LabelledSet(of_rows(rows, TERMS))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(order)), max_size=4)))
    for start, end in pairwise([0, *cuts, len(order)]):
        labelled.add(order[start:end], [labels[each] for each in order[start:end]])
    assert len(labelled) == len(rows)
    found = labelled.certify(attachment([alphas[each] for each in order], order))
    once = certified(*case)
    assert found.weights.tolist() == once.weights.tolist()
    assert (found.primal, found.dual) == (once.primal, once.dual)


def test_a_set_of_many_small_steps_is_kept_in_few_parts() -> None:
    rows: list[Row] = [dict.fromkeys(range(each % 6), 5) for each in range(300)]
    labelled = LabelledSet(of_rows(rows, TERMS))
    for document in range(300):
        labelled.add([document], [document % 2 == 0])
        assert len(labelled._parts) <= 10
    assert (
        labelled.certify(attachment([1] * 300)).primal
        == certified(rows, [document % 2 == 0 for document in range(300)], [1] * 300).primal
    )


def test_a_set_without_documents_has_a_model_without_weights() -> None:
    model = LabelledSet(of_rows([{0: 5}], 1)).certify(attachment([]))
    assert (model.weights.tolist(), model.primal, model.dual) == ([0, 0], 0, 0)


@pytest.mark.parametrize(
    ("documents", "labels", "why"),
    [
        ([3], [True], "document 3 is not among the 3 of the corpus"),
        ([-1], [True], "document -1 is not among"),
        ([2**70], [True], "is not among"),
        ([1, 1], [True, True], "labelled twice"),
        ([1, 0], [True, False], "labelled twice"),
        ([1], [], "0 labels for 1 documents"),
        ([], [True], "1 labels for 0 documents"),
    ],
)
def test_documents_that_cannot_be_labelled_are_refused_and_change_nothing(
    documents: list[int], labels: list[bool], why: str
) -> None:
    labelled = LabelledSet(of_rows([{0: 5}, {1: 5}, {}], 2))
    labelled.add([0], [True])
    before = labelled.certify(attachment([5]))
    with pytest.raises(NotReviewable, match=why):
        labelled.add(documents, labels)
    after = labelled.certify(attachment([5]))
    assert (before.primal, before.dual, len(labelled)) == (after.primal, after.dual, 1)


@settings(deadline=None, max_examples=60)
@given(duals(), st.data())
def test_a_label_that_is_replaced_counts_as_if_it_had_been_given_at_first(case: Case, data: st.DataObject) -> None:
    rows, labels, alphas = case
    first = data.draw(st.lists(st.booleans(), min_size=len(labels), max_size=len(labels)))
    labelled = LabelledSet(of_rows(rows, TERMS))
    labelled.add(range(len(rows)), first)
    changed = [place for place, (one, other) in enumerate(zip(first, labels, strict=True)) if one != other]
    labelled.relabel(changed, [labels[place] for place in changed])
    found, expected = labelled.certify(attachment(alphas)), certified(*case)
    assert (found.primal, found.dual) == (expected.primal, expected.dual)


@pytest.mark.parametrize(("documents", "labels"), [([0, 1], [True, True]), ([-1], [True]), ([0], []), ([9], [False])])
def test_only_labels_that_are_there_can_be_replaced(documents: list[int], labels: list[bool]) -> None:
    labelled = LabelledSet(of_rows([{0: 1}, {1: 2}], 2))
    labelled.add([0], [False])
    before = labelled.certify(attachment([5])).primal
    with pytest.raises(NotReviewable):
        labelled.relabel(documents, labels)
    assert labelled.certify(attachment([5])).primal == before


def test_rows_that_are_not_sound_are_not_labelled() -> None:
    corpus = of_rows([{0: 5, 1: 5}], 2)
    edit(corpus.path, f"{SHARD}/columns.npy", {0: 1, 1: 0})
    with pytest.raises(CorpusDamaged, match="unsorted"):
        LabelledSet(corpus).add([0], [True])


# What is no model

WELL_FORMED: dict[str, Any] = {"alphas": [5, 7], "documents": [3, 1]}

VALUES: dict[str, Any] = {
    "no object": [],
    "a number": 3,
    "a text": "alphas",
    "nothing": None,
    "an empty object": {},
    "no alphas": {"documents": [3, 1]},
    "no documents": {"alphas": [5, 7]},
    "one key more": WELL_FORMED | {"bias": 3},
    "alphas not a list": WELL_FORMED | {"alphas": 5},
    "alphas in an object": WELL_FORMED | {"alphas": {"3": 5, "1": 7}},
    "documents not a list": WELL_FORMED | {"documents": "31"},
    "no lists": {"alphas": None, "documents": None},
    "fewer alphas": WELL_FORMED | {"alphas": [5]},
    "fewer documents": WELL_FORMED | {"documents": [3]},
    "more documents": WELL_FORMED | {"documents": [3, 1, 0]},
    "an alpha of 0": WELL_FORMED | {"alphas": [5, 0]},
    "an alpha below 0": WELL_FORMED | {"alphas": [-5, 7]},
    "an alpha that is true": WELL_FORMED | {"alphas": [5, True]},
    "an alpha that is a text": WELL_FORMED | {"alphas": [5, "7"]},
    "an alpha that is a list": WELL_FORMED | {"alphas": [5, [7]]},
    "an alpha that is null": WELL_FORMED | {"alphas": [5, None]},
    "a document that is true": WELL_FORMED | {"documents": [3, True]},
    "a document that is a text": WELL_FORMED | {"documents": [3, "1"]},
    "a document that is not labelled": WELL_FORMED | {"documents": [3, 2]},
    "a document below 0": WELL_FORMED | {"documents": [3, -3]},
    "a document that is not in the corpus": WELL_FORMED | {"documents": [3, 4]},
    "a document far beyond the corpus": WELL_FORMED | {"documents": [3, 2**53 - 1]},
    "a document twice": WELL_FORMED | {"documents": [3, 3]},
    "documents in another order": WELL_FORMED | {"documents": [1, 3]},
    "documents by number": {"alphas": [1, 2, 3], "documents": [0, 1, 3]},
}


@pytest.fixture
def reviewed() -> LabelledSet:
    """Documents 3, 1 and 0 of four, in this order."""
    labelled = LabelledSet(of_rows([{0: 5}, {1: 5}, {}, {0: 3, 1: 4}], 2))
    labelled.add([3, 1], [True, False])
    labelled.add([0], [False])
    return labelled


def test_a_well_formed_model_is_one(reviewed: LabelledSet) -> None:
    assert reviewed.certify(encode(WELL_FORMED)).gap > 0


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_what_is_no_model_of_the_labelled_documents_is_refused(reviewed: LabelledSet, value: object) -> None:
    with pytest.raises(BadModel, match=r"^the model"):
        reviewed.certify(encode(value))


BYTES: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda _: b"",
    "no JSON": lambda _: b"model",
    "no UTF-8": lambda data: data[:-1] + b"\xff",
    "cut": lambda data: data[:-1],
    "a blank": lambda data: data + b" ",
    "a blank within": lambda data: data.replace(b",", b", "),
    "a newline": lambda data: data + b"\n",
    "a mark in front": lambda data: b"\xef\xbb\xbf" + data,
    "keys in another order": lambda _: b'{"documents":[3,1],"alphas":[5,7]}',
    "a key twice": lambda _: b'{"alphas":[5,7],"alphas":[5,7],"documents":[3,1]}',
    "a float": lambda _: b'{"alphas":[5.0,7],"documents":[3,1]}',
    "an exponent": lambda _: b'{"alphas":[5e0,7],"documents":[3,1]}',
    "not a number": lambda _: b'{"alphas":[NaN,7],"documents":[3,1]}',
    "a leading zero": lambda _: b'{"alphas":[05,7],"documents":[3,1]}',
    "minus zero": lambda _: b'{"alphas":[5,7],"documents":[3,-0]}',
    "beyond safe integers": lambda _: b'{"alphas":[9007199254740992,7],"documents":[3,1]}',
    "beyond 64 bits": lambda _: b'{"alphas":[5,7],"documents":[3,18446744073709551617]}',
    "beyond all bits": lambda _: b'{"alphas":[' + b"9" * 5000 + b',7],"documents":[3,1]}',
    "too deep": lambda _: b"[" * 100_000,
    "an escaped key": lambda _: b'{"\\u0061lphas":[5,7],"documents":[3,1]}',
}


@pytest.mark.parametrize("change", BYTES.values(), ids=BYTES)
def test_bytes_that_are_not_canonical_are_refused(reviewed: LabelledSet, change: Callable[[bytes], bytes]) -> None:
    with pytest.raises(BadModel, match=r"^the model is not canonical JSON: "):
        reviewed.certify(change(encode(WELL_FORMED)))


@given(
    st.binary(max_size=60)
    | st.builds(
        encode,
        st.dictionaries(
            st.sampled_from(["alphas", "documents"]),
            st.lists(st.integers(-9, 9) | st.booleans() | st.none(), max_size=4),
        ),
    )
)
def test_no_bytes_lead_to_anything_but_a_model_or_a_refusal(data: bytes) -> None:
    labelled = LabelledSet(of_rows([{0: 5}, {1: 5}, {}], 2))
    labelled.add([2, 0, 1], [True, False, False])
    try:
        assert labelled.certify(data).gap >= 0
    except BadModel as error:
        assert str(error).startswith("the model")


# Numbers beyond exact arithmetic


def test_dual_values_whose_sums_may_not_be_exact_are_refused_just_where_the_protocol_refuses_them() -> None:
    rows: list[Row] = [{0: 5}, {1: 5}]
    certified(rows, [True, False], [2**46 - 1, 2**46])
    with pytest.raises(TooLarge, match=r"a weight of this model may reach 2\^62"):
        certified(rows, [True, False], [2**46, 2**46])


def test_values_beyond_those_of_a_feature_row_narrow_the_limit() -> None:
    row: Row = {0: 65535}
    most = 2**62 // 65535
    with pytest.raises(TooLarge, match="a weight"):
        certified([row], [True], [most + 1], terms=1)


def test_dual_values_whose_scores_may_not_be_exact_are_refused() -> None:
    with pytest.raises(TooLarge, match=r"a score of this model may reach 2\^63"):
        certified([dict.fromkeys(range(9), 2**15)], [True], [2**47 - 1], terms=9)


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.dictionaries(st.integers(0, TERMS - 1), st.integers(1, 65535)), min_size=1, max_size=4),
    st.lists(st.integers(2**44, 2**47), min_size=4, max_size=4),
)
def test_the_limits_are_the_protocols(rows: list[Row], alphas: list[int]) -> None:
    labels, used = [True, False, True, True][: len(rows)], alphas[: len(rows)]
    training = protocol_model.TrainingSet.of(features(rows, TERMS), np.arange(len(rows)), np.array(labels))
    try:
        expected = protocol_model.derive(training, np.array(used)).certificate
    except protocol_model.TooLarge:
        with pytest.raises(TooLarge):
            certified(rows, labels, used)
    else:
        found = certified(rows, labels, used)
        assert (found.primal, found.dual) == (expected.primal, expected.dual)


def test_a_model_file_of_the_protocol_is_read_as_it_was_written() -> None:
    rows: list[Row] = [{0: 2**15}, {1: 2**15}, {0: 2**14}]
    labelled = LabelledSet(of_rows(rows, 2))
    labelled.add([2, 0, 1], [True, True, False])
    data = model_bytes(np.array([2, 0, 1]), np.array([3, 0, 2**30]))
    assert (
        labelled.certify(data).dual
        == certified([rows[2], rows[0], rows[1]], [True, True, False], [3, 0, 2**30], 2).dual
    )


# Arithmetic


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=50))
def test_sums_of_squares_are_exact(numbers: list[int]) -> None:
    assert sum_of_squares(np.array(numbers, dtype=np.int64)) == sum(number**2 for number in numbers)


@pytest.mark.parametrize("number", [-(2**63), 2**63 - 1, 2**42 - 1, -1])
def test_sums_of_many_squares_are_exact(number: int) -> None:
    many = 2**22 + 3
    assert sum_of_squares(np.full(many, number)) == many * number**2


@given(st.integers(0, 2**200) | st.integers(0, 2**90).map(lambda root: root * root))
def test_the_square_root_is_rounded_up(number: int) -> None:
    root = ceil_sqrt(number)
    assert root == (isqrt(number - 1) + 1 if number else 0)
