"""Every model of a matter, trained again by our trainer and by scikit-learn, which shares no code with it.

Whoever has the corpus and the matter's file can check our models so with a tool that is not ours. The certificate
decides what is a model (`protocol.learning.model`); scikit-learn shows that others find the same ones.

Unlike other experiments, this one measures time, so two runs write different seconds.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from protocol.corpus.corpus import Corpus
from protocol.learning.model import ACCEPTED
from protocol.paper.experiments import modelrecord
from protocol.paper.experiments.outcome import Finding, Line, Outcome, Panel, Verdict
from protocol.paper.experiments.retraining import OURS, RECORDED, Ranked, Retrained, Retraining, named, written

TIGHT, USUAL = 1e-10, 1e-4
"""scikit-learn's own tolerance is the second."""
SHOWN = 5
"""Ranks in a cell of the table."""
COLUMNS = (
    "round",
    "trained on",
    "model",
    "gap",
    "accepted",
    "seconds",
    "same as recorded",
    "ranks that differ",
    "ranks",
    "moved",
    "allowed",
    "near cut",
)
_LEAST = 1e-18  # what a logarithmic axis shows for 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Which matter, which of its rounds, and how closely scikit-learn looks."""

    corpus: str
    matter: str
    rounds: Sequence[int]
    tolerances: Sequence[float] = (TIGHT, USUAL)


def steps(settings: Settings) -> int:
    """How many models are trained."""
    return len(settings.rounds) * (1 + len(settings.tolerances))


def run(settings: Settings, progress: Callable[[int], None] = lambda _: None) -> Outcome:
    """Train every model again, and compare."""
    return outcome(settings, retrain(settings, progress))


def retrain(settings: Settings, progress: Callable[[int], None] = lambda _: None) -> list[Retrained]:
    """What becomes of every round."""
    corpus = Corpus.open(Path(settings.corpus))
    again = Retraining(corpus, tuple(settings.tolerances))
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        progress(done)

    return [again(each, step) for each in modelrecord.chosen(Path(settings.matter), corpus, settings.rounds)]


def outcome(settings: Settings, found: Sequence[Retrained]) -> Outcome:
    """The table, the figure and the findings."""
    names = [RECORDED, OURS, *dict.fromkeys(map(named, settings.tolerances))]
    by_name = {name: [ranked for each in found for ranked in each.ranked if ranked.model == name] for name in names}
    return Outcome(
        name="models",
        title="Models, trained again",
        setting=(
            f"{len(found)} models of {Path(settings.matter).name}, each trained again by our trainer and by "
            f"scikit-learn's LinearSVC (C = 1, squared hinge, constant column 1, tolerance "
            f"{' and '.join(map(written, settings.tolerances))}), on the rows of the corpus divided by 2^15. "
            "Gaps are exact and relative to the primal value. Seconds are processor time, and differ from run to run."
        ),
        columns=COLUMNS,
        rows=[_row(each, ranked) for each in found for ranked in each.ranked],
        panels=[_gaps(found, by_name), _times(found, by_name)],
        findings=_findings(found, by_name, settings.tolerances),
    )


def value(found: Sequence[Retrained]) -> list[dict[str, Any]]:
    """All of it, for a script."""
    return [asdict(each) for each in found]


def cells(found: Sequence[Retrained]) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of a table for people."""
    header = ["model", "round", "docs", "gap", "accepted", "seconds", "ranks differ", "moved", "near cut", "ranks"]
    return header, [
        [
            ranked.model,
            str(each.round),
            str(each.trained_on),
            "none" if ranked.gap is None else f"{ranked.gap:.1e}",
            "yes" if ranked.accepted else "NO",
            "" if ranked.seconds is None else f"{ranked.seconds:.2f}",
            "" if ranked.ranks is None else str(len(ranked.ranks)),
            "" if ranked.moved is None else str(ranked.moved),
            str(each.near_cut),
            ranked.reason or _few(ranked.ranks or ()),
        ]
        for each in found
        for ranked in each.ranked
    ]


def last_line(found: Sequence[Retrained]) -> str:
    """All rounds in one sentence for each kind of model."""
    names = dict.fromkeys(ranked.model for each in found for ranked in each.ranked)
    ours = _seconds(found, OURS)
    said = []
    for name in names:
        ranked = _of(found, name)
        seconds = _seconds(found, name)
        times = f" ({seconds / ours:.1f} times ours)" if name not in (RECORDED, OURS) and ours else ""
        spent = "" if name == RECORDED else f" in {seconds:.2f} s{times}"
        differ = sum(len(each.ranks or ()) for each in ranked)
        moved = sum(each.moved or 0 for each in ranked)
        accepted = sum(each.accepted for each in ranked)
        said.append(f"{name}: {accepted} of {len(ranked)} accepted{spent}, {differ} ranks differ, {moved} moved")
    return "; ".join(said) + "."


def _of(found: Sequence[Retrained], name: str) -> list[Ranked]:
    return [ranked for each in found for ranked in each.ranked if ranked.model == name]


def _seconds(found: Sequence[Retrained], name: str) -> float:
    return sum(each.seconds or 0.0 for each in _of(found, name))


def _few(ranks: Sequence[int]) -> str:
    return ", ".join(map(str, ranks[:SHOWN])) + (", ..." if len(ranks) > SHOWN else "")


def _row(each: Retrained, ranked: Ranked) -> list[str | int | float]:
    ranks = ranked.ranks
    return [
        each.round,
        each.trained_on,
        ranked.model,
        "" if ranked.gap is None else ranked.gap,
        "yes" if ranked.accepted else "no",
        "" if ranked.seconds is None else round(ranked.seconds, 3),
        "yes" if ranked.same else "no",
        "" if ranks is None else len(ranks),
        "" if ranks is None else " ".join(map(str, ranks)),
        "" if ranked.moved is None else ranked.moved,
        "" if ranked.allowed is None else ranked.allowed,
        each.near_cut,
    ]


def _findings(
    found: Sequence[Retrained], by_name: dict[str, list[Ranked]], tolerances: Sequence[float]
) -> list[Finding]:
    recorded, ours = by_name[RECORDED], by_name[OURS]
    same, out_of_order = sum(each.same for each in ours), [each for each in recorded if each.ranks != ()]
    findings = [
        _accepted("Every recorded model carries its certificate.", found, recorded),
        Finding(
            claim="Every batch stands in the order of its recorded model.",
            seen=f"{len(recorded) - len(out_of_order)} of {len(recorded)} batches do.",
            verdict=_verdict(not out_of_order),
        ),
        _accepted(
            "Our trainer finds a model for each again, by the same certificate.",
            found,
            ours,
            f" {same} of {len(ours)} are the recorded ones, number for number.",
        ),
    ]
    findings += [_outside(found, by_name[named(tolerance)], tolerance, ours) for tolerance in dict.fromkeys(tolerances)]
    others = [each for models in list(by_name.values())[1:] for each in models if each.allowed is not None]
    beyond = [each for each in others if (each.moved or 0) > (each.allowed or 0)]
    most = max((each.moved or 0 for each in others if each.accepted), default=0)
    findings.append(
        Finding(
            claim="No model puts more documents on the other side of a batch's end than the two gaps allow.",
            seen=f"{len(beyond)} of {len(others)} models do; among the accepted ones, the most that moved is {most}.",
            verdict=_verdict(not beyond) if others else Verdict.OPEN,
        )
    )
    return findings


def _outside(found: Sequence[Retrained], models: Sequence[Ranked], tolerance: float, ours: Sequence[Ranked]) -> Finding:
    """What is expected of scikit-learn: with a tight tolerance it finds the optimum, with its own it stops early."""
    spent, our_time = (sum(each.seconds or 0 for each in some) for some in (models, ours))
    more = f" In all it took {spent:.2f} s, our trainer {our_time:.2f} s."
    if tolerance <= TIGHT:
        claim = f"{named(tolerance)} finds models that the certificate accepts."
        return _accepted(claim, found, models, more)
    claim = f"{named(tolerance)} stops early: the certificate does not accept all of its models."
    seen = _accepted(claim, found, models, more)
    return replace(seen, verdict=_verdict(seen.verdict is Verdict.DIFFERS))


def _accepted(claim: str, found: Sequence[Retrained], models: Sequence[Ranked], more: str = "") -> Finding:
    refused = [each.round for each, ranked in zip(found, models, strict=True) if not ranked.accepted]
    worst = max((each.gap for each in models if each.gap is not None), default=None)
    seen = f"{len(models) - len(refused)} of {len(models)} are accepted"
    seen += "" if worst is None else f"; the largest gap is {worst:.1e} of the value, 1e-12 is allowed"
    seen += f"; not accepted in round {', '.join(map(str, refused[:SHOWN]))}" if refused else ""
    seen += " and others" if len(refused) > SHOWN else ""
    return Finding(claim=claim, seen=f"{seen}.{more}", verdict=_verdict(not refused))


def _verdict(holds: bool) -> Verdict:  # noqa: FBT001 - it is the one thing it is about
    return Verdict.HOLDS if holds else Verdict.DIFFERS


def _gaps(found: Sequence[Retrained], by_name: dict[str, list[Ranked]]) -> Panel:
    rounds = [each.round for each in found]
    lines = [
        Line(label=name, x=rounds, y=[_LEAST if each.gap is None else max(each.gap, _LEAST) for each in models])
        for name, models in by_name.items()
    ]
    limit = Line(label="accepted", x=rounds, y=[1 / ACCEPTED] * len(rounds), dashed=True)
    return Panel(title="Relative gap", x_label="round", y_label="gap", lines=[*lines, limit], log_y=True)


def _times(found: Sequence[Retrained], by_name: dict[str, list[Ranked]]) -> Panel:
    lines = [
        Line(label=name, x=[each.trained_on for each in found], y=[each.seconds or 0.0 for each in models])
        for name, models in by_name.items()
        if name != RECORDED
    ]
    return Panel(title="Training", x_label="documents trained on", y_label="seconds", lines=lines)
