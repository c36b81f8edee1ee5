"""What a certified recall costs: non-responsive disclosure against certified recall, for all rules and three Alices.

CAL itself with the rules' own functions, without keys and signatures (`reviewing`). The certificate is that of the
reviewed documents, with confidence 0.95. Theorem 2 says what any rule must show a truthful Alice's Bob at least.
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
from protocol.paper.experiments.reviewing import PAPERS, Ended, Labeller, Training
from protocol.paper.experiments.spotchecks import BATCH, NONE, SpotCheck
from protocol.paper.experiments.topics import Topic
from protocol.workers import pool

TRUTHFUL = "truthful"
CARELESS, LOOKING = "careless", "careless, second look"
HIDING = "hides 20 %"
PANELS = (TRUTHFUL, CARELESS, HIDING)
ALICES: dict[str, Callable[[str], Labeller]] = {
    TRUTHFUL: lambda seed: Labeller(seed=seed),
    LOOKING: lambda seed: Labeller(careless=0.05, finds_again=0.95, seed=seed),
    CARELESS: lambda seed: Labeller(careless=0.05, seed=seed),
    HIDING: lambda seed: Labeller(hiding=0.2, seed=seed),
}
"""She mistakes one label in twenty; or hides the lowest ranked fifth of the responsive documents."""

SPOT = "spot-check"
RATE = "0.01"
EVERY = 10
"""What `spot-check` has besides its target, against an Alice who is not truthful; penalty `batch` has one target."""
COLUMNS = (
    *("topic", "alice", "rule", "rate", "target", "penalty", "repeat"),
    *("recall", "certified_recall", "nrd", "hidden", "at_most", "reached"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Which corpus and topics, and how much of it."""

    corpus: str
    topics: Sequence[Topic]
    rounds: int = 30
    batch: int = 1000
    targets: Sequence[str] = ("0.75", "0.8", "0.9", "0.95")
    rates: Sequence[str] = ("0.003", "0.01", "0.03")
    repeats: int = 3  # of each Alice who is not truthful; the truthful one has ten times as many
    seed: str = "1"


@dataclass(frozen=True, slots=True)
class Point:
    """One rule with one Alice on one topic."""

    topic: str
    alice: str
    rule: str
    rate: str = ""
    target: str = ""
    penalty: str = ""


Found = dict[Point, list[Ended]]


def steps(settings: Settings) -> int:
    """How many tasks there are."""
    return len(_tasks(settings))


def run(settings: Settings, progress: Callable[[int], None] = lambda _: None) -> Outcome:
    """Play all reviews."""
    found: Found = {}
    for each in pool.gather(work, _tasks(settings), progress):
        for point, ended in each:
            found.setdefault(Point(**point), []).append(Ended(**ended))
    return Outcome(
        name="frontier",
        title="Non-responsive disclosure against certified recall",
        setting=(
            f"CAL with N = {settings.batch} documents a round and T = {settings.rounds} rounds; certificates of the "
            f"reviewed with confidence 0.95, spot-check with an escalation every {EVERY} rounds and no limit. CAL "
            f"itself with the rules' own functions, without keys and signatures; {settings.repeats} repeats, truthful "
            f"ones {10 * settings.repeats}. Seed {settings.seed}. Topics: "
            + ", ".join(f"{topic.title} ({_responsive(topic, found)} responsive)" for topic in settings.topics)
            + "."
        ),
        columns=COLUMNS,
        rows=[
            [*asdict(point).values(), repeat, *_measured(ended)]
            for point, repeats in found.items()
            for repeat, ended in enumerate(repeats)
        ],
        panels=[_panel(topic, alice, found) for topic in settings.topics for alice in PANELS],
        across=len(PANELS),
        findings=[finding for topic in settings.topics for finding in _findings(settings, topic, found)],
    )


def _tasks(settings: Settings) -> list[tuple[str | int, ...]]:
    tasks: list[tuple[str | int, ...]] = []
    for topic in settings.topics:
        shared = (topic.title, settings.corpus, topic.label, topic.query, settings.rounds, settings.batch)
        grid = (",".join(settings.targets), ",".join(settings.rates))
        tasks += [(TRUTHFUL, "", 10 * settings.repeats, settings.seed, *shared, *grid)]
        for repeat in range(settings.repeats):
            seed = f"{settings.seed}.{repeat}"
            tasks += [(TRUTHFUL, "classifier", 1, seed, *shared, *grid)]
            tasks += [(alice, rule, 1, seed, *shared, *grid) for alice, rule in _untruthful()]
    return tasks


def _untruthful() -> list[tuple[str, str]]:
    """Who plays which rule; only spot-check has a second look."""
    every = [(alice, rule) for alice in list(ALICES)[1:] for rule in (*PAPERS, SPOT)]
    return [(alice, rule) for alice, rule in every if alice != LOOKING or rule == SPOT]


def work(
    alice: str, rule: str, repeats: int, seed: str, title: str, corpus: str, label: str, query: str,
    rounds: int, batch: int, targets: str, rates: str,
) -> list[tuple[dict[str, str], dict[str, Any]]]:  # fmt: skip
    """A worker's share; for `pool.gather`, which carries plain values only."""
    terms = [(RATE, target, NONE) for target in targets.split(",")]
    terms += [(RATE, target, BATCH) for target in targets.split(",")[-2:-1]]
    points: list[tuple[Point, Ended]] = []

    def training() -> Training:
        return Training(Corpus.open(Path(corpus)), label, query, batch, seed)

    if alice == TRUTHFUL and not rule:
        batches = list(reviewing.truthful_batches(Path(corpus), label, query, rounds, batch, seed))
        terms = [(rate, target, NONE) for target in targets.split(",") for rate in rates.split(",")]
        points = _truthful(title, batches, len(training().truth), terms, repeats, seed)
    elif rule == SPOT:
        for rate, target, penalty in terms:
            labeller = ALICES[alice](seed)
            chosen = _spot_check(rate, target, penalty)
            ended = reviewing.by_spot_check(training(), chosen, labeller, rounds)
            points.append((Point(title, alice, rule, rate, target, penalty), ended))
    else:
        labeller = ALICES[alice](seed)
        ended = reviewing.by_paper(training(), PAPERS[rule], labeller, rounds)
        points.append((Point(title, alice, rule), ended))
    return [(asdict(point), asdict(ended)) for point, ended in points]


def _truthful(
    title: str,
    batches: Sequence[Sequence[bool]],
    responsive: int,
    terms: Sequence[tuple[str, str, str]],
    repeats: int,
    seed: str,
) -> list[tuple[Point, Ended]]:
    """All rules but the classifier report, which shows Bob the truth of a batch whatever it shows of it."""
    points = []
    for repeat in range(repeats):
        coins = f"{seed}.{repeat}"
        for name, rule in PAPERS.items():
            if name != "classifier" and (repeat == 0 or name != "reveal-all"):
                ended = reviewing.truthful_paper(batches, responsive, rule, coins)
                points.append((Point(title, TRUTHFUL, name), ended))
        for rate, target, penalty in terms:
            ended = reviewing.truthful_spot_check(batches, responsive, _spot_check(rate, target, penalty), coins)
            points.append((Point(title, TRUTHFUL, SPOT, rate, target, penalty), ended))
    return points


def _spot_check(rate: str, target: str, penalty: str) -> SpotCheck:
    return SpotCheck(rate=Fraction(rate), target=Fraction(target), every=EVERY, penalty=penalty)


def _responsive(topic: Topic, found: Found) -> int:
    return next(repeats[0].responsive for point, repeats in found.items() if point.topic == topic.title)


def _measured(ended: Ended) -> list[str | int | float]:
    shares = [round(ended.recall, 6), round(ended.certified, 6)]
    return [*shares, ended.nrd, ended.hidden, ended.at_most, int(ended.reached)]


def _panel(topic: Topic, alice: str, found: Found) -> Panel:
    lines: dict[str, list[tuple[float, float]]] = {}
    shown = {alice, LOOKING} if alice == CARELESS else {alice}
    for point, repeats in found.items():
        if point.topic == topic.title and point.alice in shown and point.penalty in ("", NONE):
            name = f"{point.rule}, rate {point.rate}" if point.rate else point.rule
            name += ", second look" if point.alice == LOOKING else ""
            at = (fmean(each.nrd for each in repeats), fmean(each.certified for each in repeats))
            lines.setdefault(name, []).append(at)
    return Panel(
        title=f"{topic.title}: {alice}",
        x_label="non-responsive disclosure",
        y_label="certified recall of the reviewed",
        lines=[
            Line(label=name, x=[nrd for nrd, _ in points], y=[recall for _, recall in points])
            for name, points in lines.items()
        ],
        log_x=True,
    )


def floor(withheld: int, allowed: int, doubt: float = 0.05) -> float:
    """What any rule must show on average of `withheld` documents without a responsive one, if it is to be sure that
    at most `allowed` are hidden (Theorem 2).
    """
    rest = withheld - allowed
    return float(max(0.0, rest * (1 - doubt ** (1 / (allowed + 1)))))


def _findings(settings: Settings, topic: Topic, found: Found) -> list[Finding]:
    def mean(what: str, alice: str, rule: str, target: str = "", penalty: str = NONE) -> float:
        rate = RATE if rule == SPOT else ""
        point = Point(topic.title, alice, rule, rate, target, penalty if rule == SPOT else "")
        return fmean(float(getattr(each, what)) for each in found[point])

    target = "0.9" if "0.9" in settings.targets else settings.targets[-1]
    label, spot = mean("nrd", TRUTHFUL, "label"), mean("nrd", TRUTHFUL, SPOT, target)
    played = [
        (point, each)
        for point, repeats in found.items()
        for each in repeats
        if point.topic == topic.title and point.rule == SPOT
    ]
    short = [point for point, each in played if each.reached and _falls_short(each, point.target)]
    sample = found[Point(topic.title, TRUTHFUL, SPOT, RATE, target, NONE)][0]
    allowed = int(sample.found / Fraction(target)) - sample.found
    least = floor(sample.reviewed - sample.found, allowed)
    hides = {rule: mean("nrd", HIDING, rule, target if rule == SPOT else "") for rule in ("label", SPOT)}
    sure = {rule: mean("certified", HIDING, rule, target if rule == SPOT else "") for rule in ("label", SPOT)}
    return [
        Finding(
            claim=f"{topic.title}: with a truthful Alice spot-check certifies {target} at less disclosure than label",
            seen=f"NRD {spot:.0f} against {label:.0f}; label certifies {mean('certified', TRUTHFUL, 'label'):.3f}.",
            verdict=Verdict.HOLDS if spot < label else Verdict.DIFFERS,
        ),
        Finding(
            claim=f"{topic.title}: no rule can certify {target} for a truthful Alice at less than Theorem 2 says",
            seen=f"at least {least:.0f}; spot-check at rate {RATE} shows {spot:.0f}.",
            verdict=Verdict.HOLDS if spot >= least else Verdict.DIFFERS,
        ),
        Finding(
            claim=f"{topic.title}: where spot-check says that its target is reached, it is, in 95 % of reviews",
            seen=f"below the target in {len(short)} of {len(played)} reviews.",
            verdict=Verdict.HOLDS if len(short) * 20 <= len(played) else Verdict.DIFFERS,
        ),
        Finding(
            claim=f"{topic.title}: against an Alice who hides 20 %, spot-check certifies more than label",
            seen=f"NRD {hides[SPOT]:.0f} and {hides['label']:.0f}; certified {sure[SPOT]:.3f} and {sure['label']:.3f}.",
            verdict=Verdict.HOLDS if sure[SPOT] > sure["label"] else Verdict.DIFFERS,
        ),
    ]


def _falls_short(ended: Ended, target: str) -> bool:
    return ended.found < Fraction(target) * (ended.found + ended.hidden)
