"""Many trials of the same terms, and what they have in common."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np
from numpy.random import RandomState

from protocol.errors import BadTerms
from protocol.forecast.assumed import Assumed
from protocol.forecast.play import Outcome, Play
from protocol.forecast.scheme import Scheme

TRIALS = 1000
"""As many as that, unless trials are slow."""

FEW = 10
WORK = 600_000
"""About how many batches, or documents where a rule depends on their order, can be played in some seconds."""

LONGEST = 5_000_000
"""More documents in one trial than this cannot be ranked."""

SEED = "1"


@dataclass(frozen=True, slots=True)
class Range:
    """What to expect of a number: half of the trials are at or below the median, one in twenty outside at each end."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Range":
        """Values that occurred, no means of two: a count stays a count."""
        ordered = sorted(values)
        last = len(ordered) - 1
        return cls(ordered[last // 20], ordered[last // 2], ordered[last - last // 20])


@dataclass(frozen=True)
class Forecast:
    """The trials of one scheme."""

    scheme: Scheme
    assumed: Assumed
    outcomes: tuple[Outcome, ...]

    def range(self, number: Callable[[Outcome], float]) -> Range:
        """A number of the outcomes, as a range."""
        return Range.of([number(each) for each in self.outcomes])

    def share(self, fact: Callable[[Outcome], bool]) -> float:
        """In which share of the trials it is so."""
        return sum(map(fact, self.outcomes)) / len(self.outcomes)

    @cached_property
    def certified_collection(self) -> Range | None:
        """The certified recall of the collection; without a certificate it is 0. None if no trial has one."""
        if all(each.certified_collection is None for each in self.outcomes):
            return None
        return self.range(lambda each: each.certified_collection or 0.0)


def forecast(
    scheme: Scheme,
    assumed: Assumed,
    *,
    trials: int | None = None,
    seed: str = SEED,
    progress: Callable[[int], None] = lambda _: None,
) -> Forecast:
    """Play so many trials; the same arguments give the same forecast. Each trial has random numbers of its own."""
    if scheme.spot_check is None and work(scheme, assumed) > LONGEST:
        raise BadTerms(
            f"more than {LONGEST:,} documents would have to be ranked to forecast the rule {scheme.rule.name!r}: write "
            "fewer rounds, smaller batches, or a smaller --collection"
        )
    outcomes = []
    for trial in range(trials or usual_trials(scheme, assumed)):
        outcomes.append(Play(scheme, assumed, _random(seed, trial)).run())
        progress(trial + 1)
    return Forecast(scheme, assumed, tuple(outcomes))


def usual_trials(scheme: Scheme, assumed: Assumed) -> int:
    """How many trials can be played in some seconds, but at least a few."""
    return max(FEW, min(TRIALS, WORK // work(scheme, assumed)))


def work(scheme: Scheme, assumed: Assumed) -> int:
    """How long a trial takes: its batches; or its documents, where the rule depends on their order."""
    documents = min(assumed.documents, scheme.batch * scheme.rounds)
    return documents if scheme.spot_check is None else ceil(documents / scheme.batch)


def _random(seed: str, trial: int) -> RandomState:
    """Numpy promises never to change what this generator makes of a seed."""
    digest = hashlib.sha256(f"tallystick forecast\n{trial}\n{seed}".encode()).digest()
    return RandomState(np.frombuffer(digest, dtype="<u4").astype(np.uint32))
