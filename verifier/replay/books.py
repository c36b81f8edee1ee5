"""The books of a matter under spot checks: hits D, credit K, and the exposure C of what is withheld, in 2^-64.

D is never below the number of hits, and K and C are never above the time that documents were on test, so that the
certificate holds whatever Alice, Bob or the court do (specification, "Spot checks and escalations").
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from verifier.certificates.exact import ONE, cost
from verifier.certificates.reviewed import Certificate, Standing, capped, certify, next_chance


@dataclass(slots=True)
class Books:
    """D and K; the exposures are kept with what is withheld."""

    hits: int = 0
    credit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposed:
    """A position that a coin decided about and that is settled, unread or upheld, as its round ends."""

    position: int
    coin: int
    exposure: int = 0  # C before the draw
    responsive: bool = False  # as Bob and Alice agree, or the court rules; not if Bob left it unread
    unread: bool = False
    upheld: bool = False  # as privileged
    late: bool = False  # claimed in this round after the coins were fixed
    beforehand: bool = False  # claimed as privileged in the report that first labelled it


Unseen = Mapping[int, int]
"""The coins of the other positions that a draw decides about: nothing is known of these, and they may be very many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """What a draw changes in the books, and which positions it leaves withheld."""

    hits: int
    credit: int
    left: tuple[int, ...]
    cost: int  # what their exposure grows by


def draw(exposed: Iterable[Exposed], chance: int, unseen: Unseen = MappingProxyType({})) -> Entered:
    """The draw of a round, each hit for itself."""
    hits = credit = 0
    for each in exposed:
        if each.coin < chance:
            hits += each.responsive or each.unread or (each.upheld and each.late)
            if each.responsive and not each.beforehand:
                credit += each.exposure + cost(each.coin)
        elif each.responsive:
            credit += each.exposure + cost(chance)
    left = tuple([position for position, coin in unseen.items() if coin >= chance])
    return Entered(hits=hits, credit=credit, left=left, cost=cost(chance) if chance < ONE else 0)


def draw_by_batch(exposed: Sequence[Exposed], chance: int, unseen: Unseen) -> Entered:
    """The draw of a batch that a single hit brings to Bob: there is one hit at most, at the least coin."""
    least = min((each.coin for each in exposed if each.responsive), default=ONE)
    if any(each.coin < chance and (each.unread or (each.upheld and each.late)) for each in exposed):
        return Entered(hits=1, credit=0, left=tuple(unseen), cost=0)
    if least < chance:
        credit = sum(cost(least) for each in exposed if each.responsive and not each.beforehand)
        return Entered(hits=1, credit=credit, left=tuple(unseen), cost=0)
    return draw(exposed, chance, unseen)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenUp:
    """A position that Alice gave up in her second look, once all of these are settled, unread or upheld."""

    exposure: int
    found: bool  # settled as responsive; not if Bob left it unread
    beforehand: bool  # claimed so, which brings no credit


def after_look(standing: Standing, given_up: Iterable[GivenUp]) -> Standing:
    """The standing once what Alice gave up is no longer withheld."""
    found, credit, exposures = standing.found, standing.credit, Counter(standing.exposures)
    for each in given_up:
        exposures[each.exposure] -= 1
        found += each.found
        credit += each.exposure if each.found and not each.beforehand else 0
    return Standing(found=found, hits=standing.hits, credit=credit, exposures=+exposures)


@dataclass(frozen=True, slots=True, kw_only=True)
class NextDraw:
    """How an escalation goes on after the look: the certificate so far, and with which chance it draws."""

    certificate: Certificate
    chance: int
    lowered: bool  # by the limit, which is then used up
    ended: bool  # the certificate is met or nothing is withheld, so that nothing more is due


def next_draw(standing: Standing, target: Fraction, doubt: Fraction, allowance: int) -> NextDraw:
    """The chance of the draw that follows a look."""
    certificate, withheld = certify(standing, target, doubt), standing.withheld
    if certificate.met or not withheld:
        return NextDraw(certificate=certificate, chance=0, lowered=False, ended=True)
    chance, lowered = capped(next_chance(standing, target, doubt), withheld, allowance)
    return NextDraw(certificate=certificate, chance=chance, lowered=lowered, ended=False)
