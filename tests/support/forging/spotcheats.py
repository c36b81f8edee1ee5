"""Cheats about spot checks, escalations and how the review ends."""

from collections.abc import Callable, Mapping
from typing import Any

from ledger.roles import Role
from protocol.matter.rounds import Sort
from tests.support.forging.bending import (
    INSIDERS,
    add_one_not_drawn,
    bent,
    forget_what_compels,
    of_kind,
    other_link,
    saying,
    second_answer,
    skip_a_drawn_one,
)
from tests.support.forging.catalogue import EVERYBODY, Cheat
from tests.support.forging.mutations import reviewed
from tests.support.forging.running import Change, CheatingRun
from tests.support.forging.spotbending import (
    all_at_once,
    at,
    batch_now,
    claiming,
    claims_now,
    close_now,
    draw_now,
    escalation_now,
    nothing_given_up,
    one_too_few,
    one_too_many,
    place_too_many,
    showing,
    until_its_close,
    waving,
    with_another_target,
)
from tests.support.forging.spotcheck import COURSES, WithoutLook


def of_course(name: str, who: Role, comment: str, check: str, change: Change, **fields: Any) -> Cheat:
    """A cheat in one of the honest courses."""
    course = COURSES[name]
    whole: dict[str, Any] = {"caught_in": EVERYBODY, "last": True, "terms": course.terms, "course": course.run}
    return Cheat(
        base=name,
        who=who,
        comment=comment,
        check=check,
        change=change,
        protocol=course.protocol,
        players=course.players,
        **(whole | fields),
    )


def _trent(comment: str, check: str, change: Change, name: str = "escalated", **fields: Any) -> Cheat:
    return of_course(name, Role.TRENT, comment, check, change, **fields)


def _alice(comment: str, check: str, change: Change, name: str = "escalated", **fields: Any) -> Cheat:
    return of_course(name, Role.ALICE, comment, check, change, **fields)


def _nothing(run: CheatingRun, addition: Any) -> None:
    return None


def _closed_batches(number: int) -> Callable[[CheatingRun], bool]:
    return lambda run: run.state.current is None and len(run.state.batches) == number


SEEN: dict[str, Any] = {"caught_in": INSIDERS, "last": False}
"""What shows only when a round closes, and only to those who see Alice's labels."""

ESCALATIONS: Mapping[str, Cheat] = {
    "trent-shows-one-too-few-in-an-escalation": _trent(
        "a withheld document that a coin of an escalation drew is not shown to Bob",
        "V13",
        showing("look", one_too_few, number=2),
        **SEEN,
    ),
    "trent-shows-one-too-many-in-an-escalation": _trent(
        "a withheld document that no coin of an escalation drew is shown to Bob",
        "V13",
        showing("look", one_too_many, number=2),
        **SEEN,
    ),
    "trent-draws-an-escalation-with-another-chance": _trent(
        "an escalation draws with the chance that a lower target would ask for",
        "V13",
        until_its_close(of_kind("look", with_another_target, author=Role.ALICE, round_=6)),
        **SEEN,
    ),
    "trent-shows-everything-in-an-escalation": _trent(
        "all that is withheld is shown, and nothing was thrown for it", "V13", showing("look", all_at_once), **SEEN
    ),
    "trent-keeps-what-alice-gave-up": _trent(
        "what Alice gives up in her second look is not shown to Bob", "V13", showing("look", nothing_given_up), **SEEN
    ),
    "trent-mixes-the-waves-of-an-escalation": _trent(
        "what a coin drew is shown together with what Alice gave up, before the chance is fixed",
        "V13",
        until_its_close(
            at(
                "disclosure",
                waving(lambda current, wave: {*wave, *(set(range(1, current.size + 1)) - current.given_up)}),
                sort=Sort.ESCALATION,
            )
        ),
        **SEEN,
    ),
    "trent-leaves-a-withheld-document-out": _trent(
        "an escalation is of one document less than is withheld",
        "V27",
        of_kind("escalation", saying(size=lambda size: size - 1)),
    ),
    "trent-adds-to-what-is-withheld": _trent(
        "an escalation is of one document more than is withheld",
        "V27",
        of_kind("escalation", saying(size=lambda size: size + 1)),
    ),
    "trent-skips-an-escalation": _trent(
        "the next batch is put up though an escalation is due",
        "V27",
        of_kind("escalation", batch_now),
        caught_in=INSIDERS,
    ),
    "trent-claims-while-an-escalation-is-due": _trent(
        "the claims are made though the target is not met and an escalation is due",
        "V27",
        of_kind("escalation", claims_now, round_=6),
        caught_in=INSIDERS,
        last=False,
    ),
    "trent-escalates-before-its-time": _trent(
        "an escalation begins after the first batch, though the terms ask for one after every second",
        "V27",
        of_kind("batch", escalation_now, round_=3),
        name="validated",
        caught_in=INSIDERS,
    ),
    "trent-escalates-beyond-the-limit": _trent(
        "another escalation begins though the limit is used up",
        "V27",
        of_kind("claims", escalation_now),
        name="limited",
        caught_in=INSIDERS,
    ),
    "trent-escalates-under-another-rule": _trent(
        "an escalation begins in a matter without spot checks",
        "V27",
        of_kind("batch", escalation_now, round_=2),
        name="viewed",
    ),
    "trent-closes-an-escalation-with-a-false-link": _trent(
        "the link with which Trent closes an escalation is not of his chain",
        "V08",
        at("closed", other_link, sort=Sort.ESCALATION),
    ),
    "trent-closes-an-escalation-without-a-link": _trent(
        "an escalation closes without Trent's link, as if it had no draw",
        "V08",
        at("closed", saying(draw=None, link=None), sort=Sort.ESCALATION),
    ),
    "trent-mislabels-the-output-of-an-escalation": _trent(
        "what Bob and Alice agree on in an escalation is not in its output",
        "V16",
        at("closed", saying(responsive=[]), sort=Sort.ESCALATION),
    ),
    "trent-understates-what-an-escalation-drew": _trent(
        "the close of an escalation says that a coin drew one less than it did",
        "V16",
        at("closed", saying(sampled=lambda number: number - 1), sort=Sort.ESCALATION),
        caught_in=INSIDERS,
    ),
    "trent-releases-a-name-at-the-close-of-an-escalation": _trent(
        "the close of an escalation opens to Bob the name of a document that he was not shown",
        "V16",
        at("closed", place_too_many, sort=Sort.ESCALATION),
    ),
    "trent-releases-a-name-with-a-wave-of-an-escalation": _trent(
        "a wave of an escalation opens to Bob the name of a document that is not in it",
        "V13",
        at("disclosure", place_too_many, sort=Sort.ESCALATION),
        caught_in=INSIDERS,
    ),
    "alice-looks-beyond-the-list": _alice(
        "her second look names a position that the list does not have",
        "V27",
        of_kind("look", saying(positions=[999]), author=Role.ALICE),
    ),
    "alice-looks-in-disorder": _alice(
        "the positions of her second look are not in order",
        "V27",
        of_kind("look", saying(positions=[2, 1]), author=Role.ALICE),
    ),
    "alice-gives-one-up-twice": _alice(
        "her second look names a position twice",
        "V27",
        of_kind("look", saying(positions=[1, 1]), author=Role.ALICE),
    ),
    "alice-gives-a-false-link-with-her-look": _alice(
        "the link in her second look is not of her chain",
        "V08",
        of_kind("look", other_link, author=Role.ALICE),
    ),
    "alice-looks-twice": _alice(
        "she signs two second looks for one escalation",
        "V19",
        second_answer("look", Role.ALICE, positions=[1, 2, 3]),
        caught_in=INSIDERS,
        last=False,
    ),
    "bob-gives-a-false-link-in-an-escalation": of_course(
        "escalated",
        Role.BOB,
        "the link that fixes the coins of an escalation is not of his chain",
        "V08",
        at("link", other_link, author=Role.BOB, sort=Sort.ESCALATION),
    ),
    "bob-leaves-some-out-in-an-escalation": of_course(
        "escalated",
        Role.BOB,
        "he gives a label less than an escalation shows him",
        "V15",
        at("labels", saying(labels=lambda found: found[:-1]), author=Role.BOB, sort=Sort.ESCALATION),
    ),
    "court-rules-on-fewer-in-an-escalation": of_course(
        "escalated",
        Role.COURT,
        "it gives a ruling less than an escalation brings disputes",
        "V15",
        at("rulings", saying(labels=lambda found: found[:-1]), author=Role.COURT, sort=Sort.ESCALATION),
    ),
    # without a look
    "trent-closes-an-escalation-without-its-draw": _trent(
        "Alice does not look, and the escalation closes though something may be drawn",
        "V27",
        at("draw", close_now, sort=Sort.ESCALATION),
        name="eventful-two-stages",
        caught_in=INSIDERS,
    ),
    "trent-draws-where-nothing-may-be-drawn": _trent(
        "Alice does not look, and a draw is held though the limit allows none",
        "V27",
        at("closed", draw_now, sort=Sort.ESCALATION),
        caught_in=INSIDERS,
        terms={**COURSES["escalated"].terms, "limit": "0"},
        course=WithoutLook,
    ),
    "trent-uses-the-draw-of-a-look-that-never-came": _trent(
        "the draw after a look that was ordered away has the number that the look may have used",
        "V08",
        at("draw", saying(draw=lambda number: number - 1), sort=Sort.ESCALATION),
        name="eventful-two-stages",
    ),
    "alice-uses-the-draw-that-was-skipped": _alice(
        "the second look of her new key is for the draw that the former key may have used",
        "V08",
        of_kind("look", saying(draw=lambda number: number - 1), author=Role.ALICE),
        name="eventful-two-stages",
    ),
    "alice-claims-late-what-she-gave-up": _alice(
        "a late claim in an escalation names a document that she has given up and that Bob has not seen yet",
        "V25",
        of_kind("claim", claiming(lambda current: current.given_up - current.disclosed), author=Role.ALICE),
        name="eventful-two-stages",
    ),
    # penalty
    "trent-spares-alice-the-penalty": _trent(
        "a drawn document is confirmed as responsive, and the rest of the batch is not shown",
        "V13",
        _nothing,
        name="penalised",
        bend=bent(forget_what_compels),
        **SEEN,
    ),
    "trent-skips-a-spot-check": _trent(
        "a document that a spot check drew is not shown to Bob",
        "V13",
        _nothing,
        name="penalised",
        bend=bent(skip_a_drawn_one),
        **SEEN,
    ),
    "trent-shows-what-no-spot-check-drew": _trent(
        "a document that no spot check drew is shown to Bob",
        "V13",
        _nothing,
        name="penalised",
        bend=bent(add_one_not_drawn),
        **SEEN,
    ),
    # the end
    "trent-claims-after-the-first-batch": _trent(
        "the claims are made after one of three rounds", "V29", at("batch", claims_now, when=_closed_batches(1))
    ),
    "trent-goes-on-after-the-last-round": _trent(
        "a fourth batch is put up where the terms say three", "V29", of_kind("claims", batch_now)
    ),
    "trent-states-another-reason-for-the-end": _trent(
        "the claims say that no document was left",
        "V29",
        of_kind("claims", saying(ended="documents")),
        last=False,
    ),
    "trent-understates-what-is-hidden-among-the-reviewed": _trent(
        "the certificate of the reviewed bounds the hidden documents by one too few",
        "V18",
        of_kind("claims", saying(certificates=reviewed(lambda found: {"at_most": found["at_most"] - 1}))),
        terms={**COURSES["escalated"].terms, "limit": "0"},
        **SEEN,
    ),
    "trent-says-that-the-target-was-reached": _trent(
        "the certificate of the reviewed says that its target was reached",
        "V18",
        of_kind("claims", saying(certificates=reviewed(lambda found: {"reached": True}))),
        terms={**COURSES["escalated"].terms, "limit": "0"},
        **SEEN,
    ),
    "trent-calls-an-escalation-a-batch": _trent(
        "the claims list an escalation as a batch",
        "V17",
        of_kind("claims", saying(rounds=lambda found: [each | {"sort": "batch"} for each in found])),
        last=False,
    ),
    "trent-counts-an-escalation-as-reviewed": _trent(
        "the claims count what an escalation drew again as reviewed twice",
        "V17",
        of_kind("claims", saying(reviewed=lambda number: number + 5)),
        last=False,
    ),
    # amendments
    "trent-amends-the-limit-beyond-all": _trent(
        "a limit above 1 is proposed", "V26", of_kind("amend", saying(limit="1.5")), name="eventful-two-stages"
    ),
    "trent-amends-the-limit-away": _trent(
        "an amendment under spot checks states no limit",
        "V26",
        of_kind("amend", saying(limit=None)),
        name="eventful-two-stages",
    ),
    "trent-amends-the-limit-to-what-it-is": _trent(
        "the limit that is in force is proposed again",
        "V26",
        of_kind("amend", saying(limit="0.3")),
        name="eventful-two-stages",
    ),
}
