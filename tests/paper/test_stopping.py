"""`stopping`: when validations come, when they stop a review, and the test that they are compared with."""

from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest

from protocol.corpus.corpus import Corpus
from protocol.paper.experiments import hypergeometric, stopping
from protocol.paper.experiments.outcome import Verdict
from protocol.paper.experiments.spotchecks import generator
from protocol.paper.experiments.stopping import Course
from protocol.paper.experiments.topics import Topic
from protocol.workers import pool
from tests.support.corpora import QUERY

TARGET = Fraction(4, 5)
ONE_STAGE = "one stage, show 0.05"


def course(*brought: int, beyond: int = 0, batch: int = 100, documents: int = 100_000) -> Course:
    return Course(documents, batch, [*brought, beyond])


def chance(hits: int, population: int, responsive: int, drawn: int) -> Fraction:
    ways = sum(comb(responsive, k) * comb(population - responsive, drawn - k) for k in range(hits + 1))
    return Fraction(ways, comb(population, drawn))


@pytest.mark.parametrize(
    ("hits", "population", "missed", "drawn"), [(0, 50, 5, 10), (2, 50, 8, 20), (3, 30, 3, 9), (1, 12, 7, 4)]
)
def test_the_probability_is_the_hypergeometric_one(hits: int, population: int, missed: int, drawn: int) -> None:
    (value,) = hypergeometric.at_most(*(np.array([each]) for each in (hits, population, missed, drawn)))
    assert value == pytest.approx(float(chance(hits, population, missed, drawn)), rel=1e-9)


def test_more_responsive_documents_than_there_are_documents_is_impossible() -> None:
    (value,) = hypergeometric.at_most(np.array([1]), np.array([10]), np.array([11]), np.array([4]))
    assert value == 0


@pytest.mark.parametrize("seen", range(1, 60))
def test_what_must_be_left_is_the_least_that_misses_the_target(seen: int) -> None:
    """If K of the population were responsive, the recall is below the target; with one less it is not."""
    before = seen // 2
    (least,) = hypergeometric.needed(np.array([seen]), before, TARGET)
    assert seen < TARGET * (before + int(least))
    assert seen >= TARGET * (before + int(least) - 1)


def test_a_random_order_is_reviewed_until_the_test_rejects() -> None:
    taken, hits = hypergeometric.of_random_order(np.array([10, 400]), 1000, 40, TARGET)
    least = hypergeometric.needed(40 + hits, 40, TARGET)
    assert chance(hits, 1000, int(least), taken) < Fraction(1, 20)
    earlier = int(hypergeometric.needed(40 + 1, 40, TARGET))
    assert chance(1, 1000, earlier, taken - hypergeometric.STEP) >= Fraction(1, 20)


def test_the_least_probability_over_all_ends_of_the_ranking_is_taken() -> None:
    labels = np.array([1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0])
    by_hand = []
    for drawn in range(1, len(labels) + 1):
        before = int(labels[: len(labels) - drawn].sum())
        hits = int(labels.sum()) - before
        least = int(Fraction(int(labels.sum())) / TARGET) + 1 - before
        by_hand.append(chance(hits, 40 - (len(labels) - drawn), least, drawn))
    assert hypergeometric.of_ranking(labels, 40, TARGET) == pytest.approx(float(min(by_hand)))


def test_a_ranking_without_responsive_documents_at_its_end_rejects_at_last() -> None:
    found = np.array([1] * 40 + [0] * 400)
    assert hypergeometric.of_ranking(found[:60], 1000, TARGET) > 0.05
    assert hypergeometric.of_ranking(found, 1000, TARGET) < 0.05


def test_perfect_knowledge_stops_with_the_batch_that_reaches_the_target() -> None:
    stop = stopping.perfect(course(30, 30, 20, 10, beyond=10), TARGET)
    assert (stop.stopped, stop.rounds, stop.reviewed, stop.recall) == (True, 3, 300, 0.8)
    assert not stopping.perfect(course(30, beyond=70), TARGET).stopped


def test_a_validation_follows_a_window_of_little_yield_and_then_every_ten_batches() -> None:
    batches = [100, 50, *[0] * 4, 1, *[0] * 25]
    assert list(stopping._due(course(*batches))) == [7, 17, 27, 32]  # and one after the last batch


def test_before_the_window_is_over_none_comes() -> None:
    assert list(stopping._due(course(100, 0, 0))) == [3]
    assert next(stopping._due(course(*[100, *[0] * 9]))) == 6  # five batches after the one that brought all


def test_a_review_that_misses_much_is_not_stopped() -> None:
    coins = generator("misses")
    for _ in range(50):
        stop = stopping.by_validation(course(*[40, *[0] * 20], beyond=400), ONE_STAGE, TARGET, coins)
        assert not stop.stopped


@pytest.mark.parametrize("name", stopping.NAMED)
def test_a_review_that_misses_nothing_is_stopped_by_its_first_validation(name: str) -> None:
    stop = stopping.by_validation(course(*[2000, *[0] * 20], beyond=0), name, TARGET, generator(name))
    assert (stop.stopped, stop.validations, stop.rounds, stop.recall) == (True, 1, 6, 1.0)
    assert stop.shown > 0


def test_validations_seldom_stop_below_the_target() -> None:
    """70 % are found when the first validation comes, and no batch brings more."""
    for name in stopping.NAMED:
        coins = generator("below", name)
        stops = [stopping.by_validation(course(*[700, *[0] * 30], beyond=300), name, TARGET, coins) for _ in range(100)]
        assert sum(stop.stopped and stop.recall < 0.8 for stop in stops) <= 15  # at 5 %, less likely than 1 in 10,000


def inline(work: Any, tasks: Sequence[Sequence[Any]], progress: Any) -> list[Any]:
    return [work(*task) for task in tasks]


def test_on_documents_every_method_and_target_has_its_stops(
    small_corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "gather", inline)
    settings = stopping.Settings(
        corpus=str(small_corpus.path),
        topics=[Topic(label="responsive", query=QUERY)],
        rounds=10,
        batch=30,
        targets=("0.75", "0.9"),
        repeats=3,
    )
    found = stopping.run(settings)
    methods = {str(row[1]) for row in found.rows}
    assert methods == {stopping.PERFECT, stopping.QUASI, stopping.RANDOM, *stopping.NAMED}
    assert len(found.rows) == 2 * (2 + 3 * (1 + len(stopping.NAMED)))
    assert all(finding.verdict is Verdict.HOLDS for finding in found.findings)
    assert found == stopping.run(settings)
