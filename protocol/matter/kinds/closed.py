"""`closed`: how the round ends, with Trent's link. Releases Alice's report to Bob."""

from dataclasses import replace

from ledger.hashing import Digest
from ledger.records import Malformed, Natural, Record
from ledger.roles import Role
from protocol.matter import bookkeeping, requirements
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.rounds import Round
from protocol.matter.state import Matter
from protocol.matter.values import Link, Outcome, Truth
from protocol.rules.terms import Positive


class Closed(Record, frozen=True, kw_only=True):
    """The round's outcome and Trent's link."""

    compelled: bool
    draw: Positive | None  # None without a draw
    error: Natural  # of the threshold, by Alice's report
    link: Digest | None
    responsive: tuple[Positive, ...]  # the positions whose output label is responsive
    sampled: Natural  # how many positions a coin drew
    threshold: Natural
    truth: Truth | None


def content_of(outcome: Outcome, draw: int | None, link: Digest | None) -> Closed:
    """What a close says of an outcome."""
    return Closed(
        compelled=outcome.compelled,
        draw=draw,
        error=outcome.error,
        link=link,
        responsive=outcome.responsive,
        sampled=outcome.sampled,
        threshold=outcome.threshold,
        truth=outcome.truth,
    )


def blind(matter: Matter, content: Closed, entry: Entry) -> None:
    """The round ends with Trent's link, and with the labels that were agreed or ruled."""
    review = requirements.open_round(matter, entry)
    if {content.draw is None, content.link is None} != {matter.drawing is None}:
        raise Malformed("a round closes with Trent's link if coins decide in it, and only then")
    if content.draw is not None and content.link is not None:
        requirements.link(matter, Role.TRENT, matter.draws, Link(draw=content.draw, link=content.link))
    if content.responsive:
        requirements.positions(content.responsive, review)
    responsive = set(content.responsive)
    unclear = review.unclear(classes=matter.terms.classes is not None) if entry.openings is None else ()
    for place, label in (review.bob | review.rulings | review.in_camera).items():
        if (place in responsive) != label and place not in unclear:
            raise Malformed(f"position {place} does not end with the label that was agreed or ruled")
    if (content.truth is None) != (matter.opening.simulation is None):
        raise Malformed("a simulation states the truth, and nothing else does")
    if entry.releases != review.opened_to_bob():
        raise Malformed("it must release Alice's report to Bob, and nothing else")


def check(matter: Matter, content: Closed, entry: Entry) -> None:
    """Bob and the court were shown what the rule and the coins say, and the round ends as the rule says."""
    review = matter.rounds[-1]
    requirements.settled(review)
    requirements.drawn(matter, review)
    flips = _coins(matter, review, content)
    review.check_steps(matter.rule, flips)
    ending = review.ending(matter.rule, flips, content.truth)
    requirements.as_computed(
        content, content_of(ending, content.draw, content.link), "the round does not end as the rule says"
    )


def _coins(matter: Matter, review: Round, content: Closed) -> list[int]:
    """The coins that Trent's link gives; those that are known already; none for a round that throws none."""
    if content.link is None or review.items is None:
        return list(review.flips or ())
    return matter.coins({**matter.links_of_draw(), Role.TRENT: content.link}, review.items)


def take(matter: Matter, content: Closed, entry: Entry) -> None:
    """The round is over. A reader with the openings keeps what its coins tell."""
    review = matter.rounds[-1]
    matter.stamped = matter.logged = False
    if content.link is not None:
        matter.spend(Role.TRENT, content.link)
    if entry.openings is not None:
        flips, known = _coins(matter, review, content), review.known
        review.examination = review.examine(matter.rule, flips, known)
        review.by_coin = review.examine(matter.rule, flips, replace(known, counted=frozenset()))
        bookkeeping.close(matter, review, flips)
    outcome = Outcome(
        compelled=content.compelled,
        error=content.error,
        responsive=content.responsive,
        sampled=content.sampled,
        threshold=content.threshold,
        truth=content.truth,
    )
    matter.end_round(review, outcome)
    review.steps.clear()  # they are checked, and each holds what was settled before it


KIND = Kind(
    name="closed",
    record=Closed,
    authors=(Role.TRENT,),
    when=When.FREE,
    asks={},
    seals={},
    optional=(),
    releases=True,
    blind=blind,
    check=check,
    take=take,
    asking=None,
    words=Words(called="close of the round", event=None),
)
