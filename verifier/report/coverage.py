"""What a verdict covers, by what it is about, and what this copy cannot show."""

from collections.abc import Collection, Iterator, Mapping

from verifier import words
from verifier.checks import DEFINITIONS, Check
from verifier.report.markup import Markup, bullets, element, joined, paragraph, text
from verifier.verdict import CheckResult, Outcome, Verdict
from verifier.words import count

_SUBJECTS = {
    "That the record is whole, in order, signed, and ends as all have signed": (
        Check.FORMAT,
        Check.CHAIN,
        Check.SIGNATURES,
        Check.ORDER,
        Check.OPENINGS,
        Check.CONFLICTS,
        Check.COSIGNATURES,
    ),
    "Whose keys these are": (Check.IDENTITIES,),
    "That the review went by its rules: what was agreed, drawn, reported, shown, labelled and ruled": (
        Check.TERMS,
        Check.COINS,
        Check.BATCHES,
        Check.REPORTS,
        Check.DISCLOSURES,
        Check.DOCUMENTS,
        Check.ANSWERS,
        Check.OUTCOMES,
    ),
    "Privilege, silence, new keys and changes": (Check.PRIVILEGE, Check.ORDERS),
    "The numbers that are claimed, and how many documents can be hidden": (Check.CLAIMS, Check.BOUND, Check.TRUTH),
    "That the right documents were put up for review": (Check.CORPUS, Check.FEATURES, Check.MODELS, Check.RANKING),
    "The files that were handed over": (Check.HANDED,),
}
"""What checks are about, in the order in which a reader asks."""


def covered(verdict: Verdict) -> Markup:
    """Every check that passed, under what it is about."""
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
    return words.counted(each.items, DEFINITIONS[each.check].counts)


def not_covered(verdict: Verdict) -> Markup:
    """What was left, those with one reason together."""
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
