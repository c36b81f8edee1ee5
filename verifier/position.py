"""One position of a round explained: what Alice said of it, why it was due to Bob or was not, and what became of it."""

from collections.abc import Iterator

from verifier import words
from verifier.findings import VerifierError, shortened
from verifier.naming import telling
from verifier.plural import count
from verifier.replay.asked_back import AskedBack
from verifier.replay.basis import class_of, parts_named, parts_of, text_of
from verifier.replay.detail import RoundDetail
from verifier.replay.reason import because
from verifier.replay.rounds import Sort
from verifier.verdict import Verdict


class NoSuchPosition(VerifierError):
    """The copy has no such round, or the round no such position."""


def explain(verdict: Verdict, number: int, position: int) -> str:
    """The verdict in a few sentences, and all that the copy shows of one position; the verdict must be detailed."""
    detail = next((each for each in verdict.details if each.number == number), None)
    if detail is None:
        raise NoSuchPosition(f"{count(len(verdict.details), 'round')} could be read, and no round {number}")
    if position > detail.size:
        raise NoSuchPosition(f"round {number} has positions up to {detail.size}, and no position {position}")
    about = telling(verdict.opened)
    parts = [words.headline(verdict, about)]
    parts += [words.laid_out(each, about) for each in _told(detail, position)]
    parts += [words.laid_out(each, about) for each in asked_back(verdict, number, position)]
    return "\n\n".join(parts)


def _told(detail: RoundDetail, position: int) -> Iterator[str]:
    yield _place(detail, position)
    yield from filter(None, (_alice(detail, position), _claim(detail, position)))
    if detail.closed_entry is None:
        yield "Why: the round is open, so not all coins are known."
    else:
        yield f"Why: {because(detail, position)}."
    yield from filter(None, (_court(detail, position), _bob(detail, position)))


def asked_back(verdict: Verdict, number: int, position: int) -> Iterator[str]:
    """Whether Alice asked for a document back after Bob was shown it, and what became of that."""
    for each in verdict.asked_back:
        if each.place == (number, position):
            basis = "" if each.basis is None else f", on the basis {shortened(each.basis)!r}"
            yield f"Alice asked for it back (entry {each.asked_in}){basis}. {_returned(each)}"


def _returned(each: AskedBack) -> str:
    if each.upheld is None:
        return "The court has not ruled on that so far."
    if not each.upheld:
        return f"The court overruled that (entry {each.ruled_in}), so Bob keeps it.{_because(each.reason)}"
    return (
        f"The court upheld that (entry {each.ruled_in}): it is clawed back, and whoever has it must return or destroy "
        f"it. It still counts as shown.{_because(each.reason)}"
    )


def _because(reason: str | None) -> str:
    return f" The reason given: {shortened(reason)!r}." if reason else ""


def _place(detail: RoundDetail, position: int) -> str:
    held, size = detail.validating, count(detail.size, "document")
    what = {
        Sort.BATCH: f"a batch of {size}",
        Sort.ESCALATION: f"an escalation of {count(detail.size, 'withheld document')}",
        Sort.VALIDATION: f"a validation{' in two stages' if held and held.in_two_stages else ''} of {size}",
    }[detail.sort]
    named = f", the document {shortened(detail.names[position])!r}" if position in detail.names else ""
    return f"Position {position} of round {detail.number}, {what}{named}."


def _alice(detail: RoundDetail, position: int) -> str:
    held, report = detail.validating, detail.report
    if detail.sort is Sort.ESCALATION:
        return f"{_before(detail, position)} {_looked(detail, position)}"
    if held is not None and not held.in_two_stages:
        reviewed = held.was_put_up(position)
        return _before(detail, position) if reviewed else "Nobody had reviewed it: Alice was not asked for a label."
    if held is not None and held.was_put_up(position):
        return _before(detail, position)
    if not detail.reported:
        return "Alice did not report on it, and the court ordered the matter to go on without her report."
    if report is None:
        return "Alice's label is sealed in this copy." if detail.report_entry >= 0 else "Alice has not reported so far."
    label = report.labels[position - 1]
    said = "gave it no label, which counts as not responsive" if label is None else f"labelled it {_label(label)}"
    return f"Alice {said} (entry {detail.report_entry})."


def _before(detail: RoundDetail, position: int) -> str:
    if position not in detail.origins:
        return "Alice had labelled it not responsive in an earlier round, and Bob had not been shown it."
    number, at = detail.origins[position]
    return f"Alice had labelled it not responsive at position {at} of round {number}, and Bob had not been shown it."


def _looked(detail: RoundDetail, position: int) -> str:
    if position in detail.given_up:
        return f"She gave it up in her second look (entry {detail.report_entry})."
    if not detail.reported:
        return "The court ordered the matter to go on without her second look."
    return "She did not give it up." if detail.report_entry >= 0 else "She has not taken her second look so far."


def _claim(detail: RoundDetail, position: int) -> str:
    claim, when = detail.claims.get(position), "with the report that labelled it"
    if position in detail.late:
        when = "late, in this round"
    if (named := class_of(claim)) is not None:
        return f"Alice put it into the sensitive class {shortened(named)!r}, {when}."
    if claim is not None:
        what = parts_named(parts) + " of it" if (parts := parts_of(claim)) else "it"
        return f"Alice claimed {what} as privileged {when}, on the basis {shortened(text_of(claim))!r}."
    if position in detail.late or (position in detail.camera_in and not _court_looks(detail)):
        return f"Alice claimed it {when}; the basis is sealed in this copy."
    return ""


def _court_looks(detail: RoundDetail) -> bool:
    return detail.validating is not None and detail.validating.court_looks


def _court(detail: RoundDetail, position: int) -> str:
    if position not in detail.camera_in:
        return ""
    read = f"The court read it in camera (entry {detail.camera_in[position]})"
    if position in detail.unclear:
        went = "kept it from Bob" if position in detail.privileged else "let it go to Bob"
        return f"{read} and {went}. This copy does not show if it was asked about privilege, or if it is responsive."
    claimed, because_of = position in detail.claims, _because(detail.camera_because.get(position))
    if parts := detail.upheld_parts.get(position):
        label = detail.court[position]
        bob = "Bob gets it without these" if label else "Bob does not get it"
        withheld = f"withheld {parts_named(parts)} as privileged and found it {_label(label)}: {bob}"
        return f"{read}, {withheld}.{because_of}"
    if position in detail.court and (claimed or (_court_looks(detail) and position not in detail.late)):
        return f"{read} and found it {_label(detail.court[position])}.{because_of}"
    if claimed:
        return f"{read} and {'upheld' if position in detail.privileged else 'overruled'} the claim.{because_of}"
    return f"{read}.{because_of}"


def _bob(detail: RoundDetail, position: int) -> str:
    wave = next((number for number, each in enumerate(detail.waves) if position in each), None)
    if wave is None:
        return "Bob was not shown it." if detail.closed_entry is not None else "Bob has not been shown it so far."
    told = f"Bob was shown it in wave {wave + 1} (entry {detail.shown_in[wave]})"
    if position in detail.unread:
        return f"{told} and did not answer, so Alice's label stands."
    if position not in detail.bob:
        return f"{told} and {'did not label it' if wave < len(detail.labelled_in) else 'has not labelled it so far'}."
    told += f" and labelled it {_label(detail.bob[position])} (entry {detail.labelled_in[wave]})."
    told += _because(detail.labels_because.get(position))
    if position in detail.rulings:
        told += f" The court ruled that it is {_label(detail.rulings[position])} (entry {detail.ruled_in[position]})."
        told += _because(detail.ruled_because.get(position))
    return told


def _label(label: bool) -> str:  # noqa: FBT001 - labels are booleans
    return "responsive" if label else "not responsive"
