"""Cheats about what the court sees before Bob: in a validation of which it is the viewer, and of sensitive classes."""

from collections.abc import Callable, Mapping
from typing import Any

from ledger.entries import Addition
from ledger.roles import Audience, Role
from protocol.matter import terms
from protocol.matter.kinds import dispute
from protocol.matter.kinds.dispute import Dispute
from protocol.matter.rounds import Round, Sort
from tests.support.forging.bending import INSIDERS, of_kind, saying
from tests.support.forging.catalogue import Cheat
from tests.support.forging.running import Change, CheatingRun
from tests.support.forging.spotbending import (
    at,
    forgetting_claims,
    in_camera,
    resealed,
    to_bob_at_once,
    until_its_close,
    values_of,
    waving,
)
from tests.support.forging.spotcheats import SEEN, of_course
from tests.support.forging.spotcheck import CLASS, COURSES

OWNERS = (Audience.ALICE, Audience.COURT)
IN_THE_CLASS: dict[str, Any] = {"class": CLASS}


def _trent(name: str, comment: str, check: str, change: Change, **fields: Any) -> Cheat:
    return of_course(name, Role.TRENT, comment, check, change, **fields)


def _alice(name: str, comment: str, check: str, change: Change, **fields: Any) -> Cheat:
    return of_course(name, Role.ALICE, comment, check, change, **fields)


def _kept(label: bool) -> Callable[[CheatingRun], bool]:  # noqa: FBT001 (what the court found)
    """Whether the court has labelled something so in camera in the open round."""
    return lambda run: run.state.current is not None and label in run.state.current.in_camera.values()


def _without_found(current: Round, wave: tuple[int, ...]) -> set[int]:
    """The wave without what the court found responsive in camera."""
    return {position for position in wave if not current.in_camera.get(position)}


def _with_kept(current: Round, wave: tuple[int, ...]) -> set[int]:
    """The wave with what the court found not responsive in camera."""
    return {*wave, *current.kept}


def _class_everywhere(run: CheatingRun, addition: Addition) -> Addition | None:
    """All positions of a report are put into the class."""
    return resealed("privilege", lambda found: [IN_THE_CLASS] * len(found))(run, addition)


def _other_class(found: list[Any]) -> list[Any]:
    return [{"class": "unheard-of"}, *found[1:]]


def _goes_to_court_though_responsive() -> Change:
    """Alice puts into the class what she labels responsive, and Trent brings it to the court before Bob."""

    def change(run: CheatingRun, addition: Addition) -> Addition | None:
        said = addition.statement
        if said.kind == "report" and said.round == 1:
            (labels,) = values_of(addition, "labels")
            bases = [IN_THE_CLASS if label else None for label in labels]
            return resealed("privilege", lambda _: bases)(run, addition)
        if said.kind == "disclosure" and said.round == 1 and run.cheated == 1:
            return in_camera(run, addition)
        return None

    return change


def _dispute(run: CheatingRun, _: Addition) -> Addition:
    """The court is asked about a position that it has labelled in camera and that Bob was shown."""
    current = run.state.rounds[-1]
    found = next(position for position, label in sorted(current.in_camera.items()) if label)
    return run.trent.says(run.state, dispute.KIND, Dispute(positions=(found,)), current.number)


CLASSES: Mapping[str, Cheat] = {
    # the court is the viewer
    "trent-shows-bob-before-the-court": _trent(
        "viewed",
        "a validation shows Bob what the court should see first",
        "V25",
        until_its_close(at("camera", to_bob_at_once, sort=Sort.VALIDATION)),
        caught_in=INSIDERS,
        last=False,
    ),
    "trent-shows-bob-what-the-court-found-not-responsive": _trent(
        "viewed",
        "Bob is shown a document of a validation that the court found not responsive",
        "V13",
        at("disclosure", waving(_with_kept), sort=Sort.VALIDATION),
    ),
    "trent-keeps-what-the-court-found-responsive": _trent(
        "viewed",
        "Bob is not shown a document of a validation that the court found responsive",
        "V13",
        until_its_close(at("disclosure", waving(lambda _, wave: wave[:-1]), sort=Sort.VALIDATION)),
        **SEEN,
    ),
    "trent-asks-again-about-what-the-court-has-labelled": _trent(
        "viewed",
        "the court is asked to rule on a document that it labelled in camera",
        "V15",
        at("closed", _dispute, sort=Sort.VALIDATION),
    ),
    "trent-miscounts-what-the-court-kept": _trent(
        "viewed",
        "the claims count a document less than the court found not responsive in camera",
        "V17",
        of_kind("claims", saying(in_camera=lambda number: number - 1)),
        last=False,
    ),
    "court-looks-at-fewer-than-it-was-shown": of_course(
        "viewed",
        Role.COURT,
        "it says of a document less than it was shown whether it is responsive",
        "V25",
        at("privilege", saying(upheld=lambda found: found[:-1]), author=Role.COURT),
    ),
    # classes
    "alice-marks-more-than-the-share": _alice(
        "classed",
        "she puts more documents into the class than the terms allow",
        "V25",
        of_kind("report", _class_everywhere, author=Role.ALICE),
        caught_in=OWNERS,
        terms={**COURSES["classed"].terms, "classes": terms.classes([CLASS], "0.1")},
    ),
    "alice-names-a-class-that-the-terms-do-not-have": _alice(
        "classed",
        "she puts a document into a class that the terms do not have",
        "V12",
        of_kind("report", resealed("privilege", _other_class), author=Role.ALICE),
        caught_in=OWNERS,
    ),
    "alice-names-another-class-in-a-validation": _alice(
        "classed",
        "her claim in a validation names a class that the terms do not have",
        "V25",
        at("claim", resealed("privilege", _other_class), author=Role.ALICE),
        caught_in=OWNERS,
    ),
    "alice-claims-late-for-a-class": _alice(
        "eventful-two-stages",
        "a late claim in an escalation names a class in place of a basis",
        "V25",
        of_kind("claim", resealed("privilege", lambda found: [IN_THE_CLASS, *found[1:]]), author=Role.ALICE),
        caught_in=OWNERS,
    ),
    "trent-keeps-a-class-document-from-bob": _trent(
        "classed",
        "Bob is not shown a document of a class though the court found it responsive",
        "V13",
        until_its_close(at("disclosure", waving(_without_found), when=_kept(True))),
        **SEEN,
    ),
    "trent-shows-bob-a-class-document": _trent(
        "classed",
        "Bob is shown a document of a class though the court found it not responsive",
        "V13",
        at("disclosure", waving(_with_kept), when=_kept(False)),
    ),
    "trent-shows-bob-a-class-document-before-the-court": _trent(
        "classed",
        "a document of a class goes to Bob, and the court has not seen it",
        "V25",
        until_its_close(of_kind("camera", forgetting_claims)),
        caught_in=OWNERS,
        last=False,
    ),
    "trent-shows-the-court-what-alice-calls-responsive": _trent(
        "classed",
        "the court is shown a document of a class that Alice labels responsive, which should go to Bob at once",
        "V25",
        until_its_close(_goes_to_court_though_responsive()),
        caught_in=INSIDERS,
        last=False,
    ),
    "court-labels-fewer-of-a-class": of_course(
        "classed",
        Role.COURT,
        "it says of a document less than it was shown whether it is responsive",
        "V25",
        of_kind("privilege", saying(upheld=lambda found: found[:-1]), author=Role.COURT),
    ),
}
