"""What a hidden document costs Alice under `spot-check`: more non-responsive disclosure for each one still hidden.

A hider pays with escalations. The price is the disclosure beyond that of a truthful Alice under the same terms, divided
by the number of responsive documents that are hidden in the end. One round alone has a best response that can be
computed, which stands beside it.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from typing import Any

from protocol.corpus.corpus import Corpus
from protocol.paper.experiments import reviewing
from protocol.paper.experiments.outcome import Finding, Line, Outcome, Panel, Verdict
from protocol.paper.experiments.reviewing import Ended, Labeller, Training
from protocol.paper.experiments.spotchecks import BATCH, NONE, SpotCheck
from protocol.paper.experiments.topics import Topic
from protocol.workers import pool

PENALTIES = (NONE, BATCH)
TRUTH = "0"
COLUMNS = ("topic", "penalty", "target", "share", "repeat", "nrd", "hidden", "recall", "certified_recall", "reached")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Which corpus and topics, and how much of it."""

    corpus: str
    topics: Sequence[Topic]
    rounds: int = 30
    batch: int = 1000
    rate: str = "0.01"
    targets: Sequence[str] = ("0.9",)
    every: int = 10
    shares: Sequence[str] = ("0.01", "0.05", "0.2", "0.5")
    repeats: int = 3
    seed: str = "1"


@dataclass(frozen=True, slots=True)
class Point:
    """How much is hidden, under which terms."""

    topic: str
    penalty: str
    target: str
    share: str


Found = dict[Point, list[Ended]]


def steps(settings: Settings) -> int:
    """How many reviews are played."""
    return len(_tasks(settings))


def run(settings: Settings, progress: Callable[[int], None] = lambda _: None) -> Outcome:
    """Play all reviews, and divide."""
    found: Found = {}
    for each in pool.gather(work, _tasks(settings), progress):
        for point, ended in each:
            found.setdefault(Point(**point), []).append(Ended(**ended))
    return Outcome(
        name="incentives",
        title="What each hidden document costs Alice",
        setting=(
            f"spot-check, rate {settings.rate}, an escalation every {settings.every} rounds, no limit; CAL itself with "
            f"N = {settings.batch} documents a round and T = {settings.rounds} rounds, without keys and signatures. "
            f"Alice hides the lowest ranked share of the responsive documents and never gives anything up; "
            f"{settings.repeats} repeats. Seed {settings.seed}."
        ),
        columns=COLUMNS,
        rows=[
            [*asdict(point).values(), repeat, ended.nrd, ended.hidden, round(ended.recall, 6),
             round(ended.certified, 6), int(ended.reached)]
            for point, repeats in found.items()
            for repeat, ended in enumerate(repeats)
        ],
        panels=[_panel(settings, topic, found) for topic in settings.topics],
        findings=[
            *(_finding(settings, topic, target, found) for topic in settings.topics for target in settings.targets),
            one_round(),
        ],
    )  # fmt: skip


def _tasks(settings: Settings) -> list[tuple[str | int, ...]]:
    """One for each topic, penalty and repeat; a worker reads the corpus once."""
    return [
        (topic.title, settings.corpus, topic.label, topic.query, settings.rounds, settings.batch, settings.rate,
         settings.every, penalty, ",".join(settings.targets), share, f"{settings.seed}.{repeat}")
        for topic in settings.topics
        for repeat in range(settings.repeats)
        for penalty in PENALTIES
        for share in (TRUTH, *settings.shares)
    ]  # fmt: skip


def work(
    title: str, corpus: str, label: str, query: str, rounds: int, batch: int, rate: str, every: int, penalty: str,
    targets: str, share: str, seed: str,
) -> list[tuple[dict[str, str], dict[str, Any]]]:  # fmt: skip
    """A worker's share; for `pool.gather`, which carries plain values only."""
    points = []
    for target in targets.split(","):
        training = Training(Corpus.open(Path(corpus)), label, query, batch, seed)
        terms = SpotCheck(rate=Fraction(rate), target=Fraction(target), every=every, penalty=penalty)
        ended = reviewing.by_spot_check(training, terms, Labeller(hiding=float(share), seed=seed), rounds)
        points.append((asdict(Point(title, penalty, target, share)), asdict(ended)))
    return points


def price(found: Found, point: Point) -> float | None:
    """More disclosure than a truthful Alice has, for each document that is hidden in the end."""
    hidden = fmean(each.hidden for each in found[point])
    truthful = Point(point.topic, point.penalty, point.target, TRUTH)
    more = fmean(each.nrd for each in found[point]) - fmean(each.nrd for each in found[truthful])
    return more / hidden if hidden else None


def _panel(settings: Settings, topic: Topic, found: Found) -> Panel:
    lines = []
    for penalty in PENALTIES:
        for target in settings.targets:
            prices = [price(found, Point(topic.title, penalty, target, share)) for share in settings.shares]
            known = [(float(share), each) for share, each in zip(settings.shares, prices, strict=True) if each]
            label = f"penalty {penalty}, target {target}"
            lines.append(Line(label=label, x=[share for share, _ in known], y=[each for _, each in known]))
    return Panel(
        title=topic.title,
        x_label="share of the responsive documents that Alice hides",
        y_label="more NRD for each document hidden in the end",
        lines=lines,
        log_x=True,
    )


def _finding(settings: Settings, topic: Topic, target: str, found: Found) -> Finding:
    seen, prices = [], {}
    for penalty in PENALTIES:
        prices[penalty] = [price(found, Point(topic.title, penalty, target, share)) for share in settings.shares]
        left = [
            fmean(each.hidden for each in found[Point(topic.title, penalty, target, share)])
            for share in settings.shares
        ]
        told = ", ".join(
            f"{each:.1f} ({number:.0f} hidden)" if each is not None else "nothing stays hidden"
            for each, number in zip(prices[penalty], left, strict=True)
        )
        seen.append(f"penalty {penalty}: {told}")
    every = [each for penalty in PENALTIES for each in prices[penalty] if each is not None]
    return Finding(
        claim=f"{topic.title}, target {target}: every hidden document costs Alice more disclosure, hiding "
        + ", ".join(settings.shares),
        seen="; ".join(seen) + ".",
        verdict=Verdict.HOLDS if all(each > 0 for each in every) else Verdict.DIFFERS,
    )


def one_round() -> Finding:
    """One round with penalty `batch`: truth is a best response iff p m >= c, found by trying every number to hide."""
    wrong = []
    for rate in (Fraction(1, 100), Fraction(1, 5), Fraction(1, 2)):
        for others in (20, 100, 900):
            for price_of_one in (rate * others - Fraction(1, 10), rate * others + Fraction(1, 10)):
                truthful = loss(rate, others, price_of_one, 0)
                pays = any(loss(rate, others, price_of_one, hidden) < truthful for hidden in range(1, 60))
                if pays == (rate * others >= price_of_one):
                    wrong.append((rate, others, price_of_one))
    example = [float(loss(Fraction(1, 5), 100, Fraction(22), hidden)) for hidden in (0, 1)]
    return Finding(
        claim="One round, penalty batch, m others at rate p: truth is a best response iff p m >= c",
        seen=f"{len(wrong)} exceptions among 18 cases around p m = c, 1 to 59 documents hidden. p = 0.2, m = 100, "
        f"c = 22: truth costs {example[0]:.1f}, hiding one {example[1]:.1f}.",
        verdict=Verdict.DIFFERS if wrong else Verdict.HOLDS,
    )


def loss(rate: Fraction, others: int, price_of_one: Fraction, hidden: int) -> Fraction:
    """Alice's mean loss in one round with penalty `batch`: NRD less c for each document that stays hidden."""
    missed = (1 - rate) ** hidden
    return missed * (rate * others - price_of_one * hidden) + (1 - missed) * others
