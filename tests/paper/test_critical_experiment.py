"""The critical points experiment runs, reports what it saw, and says the same twice."""

from dataclasses import replace

import pytest

from protocol.paper.experiments import critical, criticalfindings
from protocol.paper.experiments.criticalfindings import Point, Scene
from protocol.paper.experiments.outcome import Verdict, table
from protocol.paper.geometry.gaussians import Cut, Shift

SCENE = Scene(dimension=2, distance="3", cut=Cut.BAYES, shift=Shift.MIRROR, sizes=(30, 60))


def point(size: int, critical_points: int, label: float, *, proven: bool = True, same: bool | None = True) -> Point:
    return Point(
        scene=SCENE,
        size=size,
        repeat=0,
        negatives=size,
        shifted=(1, 1),
        critical=critical_points,
        proven=proven,
        same=same,
        label=label,
        classifier=label,
    )


def verdicts(*points: Point) -> list[Verdict]:
    return [each.verdict for each in criticalfindings.findings(points)]


def test_findings_follow_the_numbers() -> None:
    good = (point(100, 10, 40), point(1000, 10, 40))
    assert verdicts(*good) == [Verdict.HOLDS] * 5
    assert verdicts(good[0], replace(good[1], proven=False))[0] is Verdict.DIFFERS
    assert verdicts(good[0], replace(good[1], same=False))[1] is Verdict.DIFFERS
    assert verdicts(*(replace(each, same=None) for each in good))[1] is Verdict.OPEN
    assert verdicts(good[0], replace(good[1], critical=300, label=400, classifier=400))[2] is Verdict.DIFFERS
    assert verdicts(good[0], replace(good[1], label=5))[3] is Verdict.DIFFERS
    assert verdicts(good[0], replace(good[1], label=400))[4] is Verdict.DIFFERS


def test_what_holds_for_some_ways_to_draw_the_points_only_stays_open() -> None:
    good = (point(100, 10, 40), point(1000, 10, 40))
    other = replace(SCENE, distance="1")
    bad = (replace(good[0], scene=other, critical=80), replace(good[1], scene=other, critical=800))
    assert verdicts(*good, *bad) == [Verdict.HOLDS, Verdict.HOLDS, Verdict.OPEN, Verdict.OPEN, Verdict.OPEN]


def test_a_budget_that_is_spent_leaves_sizes_out_and_says_so() -> None:
    settings = critical.Settings(scenes=(SCENE,), repeats=1, batch=30, plays=1, compared=0, minutes=0)
    found = critical.run(settings)
    assert {row[5] for row in found.rows} == {30}
    assert "Left out for lack of time: n = 60" in found.setting


@pytest.mark.slow
def test_a_quick_run_has_every_row_proven_and_is_the_same_twice() -> None:
    settings = critical.Settings.quick()
    told: list[int] = []
    found = critical.run(settings, told.append)
    assert told[-1] == critical.steps(settings) == len(found.rows) // 3
    assert all(row[-1] == "yes" for row in found.rows if row[0] == "critical points")
    assert [len(panel.lines) for panel in found.panels] == [2, 2]
    assert found.findings[0].verdict is found.findings[1].verdict is Verdict.HOLDS
    assert table(critical.run(settings)) == table(found)
