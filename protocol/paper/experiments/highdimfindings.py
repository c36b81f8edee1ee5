"""What the survey of Lemma "high-dim-label" says about the paper's claims."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from protocol.paper.experiments.outcome import Finding, Verdict
from protocol.paper.theory.highdim import Reading
from protocol.paper.theory.highdim_tally import (
    ALICES,
    FAN,
    KINDEST,
    LEAN,
    OF_BEST,
    PREMISE,
    PROOFS_LEAN,
    PROVED,
    RANDOM,
    Tally,
    View,
    Worst,
    printed,
    proofs,
    without_itself,
)

DIMENSIONS = {"line": 1, "space": 3}
"""Of families outside the plane."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tossed:
    """An exact probability beside what real coins did."""

    CONFIDENCE: ClassVar[float] = 0.9999  # of each of about a hundred intervals

    chance: Fraction
    missed: int
    trials: int
    low: float
    high: float

    @property
    def agrees(self) -> bool:
        """Whether the interval contains it."""
        return self.low <= self.chance <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """A fixed counterexample at one delta, with k = 1."""

    name: str
    size: int
    delta: Fraction
    chances: Mapping[Reading, Fraction]
    counted: Fraction  # with the proof's n(x), classifiers of widest margin
    error: int  # err*
    optimal: int
    sides: bool  # h* is consistent for half-planes too
    place: int  # of the first hidden positive in the printed order
    counts: tuple[int, int]  # the least and the largest n(x) of a hidden positive
    projected: int  # of the last one in the order by projection
    tossed: Tossed

    @property
    def above(self) -> bool:
        """Whether it breaks the lemma as printed with classifiers of widest margin."""
        return self.chances[Reading.WIDEST] > self.delta


Seen = Mapping[str, Tally]


def main_reading(family: str) -> Reading:
    """The classifiers that depend on the points alone where these are at hand."""
    return Reading.ORACLE if DIMENSIONS.get(family, 2) > 2 else Reading.WIDEST


def main_view(family: str, direction: str = OF_BEST) -> View:
    """As printed, with these classifiers."""
    return printed(main_reading(family), direction)


def findings(seen: Seen, fixed: Sequence[Fixed], tossed: Sequence[Tossed]) -> list[Finding]:
    """One for each claim, as printed, as proved or as corrected."""
    line = {family: tally for family, tally in seen.items() if DIMENSIONS.get(family) == 1}
    wide = {family: tally for family, tally in seen.items() if family not in line}
    return [
        _sides(wide, fixed),
        _printed(wide, fixed),
        _every(wide, fixed),
        _step(fixed),
        _sentence(seen),
        _proofs(seen, fixed),
        _points_only(wide),
        *(_direction(wide, direction) for direction in (RANDOM, ALICES, KINDEST)),
        _proved(
            "Lemma high-dim-label on a line, printed order, v the direction of h*, thresholds of either orientation",
            [each for view in map(printed, Reading) for each in _entries(line, view)],
        ),
        _proved(
            "Corrected, ordered by projection: the undecided points by falling v . x, v the direction of h*; then the "
            "recall of Theorem high-dim-label follows for every report, consistent or not",
            _entries(seen, PROVED),
        ),
        _proved(
            "Corrected, smaller constant: with that order c = 2 ln(1/delta) is enough, without k and the report's "
            "error, for recall at least 1 - err*/n+",
            _entries(seen, LEAN),
        ),
        _proved(
            "Corrected, condition on the printed order: if of the undecided points at most as many true negatives "
            "stand before the last hidden positive of h*'s positive side as there are such hidden positives (b <= a), "
            "c = 2 ln(1/delta) is enough",
            _entries(seen, PREMISE),
        ),
        _coins(tossed),
    ]


Entry = tuple[str, int, Fraction, Worst]  # family, k, delta


def _entries(seen: Seen, view: View | Callable[[str], View]) -> list[Entry]:
    """All of one view, which may depend on the family."""
    return [
        (family, k, delta, worst)
        for family, tally in seen.items()
        for (found, k, delta), worst in tally.worst.items()
        if found == (view if isinstance(view, View) else view(family))
    ]


def _sides(seen: Seen, fixed: Sequence[Fixed]) -> Finding:
    entries = _entries(seen, main_view)
    strict = [each for each in fixed if each.sides]
    count = sum(worst.sides for *_, worst in entries)
    return Finding(
        claim="Lemma high-dim-label for Algorithm high_dim_label as printed (n_i the place in Step 6's order), v the "
        "direction of h*, h* consistent for half-spaces (its positive side contains the intersection of the others' in "
        "the whole space): more than err* + k hidden positives are all missed with probability at most delta",
        seen=f"{_corner(strict)} {_example(strict, 'eleven')} {count} cases of the survey with such an h* are above "
        "delta.",
        verdict=_differs(count > 0 or any(each.above for each in strict)),
    )


def _printed(seen: Seen, fixed: Sequence[Fixed]) -> Finding:
    entries = _entries(seen, main_view)
    return Finding(
        claim="Lemma high-dim-label, the same with h* consistent for the points, whether for half-spaces or not",
        seen=f"{_above(entries)} {_example(fixed, 'six')}",
        verdict=_differs(any(worst.above for *_, worst in entries) or any(each.above for each in fixed)),
    )


def _every(seen: Seen, fixed: Sequence[Fixed]) -> Finding:
    entries = _entries(seen, printed(Reading.EVERY))
    corners = [each for each in fixed if each.name.startswith("corner")]
    alike = all(len(set(each.chances.values())) == 1 for each in corners)
    words = "the same" if alike else "not the same"
    return Finding(
        claim="Lemma high-dim-label as printed, with all optimal classifiers by the word, not one for each dichotomy",
        seen=f"{_above(entries)} In the corner the probability is {words} whichever classifiers stand for the "
        "dichotomies.",
        verdict=_differs(any(worst.above for *_, worst in entries) or (alike and any(each.above for each in corners))),
    )


def _step(fixed: Sequence[Fixed]) -> Finding:
    corners = [each for each in fixed if each.name.startswith("corner") and each.place > each.projected]
    shown = "No corner shows otherwise."
    if corners:
        each = corners[-1]
        low, high = each.counts
        shown = (
            f"Not with Step 6's place, which is not the proof's n(x). In {each.name} ({each.size} points) the hidden "
            f"positives stand at place {each.projected} or before along h*, and their n(x) is {low} to {high}, but in "
            f"Step 6's order they stand at place {each.place} or after: true negatives far below h* are near the union "
            "along v, and not near the intersection."
        )
    return Finding(
        claim="Proof of Lemma high-dim-label: the sampling probability in Algorithm high_dim_label is at least that of "
        "Algorithm one_dim_label for the projection on v, the direction of h*",
        seen=shown,
        verdict=_differs(bool(corners)),
    )


def _sentence(seen: Seen) -> Finding:
    counted, wrong = (sum(getattr(each, name) for each in seen.values()) for name in ("counted", "exceptions"))
    return Finding(
        claim="Proof of Lemma high-dim-label, the sentence on n(x): with h* consistent for half-spaces, what n(x) "
        "counts stands before x along h*",
        seen=f"n(x) is larger than that allows for {wrong} of {counted} undecided points.",
        verdict=Verdict.DIFFERS if wrong else Verdict.HOLDS if counted else Verdict.OPEN,
    )


def _proofs(seen: Seen, fixed: Sequence[Fixed]) -> Finding:
    """By the paper's c, and by 2 ln(1/delta), which is what the argument needs."""
    views = [*(proofs(reading, sides=True) for reading in Reading), PROOFS_LEAN]
    found = _proved(
        "Lemma high-dim-label with the proof's n(x) in place of Step 6's place, v the direction of h*, h* consistent "
        "for half-spaces; the paper's c, and c = 2 ln(1/delta)",
        [each for view in views for each in _entries(seen, view)],
    )
    strict = [each for each in fixed if each.sides]
    broken = [each for each in strict if each.counted > each.delta]
    if strict:
        worst = max(strict, key=lambda each: each.counted / each.delta)
        words = f"{float(worst.counted):.4f} for delta {float(worst.delta)} ({worst.name})"
        found = replace(found, seen=f"{found.seen} The corner and 'eleven': at worst {words}.")
    return replace(found, verdict=Verdict.DIFFERS) if broken else found


def _points_only(seen: Seen) -> Finding:
    entries = _entries(seen, lambda family: proofs(main_reading(family), sides=False))
    bare = _entries(seen, lambda family: without_itself(main_reading(family)))
    return Finding(
        claim="Lemma high-dim-label with the proof's n(x), v the direction of h*, h* consistent for the points only",
        seen=f"{_above(entries)} If x is not counted in n(x), {sum(worst.above for *_, worst in bare)} still are.",
        verdict=_differs(any(worst.above for *_, worst in entries)),
    )


def _direction(seen: Seen, direction: str) -> Finding:
    entries = _entries(seen, lambda family: main_view(family, direction))
    who = {
        RANDOM: "one at random",
        ALICES: f"the worst for Bob of {FAN} at random",
        KINDEST: f"the best for Bob of {FAN} at random",
    }[direction]
    return Finding(
        claim=f"Algorithm high_dim_label, as printed: Step 5 puts no condition on v; here v is {who}",
        seen=_above(entries),
        verdict=_differs(any(worst.above for *_, worst in entries)),
    )


def _proved(claim: str, entries: Sequence[Entry]) -> Finding:
    broken = any(worst.above for *_, worst in entries)
    verdict = Verdict.DIFFERS if broken else Verdict.HOLDS if entries else Verdict.OPEN
    return Finding(claim=claim, seen=_above(entries), verdict=verdict)


def _coins(tossed: Sequence[Tossed]) -> Finding:
    agree = sum(each.agrees for each in tossed)
    return Finding(
        claim="The exact probabilities are those of the protocol with real coins",
        seen=f"{agree} of {len(tossed)} lie within the {Tossed.CONFIDENCE:.2%} interval of what was observed.",
        verdict=Verdict.HOLDS if agree == len(tossed) else Verdict.DIFFERS,
    )


def _above(entries: Sequence[Entry]) -> str:
    """How many reports were above delta, and the worst, as a multiple of delta, in each family that has one."""
    tried, above = sum(worst.tried for *_, worst in entries), sum(worst.above for *_, worst in entries)
    words = f"{above} of {tried} cases (a report at risk with an h*, k and delta) are above delta"
    if not entries:
        return f"{words}."
    families = dict.fromkeys(family for family, *_, worst in entries if worst.above)
    of = [entry for entry in entries if entry[0] in families] or list(entries)
    tops = [max((e for e in of if e[0] == family), key=_excess) for family in dict.fromkeys(e[0] for e in of)]
    if not families:
        tops = [max(tops, key=_excess)]
    return f"{words}; worst: {'; '.join(map(_one, tops))}."


def _excess(entry: Entry) -> Fraction:
    _, _, delta, worst = entry
    return worst.chance / delta


def _one(entry: Entry) -> str:
    family, k, delta, worst = entry
    return f"{family} {float(worst.chance):.4f} for delta {float(delta)}" + (f" (k = {k})" if k > 1 else "")


def _example(fixed: Sequence[Fixed], name: str) -> str:
    """The first delta that a fixed one breaks."""
    for each in fixed:
        if each.name == name and each.above:
            chance = float(each.chances[Reading.WIDEST])
            shown = f"{chance:.4f} for delta {float(each.delta)}"
            return f"Fixed instance '{name}' of {each.size} points, err* = {each.error}: {shown}."
    return ""


def _corner(fixed: Sequence[Fixed]) -> str:
    """For each delta the smallest corner that breaks it."""
    least: dict[Fraction, Fixed] = {}
    for each in fixed:
        if each.name.startswith("corner") and each.above:
            least.setdefault(each.delta, each)
    shown = [
        f"{float(each.chances[Reading.WIDEST]):.4f} for delta {float(delta)} with {each.size} points"
        for delta, each in least.items()
    ]
    errors = " or ".join(str(error) for error in sorted({each.error for each in least.values()}))
    return f"The corner, err* = {errors}: {'; '.join(shown)}." if shown else ""


def _differs(broken: bool) -> Verdict:  # noqa: FBT001 - a verdict of a fact
    """A search that breaks nothing decides nothing."""
    return Verdict.DIFFERS if broken else Verdict.OPEN
