"""What a validation says in the words that lawyers use: elusion, richness and recall, each with an interval.

These are estimates: a point, and a two-sided interval that is exact for the coins of this one draw. Whatever Alice
labels, the interval misses the truth with a probability of at most `doubt`; only what she claims late in two stages can
make the lower end of a count too large. They are not the certificate, which is one-sided, has its own share of the
doubt, and holds for all validations of a matter together. How all is computed is in docs/certificates.md.
"""

from dataclasses import dataclass
from fractions import Fraction

from verifier.certificates.exact import ONE
from verifier.certificates.intervals import estimate, interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """A part of what Bob had not been shown: its documents, how many were drawn and looked at, how many were hits."""

    documents: int
    shown: int
    hits: int

    @property
    def rest(self) -> int:
        """How many can be responsive: all but those that were looked at and are not."""
        return self.documents - self.shown + self.hits


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """A validation by its numbers. In one stage all have the same chance, and nothing was called."""

    found: int  # F: what Bob had before it
    collection: int  # all documents
    never: Stratum
    withheld: Stratum
    unread: int  # drawn, and labelled by nobody: each may be a hit
    chance: int  # of 2^64, for a withheld document; in one stage, for every document
    review: int | None = None  # in two stages, the chance to be called
    show: int | None = None  # and, if Alice labels it as not responsive, to be shown
    reported: int = 0  # of the hits among the never reviewed, those that Alice reported


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many documents: a point and an interval."""

    point: int
    least: int
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share of documents: a point and an interval."""

    point: Fraction
    least: Fraction
    most: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """What one validation estimates. A share of nothing is None."""

    never: Count  # responsive documents among those never reviewed before it
    withheld: Count  # and among the withheld
    elusion: Share | None  # the responsive share of what was never reviewed
    richness: Share | None  # the responsive share of the collection
    recall: Share | None  # the share of the responsive documents that Bob has after it


def estimates(looked: Looked, doubt: Fraction) -> Estimates:
    """All estimates of a validation."""
    never, withheld = _never(looked, doubt), _withheld(looked, doubt)
    missing = _both(looked, doubt)
    has = looked.found + looked.never.hits + looked.withheld.hits
    return Estimates(
        never=never,
        withheld=withheld,
        elusion=_share(never, looked.never.documents),
        richness=_share(_plus(missing, looked.found), looked.collection),
        recall=_recall(has, _plus(missing, looked.found)),
    )


def _never(looked: Looked, doubt: Fraction) -> Count:
    stratum = looked.never
    if looked.review is None or looked.show is None:
        return _within(_drawn(stratum.hits, looked.unread, looked.chance, doubt), stratum, looked.unread)
    checked = stratum.hits - looked.reported
    hidden = _drawn(checked, looked.unread, looked.show, doubt / 2)  # among the called, before the second draw
    least, _ = interval(looked.reported + hidden.least, looked.review, doubt / 2)
    _, most = interval(looked.reported + hidden.most, looked.review, doubt / 2)
    point = estimate(looked.reported, looked.review) + estimate(checked, looked.review * looked.show // ONE)
    return _within(Count(point=point, least=least, most=most), stratum, looked.unread)


def _withheld(looked: Looked, doubt: Fraction) -> Count:
    stratum = looked.withheld
    return _within(_drawn(stratum.hits, looked.unread, looked.chance, doubt), stratum, looked.unread)


def _both(looked: Looked, doubt: Fraction) -> Count:
    """The two strata together. In one stage they are one draw; in two stages each has half of the doubt."""
    if looked.review is None:
        hits = looked.never.hits + looked.withheld.hits
        together = Stratum(
            documents=looked.never.documents + looked.withheld.documents,
            shown=looked.never.shown + looked.withheld.shown,
            hits=hits,
        )
        return _within(_drawn(hits, looked.unread, looked.chance, doubt), together, looked.unread)
    never, withheld = _never(looked, doubt / 2), _withheld(looked, doubt / 2)
    return Count(
        point=never.point + withheld.point, least=never.least + withheld.least, most=never.most + withheld.most
    )


def _drawn(hits: int, unread: int, chance: int, doubt: Fraction) -> Count:
    """How many there were before the draw. What nobody labelled may or may not be a hit."""
    least, _ = interval(hits, chance, doubt)
    _, most = interval(hits + unread, chance, doubt)
    return Count(point=estimate(hits, chance), least=least, most=most)


def _within(count: Count, stratum: Stratum, unread: int) -> Count:
    """A count that no stratum contradicts: the hits are there, and what was seen to be not responsive is not."""
    most = max(stratum.hits, min(count.most, stratum.rest + unread, stratum.documents))
    least = max(stratum.hits, min(count.least, most))
    return Count(point=max(least, min(count.point, most)), least=least, most=most)


def _plus(count: Count, more: int) -> Count:
    return Count(point=count.point + more, least=count.least + more, most=count.most + more)


def _share(count: Count, whole: int) -> Share | None:
    if not whole:
        return None
    return Share(
        point=Fraction(count.point, whole), least=Fraction(count.least, whole), most=Fraction(count.most, whole)
    )


def _recall(has: int, responsive: Count) -> Share | None:
    """The more responsive documents there are, the smaller is the share that Bob has."""
    if not responsive.point:
        return None
    return Share(
        point=Fraction(has, responsive.point),
        least=Fraction(has, responsive.most),
        most=Fraction(has, responsive.least) if responsive.least else Fraction(1),
    )
