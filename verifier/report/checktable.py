"""The table of checks."""

from verifier import words
from verifier.checks import DEFINITIONS
from verifier.report.markup import Markup, element, joined, paragraph, table
from verifier.verdict import CheckResult, Outcome, Verdict


def checks(verdict: Verdict) -> Markup:
    """The section with the table of checks."""
    early = words.ended_early(verdict)
    rows = []
    for each in verdict.checks:
        definition = DEFINITIONS[each.check]
        counted = "" if early else words.counted(each.items, definition.counts) if each.items else ""
        reason = f" — {each.reason}" if each.reason else ""
        sentence = joined((definition.question, reason))
        rows.append((f"{each.check} {definition.name}", _outcome(each), counted, sentence))
    heads = ("Check", "Outcome", "Passed so far", "What is asked, and why it was not checked")
    passed = sum(each.outcome is Outcome.PASS for each in verdict.checks)
    failed = sum(each.outcome is Outcome.FAIL for each in verdict.checks)
    caption = f"{len(rows)} checks: {passed} passed, {failed} failed, {len(rows) - passed - failed} not checked"
    return element(
        "section",
        element("h2", "The checks"),
        paragraph(
            element("strong", "Not checked is not valid."),
            " What a check needs, and whom a failed one blames, is in the specification of the method.",
        ),
        table(caption, heads, rows, look="checks"),
        id="checks",
    )


def _outcome(each: CheckResult) -> Markup:
    looks = {Outcome.PASS: "outcome", Outcome.FAIL: "outcome fail", Outcome.NOT_CHECKED: "outcome left"}
    return element("span", "FAILED" if each.outcome is Outcome.FAIL else str(each.outcome), class_=looks[each.outcome])
