"""Reviews with real models on real documents, without keys and signatures: for experiments that play hundreds.

CAL chooses the batches as in a matter, and is trained on the output labels. The paper's rules run as they are
(`protocol.rules`). `spot-check` runs on the books of `spotchecks`, whose coins are floats. Bob and the court are right.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np

from ledger import coins
from ledger.hashing import Digest, integer, tagged_hash
from protocol.corpus.corpus import Corpus
from protocol.errors import BadTerms
from protocol.learning.cal import Cal
from protocol.paper.experiments.spotchecks import Alice, Hidden, Review, SpotCheck, generator
from protocol.rules import base
from protocol.rules.base import Evidence, Examiner, Report
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from protocol.rules.reveal_all import RevealAll
from protocol.simulation.strategies import hiding_report, honest_report

DOUBT = Fraction(1, 20)
LOOSE = 1_000_000
"""A tolerance k that takes the errors of the ranking out of the label report's chances."""

PAPERS: dict[str, Examiner] = {
    "reveal-all": RevealAll(),
    "label": LabelReport(delta=Fraction(1, 100), k=1),
    "label, large k": LabelReport(delta=Fraction(1, 100), k=LOOSE),
    "classifier": ClassifierReport(delta=Fraction(1, 100)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What came of a review, counted by the true labels."""

    responsive: int  # in the collection
    found: int  # responsive documents that Bob has
    nrd: int
    hidden: int  # responsive, reviewed, and not shown to Bob
    at_most: int  # what the certificate of the reviewed says of them
    reached: bool  # the target of spot-check
    reviewed: int

    @property
    def recall(self) -> float:
        """Of the whole collection."""
        return self.found / self.responsive

    @property
    def certified(self) -> float:
        """The recall of the reviewed that is certified."""
        return self.found / (self.found + self.at_most) if self.found else 0.0


@dataclass(slots=True)
class Labeller:
    """How Alice labels: truthfully, carelessly, or hiding the lowest ranked share of the responsive documents."""

    careless: float = 0.0
    hiding: float = 0.0
    finds_again: float = 0.0  # of what she overlooked, at a second look
    seed: str = ""
    responsive: int = 0
    hidden: int = 0

    def hides(self, truth: Sequence[bool]) -> list[int]:
        """The positions that she hides in this batch: her share of all batches so far, the lowest ranks first."""
        places = [place for place, label in enumerate(truth, start=1) if label]
        self.responsive += len(places)
        number = min(len(places), round(self.hiding * self.responsive) - self.hidden)
        self.hidden += number
        return places[len(places) - number :]

    def mistaken(self, truth: Sequence[bool], number: int) -> list[bool]:
        """Which labels she gets wrong."""
        if not self.careless:
            return [False] * len(truth)
        drawn: list[bool] = (generator(self.seed, "mistakes", number).random(len(truth)) < self.careless).tolist()
        return drawn

    def report(self, rule: Examiner, truth: Sequence[bool], number: int) -> Report:
        """Her report for one of the paper's rules."""
        hidden = self.hides(truth)
        if hidden:
            return hiding_report(rule, truth, hidden)
        wrong = self.mistaken(truth, number)
        return honest_report(rule, [label != error for label, error in zip(truth, wrong, strict=True)])


def check(corpus: Path, label: str, query: str) -> None:
    """Raise what such a review would be refused for, before many of them are started."""
    opened = Corpus.open(corpus)
    if len(opened.labels(label)) in (0, opened.size):
        raise BadTerms(f"no document of {corpus} or every one carries the label {label!r}: there is nothing to find")
    Cal(opened).check_query(query)


class Training:
    """The documents that are labelled, and the next batch by CAL."""

    def __init__(self, corpus: Corpus, label: str, query: str, batch: int, seed: str) -> None:
        self.cal, self.truth = Cal(corpus), corpus.labels(label)
        self.query, self.batch, self.seed = query, batch, seed
        self.labels: dict[int, bool] = {}
        self._model: bytes | None = None
        self._rounds = 0

    def next(self) -> list[int]:
        """The next batch: by coin until there are labels of both kinds, then by the model."""
        self._rounds += 1
        documents = list(self.labels)
        if len(set(self.labels.values())) < 2:
            return self.cal.by_coin(self.query, documents, self.batch, self._digest("batch")).documents
        chosen = self.cal.by_model(documents, list(self.labels.values()), self.batch, self._model)
        self._model = chosen.model
        return chosen.documents

    def coins(self, size: int) -> list[int]:
        """The coins of this round's positions, for the paper's rules."""
        return coins.coins(self._digest("coins"), range(1, size + 1))

    def _digest(self, what: str) -> Digest:
        return tagged_hash("experiment", what.encode(), self.seed.encode(), integer(self._rounds))


def truthful_batches(corpus: Path, label: str, query: str, rounds: int, batch: int, seed: str) -> Iterator[list[bool]]:
    """The true labels of each batch while all labels are true; what comes of CAL whatever the rule shows Bob."""
    training = Training(Corpus.open(corpus), label, query, batch, seed)
    for _ in range(rounds):
        documents = training.next()
        if not documents:
            return
        truth = [document in training.truth for document in documents]
        training.labels.update(zip(documents, truth, strict=True))
        yield truth


@dataclass(slots=True)
class PaperBooks:
    """What one of the paper's rules has shown, and what its bound needs."""

    rule: Examiner
    found: int = 0
    nrd: int = 0
    hidden: int = 0
    reviewed: int = 0
    rounds: list[Evidence] = field(default_factory=list)

    def close(self, report: Report, thrown: Sequence[int], truth: Sequence[bool]) -> list[bool]:
        """Play a round; its output labels."""
        settled = base.played(self.rule, report, thrown, truth)
        self.rounds.append(base.evidence(self.rule.examine(report, thrown, settled), settled))
        self.found += sum(settled.values())
        self.nrd += len(settled) - sum(settled.values())
        self.hidden += sum(truth) - sum(settled.values())
        self.reviewed += len(truth)
        return base.output(report, settled)

    def ended(self, responsive: int) -> Ended:
        """The review as it stands."""
        return Ended(
            responsive=responsive,
            found=self.found,
            nrd=self.nrd,
            hidden=self.hidden,
            at_most=self.rule.hidden_at_most(self.rounds, DOUBT),
            reached=True,
            reviewed=self.reviewed,
        )


def truthful_paper(batches: Iterable[Sequence[bool]], responsive: int, rule: Examiner, seed: str) -> Ended:
    """A review under a rule for labels, with a truthful Alice whose batches are known."""
    books = PaperBooks(rule)
    for number, truth in enumerate(batches):
        digest = tagged_hash("experiment", b"coins", seed.encode(), integer(number))
        books.close(honest_report(rule, truth), coins.coins(digest, range(1, len(truth) + 1)), truth)
    return books.ended(responsive)


def by_paper(training: Training, rule: Examiner, labeller: Labeller, rounds: int) -> Ended:
    """A review under one of the paper's rules."""
    books = PaperBooks(rule)
    for number in range(rounds):
        documents = training.next()
        if not documents:
            break
        truth = [document in training.truth for document in documents]
        report = labeller.report(rule, truth, number)
        output = books.close(report, training.coins(len(truth)), truth)
        training.labels.update(zip(documents, output, strict=True))
    return books.ended(len(training.truth))


class Looking(Alice):
    """What a labeller does at a second look: she finds again a share of what she overlooked."""

    def __init__(self, labeller: Labeller) -> None:
        self._labeller = labeller

    def gives_up(self, review: Review) -> Iterable[Hidden]:
        share = self._labeller.finds_again
        return [document for document in review.hidden if share and review.coins.random() < share]


def by_spot_check(training: Training, terms: SpotCheck, labeller: Labeller, rounds: int) -> Ended:
    """A review under `spot-check`; what comes to light trains the model from the next batch on."""
    review = Review(terms, Looking(labeller), generator(training.seed, "spot-check", repr(terms)))
    reviewed = 0
    for number in range(1, rounds + 1):
        documents = training.next()
        if not documents:
            break
        reviewed += len(documents)
        truth = [document in training.truth for document in documents]
        hidden = set(labeller.hides(truth))
        wrong = labeller.mistaken(truth, number)
        labels = [
            label != error and place not in hidden
            for place, (label, error) in enumerate(zip(truth, wrong, strict=True), start=1)
        ]
        training.labels.update(
            (document, label and true) for document, label, true in zip(documents, labels, truth, strict=True)
        )  # what she reports is shown, so its label is right
        _close(review, documents, labels, truth)
        if number % terms.every == 0:
            escalated(review)
        _learn(training, review)
    escalated(review)
    certified = review.certified()
    return Ended(
        responsive=len(training.truth),
        found=review.found,
        nrd=review.nrd,
        hidden=len(review.hidden),
        at_most=certified.at_most,
        reached=certified.met,
        reviewed=reviewed,
    )


def truthful_spot_check(batches: Iterable[Sequence[bool]], responsive: int, terms: SpotCheck, seed: str) -> Ended:
    """The same with a truthful Alice, whose batches are known: nothing depends on the coins but what Bob is shown."""
    review = Review(terms, Alice(), generator(seed, "spot-check", repr(terms)))
    reviewed = 0
    for number, truth in enumerate(batches, start=1):
        reviewed += len(truth)
        review.batch((), sum(truth), 0, len(truth) - sum(truth))
        if number % terms.every == 0:
            escalated(review)
    escalated(review)
    certified = review.certified()
    return Ended(
        responsive=responsive,
        found=review.found,
        nrd=review.nrd,
        hidden=0,
        at_most=certified.at_most,
        reached=certified.met,
        reviewed=reviewed,
    )


def escalated(review: Review) -> None:
    """Escalate while it is due."""
    while review.due():
        review.escalate()


def _close(review: Review, documents: Sequence[int], labels: Sequence[bool], truth: Sequence[bool]) -> None:
    told, true = np.array(labels), np.array(truth)
    hidden = [Hidden(name=int(document)) for document in np.array(documents)[~told & true]]
    review.batch(hidden, int((told & true).sum()), int((told & ~true).sum()), int((~told & ~true).sum()))


def _learn(training: Training, review: Review) -> None:
    """What came to light is responsive."""
    for document in review.uncovered:
        training.labels[document.name] = True
    review.uncovered.clear()
