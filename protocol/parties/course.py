"""What everybody can check of a history without an opening, before anything is answered, signed or shown.

The rules of the chain say who wrote an entry; these say whether it has its place in a review: its shape, whose turn it
was, the numbers of rounds and draws, and every link against the chain that it belongs to. A party that folds all that
it is served through them can be led neither to a question that nobody may ask, nor to a link that is not due.

What is sealed from somebody is not looked at here: labels, documents and bases. The verifier does that.
"""

from collections.abc import Callable
from typing import Any

from ledger import entries
from ledger.records import Malformed
from ledger.roles import Role
from protocol.matter import checking, statements
from protocol.matter.privilege import PrivilegeLog
from protocol.matter.requirements import check_positions, check_round, open_round
from protocol.matter.rounds import Round
from protocol.matter.state import Drawing, MatterState, Told
from protocol.matter.statements import Kind, Place
from protocol.rules import table
from protocol.rules.base import Report

_SEALED = Place(document=0, name="")


class Course(MatterState):
    """A matter after the entries it was told, as far as all can follow it: places and labels are blanks."""

    privilege_reported = False  # whether the last report claims any

    def _checked(self, told: Told) -> Any:
        content = checking.typed(told)
        _CHECKS[Kind(told.statement.kind)](self, content, told)
        return content

    def _take(self, kind: Kind, content: Any, told: Told) -> None:
        taken = _TAKEN.get(kind)
        if taken is not None:
            taken(self, content, told)
        else:
            super()._take(kind, content, told)


def _sealed(told: Told, name: str) -> int:
    """How many values an entry seals under this name."""
    field = told.statement.sealed.get(name)
    return 0 if field is None else len(field.commitments)


def _check_sealed(told: Told, name: str, due: int) -> None:
    if _sealed(told, name) != due:
        raise Malformed(f"it seals {_sealed(told, name)} values as {name!r}, where {due} are due")


def _batch(course: Course, content: statements.Batch, told: Told) -> None:
    checking.check_choice(course, content, told)
    _check_sealed(told, "documents", content.size)
    left = course.opening.corpus.documents - sum(each.size for each in course.rounds)
    if content.size > min(course.terms.batch, left):
        raise Malformed(f"a batch of {content.size}; at most {min(course.terms.batch, left)} documents can be in it")


def _report(course: Course, content: statements.Reported, told: Told) -> None:
    checking.check_promise(course, content, told)
    size = course.rounds[-1].size
    _check_sealed(told, "labels", size)
    if "threshold" in told.statement.sealed:
        _check_sealed(told, "threshold", 1)
    if "privilege" in told.statement.sealed:
        _check_sealed(told, "privilege", size)


def _camera(course: Course, content: statements.Camera, told: Told) -> None:
    current = open_round(course, told)
    check_positions(content.positions, current)
    _check_sealed(told, "proofs", len(content.positions))
    if (current.disclosed | current.privilege.upheld.keys()) & set(content.positions):
        raise Malformed("the court gets positions that Bob has not been shown, and that it has not ruled on")
    if not course.privilege_reported and not current.privilege.claimed.keys() >= set(content.positions):
        raise Malformed("the court gets positions that Alice has not claimed")
    log = PrivilegeLog(claimed=_claimed(current, content.positions))
    if told.releases != log.opened_to_bob(content.positions):
        raise Malformed("it must release to Bob the bases of these claims, and nothing else")


def _claimed(current: Round, positions: tuple[int, ...]) -> dict[int, tuple[int, int]]:
    """Where the bases of claims stand that come before the court: what was not claimed late, in the report."""
    return {place: (current.report_entry, place - 1) for place in positions} | current.privilege.claimed


def _claim(course: Course, content: statements.LateClaim, told: Told) -> None:
    current = course.rounds[-1]
    if content.positions:
        check_positions(content.positions, current)
    if (current.disclosed | current.privilege.claimed.keys()) & set(content.positions):
        raise Malformed("a late claim names positions that Bob has not been shown and that were not claimed before")
    _check_sealed(told, "privilege", len(content.positions))


def _disclosure(course: Course, content: statements.Disclosure, told: Told) -> None:
    current = open_round(course, told)
    check_positions(content.positions, current)
    _check_sealed(told, "proofs", len(content.positions))
    log = current.privilege
    if (current.disclosed | log.withheld | log.unruled) & set(content.positions):
        raise Malformed("a position is disclosed for the second time, or is withheld, or waits for the court")
    if told.releases != current.shown_to_bob(content.positions):
        raise Malformed("it must release to Bob the places of its positions, and nothing else")


def _dispute(course: Course, content: statements.Dispute, told: Told) -> None:
    current = course.current
    check_round(told, -1 if current is None else current.number)
    if current is None or current.unreported or not current.waves:
        raise Malformed("there is nothing that Alice and Bob could disagree on")
    check_positions(content.positions, current)
    wave = set(current.waves[-1])
    if not set(content.positions) <= wave & current.bob.keys() or wave & current.rulings.keys():
        raise Malformed("the court gets positions of the last wave, which Bob has labelled and it has not ruled on")


def _closed(course: Course, content: statements.Closed, told: Told) -> None:
    current = open_round(course, told)
    checking.check_last_link(course, current, content)
    if content.responsive:
        check_positions(content.responsive, current)
    responsive = set(content.responsive)
    for place, label in (current.bob | current.rulings).items():
        if (place in responsive) != label:
            raise Malformed(f"position {place} does not end with the label that was agreed or ruled")
    if (content.truth is None) != (course.opening.simulation is None):
        raise Malformed("a simulation states the truth, and nothing else does")
    if told.releases != current.opened_to_bob():
        raise Malformed("it must release Alice's report to Bob, and nothing else")


def _claims(course: Course, content: statements.Claims, told: Told) -> None:
    checking.check_held(course, told)


_CHECKS: dict[Kind, Callable[[Course, Any, Told], None]] = {
    **checking.CHECKS,
    Kind.BATCH: _batch,
    Kind.REPORT: _report,
    Kind.CAMERA: _camera,
    Kind.CLAIM: _claim,
    Kind.DISCLOSURE: _disclosure,
    Kind.DISPUTE: _dispute,
    Kind.CLOSED: _closed,
    Kind.CLAIMS: _claims,
}


def _take_open(course: Course, content: statements.Opening, told: Told) -> None:
    course.matter = told.statement.matter
    course.opening, course.terms, course.keys = content, content.terms, content.keys
    course.rule = table.examiner(content.terms)
    course.links[Role.TRENT] = content.anchor


def _take_batch(course: Course, content: statements.Batch, told: Told) -> None:
    if content.drawn is not None:
        course.spend(Role.TRENT, content.drawn.link)
    course.drawing = None
    places = (_SEALED,) * content.size
    course.rounds.append(
        Round(number=told.statement.round, places=places, batch_entry=told.sequence, near_cut=None, model=None)
    )


def _take_report(course: Course, content: statements.Reported, told: Told) -> None:
    review = course.rounds[-1]
    review.report = Report(labels=(None,) * review.size, threshold=0 if course.rule.reports_threshold else None)
    review.report_entry = told.sequence
    course.privilege_reported = "privilege" in told.statement.sealed
    course.draws, course.drawing = content.draw, Drawing(answered=entries.hash_words(told.statement))
    course.spend(Role.ALICE, content.link)


def _take_camera(course: Course, content: statements.Camera, told: Told) -> None:
    log = course.rounds[-1].privilege
    log.claimed = _claimed(course.rounds[-1], content.positions)
    log.asked = content.positions


def _take_closed(course: Course, content: statements.Closed, told: Told) -> None:
    if content.link is not None:
        course.spend(Role.TRENT, content.link)
    course.rounds[-1].closed = content
    course.drawing = None


_TAKEN: dict[Kind, Callable[[Course, Any, Told], None]] = {
    Kind.OPEN: _take_open,
    Kind.BATCH: _take_batch,
    Kind.REPORT: _take_report,
    Kind.CAMERA: _take_camera,
    Kind.CLOSED: _take_closed,
}
