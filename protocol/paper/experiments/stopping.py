"""How long a review goes on until a validation stops it, beside perfect knowledge and a method of the literature.

Alice is truthful, so CAL's batches do not depend on how one stops, and are computed once. Validations come as the
terms have it: first when a window of batches has brought little, then every so many batches; each has its share of the
doubt. A document that a validation draws is found then, and missing from the batch that would have brought it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from protocol.certificates import collection
from protocol.certificates.exact import ONE, threshold
from protocol.corpus.corpus import Corpus
from protocol.paper.experiments import hypergeometric, reviewing
from protocol.paper.experiments.outcome import Finding, Line, Outcome, Panel, Verdict
from protocol.paper.experiments.spotchecks import generator
from protocol.paper.experiments.topics import Topic
from protocol.workers import pool

DOUBT = Fraction(1, 20)
WINDOW, YIELD, EVERY = 5, Fraction(1, 50), 10
PERFECT = "perfect knowledge"
QUASI = "ranked quasi-draw"
RANDOM = "random draw at the end"
COLUMNS = ("topic", "method", "target", "repeat", "stopped", "rounds", "reviewed", "shown", "validations", "recall")


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A validation's terms."""

    show: str
    review: str = ""
    hits: int | None = None

    @property
    def title(self) -> str:
        """What the figure calls it."""
        if self.review:
            return f"two stages, review {self.review}, show {self.show}"
        return f"one stage, show {self.show}" + ("" if self.hits is None else f" at most, for {self.hits} hits")


METHODS = (
    Method(show="0.01"),
    Method(show="0.05"),
    Method(show="0.2", hits=3),
    Method(show="0.1", review="0.1"),
    Method(show="0.25", review="0.2"),
)
NAMED = {method.title: method for method in METHODS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Which corpus and topics, and how far."""

    corpus: str
    topics: Sequence[Topic]
    rounds: int = 60
    batch: int = 1000
    targets: Sequence[str] = ("0.75", "0.8", "0.9")
    repeats: int = 100
    seed: str = "1"


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a review ended."""

    stopped: bool  # or the rounds were used up
    rounds: int
    reviewed: int  # documents that Alice read
    shown: int  # documents that validations showed Bob
    validations: int
    recall: float


@dataclass(slots=True)
class Course:
    """A truthful review whose batches are known: how many responsive documents each brings."""

    documents: int
    batch: int
    left: list[int]  # of each batch, and at the end those that no batch brings
    found: int = 0
    reviewed: int = 0
    called: int = 0  # documents that Alice read because a validation called them
    shown: int = 0  # by validations
    validations: int = 0

    @property
    def responsive(self) -> int:
        """All of them."""
        return self.found + sum(self.left)

    def close(self, number: int) -> None:
        """Review a batch."""
        self.found, self.left[number - 1] = self.found + self.left[number - 1], 0
        self.reviewed = min(self.documents, number * self.batch + self.called)

    def stop(self, number: int, *, stopped: bool) -> Stop:
        """Where it ends."""
        recall = self.found / self.responsive
        return Stop(stopped, number, self.reviewed, self.shown, self.validations, round(recall, 6))

    def drawn(self, chance: int, coins: np.random.Generator) -> int:
        """Responsive documents that nobody reviewed and that a draw brings."""
        counts: list[int] = coins.binomial(self.left, min(1.0, chance / ONE)).tolist()
        self.left = [left - count for left, count in zip(self.left, counts, strict=True)]
        return sum(counts)


def steps(settings: Settings) -> int:
    """How many topics there are."""
    return len(settings.topics)


def run(settings: Settings, progress: Callable[[int], None] = lambda _: None) -> Outcome:
    """Compute the batches of each topic, and stop them in every way."""
    tasks = [
        (settings.corpus, topic.label, topic.query, settings.rounds, settings.batch, ",".join(settings.targets),
         settings.repeats, settings.seed)
        for topic in settings.topics
    ]  # fmt: skip
    stops = {
        (topic.title, method, target): [Stop(**each) for each in ended]
        for topic, results in zip(settings.topics, pool.gather(work, tasks, progress), strict=True)
        for method, target, ended in results
    }
    return Outcome(
        name="stopping",
        title="Where a review stops",
        setting=(
            f"Truthful parties, CAL with N = {settings.batch} documents a round and at most {settings.rounds} rounds, "
            f"validations with doubt 0.05, window {WINDOW}, yield {float(YIELD):g}, then every {EVERY} rounds; "
            f"{settings.repeats} repeats with other coins. Callaghan and Müller-Hansen's test with confidence 0.95. "
            f"Seed {settings.seed}."
        ),
        columns=COLUMNS,
        rows=[[*point, repeat, *asdict(stop).values()] for point, ends in stops.items()
              for repeat, stop in enumerate(ends)],
        panels=[_panel(settings, topic, stops) for topic in settings.topics],
        findings=[finding for topic in settings.topics for finding in _findings(settings, topic, stops)],
    )  # fmt: skip


def work(
    corpus: str, label: str, query: str, rounds: int, batch: int, targets: str, repeats: int, seed: str
) -> list[tuple[str, str, list[dict[str, Any]]]]:
    """One topic; for `pool.gather`, which carries plain values only."""
    opened = Corpus.open(Path(corpus))
    batches = list(reviewing.truthful_batches(Path(corpus), label, query, rounds, batch, seed))
    every = [sum(truth) for truth in batches]
    left = [*every, len(opened.labels(label)) - sum(every)]
    found: list[tuple[str, str, list[Stop]]] = []
    for target in targets.split(","):

        def course() -> Course:
            return Course(opened.size, batch, list(left))

        found.append((PERFECT, target, [perfect(course(), Fraction(target))]))
        found.append((QUASI, target, [quasi(course(), batches, Fraction(target))]))
        for name, stop in ((RANDOM, at_random), *((method, by_validation) for method in NAMED)):
            coins = generator(seed, label, name, target)
            found.append((name, target, [stop(course(), name, Fraction(target), coins) for _ in range(repeats)]))
    return [(name, target, [asdict(stop) for stop in stops]) for name, target, stops in found]


def perfect(course: Course, target: Fraction) -> Stop:
    """Stop with the batch that reaches the target."""
    responsive = course.responsive
    for number in range(1, len(course.left)):
        course.close(number)
        if course.found >= target * responsive:
            return course.stop(number, stopped=True)
    return course.stop(len(course.left) - 1, stopped=False)


def quasi(course: Course, batches: Sequence[Sequence[bool]], target: Fraction) -> Stop:
    """Stop where the last documents of the ranking, taken for a random draw, reject that the target was missed."""
    order = np.concatenate([np.array(truth, dtype=np.int64) for truth in batches])
    for number in range(1, len(course.left)):
        course.close(number)
        if hypergeometric.of_ranking(order[: course.reviewed], course.documents, target) < DOUBT:
            return course.stop(number, stopped=True)
    return course.stop(len(course.left) - 1, stopped=False)


def at_random(course: Course, _name: str, target: Fraction, coins: np.random.Generator) -> Stop:
    """From where our validations begin, review at random until the test rejects that the target was missed."""
    number = next(_due(course), len(course.left) - 1)
    rest = course.documents - course.reviewed
    places = np.sort(coins.choice(rest, sum(course.left), replace=False)) + 1
    taken, hits = hypergeometric.of_random_order(places, rest, course.found, target)
    course.left[-1] = sum(course.left) - hits
    course.left[:-1] = [0] * (len(course.left) - 1)
    course.found, course.reviewed = course.found + hits, course.reviewed + taken
    return course.stop(number, stopped=True)


def by_validation(course: Course, name: str, target: Fraction, coins: np.random.Generator) -> Stop:
    """Stop at the first validation that reaches the target."""
    method = NAMED[name]
    for number in _due(course):
        course.validations += 1
        level = collection.alpha(DOUBT, course.validations)
        before = course.found
        total, hits = _validated(course, method, target, level, coins)
        course.found = before + hits
        if course.found >= target * total:
            return course.stop(number, stopped=True)
    return course.stop(len(course.left) - 1, stopped=False)


def _due(course: Course) -> Iterator[int]:
    """Review batch after batch, and stop after those that a validation follows."""
    brought: list[int] = []
    first = None
    last = len(course.left) - 1
    for number in range(1, last + 1):
        before = course.found
        course.close(number)
        brought.append(course.found - before)
        little = number >= WINDOW and sum(brought[-WINDOW:]) <= YIELD * course.found
        if number == last or (first is None and little) or (first is not None and (number - first) % EVERY == 0):
            first = first or number
            yield number


def _validated(
    course: Course, method: Method, target: Fraction, level: Fraction, coins: np.random.Generator
) -> tuple[int, int]:
    """The bound on all responsive documents, and how many were found."""
    unseen, population = sum(course.left), course.documents - course.found - course.shown
    if not method.review:
        chance = threshold(Fraction(method.show))
        if method.hits is not None:
            chance = collection.least_rate(
                found=course.found, expected_hits=method.hits, target=target, level=level, largest=Fraction(method.show)
            )
        hits = course.drawn(chance, coins)
        course.shown += int(coins.binomial(population - unseen, chance / ONE)) + hits
        return course.found + collection.most(hits, chance, level), hits
    stages = collection.TwoStages(review=Fraction(method.review), show=Fraction(method.show), alpha=level)
    called, shown = threshold(stages.review), threshold(stages.show)
    reported = course.drawn(called, coins)
    never = course.documents - course.reviewed
    labelled = int(coins.binomial(never, called / ONE))
    course.called, course.reviewed = course.called + labelled, course.reviewed + labelled
    course.shown += int(coins.binomial(population - unseen, called * shown // ONE / ONE)) + reported
    missing = collection.missing(stages, reported=reported, hits=0, withheld_hits=0)
    return course.found + reported + missing, reported


Stops = dict[tuple[str, str, str], list[Stop]]


def _panel(settings: Settings, topic: Topic, stops: Stops) -> Panel:
    lines = [
        Line(
            label=method,
            x=[float(target) for target in settings.targets],
            y=[fmean(stop.reviewed for stop in stops[topic.title, method, target]) for target in settings.targets],
        )
        for method in (PERFECT, *NAMED, QUASI, RANDOM)
    ]
    return Panel(title=topic.title, x_label="target", y_label="documents that Alice reviewed", lines=lines)


def _findings(settings: Settings, topic: Topic, stops: Stops) -> Iterator[Finding]:
    for target in settings.targets:
        (best,) = stops[topic.title, PERFECT, target]
        told, short = [], []
        for method in (*NAMED, QUASI, RANDOM):
            ends = stops[topic.title, method, target]
            below = [stop for stop in ends if stop.stopped and stop.recall < float(target)]
            reviewed = fmean(stop.reviewed for stop in ends)
            told.append(
                f"{method}: {fmean(stop.rounds for stop in ends):.1f} rounds, {reviewed:.0f} documents "
                f"({reviewed / best.reviewed:.1f} times), shown {fmean(stop.shown for stop in ends):.0f}, recall "
                f"{fmean(stop.recall for stop in ends):.3f}, not stopped {sum(not stop.stopped for stop in ends)}, "
                f"below the target {len(below)} of {len(ends)}"
            )
            if method in NAMED and len(below) > len(ends) / 20:
                short.append(method)
        yield Finding(
            claim=f"{topic.title}, target {target}: a review that a validation stops has reached the target, in 95 %",
            seen=f"perfect knowledge: {best.rounds} rounds, {best.reviewed} documents. " + "; ".join(told) + ".",
            verdict=Verdict.DIFFERS if short else Verdict.HOLDS,
        )
