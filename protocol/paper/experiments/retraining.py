"""One batch, ranked again: by the model in the record, by our trainer's, and by scikit-learn's.

scikit-learn's LinearSVC minimises the same P(w), over the same rows with the same constant column. It gives weights
and no dual. At the optimum the dual is a = 2C max(0, 1 - y w.x), so that is what is rounded and certified for it.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from time import process_time
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from ledger import canonical
from ledger.canonical import NotCanonical
from protocol.corpus.corpus import Corpus
from protocol.errors import NotOptimal
from protocol.learning import model, scoring, training
from protocol.learning.cal import Cal
from protocol.learning.model import DUAL_BITS, ROW_BITS, Integers, Model, TooLarge, TrainingSet, ceil_sqrt
from protocol.learning.training import Trainer
from protocol.paper.experiments.modelrecord import Chosen

RECORDED, OURS = "recorded", "ours again"
_MOST_ITERATIONS = 1_000_000
"""Of LinearSVC: its own limit of 1,000 would end it before a tolerance of 1e-10."""
_LARGEST = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """What one model makes of a batch, beside the record."""

    model: str
    """Whose it is: `RECORDED`, `OURS`, or scikit-learn's with its tolerance."""
    seconds: float | None
    """Processor time of the training; the record says nothing of it."""
    gap: float | None
    """Relative; None if there is no model, for the reason below."""
    accepted: bool
    same: bool
    """Whether it is the recorded model, number for number."""
    ranks: tuple[int, ...] | None
    """Where another document stands than in the record, from 1 on."""
    moved: int | None
    """Documents that enter or leave the batch."""
    allowed: int | None
    """How many of them its gap and the recorded model's gap allow together."""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrained:
    """One batch, and what each model makes of it."""

    round: int
    trained_on: int
    batch: int
    near_cut: int
    ranked: tuple[Ranked, ...]


class NoModel(NotOptimal):
    """What the record has in place of a model is none."""


class Retraining:
    """Trains all models of one corpus again, round by round."""

    def __init__(self, corpus: Corpus, tolerances: tuple[float, ...]) -> None:
        self._features = corpus.features
        self._scorer = _Scorer(corpus)
        self._trainer = Trainer(corpus.features)
        self._tolerances = tolerances

    def __call__(self, chosen: Chosen, step: Callable[[], None] = lambda: None) -> Retrained:
        """The models of one batch; `step` is told of each that was trained."""
        rows = TrainingSet.of(self._features, chosen.documents, chosen.labels)
        ways: dict[str, Callable[[], Model]] = {OURS: lambda: self._ours(chosen)}
        for tolerance in self._tolerances:
            ways[named(tolerance)] = _Fit(rows, tolerance)
        judged = _Judging(chosen, self._scorer)
        found = [judged.recorded(lambda: model.derive(rows, dual_values(chosen.model, chosen.documents)))]
        for name, train in ways.items():
            found.append(judged.other(name, train))
            step()
        return Retrained(
            round=chosen.round,
            trained_on=len(chosen.documents),
            batch=len(chosen.batch),
            near_cut=chosen.near_cut,
            ranked=tuple(found),
        )

    def _ours(self, chosen: Chosen) -> Model:
        """As Trent trains it, from the model of the batch before; where the record has none there, from nothing."""
        try:
            start = None if chosen.previous is None else dual_values(chosen.previous, chosen.documents)
        except NoModel:
            start = None
        return self._trainer.train(chosen.documents, chosen.labels, start)


def named(tolerance: float) -> str:
    """What scikit-learn's model with this tolerance is called."""
    return f"scikit-learn {written(tolerance)}"


def written(tolerance: float) -> str:
    """Such as 1e-10."""
    return np.format_float_scientific(tolerance, trim="-", exp_digits=1)


def dual_values(stored: bytes, documents: Integers) -> Integers:
    """A recorded model's dual values for all of S; `NoModel` if it is none."""
    try:
        found: Any = canonical.decode(stored)
        alphas, used = (np.array(found[name], dtype=np.int64) for name in ("alphas", "documents"))
    except (NotCanonical, TypeError, KeyError, ValueError, OverflowError):
        raise NoModel("it does not read as a model") from None
    place = {document: number for number, document in enumerate(documents.tolist())}
    places = [place.get(document, -1) for document in used.tolist()]
    if len(alphas) != len(used) or len(set(places)) != len(places) or -1 in places:
        raise NoModel("its documents are not among those it was trained on, or occur twice")
    values = np.zeros(len(documents), np.int64)
    values[places] = alphas
    return values


class _Fit:
    """scikit-learn's model of these rows. What is measured is its own fit, not how the rows are made for it."""

    def __init__(self, rows: TrainingSet, tolerance: float) -> None:
        self._rows, self._tolerance = rows, tolerance
        self._matrix = csr_matrix(
            (rows.values / 2.0**ROW_BITS, rows.columns, rows.starts), shape=(len(rows.signs), rows.terms)
        )
        self.seconds = 0.0

    def __call__(self) -> Model:
        machine = LinearSVC(
            C=1.0,
            loss="squared_hinge",
            dual=True,
            fit_intercept=True,
            intercept_scaling=1.0,  # the constant column is 1
            tol=self._tolerance,
            max_iter=_MOST_ITERATIONS,
            random_state=0,
        )
        began = process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the gap says how far it came
            machine.fit(self._matrix, self._rows.signs)
        self.seconds = process_time() - began
        margins = self._rows.signs * machine.decision_function(self._matrix)
        duals = 2 * np.maximum(0, 1 - margins)
        if not (duals * 2.0**DUAL_BITS < _LARGEST).all():
            raise NotOptimal("its weights are too large, or no numbers")
        return model.derive(self._rows, training.rounded(duals, self._rows.signs))


class _Scorer:
    """Scores all documents of a corpus, by number."""

    def __init__(self, corpus: Corpus) -> None:
        self._shards, self._size = corpus.shards, corpus.size
        self._scorer = Cal(corpus).scorer

    @property
    def largest_norm(self) -> int:
        return self._scorer.largest_norm

    def scores(self, weights: Integers) -> Integers:
        found = np.empty(self._size, np.int64)
        for shard, theirs in zip(self._shards, self._scorer.scores(weights), strict=True):
            found[shard.numbers] = theirs
        return found


class _Judging:
    """Compares models with the record of one batch."""

    def __init__(self, chosen: Chosen, scorer: "_Scorer") -> None:
        self._chosen = chosen
        self._scorer = scorer
        self._recorded: tuple[Model, Integers, Integers] | None = None  # with its scores, and its batch

    def recorded(self, derive: Callable[[], Model]) -> Ranked:
        try:
            found = derive()
            scores = self._scorer.scores(found.weights)
        except (NotOptimal, TooLarge) as error:
            return _none(RECORDED, str(error))
        batch = scoring.top(scores, self._chosen.put_up, self._chosen.most)
        self._recorded = found, scores, batch
        return self._ranked(RECORDED, found, batch, None)

    def other(self, name: str, train: Callable[[], Model]) -> Ranked:
        began = process_time()
        try:
            found = train()
            seconds = train.seconds if isinstance(train, _Fit) else process_time() - began
            scores = self._scorer.scores(found.weights)
        except (NotOptimal, TooLarge) as error:
            return _none(name, str(error))
        return self._ranked(name, found, scoring.top(scores, self._chosen.put_up, self._chosen.most), seconds)

    def _ranked(self, name: str, found: Model, batch: Integers, seconds: float | None) -> Ranked:
        pairs = zip_longest(self._chosen.batch.tolist(), batch.tolist())
        return Ranked(
            model=name,
            seconds=seconds,
            gap=found.certificate.gap / found.certificate.primal,
            accepted=found.certificate.accepted,
            same=self._recorded is not None and np.array_equal(self._recorded[0].alphas, found.alphas),
            ranks=tuple(rank for rank, (theirs, its) in enumerate(pairs, start=1) if theirs != its),
            moved=len(np.setxor1d(self._chosen.batch, batch)),
            allowed=self._allowed(found),
        )

    def _allowed(self, found: Model) -> int | None:
        """How many documents may change sides of the recorded model's cut: `model.near_cut`, for two models.

        Each lies within sqrt(2 gap) of the optimum, so both within the sum of the two of each other.
        """
        if self._recorded is None:
            return None
        recorded, scores, batch = self._recorded
        gaps = (recorded.certificate.gap, found.certificate.gap)
        both = sum(gaps) + 2 * ceil_sqrt(gaps[0] * gaps[1])
        return model.near_cut(scores, self._chosen.put_up, batch, both, self._scorer.largest_norm)


def _none(name: str, reason: str) -> Ranked:
    return Ranked(
        model=name,
        seconds=None,
        gap=None,
        accepted=False,
        same=False,
        ranks=None,
        moved=None,
        allowed=None,
        reason=reason,
    )
