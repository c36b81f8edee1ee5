"""A validation in the words that lawyers use: elusion, richness and recall, each an estimate with an interval.

Each interval is two-sided and exact for the coins of this one draw: whatever Alice did, it misses the truth with a
probability of at most `doubt`. An estimate is not the certificate, which is one-sided and holds for all validations of
a matter together.
"""

from dataclasses import dataclass, field
from fractions import Fraction

from protocol.certificates.intervals import estimate, interval
from protocol.matter.validations import Chances, Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many documents are responsive: an estimate between two bounds."""

    point: int
    low: int
    high: int

    def __add__(self, other: "Count") -> "Count":
        return Count(point=self.point + other.point, low=self.low + other.low, high=self.high + other.high)

    def within(self, low: int, high: int) -> "Count":
        """The same, as far as certainty allows: at least what was found, at most what nobody has judged."""
        point, least, most = (max(low, min(each, high)) for each in (self.point, self.low, self.high))
        return Count(point=point, low=least, high=most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share of documents: an estimate between two bounds."""

    point: Fraction
    low: Fraction
    high: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """A part of what Bob had not seen: its documents, those that were looked at, and what came of them."""

    documents: int
    shown: int
    drawn: Tally  # by the coins that decide about it alone
    reported: Tally = field(default_factory=Tally)  # called, and reported by Alice as responsive

    @property
    def hits(self) -> int:
        """How many turned out to be responsive."""
        return self.drawn.hits + self.reported.hits

    def certain(self, count: Count) -> Count:
        """A count that what was seen does not contradict."""
        unread = self.drawn.unread + self.reported.unread
        return count.within(self.hits, min(self.documents, self.documents - self.shown + self.hits + unread))


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """What one validation estimates. A share of nothing is None."""

    never: Count  # responsive among the documents never put up before it
    withheld: Count  # and among those that Alice had withheld
    elusion: Share | None  # the responsive share of those never put up
    richness: Share | None  # the responsive share of the collection
    recall: Share | None  # the share of all responsive documents that Bob has after it


def estimates(
    *, never: Stratum, withheld: Stratum, chances: Chances, found: int, documents: int, doubt: Fraction
) -> Estimates:
    """All estimates of a validation; `found` is what Bob had before it, `documents` the size of the collection."""
    alone = _never(never, chances, doubt)
    before = Count(point=found, low=found, high=found)
    responsive = _together(never, withheld, chances, doubt) + before
    return Estimates(
        never=alone,
        withheld=_drawn(withheld, chances.withheld, doubt),
        elusion=_share(alone, never.documents),
        richness=_share(responsive, documents),
        recall=_recall(found + never.hits + withheld.hits, responsive),
    )


def _together(never: Stratum, withheld: Stratum, chances: Chances, doubt: Fraction) -> Count:
    """Both strata. In one stage they are one draw; in two stages each gets half of the doubt."""
    if chances.second is not None:
        return _never(never, chances, doubt / 2) + _drawn(withheld, chances.withheld, doubt / 2)
    both = Stratum(
        documents=never.documents + withheld.documents,
        shown=never.shown + withheld.shown,
        drawn=Tally(hits=never.drawn.hits + withheld.drawn.hits, unread=never.drawn.unread + withheld.drawn.unread),
    )
    return _drawn(both, chances.first, doubt)


def _never(never: Stratum, chances: Chances, doubt: Fraction) -> Count:
    """The documents never put up. In two stages the two draws get half of the doubt each."""
    if chances.second is None:
        return _drawn(never, chances.first, doubt)
    hidden = _count(never.drawn, chances.second, doubt / 2)  # responsive among the called that Alice did not report
    low, _ = interval(never.reported.hits + hidden.low, chances.first, doubt / 2)
    _, high = interval(never.reported.counted + hidden.high, chances.first, doubt / 2)
    point = estimate(never.reported.hits, chances.first) + estimate(never.drawn.hits, max(1, chances.withheld))
    return never.certain(Count(point=point, low=low, high=high))


def _drawn(stratum: Stratum, chance: int, doubt: Fraction) -> Count:
    return stratum.certain(_count(stratum.drawn, chance, doubt))


def _count(drawn: Tally, chance: int, doubt: Fraction) -> Count:
    """How many there were before the draw. What nobody read may or may not be responsive."""
    low, _ = interval(drawn.hits, chance, doubt)
    _, high = interval(drawn.counted, chance, doubt)
    return Count(point=estimate(drawn.hits, chance), low=low, high=high)


def _share(part: Count, whole: int) -> Share | None:
    if not whole:
        return None
    return Share(point=Fraction(part.point, whole), low=Fraction(part.low, whole), high=Fraction(part.high, whole))


def _recall(has: int, responsive: Count) -> Share | None:
    """The more responsive documents there are, the smaller is the share that Bob has."""
    if not responsive.point:
        return None
    return Share(
        point=Fraction(has, responsive.point),
        low=Fraction(has, responsive.high),
        high=Fraction(has, responsive.low) if responsive.low else Fraction(1),
    )
