"""The paper's figures "experiments", "recall" and "privacy": recall and non-responsive disclosure by round.

Reveal_All, Protocol_Label and Protocol_Classifier are played on the same documents with truthful parties, each repeat
with other coins: the same seed gives the three protocols of a repeat the same first batch. A curve is the mean of the
repeats, and the range around it their least and greatest.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from protocol.paper.experiments.outcome import Finding, Line, Outcome, Panel, Verdict
from protocol.paper.experiments.playing import Played, play
from protocol.paper.experiments.topics import Topic
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from protocol.rules.reveal_all import RevealAll
from protocol.workers import pool

BASELINE, LABEL, CLASSIFIER = RevealAll.name, LabelReport.name, ClassifierReport.name
PAPER_NAMES = {BASELINE: "Reveal_All", LABEL: "Protocol_Label", CLASSIFIER: "Protocol_Classifier"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The paper's parameters, unless told otherwise."""

    corpus: str
    topics: Sequence[Topic]
    rounds: int = 30  # T in the paper
    batch: int = 1000  # N in the paper
    delta: str = "0.01"
    k: int = 1
    repeats: int = 10
    seed: str = "1"


@dataclass(frozen=True, slots=True)
class Curve:
    """A quantity by round: mean, least and greatest over the repeats."""

    mean: list[float]
    low: list[float]
    high: list[float]


Repeats = dict[str, list[Played]]
"""What each protocol brought, repeat by repeat."""


def steps(settings: Settings) -> int:
    """How many matters are played."""
    return len(settings.topics) * len(PAPER_NAMES) * settings.repeats


def run(settings: Settings, progress: Callable[[int], None] = lambda _: None) -> Outcome:
    """Play all matters, and hold their curves against what the paper says of its own."""
    found = _play(settings, progress)
    rows, panels, findings = [], [], []
    for topic, repeats in zip(settings.topics, found, strict=True):
        curves = {name: (_recall(each), _nrd(each)) for name, each in repeats.items()}
        rows += _rows(topic, repeats, curves)
        panels += _panels(f"{topic.title}, {repeats[BASELINE][0].responsive} responsive", curves)
        findings += _findings(topic, repeats, curves)
    return Outcome(
        name="curves",
        title="Recall and non-responsive disclosure by round",
        setting=(
            f"CAL with N = {settings.batch} documents a round and T = {settings.rounds} rounds, delta = "
            f"{settings.delta}, k = {settings.k}, truthful parties, mean and range of {settings.repeats} repeats "
            f"(seeds {settings.seed}.0 to {settings.seed}.{settings.repeats - 1}). Topics: "
            + ", ".join(
                f"{topic.title} ({repeats[BASELINE][0].responsive} responsive)"
                for topic, repeats in zip(settings.topics, found, strict=True)
            )
            + "."
        ),
        columns=["topic", "responsive", "protocol", "round", "reviewed"]
        + [f"{what}_{how}" for what in ("recall", "nrd") for how in ("mean", "least", "most")],
        rows=rows,
        panels=panels,
        findings=findings,
    )


def _play(settings: Settings, progress: Callable[[int], None]) -> list[Repeats]:
    jobs = [
        (topic, protocol, f"{settings.seed}.{repeat}")
        for topic in settings.topics
        for protocol in PAPER_NAMES
        for repeat in range(settings.repeats)
    ]
    shared = (settings.rounds, settings.batch, settings.delta, settings.k)
    tasks = [(settings.corpus, topic.label, protocol, *shared, topic.query, seed) for topic, protocol, seed in jobs]
    found: dict[Topic, Repeats] = {topic: {name: [] for name in PAPER_NAMES} for topic in settings.topics}
    for (topic, protocol, _), result in zip(jobs, pool.gather(play, tasks, progress), strict=True):
        found[topic][protocol].append(Played(**result))
    return [found[topic] for topic in settings.topics]


def _recall(repeats: Sequence[Played]) -> Curve:
    return _curve([[each.recall(number) for number in range(len(each.found))] for each in repeats])


def _nrd(repeats: Sequence[Played]) -> Curve:
    return _curve([[float(count) for count in each.nrd] for each in repeats])


def _curve(values: Sequence[Sequence[float]]) -> Curve:
    rounds = list(zip(*values, strict=True))
    return Curve([fmean(each) for each in rounds], [min(each) for each in rounds], [max(each) for each in rounds])


def _rows(topic: Topic, repeats: Repeats, curves: dict[str, tuple[Curve, Curve]]) -> list[list[str | int | float]]:
    return [
        [
            *(topic.title, played.responsive, name, number + 1, played.reviewed[number]),
            *(round(each[number], 6) for curve in curves[name] for each in (curve.mean, curve.low, curve.high)),
        ]
        for name, (played, *_) in repeats.items()
        for number in range(len(played.reviewed))
    ]


def _panels(title: str, curves: dict[str, tuple[Curve, Curve]]) -> list[Panel]:
    return [
        Panel(
            title=f"{title}: {words}",
            x_label="round",
            y_label=words,
            lines=[
                Line(
                    label=PAPER_NAMES[name],
                    x=range(1, len(both[which].mean) + 1),
                    y=both[which].mean,
                    low=both[which].low,
                    high=both[which].high,
                )
                for name, both in curves.items()
            ],
        )
        for which, words in enumerate(("recall", "non-responsive disclosure"))
    ]


def _findings(topic: Topic, repeats: Repeats, curves: dict[str, tuple[Curve, Curve]]) -> list[Finding]:
    """The paper's claims about its own data (section "Empirical Results"), one by one."""
    differing = sum(
        label.found != baseline.found for label, baseline in zip(repeats[LABEL], repeats[BASELINE], strict=True)
    )
    baseline, label, classifier = (curves[name] for name in (BASELINE, LABEL, CLASSIFIER))
    saved = _savings(baseline[1], label[1])
    lost = _savings(baseline[0], classifier[0])
    kept = [1 - each for each in _savings(baseline[1], classifier[1])]
    further = _savings(label[1], classifier[1])
    return [
        _finding(
            topic,
            "the recall of Protocol_Label is that of Reveal_All",
            f"{len(repeats[LABEL]) - differing} of {len(repeats[LABEL])} repeats find the same number of documents "
            f"in every round; recall at the end {label[0].mean[-1]:.3f} and {baseline[0].mean[-1]:.3f}",
            holds=differing == 0,
        ),
        _finding(
            topic,
            "the non-responsive disclosure of Protocol_Label is up to 50 % lower than that of Reveal_All (here: 50 % "
            "or more in some round)",
            f"{_most(saved)} lower at most, {saved[-1]:.0%} at the end ({label[1].mean[-1]:.0f} against "
            f"{baseline[1].mean[-1]:.0f})",
            holds=max(saved) >= 0.5,
        ),
        _finding(
            topic,
            "the recall of Protocol_Classifier is at most 10 % lower than that of Reveal_All (here: in every round, as "
            "a share of the baseline's)",
            f"{_most(lost)} lower at most, {lost[-1]:.1%} at the end ({classifier[0].mean[-1]:.3f} against "
            f"{baseline[0].mean[-1]:.3f}, {100 * (baseline[0].mean[-1] - classifier[0].mean[-1]):.1f} points)",
            holds=max(lost) <= 0.1,
        ),
        _finding(
            topic,
            "Protocol_Classifier has less than a third of the baseline's non-responsive disclosure",
            f"{kept[-1]:.0%} of it at the end ({classifier[1].mean[-1]:.0f} against {baseline[1].mean[-1]:.0f}), "
            f"{min(kept):.0%} at the least, in round {kept.index(min(kept)) + 1}",
            holds=kept[-1] < 1 / 3,
        ),
        _finding(
            topic,
            "Protocol_Classifier's non-responsive disclosure is up to 20 % lower than Protocol_Label's (here: 20 % or "
            "more in some round, and lower at the end)",
            f"{_most(further)} lower at most; {classifier[1].mean[-1]:.0f} against {label[1].mean[-1]:.0f} at the end",
            holds=max(further) >= 0.2 and further[-1] > 0,
        ),
    ]


def _finding(topic: Topic, claim: str, seen: str, *, holds: bool) -> Finding:
    verdict = Verdict.HOLDS if holds else Verdict.DIFFERS
    return Finding(claim=f"{claim} (Empirical Results)", seen=f"{topic.title}: {seen}.", verdict=verdict)


def _savings(more: Curve, less: Curve) -> list[float]:
    """By which share the second mean lies below the first, round by round."""
    return [1 - small / large if large else 0.0 for large, small in zip(more.mean, less.mean, strict=True)]


def _most(shares: Sequence[float]) -> str:
    return f"{max(shares):.0%} (round {list(shares).index(max(shares)) + 1})"
