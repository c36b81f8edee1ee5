"""What a made-up corpus is mixed of: how many documents there are of each kind, and which kind comes next."""

from enum import IntEnum
from fractions import Fraction

from protocol.errors import BadSource

LABEL = "responsive"
NOISE = Fraction(1, 20)
LEAST = 10

_NEAR_MISSES = 3  # for each responsive document


class Kind(IntEnum):
    """What a document is, and what it is labelled."""

    RESPONSIVE = 0
    FAINT = 1  # labelled responsive, but hardly about the topic
    MISLABELLED = 2  # about the topic, but not labelled responsive
    NEAR_MISS = 3
    OTHER = 4

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of such a document."""
        return (LABEL,) if self in (Kind.RESPONSIVE, Kind.FAINT) else ()


def counts(size: int, responsive: int, noise: Fraction) -> list[int]:
    """How many documents there are of each kind."""
    if size < LEAST:
        raise BadSource(f"a corpus of {size} documents was asked for; the smallest has {LEAST}")
    if not 1 <= responsive < size:
        raise BadSource(f"{responsive} of {size} documents cannot be responsive; from 1 to {size - 1} can")
    if not 0 <= noise <= 1:
        raise BadSource(f"the noise is {noise}; it is a share of the responsive documents, from 0 to 1")
    faint = int(responsive * noise)
    mislabelled = min(faint, size - responsive)
    rest = size - responsive - mislabelled
    near_misses = min(_NEAR_MISSES * responsive, rest // 2)
    return [responsive - faint, faint, mislabelled, near_misses, rest - near_misses]


def kind_at(left: list[int], place: int) -> Kind:
    """The kind of the document at this place, if those that are left stood in the order of the kinds."""
    for kind in Kind:
        if place < left[kind]:
            return kind
        place -= left[kind]
    raise IndexError("more documents were asked for than are left")
