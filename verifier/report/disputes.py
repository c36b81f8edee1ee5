"""Disputes and rulings, and Alice's confirmed errors, each with its evidence."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from verifier.plural import be, count, more
from verifier.replay.detail import RoundDetail
from verifier.replay.reason import because
from verifier.replay.rounds import Sort
from verifier.report.documents import document
from verifier.report.markup import Markup, element, joined, paragraph, stranger, table
from verifier.verdict import Verdict

MOST_DISPUTES, MOST_ERRORS = 2000, 3000  # most rows, so that a browser can show the page

_LONGEST_REASON = 2000
_SEALED_LABEL = "sealed in this copy"
_SEALED = paragraph(
    "Some of Alice's reports are sealed in this copy. That the court was asked about what was disputed, and about "
    "nothing else, was not checked there: such a ruling shows an error of hers only if Trent asked correctly."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """A document that the court ruled on."""

    detail: RoundDetail
    position: int

    @property
    def agrees_with_bob(self) -> bool:
        """Whether the court gave Bob's label."""
        return self.ruling is self.detail.bob[self.position]

    @property
    def labelled(self) -> bool:
        """Whether Alice had labelled the document; not if a validation drew what nobody had reviewed."""
        held = self.detail.validating
        return held is None or held.in_two_stages or held.was_put_up(self.position)

    @property
    def is_error(self) -> bool:
        """Whether the court agreed with Bob, against Alice's label."""
        return self.labelled and self.agrees_with_bob

    @property
    def ruling(self) -> bool:
        """The court's label."""
        return self.detail.rulings[self.position]


def disputes(verdict: Verdict) -> Markup:
    """The section of all disputes."""
    found = list(_all(verdict))
    parts: list[str] = [element("h2", "Disputes and rulings")]
    if not found:
        parts.append(paragraph("In the part of the record that was read, the court ruled on nothing."))
        return element("section", *parts, id="disputes", class_="flows")
    parts.append(
        paragraph(
            "If Bob's label for a document differed from Alice's, the court ruled, and its ruling counts. What she "
            "withheld has her label not responsive; what a validation drew and nobody had reviewed counts as not "
            "responsive until somebody says otherwise. Entries are numbered as in the record, so each can be looked up."
        )
    )
    if _labels_sealed(found):
        parts.append(_SEALED)
    reasons = any(each.detail.labels_because or each.detail.ruled_because for each in found)
    rows = [
        (
            f"{each.detail.number} / {each.position}",
            document(each.detail, each.position, "sealed in this copy"),
            _alice(each),
            _label(each.detail.bob[each.position]),
            _label(each.ruling),
            "Bob" if each.agrees_with_bob else "Alice" if each.labelled else "neither",
            str(each.detail.ruled_in[each.position]),
            *([_reasons(each)] if reasons else []),
        )
        for each in found[:MOST_DISPUTES]
    ]
    heads = (
        "Round / position",
        "Document",
        "Alice reported",
        "Bob says",
        "Court's ruling",
        "Agrees with",
        "Ruling in entry",
        *(["Reasons given"] if reasons else []),
    )
    parts.append(table(count(len(found), "ruling"), heads, rows, look="cards"))
    parts += _left(len(found), MOST_DISPUTES)
    return element("section", *parts, id="disputes")


def _reasons(each: Dispute) -> Markup:
    """What Bob and the court say why, as far as the copy shows it."""
    said = {"Bob": each.detail.labels_because, "The court": each.detail.ruled_because}
    return joined(
        element("div", f"{who}: ", stranger(found[each.position], _LONGEST_REASON))
        for who, found in said.items()
        if each.position in found
    )


def errors(verdict: Verdict) -> Markup:
    """The section on rulings against Alice's report."""
    found = [each for each in _all(verdict) if each.is_error]
    parts: list[str] = [element("h2", "Alice's confirmed errors")]
    if not found:
        parts.append(
            paragraph("In the part of the record that was read, the court decided nothing against Alice's reports.")
        )
        return element("section", *parts, id="errors", class_="flows")
    kept = sum(each.ruling for each in found)
    other = len(found) - kept
    parts.append(
        paragraph(
            f"The court found {len(found)} of Alice's labels wrong: {count(kept, 'document')} {be(kept)} responsive "
            f"that she had not reported as such, and {other} {be(other)} not responsive that she had reported as "
            "responsive. Her signature fixed each label before the coins were known. An error breaks no rule, and does "
            "not show intent."
        )
    )
    if _labels_sealed(found):
        parts.append(_SEALED)
    reports = {each.number: each.report_entry for each in verdict.details}
    found.sort(key=lambda each: not each.ruling)  # responsive documents that were kept back come first
    rows = [
        (
            f"{each.detail.number} / {each.position}",
            document(each.detail, each.position, "sealed in this copy"),
            _kind(each),
            because(each.detail, each.position),
            _evidence(each, reports),
        )
        for each in found[:MOST_ERRORS]
    ]
    heads = ("Round / position", "Document", "What was wrong", "Why Bob saw it", "Evidence: entries of the record")
    parts.append(table(count(len(found), "confirmed error"), heads, rows, look="cards"))
    parts += _left(len(found), MOST_ERRORS)
    return element("section", *parts, id="errors", class_="flows")


def _all(verdict: Verdict) -> Iterator[Dispute]:
    for detail in verdict.details:
        for position in sorted(detail.rulings):
            yield Dispute(detail=detail, position=position)


def _labels_sealed(found: list[Dispute]) -> bool:
    return any(_alice(each) == _SEALED_LABEL for each in found)


def _alice(each: Dispute) -> str:
    detail, report = each.detail, each.detail.report
    if not each.labelled:
        return "nothing: nobody had reviewed it"
    if each.position in detail.given_up:
        return "responsive, as given up"
    if each.position in detail.origins:
        number, position = detail.origins[each.position]
        return f"not responsive, as {number} / {position}"
    if detail.sort is Sort.ESCALATION or (detail.validating and detail.validating.was_put_up(each.position)):
        return "not responsive, in an earlier batch"
    if report is None:
        return _SEALED_LABEL
    label = report.labels[each.position - 1]
    return "nothing; below her threshold, so not responsive" if label is None else _label(label)


def _label(label: bool) -> str:  # noqa: FBT001 - labels are booleans
    return "responsive" if label else "not responsive"


def _kind(each: Dispute) -> str:
    ruled = "responsive, not reported as such" if each.ruling else "not responsive, reported as responsive"
    return ruled if each.detail.closed_entry is not None else f"{ruled} (in a round that is not closed)"


def _evidence(each: Dispute, reports: Mapping[int, int]) -> str:
    detail = each.detail
    shown = next(entry for wave, entry in zip(detail.waves, detail.shown_in, strict=True) if each.position in wave)
    labelled = next(entry for entry in detail.labelled_in if entry > shown)
    ruled = detail.ruled_in[each.position]
    return f"{_said_in(each, reports)}, disclosure {shown}, Bob's labels {labelled}, ruling {ruled}"


def _said_in(each: Dispute, reports: Mapping[int, int]) -> str:
    """The entry in which Alice says what was wrong; where the copy does not show it, the one that drew the document."""
    detail, held = each.detail, each.detail.validating
    if detail.sort is Sort.ESCALATION:
        return f"second look {detail.report_entry if detail.report_entry >= 0 else detail.batch_entry}"
    if held is None or not held.was_put_up(each.position):
        return f"report {detail.report_entry if detail.report_entry >= 0 else detail.batch_entry}"
    if each.position in detail.origins:
        number, _ = detail.origins[each.position]
        return f"report {reports[number]} of round {number}"
    return f"{'call' if held.in_two_stages else 'validation'} {detail.batch_entry}"


def _left(number: int, most: int) -> list[Markup]:
    if number <= most:
        return []
    return [paragraph(f"The table shows the first {most}; {more(number - most)}.")]
