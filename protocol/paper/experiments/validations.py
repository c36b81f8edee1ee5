"""Single validations where they are most likely to be wrong, against every way to report that was thought of.

A validation in one stage is most often wrong where one more document is missing than some number of hits would allow.
In two stages Alice knows what was called before she reports.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np

from protocol.certificates import collection
from protocol.certificates.collection import TwoStages
from protocol.certificates.exact import ONE, threshold
from protocol.paper.experiments.spotchecks import generator

Policy = Callable[[int, float], int]

POLICIES: dict[str, Policy] = {
    "reports all that was called": lambda called, _: called,
    "reports nothing": lambda _called, _: 0,
    "reports half": lambda called, _: called // 2,
    "reports all but one": lambda called, _: max(0, called - 1),
    "reports if few were called": lambda called, mean: called if called < mean else 0,
    "reports if many were called": lambda called, mean: called if called > mean else 0,
    "hides what was called beyond the mean": lambda called, mean: min(called, round(mean)),
}
"""How many of the called responsive documents Alice reports, of how many and of how many on average."""


Result = dict[str, str | int]


def one_stages(hits: Iterable[int], levels: Sequence[str], validations: int, seed: int) -> Iterator[Result]:
    """How often the bound is wrong if one document more is missing than some number of hits allows."""
    for show, level, number in product(("0.01", "0.05", "0.3"), levels, list(hits)):
        chance, alpha = threshold(Fraction(show)), Fraction(level)
        missing = collection.most(number, chance, alpha) + 1
        drawn = generator(seed, "one stage", show, level, number).binomial(missing, chance / ONE, validations).tolist()
        yield {
            "case": f"one stage, show {show}, level {level}",
            "who": f"{missing} missing, one more than {number} hits allow",
            "level": level,
            "validations": validations,
            "wrong": sum(missing > collection.most(each, chance, alpha) for each in drawn),
        }


def all_two_stages(policy: str, levels: Sequence[str], validations: int, seed: int) -> Iterator[Result]:
    """The same for a policy of Alice's in two stages."""
    unseen = ((40, 0), (200, 0), (0, 100), (150, 60), (600, 50))
    for (review, show), level, (never, withheld) in product((("0.05", "0.2"), ("0.2", "0.25")), levels, unseen):
        stages = collection.TwoStages(review=Fraction(review), show=Fraction(show), alpha=Fraction(level))
        yield {
            "case": f"two stages, review {review}, show {show}, level {level}, {never} never reviewed, {withheld} not "
            "reported",
            "who": policy,
            "level": level,
            "validations": validations,
            "wrong": two_stages(policy, stages, never, withheld, validations, seed),
        }


def two_stages(policy: str, stages: TwoStages, never: int, withheld: int, validations: int, seed: int) -> int:
    """In how many validations more is missing afterwards than the bound says."""
    called_chance, shown_chance = threshold(stages.review), threshold(stages.show)
    either = called_chance * shown_chance // ONE / ONE
    coins = generator(seed, policy, repr(stages), never, withheld)
    choose = POLICIES[policy]

    @cache
    def bound(reported: int, hits: int, withheld_hits: int) -> int:
        return collection.missing(stages, reported=reported, hits=hits, withheld_hits=withheld_hits)

    called_counts = coins.binomial(never, called_chance / ONE, validations).tolist()
    withheld_counts = coins.binomial(withheld, either, validations).tolist()
    reported_counts = [choose(called, never * called_chance / ONE) for called in called_counts]
    kept = np.array(called_counts) - np.array(reported_counts)
    hit_counts = coins.binomial(kept, shown_chance / ONE).tolist()
    wrong = 0
    for reported, hits, withheld_hits in zip(reported_counts, hit_counts, withheld_counts, strict=True):
        wrong += never + withheld - reported - hits - withheld_hits > bound(reported, hits, withheld_hits)
    return wrong
