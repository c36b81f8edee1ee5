"""How much the critical points protocol discloses, beside our protocols (figure "crit" of the paper).

The points are two Gaussians that were made separable. Every list of critical points comes with its proof, and the
verifier's own command, which shares no code with this program, has checked each. Our protocols get the same points
before the shift, by their scores along the line between the means, in batches of decreasing score.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ledger import coins
from ledger.hashing import tagged_hash
from protocol.paper.experiments import criticalfindings
from protocol.paper.experiments.criticalfindings import Point, Scene
from protocol.paper.experiments.outcome import Line, Outcome, Panel
from protocol.paper.geometry import certificate, critical, everylp
from protocol.paper.geometry.gaussians import Cut, Shift, TwoGaussians, two_gaussians
from protocol.rules.base import Examiner, played
from protocol.rules.classifier_report import ClassifierReport
from protocol.rules.label_report import LabelReport
from protocol.simulation.strategies import honest_report
from protocol.workers import pool

COLUMNS = (
    "protocol",
    "dimension",
    "distance",
    "cut",
    "shift",
    "points",
    "repeat",
    "negatives",
    "disclosed",
    "ratio",
    "proven",
)
SMALL = (125, 250, 500, 1000, 2000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What to run; most of the time goes into the largest sets in 100 dimensions, and `minutes` stops before them."""

    scenes: Sequence[Scene] = (
        Scene(dimension=100, distance="3", cut=Cut.MIDDLE, shift=Shift.BEYOND, sizes=(*SMALL, 4000, 8000, 16000)),
        Scene(dimension=20, distance="3", cut=Cut.MIDDLE, shift=Shift.BEYOND, sizes=(*SMALL, 4000, 8000, 20000)),
        Scene(dimension=20, distance="3", cut=Cut.MIDDLE, shift=Shift.MIRROR, sizes=(*SMALL, 4000, 8000, 20000)),
        Scene(dimension=100, distance="3", cut=Cut.BAYES, shift=Shift.MIRROR, sizes=SMALL),
        Scene(dimension=100, distance="1", cut=Cut.MIDDLE, shift=Shift.BEYOND, sizes=SMALL),
    )
    ratio: str = "0.05"  # responsive points for each other one
    repeats: int = 3
    batch: int = 1000  # of our protocols
    delta: str = "0.01"
    k: int = 1
    plays: int = 20  # of our protocols on each set
    compared: int = 250  # sets up to this size are decided by the slow methods too
    minutes: int | None = None  # stop before a size that would end later
    proofs: str | None = None  # a folder to keep the proofs in
    seed: int = 1

    @classmethod
    def quick(cls) -> "Settings":
        """Small enough for a test."""
        scenes = (
            Scene(dimension=6, distance="2", cut=Cut.MIDDLE, shift=Shift.BEYOND, sizes=(60, 240)),
            Scene(dimension=3, distance="2", cut=Cut.BAYES, shift=Shift.MIRROR, sizes=(60, 240)),
        )
        return cls(scenes=scenes, repeats=1, batch=100, plays=3, compared=60)


Task = tuple[int, int, int]  # scene, size, repeat


def steps(settings: Settings) -> int:
    """How many sets of points there are."""
    return sum(len(scene.sizes) for scene in settings.scenes) * settings.repeats


def run(settings: Settings, progress: Callable[[int], None] = lambda _: None) -> Outcome:
    """Find, prove and check the critical points of every set, and play our protocols on it."""
    points: list[Point] = []
    left_out: list[int] = []
    started = last = time.monotonic()
    sizes = sorted({size for scene in settings.scenes for size in scene.sizes})
    for before, size in zip([0, *sizes], sizes, strict=False):
        now = time.monotonic()
        expected = now - started + (now - last) * (size / before) ** 2 if before else 0
        last = now
        if left_out or (settings.minutes is not None and expected > 60 * settings.minutes):
            left_out.append(size)
            continue
        scenes = [number for number, scene in enumerate(settings.scenes) if size in scene.sizes]
        tasks = [(number, size, repeat) for number in scenes for repeat in range(settings.repeats)]
        done = len(points)
        found = pool.gather(_one, [_plain(settings, task) for task in tasks], lambda count: progress(done + count))  # noqa: B023
        points += [
            Point(scene=settings.scenes[number], size=size, repeat=repeat, **each)
            for (number, _, repeat), each in zip(tasks, found, strict=True)
        ]
    return _outcome(settings, points, left_out)


def _plain(settings: Settings, task: Task) -> list[str | int]:
    number, size, repeat = task
    scene = settings.scenes[number]
    drawn: list[str | int] = [scene.dimension, size, settings.ratio, scene.distance, scene.cut.value, scene.shift.value]
    played: list[str | int] = [settings.batch, settings.delta, settings.k, settings.plays]
    return [*drawn, 1000 * settings.seed + repeat, *played, settings.compared, settings.proofs or ""]


def _one(
    dimension: int,
    size: int,
    ratio: str,
    distance: str,
    cut: str,
    shift: str,
    seed: int,
    batch: int,
    delta: str,
    k: int,
    plays: int,
    compared: int,
    proofs: str,
) -> dict[str, Any]:
    """One set of points; for `pool.gather`, which carries plain values only."""
    made = two_gaussians(
        dimension=dimension,
        size=size,
        ratio=float(ratio),
        distance=float(distance),
        cut=Cut(cut),
        shift=Shift(shift),
        seed=seed,
    )
    proven = certificate.certified(made.points)
    same = None
    if size <= compared:
        same = everylp.critical_points(made.points) == critical.as_written(made.points) == proven.critical
    rules: tuple[Examiner, Examiner] = (
        LabelReport(delta=Fraction(delta), k=k),
        ClassifierReport(delta=Fraction(delta)),
    )
    name = f"d{dimension}-n{size}-{distance}-{cut}-{shift}-{seed}.json"
    label, classifier = (_disclosed(rule, made, batch, plays, seed) for rule in rules)
    return {
        "negatives": len(made.points.negative),
        "shifted": list(made.shifted),
        "critical": len(proven.critical),
        "proven": _checked(certificate.encode(proven), name, proofs),
        "same": same,
        "label": label,
        "classifier": classifier,
    }


def _checked(content: bytes, name: str, proofs: str) -> bool:
    """Whether the verifier's own command finds every proof right; they are kept where a folder is given for them."""
    with TemporaryDirectory(prefix="tallystick-") as folder:
        path = Path(proofs or folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        command = [sys.executable, "-P", "-m", "verifier", "critical", str(path)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603 - our interpreter


def _disclosed(rule: Examiner, made: TwoGaussians, batch: int, plays: int, seed: int) -> float:
    """How many negatives Bob sees on average, if Alice reports the truth about batches of decreasing score."""
    truth = made.responsive[np.argsort(-made.scores, kind="stable")].tolist()
    batches = [truth[start : start + batch] for start in range(0, len(truth), batch)]
    total = 0
    for play in range(plays):
        for number, labels in enumerate(batches):
            root = tagged_hash("experiment-critical", f"{rule.name} {seed} {play} {number}".encode())
            shown = played(rule, honest_report(rule, labels), coins.coins(root, range(1, len(labels) + 1)), labels)
            total += len(shown) - sum(shown.values())
    return total / plays


def _outcome(settings: Settings, points: Sequence[Point], left_out: Sequence[int]) -> Outcome:
    rows: list[Sequence[str | int | float]] = []
    for each in points:
        scene = each.scene
        place = (scene.dimension, scene.distance, scene.cut.value, scene.shift.value, each.size, each.repeat)
        rows.append(
            ("critical points", *place, each.negatives, each.critical, each.ratio, "yes" if each.proven else "no")
        )
        for name, shown in (("label", each.label), ("classifier", each.classifier)):
            rows.append((name, *place, each.negatives, shown, shown / each.negatives, ""))
    missing = f" Left out for lack of time: {', '.join(f'n = {size}' for size in left_out)}." if left_out else ""
    return Outcome(
        name="critical",
        title="Critical points: what must be disclosed in the separable case",
        setting=(
            f"Two standard Gaussians, {settings.ratio} responsive points for each other one, {settings.repeats} set(s) "
            f"of each size, seed {settings.seed}; points that the best classifier gets wrong are shifted. Our "
            f"protocols: the same points unshifted, scored along the line between the means, batches of "
            f"{settings.batch} in decreasing score, a truthful Alice, delta = {settings.delta}, k = {settings.k}, "
            f"{settings.plays} plays.{missing}"
        ),
        columns=COLUMNS,
        rows=rows,
        panels=_panels(settings, points),
        findings=criticalfindings.findings(points),
    )


def _panels(settings: Settings, points: Sequence[Point]) -> list[Panel]:
    furthest = max(settings.scenes, key=lambda scene: max(scene.sizes))  # the shift and d make no difference here
    ours = [
        _line(
            points, furthest, f"label report, means {furthest.distance} apart", lambda each: each.label / each.negatives
        ),
        _line(points, furthest, "classifier report, the same", lambda each: each.classifier / each.negatives),
    ]
    theirs = [_line(points, scene, scene.words(), lambda each: each.ratio) for scene in settings.scenes]
    return [
        Panel(title=title, x_label="points", y_label="disclosed share of the negatives", lines=lines, log_x=True)
        for title, lines in (("Our protocols", ours), ("Critical points protocol", theirs))
    ]


def _line(points: Sequence[Point], scene: Scene, label: str, value: Callable[[Point], float]) -> Line:
    of_size = {
        size: [value(each) for each in points if each.scene == scene and each.size == size] for size in scene.sizes
    }
    of_size = {size: values for size, values in of_size.items() if values}
    return Line(
        label=label,
        x=list(of_size),
        y=[fmean(values) for values in of_size.values()],
        low=[min(values) for values in of_size.values()],
        high=[max(values) for values in of_size.values()],
    )
