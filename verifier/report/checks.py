"""The checks: what a verdict covers, by subject, what this copy cannot show, and the table of all."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from verifier import words
from verifier.checks import DEFINITIONS, Check
from verifier.plural import count, counted
from verifier.report.markup import Markup, bullets, element, joined, paragraph, table, text
from verifier.verdict import CheckResult, Outcome, Verdict


def checks(verdict: Verdict) -> Markup:
    """The section with the table of checks."""
    early = words.ended_early(verdict)
    rows = []
    for each in verdict.checks:
        definition = DEFINITIONS[each.check]
        items = "" if early or not each.items else counted(each.items, definition.counts)
        reason = f" — {each.reason}" if each.reason else ""
        sentence = joined((definition.question, reason))
        rows.append((f"{each.check} {definition.name}", _outcome(each, verdict), items, sentence))
    heads = ("Check", "Outcome", "Passed so far", "What is asked, and why it was not checked")
    outcomes = Counter(each.outcome for each in words.applying(verdict))
    caption = (
        f"{count(outcomes.total(), 'check')}: {outcomes[Outcome.PASS]} passed, {outcomes[Outcome.FAIL]} failed, "
        f"{outcomes[Outcome.NOT_CHECKED]} not checked"
    )
    for check, where in words.not_asked(verdict).items():
        caption += f"; {check} is only asked {where}"
    return element(
        "section",
        element("h2", "The checks"),
        paragraph(
            element("strong", "Not checked does not mean valid."),
            " The specification says what each check needs, and who is blamed if it fails.",
        ),
        table(caption, heads, rows, look="checks"),
        id="checks",
    )


def _outcome(each: CheckResult, verdict: Verdict) -> Markup:
    looks = {Outcome.PASS: "outcome", Outcome.FAIL: "outcome fail", Outcome.NOT_CHECKED: "outcome left"}
    said = "FAILED" if each.outcome is Outcome.FAIL else words.outcome(each, verdict)
    return element("span", said, class_=looks[each.outcome])


_SUBJECTS = {
    "That the record is whole, in order and signed, and that its end is signed": (
        Check.FORMAT,
        Check.CHAIN,
        Check.SIGNATURES,
        Check.ORDER,
        Check.OPENINGS,
        Check.CONFLICTS,
        Check.COSIGNATURES,
    ),
    "Whose keys these are": (Check.IDENTITIES,),
    "That the review followed its rules: what was agreed, drawn, reported, shown, labelled and ruled": (
        Check.TERMS,
        Check.COINS,
        Check.BATCHES,
        Check.REPORTS,
        Check.DISCLOSURES,
        Check.DOCUMENTS,
        Check.ANSWERS,
        Check.OUTCOMES,
        Check.ESCALATIONS,
        Check.VALIDATIONS,
        Check.STOPPING,
    ),
    "Privilege, silence, new keys and changes": (Check.PRIVILEGE, Check.ORDERS),
    "The numbers that are claimed, and what is certified": (Check.CLAIMS, Check.CERTIFICATES, Check.TRUTH),
    "That the right documents were put up for review": (Check.CORPUS, Check.FEATURES, Check.MODELS, Check.RANKING),
    "What was received": (Check.ACCOUNT,),
    "The files that were handed over": (Check.HANDED,),
    "That the record was fixed outside": (Check.WITNESSES, Check.STAMPS, Check.LOG),
}
"""The subjects of the checks, in the order in which a reader asks."""


def covered(verdict: Verdict) -> Markup:
    """Every check that passed, by subject."""
    checks = {each.check: each for each in words.applying(verdict)}
    passed = {each.check: each for each in checks.values() if each.outcome is Outcome.PASS}
    told = f"{len(passed)} of {count(len(checks), 'check')} passed:" if passed else "Nothing."
    return element(
        "div",
        element("h3", "What this verdict covers"),
        paragraph(text(told)),
        bullets(list(_subjects(passed, checks.keys()))) if passed else "",
    )


def _subjects(passed: Mapping[Check, CheckResult], applying: Collection[Check]) -> Iterator[Markup]:
    for subject, about in _SUBJECTS.items():
        checks = [each for each in about if each in applying]
        names = [f"{DEFINITIONS[each].name} ({_items(passed[each])})" for each in checks if each in passed]
        whole = "" if len(names) == len(checks) else "in part: "
        if names:
            yield joined((element("strong", f"{subject}:"), f" {whole}{', '.join(names)}"))


def _items(each: CheckResult) -> str:
    return counted(each.items, DEFINITIONS[each.check].counts)


def not_covered(verdict: Verdict) -> Markup:
    """The checks that were not made, grouped by reason."""
    left: dict[str, list[str]] = {}
    for each in words.applying(verdict):
        if each.outcome is Outcome.NOT_CHECKED:
            left.setdefault(each.reason, []).append(f"{each.check} {DEFINITIONS[each.check].name}")
    items = [joined((element("strong", words.listing(names)), f": {reason}")) for reason, names in left.items()]
    return element(
        "div",
        element("h3", "What this copy cannot show"),
        bullets(items) if items else "",
        paragraph(words.OUTSIDE_EVERY_RECORD),
    )
