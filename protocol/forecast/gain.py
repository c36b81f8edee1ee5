"""How fast continuous active learning finds the responsive documents: what every forecast has to assume.

Let t be the number of reviewed documents for each responsive one of the collection, and r the recall reached by then.

    t = r + a ((1 - r)^(-3/2) - 1)

The first r of t are the responsive documents themselves, and the rest is the price of the last ones, which grows
without end as r comes near 1. The shape fits CAL on nine topics of arXiv abstracts and on made-up mail. Their a is
between 0.02 and 1.1; it says how hard the topic is. For people it is given as the *gain*, the recall at t = 4.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

GAIN_AT = 4
"""The gain of a topic is the recall after so many reviewed documents for each responsive one."""

_POWER = 1.5
_MISSED = np.concatenate(([1.0], np.logspace(-0.002, -8, 600)))  # 1 - r, from nothing found to nearly all


@dataclass(frozen=True, slots=True)
class Curve:
    """The recall that CAL reaches, by how much was reviewed."""

    hardness: float  # a

    @classmethod
    def of(cls, gain: float) -> "Curve":
        """The curve with this recall after four documents for each responsive one."""
        return cls((GAIN_AT - gain) / ((1 - gain) ** -_POWER - 1))

    def recall(self, effort: Any) -> Any:
        """The recall after so many documents for each responsive one."""
        efforts = 1 - _MISSED + self.hardness * (_MISSED**-_POWER - 1)
        return np.interp(effort, efforts, 1 - _MISSED)

    def density(self, effort: Any) -> Any:
        """Which share of the documents that are reviewed at this point is responsive."""
        missed = 1 - self.recall(effort)
        return 1 / (1 + _POWER * self.hardness * missed ** (-_POWER - 1))

    def effort(self, recall: float) -> float:
        """How many documents for each responsive one are reviewed until this recall."""
        return float(recall + self.hardness * ((1 - recall) ** -_POWER - 1))
