"""Cheats about validations, in one stage and in two."""

from collections.abc import Callable, Mapping
from typing import Any

from ledger.entries import Addition
from ledger.roles import Audience, Role
from protocol.matter.rounds import Sort
from tests.support.forging.bending import (
    INSIDERS,
    of_kind,
    other_drawn_link,
    other_link,
    saying,
)
from tests.support.forging.catalogue import Cheat
from tests.support.forging.events import nth
from tests.support.forging.running import Change, CheatingRun
from tests.support.forging.spotbending import (
    at,
    batch_now,
    claiming,
    claims_now,
    draw_now,
    forgetting_reports,
    numbered,
    of_another_kind,
    of_documents,
    one_too_few,
    one_too_many,
    place_too_many,
    resealed,
    showing,
    undrawn,
    until_its_close,
    validation_now,
    values_of,
    waving,
    without_releases,
)
from tests.support.forging.spotcheats import SEEN, of_course

OWNERS = (Audience.ALICE, Audience.COURT)


def _trent(name: str, comment: str, check: str, change: Change, **fields: Any) -> Cheat:
    return of_course(name, Role.TRENT, comment, check, change, **fields)


def _alice(name: str, comment: str, check: str, change: Change, **fields: Any) -> Cheat:
    return of_course(name, Role.ALICE, comment, check, change, **fields)


def _first(**changed: Any) -> Callable[[list[dict[str, Any]]], list[dict[str, Any]]]:
    """The claims about validations, of which the first says something else."""
    return lambda found: [_with(found[0], changed), *found[1:]]


def _last(**changed: Any) -> Callable[[list[dict[str, Any]]], list[dict[str, Any]]]:
    """The same of the last."""
    return lambda found: [*found[:-1], _with(found[-1], changed)]


def _with(found: dict[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    return found | {name: value(found[name]) if callable(value) else value for name, value in changed.items()}


def _collection(**changed: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """The certificates, of which that of the collection says something else."""
    return lambda found: found | {"collection": _with(found["collection"], changed)}


def _due_now(run: CheatingRun) -> bool:
    """Whether Trent's draw is for a validation, between rounds."""
    return run.state.current is None and not run.state.one_class


def _one_document_otherwise(run: CheatingRun, addition: Addition) -> Addition:
    """The first sealed document is another than the first of the numbers."""
    places = values_of(addition, "documents")
    other = undrawn(run, [each["document"] for each in places])
    return run.sealing(addition, "documents", [run.trent._place(other), *places[1:]])


def _numbers_exchanged(run: CheatingRun, addition: Addition) -> Addition:
    """The first two of the sealed numbers of a batch change places."""
    ((one, other, *rest),) = values_of(addition, "numbers")
    return run.sealing(addition, "numbers", [[other, one, *rest]])


def _drawn_again(run: CheatingRun, documents: list[int]) -> list[int]:
    """The last document of a batch is one that a validation has drawn."""
    held = next(each for each in run.state.rounds if each.sort is Sort.VALIDATION)
    return [*documents[:-1], held.places[min(held.fresh) - 1].document]


def _claimed_before(run: CheatingRun) -> bool:
    """Whether the open validation has drawn something that a report claims as privileged."""
    return bool(run.state.rounds[-1].privilege.beforehand)


VALIDATIONS: Mapping[str, Cheat] = {
    # one stage
    "trent-validates-with-a-false-link": _trent(
        "validated",
        "the link with which Trent draws a validation is not of his chain",
        "V08",
        of_kind("validation", other_drawn_link),
    ),
    "trent-validates-under-another-draw": _trent(
        "validated",
        "a validation states another draw than the one that was held for it",
        "V08",
        of_kind("validation", saying(drawn=lambda found: found | {"draw": found["draw"] + 1})),
    ),
    "trent-leaves-a-drawn-document-out-of-a-validation": _trent(
        "validated",
        "a document that the coins draw is not in the validation",
        "V28",
        of_kind("validation", numbered(lambda _, numbers: numbers[1:])),
        caught_in=INSIDERS,
    ),
    "trent-puts-a-document-into-a-validation": _trent(
        "validated",
        "a document that no coin draws is in the validation",
        "V28",
        of_kind("validation", numbered(lambda run, numbers: [*numbers, undrawn(run, numbers)])),
        caught_in=INSIDERS,
    ),
    "trent-validates-nothing": _trent(
        "validated",
        "a validation is of no documents at all",
        "V28",
        of_kind("validation", numbered(lambda _, __: [])),
        caught_in=INSIDERS,
    ),
    "trent-lists-a-validation-in-disorder": _trent(
        "validated",
        "the numbers of a validation are not in order",
        "V28",
        of_kind("validation", saying(numbers=lambda found: found[::-1])),
    ),
    "trent-says-that-nothing-was-put-up-before": _trent(
        "validated",
        "a validation does not say that it draws documents which were reviewed",
        "V28",
        nth(3, at("validation", saying(reviewed=[]))),
        caught_in=INSIDERS,
    ),
    "trent-says-that-everything-was-put-up-before": _trent(
        "validated",
        "a validation says of a document that was never reviewed that it was",
        "V28",
        of_kind("validation", saying(reviewed=lambda found: sorted({*found, 1, 2, 3}))),
        caught_in=INSIDERS,
    ),
    "trent-counts-a-failed-validation-away": _trent(
        "validated",
        "the second validation says that it is the first, which has the larger share of the doubt",
        "V28",
        at("validation", saying(number=1), when=lambda run: len(run.state.rounds) > 2),
    ),
    "trent-keeps-the-numbers-from-bob": _trent(
        "validated",
        "a validation does not release to Bob which documents were in the batches",
        "V28",
        of_kind("validation", without_releases),
    ),
    "trent-seals-other-documents-than-he-lists": _trent(
        "validated",
        "Alice is shown another document than the validation lists",
        "V28",
        of_kind("validation", _one_document_otherwise),
        caught_in=OWNERS,
    ),
    "trent-skips-a-validation": _trent(
        "validated",
        "the next batch is put up though a validation is due",
        "V28",
        at("draw", batch_now, when=_due_now),
        caught_in=INSIDERS,
    ),
    "trent-claims-while-a-validation-is-due": _trent(
        "classed",
        "the claims are made though the last batch is closed and a validation is due",
        "V28",
        at("draw", claims_now, when=lambda run: len(run.state.batches) == 3),
        caught_in=INSIDERS,
        last=False,
    ),
    "trent-validates-before-its-time": _trent(
        "validated",
        "the draw for the first batch is used for a validation",
        "V28",
        of_kind("batch", validation_now),
    ),
    "trent-validates-what-the-terms-do-not-ask-for": _trent(
        "escalated",
        "a validation is held in a matter whose terms have none",
        "V28",
        of_kind("batch", validation_now),
    ),
    "trent-draws-for-a-validation-before-its-time": _trent(
        "viewed",
        "a draw begins where a batch by model is due",
        "V09",
        at("batch", draw_now, when=lambda run: not run.state.one_class),
        caught_in=INSIDERS,
    ),
    "trent-calls-where-he-should-show": _trent(
        "validated",
        "a call is made in a matter whose terms ask for one stage",
        "V28",
        of_kind("validation", of_another_kind("call")),
    ),
    "trent-shows-one-too-few-in-a-validation": _trent(
        "validated",
        "a document that a validation drew is not shown to Bob",
        "V13",
        showing("claim", one_too_few),
        **SEEN,
    ),
    "trent-goes-on-after-the-target-was-reached": _trent(
        "validated",
        "another batch is put up though a validation has reached its target",
        "V29",
        of_kind("claims", batch_now),
        caught_in=INSIDERS,
    ),
    "trent-stops-though-no-validation-has-reached-the-target": _trent(
        "validated",
        "the claims are made after a validation that failed, with rounds left",
        "V29",
        at("batch", claims_now, when=lambda run: len(run.state.rounds) > 1),
        caught_in=INSIDERS,
        last=False,
    ),
    "trent-denies-that-a-validation-ended-the-review": _trent(
        "validated",
        "the claims say that the review ended by the number of rounds",
        "V29",
        of_kind("claims", saying(ended="rounds")),
        **SEEN,
    ),
    "trent-hides-a-failed-validation": _trent(
        "validated",
        "the claims do not list the first validation, which failed",
        "V17",
        of_kind("claims", saying(validations=lambda found: found[1:])),
        last=False,
    ),
    "trent-miscounts-the-hits-of-a-validation": _trent(
        "validated",
        "the claims state a hit less among what was never reviewed",
        "V17",
        of_kind("claims", saying(validations=_first(never=lambda found: found | {"hits": found["hits"] - 1}))),
        last=False,
    ),
    "trent-understates-the-total": _trent(
        "validated",
        "the claims bound all responsive documents of the collection by one too few",
        "V18",
        of_kind("claims", saying(validations=_first(total=lambda number: number - 1))),
        **SEEN,
    ),
    "trent-understates-what-a-validation-misses": _trent(
        "validated",
        "the claims bound what is missing after a validation by one too few",
        "V18",
        of_kind("claims", saying(validations=_last(at_most=lambda number: number - 1))),
        **SEEN,
    ),
    "trent-says-that-a-failed-validation-reached-the-target": _trent(
        "validated",
        "the claims say that the first validation reached its target",
        "V18",
        of_kind("claims", saying(validations=_first(reached=True))),
        **SEEN,
    ),
    "trent-understates-what-is-missing-in-the-collection": _trent(
        "validated",
        "the certificate of the collection bounds what is missing by one too few",
        "V18",
        of_kind("claims", saying(certificates=_collection(at_most=lambda number: number - 1))),
        **SEEN,
    ),
    "trent-understates-what-was-never-reviewed": _trent(
        "validated",
        "the certificate of the collection says that one document more was reviewed",
        "V18",
        of_kind("claims", saying(certificates=_collection(unreviewed=lambda number: number - 1))),
        **SEEN,
    ),
    "trent-puts-up-again-what-a-validation-drew": _trent(
        "validated",
        "a batch holds a document that a validation has drawn before",
        "V09",
        at("batch", of_documents(_drawn_again), when=lambda run: len(run.state.rounds) > 1),
        caught_in=OWNERS,
    ),
    "trent-numbers-a-batch-otherwise": _trent(
        "validated",
        "the sealed numbers of a batch stand in another order than its documents",
        "V09",
        of_kind("batch", _numbers_exchanged),
        caught_in=OWNERS,
    ),
    "alice-claims-beyond-a-validation": _alice(
        "classed",
        "her claim in a validation names a position that it does not have",
        "V25",
        at("claim", saying(positions=lambda found: [*found[:-1], 999]), author=Role.ALICE),
    ),
    "alice-claims-again-in-a-validation": _alice(
        "classed",
        "her claim in a validation names a document that she claimed in the report that labelled it",
        "V25",
        at("claim", claiming(lambda current: current.privilege.claimed), author=Role.ALICE, when=_claimed_before),
        caught_in=OWNERS,
    ),
    "trent-shows-bob-in-a-validation-what-a-report-claims": _trent(
        "classed",
        "a validation shows Bob what Alice claimed in the report that labelled it, and the court has not seen it",
        "V25",
        until_its_close(at("camera", forgetting_reports, sort=Sort.VALIDATION, when=_claimed_before)),
        caught_in=OWNERS,
        last=False,
    ),
    "bob-leaves-some-out-in-a-validation": of_course(
        "validated",
        Role.BOB,
        "he gives a label less than a validation shows him",
        "V15",
        at("labels", saying(labels=lambda found: found[:-1]), author=Role.BOB, sort=Sort.VALIDATION),
    ),
    "court-rules-on-fewer-in-a-validation": of_course(
        "validated",
        Role.COURT,
        "it gives a ruling less than a validation brings disputes",
        "V15",
        at("rulings", saying(labels=lambda found: found[:-1]), author=Role.COURT, sort=Sort.VALIDATION),
    ),
    # two stages
    "trent-calls-one-too-few": _trent(
        "called",
        "a document that the coins call is not shown to Alice",
        "V28",
        of_kind("call", numbered(lambda _, numbers: numbers[:-1], reviewed=False)),
        caught_in=INSIDERS,
    ),
    "trent-calls-what-was-reviewed": _trent(
        "called",
        "a document of a batch is called",
        "V28",
        of_kind(
            "call",
            numbered(
                lambda run, numbers: [*numbers[1:], run.state.rounds[0].places[0].document],
                reviewed=False,
            ),
        ),
        caught_in=INSIDERS,
    ),
    "trent-calls-something-reviewed": _trent(
        "called",
        "a call says that a called document was put up before",
        "V28",
        of_kind("call", saying(reviewed=[1])),
    ),
    "trent-shows-where-he-should-call": _trent(
        "called",
        "a validation in one stage is held where the terms ask for two",
        "V28",
        of_kind("call", of_another_kind("validation")),
    ),
    "trent-shows-one-too-few-after-a-call": _trent(
        "called",
        "a document that the second draw takes is not shown to Bob",
        "V13",
        showing("report", one_too_few),
        **SEEN,
    ),
    "trent-shows-one-too-many-after-a-call": _trent(
        "called",
        "a withheld document that the second draw does not take is shown to Bob",
        "V13",
        showing("report", one_too_many),
        **SEEN,
    ),
    "trent-closes-a-call-with-a-false-link": _trent(
        "called",
        "the link of the second draw is not of Trent's chain",
        "V08",
        at("closed", other_link, sort=Sort.VALIDATION),
    ),
    "trent-keeps-the-report-on-a-call-from-bob": _trent(
        "called",
        "Alice's labels of what was called stay sealed when the validation closes",
        "V16",
        at("closed", without_releases, sort=Sort.VALIDATION),
    ),
    "trent-releases-a-name-at-the-close-of-a-call": _trent(
        "called",
        "the close of a validation opens to Bob the name of a document that he was not shown",
        "V16",
        at("closed", place_too_many, sort=Sort.VALIDATION),
    ),
    "trent-understates-the-total-of-two-stages": _trent(
        "called",
        "the claims bound all responsive documents of the collection by one too few",
        "V18",
        of_kind("claims", saying(validations=_last(total=lambda number: number - 1))),
        **SEEN,
    ),
    "trent-proves-something-without-a-report": _trent(
        "eventful-two-stages",
        "the claims state what a validation proves on whose call Alice never reported",
        "V18",
        of_kind("claims", saying(validations=_first(total=20, at_most=10))),
        **SEEN,
    ),
    "trent-shows-what-is-withheld-though-nobody-reported": _trent(
        "eventful-two-stages",
        "Alice does not report on a call, and Bob is also shown what was withheld before",
        "V13",
        until_its_close(
            at("disclosure", waving(lambda current, wave: {*wave, current.size}), sort=Sort.VALIDATION),
        ),
        **SEEN,
    ),
    "alice-labels-fewer-than-were-called": _alice(
        "called",
        "her report has a label less than documents were called",
        "V12",
        at("report", resealed("labels", lambda found: [found[0][:-1]]), author=Role.ALICE, sort=Sort.VALIDATION),
        caught_in=(Audience.ALICE, Audience.COURT),
    ),
    "alice-labels-more-than-were-called": _alice(
        "called",
        "her report also labels a document that was withheld before",
        "V12",
        at("report", resealed("labels", lambda found: [[*found[0], True]]), author=Role.ALICE, sort=Sort.VALIDATION),
        caught_in=(Audience.ALICE, Audience.COURT),
    ),
    "alice-gives-a-false-link-with-her-report-on-a-call": _alice(
        "called",
        "the link in her report on a call is not of her chain",
        "V08",
        at("report", other_link, author=Role.ALICE, sort=Sort.VALIDATION),
    ),
}
