"""A model's certificate (specification, section "Models"): no solver is needed to see that a model is the optimal one.

The model is a linear support vector machine with squared hinge loss and C = 1, given by its dual values. In units

    rows x 2^-15    dual values a 2^-30    w(a) = sum a y x 2^-45    weights w 2^-28    scores 2^-43    P and D 2^-91

with a constant 1 in each row for the bias, y = 1 for a responsive document and -1 for another:

    w     w(a) / 2^17, rounded half up, for each column
    P     1/2 |w|^2 + sum over all labelled documents of max(0, 1 - y w.x)^2
    D     sum a - 1/2 |w(a)|^2 - 1/4 sum a^2

No model has a P below D. It is accepted iff (P - D) 10^12 <= P.

Limits, beyond which a model is refused. Let X be the largest value in a labelled row, but at least 2^15, and L the
largest number of entries of a labelled row, and one for the bias:

    X sum a < 2^62                               so that w(a) is exact
    2^43 + X ceil(sqrt(L |w|^2)) < 2^62          so that scores and slacks are

An accepted model is far within them: |w|^2 <= 2 P, and P is at most about the number of labelled documents.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verifier.corpus.errors import BadModel, CorpusDamaged, NotReviewable, TooLarge, shown
from verifier.corpus.exact import ceil_sqrt, sum_of_squares
from verifier.corpus.folder import SealedCorpus
from verifier.corpus.rows import Integers, Rows, are_sound, gathered, joined, spans, starts_of
from verifier.corpus.scoring import ROW_BITS, scores
from verifier.record.encoding import NotCanonical, decode

__all__ = ["BadModel", "LabelledSet", "Model", "TooLarge"]

SCORE_BITS = 43
LIMIT = 2**62

_ACCEPTED = 10**12
_ROUNDED_BITS = 17
_NOT_LABELLED = -1


_FRAME = 2**17  # bytes around the two lists, and then some
_BYTES_A_DOCUMENT = 32  # at most 16 digits of a dual value, 10 of a number, and two commas


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Model:
    """A linear model, and what its certificate says."""

    weights: Integers
    """One for each column; the last is the bias."""
    primal: int
    dual: int

    @property
    def gap(self) -> int:
        """What P could at most be lower with other weights."""
        return self.primal - self.dual

    @property
    def accepted(self) -> bool:
        """Whether this is the optimal model, as exactly as is asked for."""
        return self.gap * _ACCEPTED <= self.primal


class LabelledSet:
    """S of the paper: the documents reviewed so far with their output labels, in the order of review."""

    def __init__(self, corpus: SealedCorpus) -> None:
        self._corpus = corpus
        self._documents = np.zeros(0, np.int64)
        self._signs = np.zeros(0, np.int64)
        self._place = np.full(corpus.size, _NOT_LABELLED, np.int32)  # of a document in the order of review
        self._parts: list[Rows] = []  # all rows, in ever smaller parts: a round seldom copies those of many others
        self._longest = 1  # L
        self._largest = 1 << ROW_BITS  # X

    def __len__(self) -> int:
        return len(self._documents)

    def add(self, documents: Sequence[int], labels: Sequence[bool]) -> None:
        """Label some more documents, in this order; `NotReviewable` if they cannot be."""
        if len(labels) != len(documents):
            raise NotReviewable(f"{len(labels)} labels for {len(documents)} documents")
        for document in documents:
            if not 0 <= document < self._corpus.size:
                raise NotReviewable(f"document {document} is not among the {self._corpus.size} of the corpus")
        more = np.array(documents, np.int64)
        if len(np.unique(more)) != len(more) or (self._place[more] != _NOT_LABELLED).any():
            raise NotReviewable("a document is labelled twice")
        self._keep(self._corpus.gathered(more))
        self._place[more] = np.arange(len(self), len(self) + len(more))
        self._documents = np.concatenate((self._documents, more))
        self._signs = np.concatenate((self._signs, np.where(np.array(labels, bool), 1, -1)))

    def relabel(self, documents: Sequence[int], labels: Sequence[bool]) -> None:
        """Replace the labels of documents that are labelled already; `NotReviewable` if one is not."""
        if len(labels) != len(documents):
            raise NotReviewable(f"{len(labels)} labels for {len(documents)} documents")
        for document in documents:
            if not 0 <= document < self._corpus.size or self._place[document] == _NOT_LABELLED:
                raise NotReviewable(f"document {document} has no label that could be replaced")
        self._signs[self._place[np.array(documents, np.int64)]] = np.where(np.array(labels, bool), 1, -1)

    def certify(self, data: bytes) -> Model:
        """The model of an attachment's bytes with its certificate, or `BadModel`."""
        most = _FRAME + _BYTES_A_DOCUMENT * len(self._signs)
        if len(data) > most:  # before a hostile one is made into very many objects
            raise BadModel(
                f"the model has {len(data)} bytes, where one of {len(self._signs)} documents has {most} at most"
            )
        documents, alphas = self._read(data)
        total = sum(alphas.tolist())
        _check("weight", self._largest * total)
        exact = self._combined(self._place[documents].astype(np.int64), alphas)
        weights = exact + (1 << _ROUNDED_BITS - 1) >> _ROUNDED_BITS
        square = sum_of_squares(weights)
        _check("score", (1 << SCORE_BITS) + self._largest * ceil_sqrt(self._longest * square))
        slacks = np.maximum((1 << SCORE_BITS) - self._signs * self._scores(weights), 0)
        return Model(
            weights=weights,
            primal=(square << 34) + (sum_of_squares(slacks) << 5),
            dual=(total << 61) - sum_of_squares(exact) - (sum_of_squares(alphas) << 29),
        )

    def _keep(self, rows: Rows) -> None:
        if not are_sound(rows, (0, len(rows.starts) - 1), len(self._corpus.frequencies)):
            raise CorpusDamaged(f"{shown(self._corpus.path)} has rows of labelled documents with unsorted columns")
        self._longest = max(self._longest, 1 + int(np.diff(rows.starts).max(initial=0)))
        self._largest = max(self._largest, int(rows.values.max(initial=0)))
        while self._parts and len(self._parts[-1].columns) <= 2 * len(rows.columns):
            rows = joined(self._parts.pop(), rows)
        self._parts.append(rows)

    def _read(self, data: bytes) -> tuple[Integers, Integers]:
        """The documents with a dual value, and their dual values."""
        try:
            value = decode(data)
        except NotCanonical as error:
            raise BadModel(f"the model is not canonical JSON: {error}") from None
        if not isinstance(value, dict) or value.keys() != {"alphas", "documents"}:
            raise BadModel("the model is not an object with the keys alphas and documents only")
        documents, alphas = _integers("documents", value["documents"]), _integers("alphas", value["alphas"])
        if len(documents) != len(alphas):
            raise BadModel(f"the model has {len(alphas)} dual values for {len(documents)} documents")
        if (alphas <= 0).any():
            raise BadModel("the model has a dual value that is not above 0")
        known = (documents >= 0) & (documents < self._corpus.size)
        places = self._place[np.where(known, documents, 0)]
        known &= places != _NOT_LABELLED
        if not known.all():
            raise BadModel(f"the model names document {documents[np.argmin(known)]}, which is not labelled")
        if (np.diff(places) <= 0).any():
            raise BadModel("the model's documents do not stand once each in the order of review")
        return documents, alphas

    def _combined(self, places: Integers, alphas: Integers) -> Integers:
        """The sum of rows times dual values and signs, by the order of review; the bias is the last."""
        total = np.zeros(len(self._corpus.frequencies) + 1, np.int64)
        factors = alphas * self._signs[places]
        before = 0
        for part in self._parts:
            end = before + len(part.starts) - 1
            own = slice(*np.searchsorted(places, (before, end)).tolist())
            theirs, weighed = places[own] - before, factors[own]
            for first, last in spans(starts_of(part.starts[theirs + 1] - part.starts[theirs])):
                rows = gathered(part, theirs[first:last])
                np.add.at(total, rows.columns, np.repeat(weighed[first:last], np.diff(rows.starts)) * rows.values)
            before = end
        total[-1] = factors.sum() << ROW_BITS
        return total

    def _scores(self, weights: Integers) -> Integers:
        """The scores of all labelled documents, in the order of review."""
        parts = [scores(part, spans(part.starts), weights) for part in self._parts]
        return np.concatenate(parts or [np.zeros(0, np.int64)])


def _integers(name: str, found: object) -> Integers:
    if not isinstance(found, list) or not all(type(each) is int and abs(each) < LIMIT for each in found):
        raise BadModel(f"the model's {name} are not a list of integers below 2^62")
    return np.array(found, np.int64)


def _check(what: str, reach: int) -> None:
    if reach >= LIMIT:
        raise TooLarge(f"a {what} of this model may reach 2^{reach.bit_length() - 1}, exact arithmetic ends at 2^62")
