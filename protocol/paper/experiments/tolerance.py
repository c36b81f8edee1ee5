"""The title's promise: what errors of Alice, Bob and the court do to recall, disclosure and the court's load.

One party at a time mistakes each label that it gives at a growing rate, the others are right; and then all three do.
A court that errs has something to rule on only where Alice and Bob disagree, so its errors are also tried beside an
Alice and a Bob who each mistake one label in twenty.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from protocol.paper.experiments.curves import BASELINE, CLASSIFIER, LABEL, PAPER_NAMES
from protocol.paper.experiments.outcome import Finding, Line, Outcome, Panel, Verdict
from protocol.paper.experiments.playing import Played, play
from protocol.paper.experiments.topics import Topic
from protocol.workers import pool

RATES = ("0", "0.01", "0.02", "0.05", "0.1", "0.15", "0.2")
BACKGROUND = "0.05"
"""How often Alice and Bob err while the court's errors are tried beside them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Which corpus and topic, and how much of it."""

    corpus: str
    topic: Topic
    rounds: int = 15  # T in the paper
    batch: int = 500  # N in the paper
    delta: str = "0.01"
    k: int = 1
    rates: Sequence[str] = RATES
    repeats: int = 5
    seed: str = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Who errs at the rate that grows, and how the parties behave at a given one."""

    name: str
    parties: Callable[[str], tuple[str, str, str]]  # Alice, Bob, the court


def _careless(rate: str) -> str:
    """Nobody errs at rate 0; said in the same words each time, it is the same matter with the same coins."""
    return "truthful" if float(rate) == 0 else f"careless:{rate}"


def _wrong(rate: str) -> str:
    return "right" if float(rate) == 0 else f"wrong:{rate}"


CASTS = (
    Cast(name="Alice", parties=lambda rate: (_careless(rate), "truthful", "right")),
    Cast(name="Bob", parties=lambda rate: ("truthful", _careless(rate), "right")),
    Cast(name="court", parties=lambda rate: ("truthful", "truthful", _wrong(rate))),
    Cast(
        name="court, beside a careless Alice and Bob",
        parties=lambda rate: (_careless(BACKGROUND), _careless(BACKGROUND), _wrong(rate)),
    ),
    Cast(name="all three", parties=lambda rate: (_careless(rate), _careless(rate), _wrong(rate))),
)

Point = tuple[str, str, str]
"""A cast's name, a rate, a protocol."""

Task = tuple[str | int, ...]
"""The arguments of one play."""

MEASURES: dict[str, Callable[[Played], float]] = {
    "recall": lambda played: played.found[-1] / played.responsive,
    "non-responsive disclosure": lambda played: played.nrd[-1],
    "documents before the court": lambda played: played.disputes[-1],
}


def steps(settings: Settings) -> int:
    """How many matters are played."""
    return len(set(_jobs(settings).values()))


def run(settings: Settings, progress: Callable[[int], None] = lambda _: None) -> Outcome:
    """Play all matters, and say what errors cost under each protocol."""
    found = _play(settings, progress)
    return Outcome(
        name="tolerance",
        title="What errors of Alice, Bob and the court cost",
        setting=(
            f"{settings.topic.title}: {next(iter(found.values()))[0].responsive} responsive documents, T = "
            f"{settings.rounds} rounds of N = {settings.batch}, delta = {settings.delta}, k = {settings.k}; mean and "
            f"range of {settings.repeats} repeats. Recall and disclosure count by the true labels."
        ),
        columns=["who_errs", "rate", "protocol", "repeat", "recall", "nrd", "court_documents", "compelled_rounds"],
        rows=[
            [*point, repeat, *(round(measure(each), 6) for measure in MEASURES.values()), each.compelled[-1]]
            for point, repeats in found.items()
            for repeat, each in enumerate(repeats)
        ],
        panels=[_panel(settings, cast, words, found) for cast in CASTS for words in MEASURES],
        across=len(MEASURES),
        findings=_findings(settings, found),
    )


def _jobs(settings: Settings) -> dict[tuple[Point, int], Task]:
    """What is played for each point and repeat; without errors it is the same matter whoever would err."""
    shared = (settings.rounds, settings.batch, settings.delta, settings.k, settings.topic.query)
    return {
        ((cast.name, rate, protocol), repeat): (
            *(settings.corpus, settings.topic.label, protocol),
            *shared,
            f"{settings.seed}.{repeat}",
            *cast.parties(rate),
        )
        for cast in CASTS
        for rate in settings.rates
        for protocol in PAPER_NAMES
        for repeat in range(settings.repeats)
    }


def _play(settings: Settings, progress: Callable[[int], None]) -> dict[Point, list[Played]]:
    jobs = _jobs(settings)
    tasks = list(dict.fromkeys(jobs.values()))
    results = dict(zip(tasks, pool.gather(play, tasks, progress), strict=True))
    found: dict[Point, list[Played]] = {}
    for (point, _), task in jobs.items():
        found.setdefault(point, []).append(Played(**results[task]))
    return found


def _panel(settings: Settings, cast: Cast, words: str, found: dict[Point, list[Played]]) -> Panel:
    lines = []
    for protocol in PAPER_NAMES:
        values = [[MEASURES[words](each) for each in found[cast.name, rate, protocol]] for rate in settings.rates]
        lines.append(
            Line(
                label=PAPER_NAMES[protocol],
                x=[float(rate) for rate in settings.rates],
                y=[fmean(each) for each in values],
                low=[min(each) for each in values],
                high=[max(each) for each in values],
            )
        )
    return Panel(title=f"errs: {cast.name}", x_label="error rate", y_label=words, lines=lines)


def _findings(settings: Settings, found: dict[Point, list[Played]]) -> list[Finding]:
    """What the paper promises of errors, held against the least and the greatest rate that was tried."""
    first, last = settings.rates[0], settings.rates[-1]

    def mean(cast: str, rate: str, protocol: str, words: str) -> float:
        return fmean(MEASURES[words](each) for each in found[cast, rate, protocol])

    def grown(cast: str, words: str, style: str) -> str:
        return ", ".join(
            f"{PAPER_NAMES[name]} {mean(cast, first, name, words):{style}} -> {mean(cast, last, name, words):{style}}"
            for name in PAPER_NAMES
        )

    recall, nrd, court = MEASURES
    kept = {name: mean("Alice", last, name, recall) / mean("Alice", first, name, recall) for name in PAPER_NAMES}
    more = {name: mean("Alice", last, name, nrd) / mean("Alice", first, name, nrd) for name in PAPER_NAMES}
    span = f"error rate {first} -> {last}"
    return [
        Finding(
            claim="Alice's mistakes, when caught, are refuted by Bob and resolved in the court (Introduction); by our "
            "measure: at least 90 % of the recall is left at the greatest rate",
            seen=f"recall, {span}: {grown('Alice', recall, '.3f')}.",
            verdict=Verdict.HOLDS if min(kept.values()) >= 0.9 else Verdict.DIFFERS,
        ),
        Finding(
            claim="Protocol_Classifier tolerates errors in Alice's report, Protocol_Label is strict (Empirical "
            "Results); by our measure: her errors raise the disclosure of the former by a smaller factor",
            seen=f"NRD, {span}: {grown('Alice', nrd, '.0f')}; factors {more[LABEL]:.2f} and {more[CLASSIFIER]:.2f}.",
            verdict=Verdict.HOLDS if more[CLASSIFIER] < more[LABEL] else Verdict.DIFFERS,
        ),
        Finding(
            claim="Our question: does the disclosure of both protocols stay below Reveal_All's, whatever Alice's error "
            "rate?",
            seen=f"NRD at rate {last}: "
            + ", ".join(f"{PAPER_NAMES[name]} {mean('Alice', last, name, nrd):.0f}" for name in PAPER_NAMES)
            + ".",
            verdict=Verdict.HOLDS
            if all(
                mean("Alice", rate, name, nrd) < mean("Alice", rate, BASELINE, nrd)
                for rate in settings.rates
                for name in (LABEL, CLASSIFIER)
            )
            else Verdict.DIFFERS,
        ),
        Finding(
            claim="the paper assumes that Bob and the court are right, and says nothing of their errors",
            seen=f"Bob errs, recall, {span}: {grown('Bob', recall, '.3f')}; documents before the court: "
            f"{grown('Bob', court, '.0f')}. The court errs beside a careless Alice and Bob, recall: "
            f"{grown(CASTS[3].name, recall, '.3f')}; NRD: {grown(CASTS[3].name, nrd, '.0f')}. All three err, recall: "
            f"{grown('all three', recall, '.3f')}; NRD: {grown('all three', nrd, '.0f')}; documents before the "
            f"court: {grown('all three', court, '.0f')}.",
            verdict=Verdict.OPEN,
        ),
    ]
