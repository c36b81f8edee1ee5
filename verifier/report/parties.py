"""The table of checks; the parties and their keys; words explained."""

from verifier import phrases
from verifier.checks import DEFINITIONS, Role
from verifier.record.hashing import fingerprint
from verifier.report.markup import Markup, element, joined, paragraph, table
from verifier.verdict import CheckResult, Identity, Outcome, Verdict

_NAMES = {Role.ALICE: "Alice", Role.BOB: "Bob", Role.COURT: "The court", Role.TRENT: "Trent"}
_PARTS = {
    Role.ALICE: "holds the documents and reports which are responsive",
    Role.BOB: "asked for the responsive documents and labels what he is shown",
    Role.COURT: "rules on disputes and holds the coins' secrets in deposit",
    Role.TRENT: "the neutral who runs the review and keeps the record",
}
_IDENTITIES = {
    Identity.CONFIRMED: "confirmed by a fingerprint that you trust (--trust)",
    Identity.ANOTHER: "ANOTHER KEY than the one that you trust: nothing signed with it is this party's",
    Identity.NOT_CHECKED: "not checked: known only as the copy names it",
}

_GLOSSARY = {
    "Batch, position": "The documents of one round, the likeliest responsive first; position 1 is the first.",
    "Bound": "The most responsive documents that can have been hidden among the reviewed ones, as the coins show.",
    "Checkpoint": "The state of the record at one point, signed by those who are named with it.",
    "Coin": "A number that nobody could choose or foresee alone, made of secrets of Alice, Bob and Trent after Alice's "
    "report is fixed. It decides whether a document is drawn.",
    "Compelled": "Disclosed as part of the whole batch, as the rule says after confirmed errors of Alice's.",
    "Confidence": "How surely a sentence about hidden documents holds, over all the ways in which coins can fall.",
    "Copy": "The record as one reader may have it. What is not for that reader stands in it sealed.",
    "Corpus": "All documents that may be reviewed, fixed at the start by one code to which Trent committed.",
    "Cut-off, threshold": "How far down a batch responsive documents are expected: the position of the last above it.",
    "Disclosure, wave": "Documents that Bob is shown at a time.",
    "Entry": "One numbered, signed step of the record. Each names the one before, so none can be added or dropped.",
    "Fingerprint": "Forty digits by which a key is known. Compare them with those that its owner gave you.",
    "Head": "One code for the whole record: two copies with the same head tell the same story.",
    "Key, signature": "Only the holder of a key can make its signatures; anyone can check them.",
    "Non-responsive disclosure (NRD)": "What Bob was shown and is not responsive: the price of checking.",
    "Recall": "The share of all responsive documents that Bob was shown. Only a simulation knows it.",
    "Responsive": "What Bob is entitled to: documents that answer what he asked for.",
    "Ruling": "The court's label for a document on which Alice and Bob disagree. It counts.",
    "Sealed": "In the record as a code only. It can be opened later, and then only as what it was.",
}


def checks(verdict: Verdict) -> Markup:
    """The section with the table of checks."""
    early = phrases.ended_early(verdict)
    rows = []
    for each in verdict.checks:
        definition = DEFINITIONS[each.check]
        counted = "" if early else phrases.counted(each.items, definition.counts) if each.items else ""
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
        paragraph(element("strong", "Not checked is not valid."), " What a check needs, and whom a failed one blames, "
                  "is in the specification of the method."),
        table(caption, heads, rows, class_="checks"),
        id="checks",
    )  # fmt: skip


def _outcome(each: CheckResult) -> Markup:
    looks = {Outcome.PASS: "outcome", Outcome.FAIL: "outcome fail", Outcome.NOT_CHECKED: "outcome left"}
    return element("span", "FAILED" if each.outcome is Outcome.FAIL else str(each.outcome), class_=looks[each.outcome])


def parties(verdict: Verdict) -> Markup:
    """The section of the parties and what they signed."""
    parts: list[str] = [element("h2", "The parties and their keys")]
    if not verdict.keys:
        parts.append(paragraph("The copy could not be read far enough to tell any keys."))
        return element("section", *parts, id="parties")
    rows = [
        (
            _NAMES[role],
            _PARTS[role],
            element("span", fingerprint(key), class_="key"),
            _IDENTITIES[verdict.identities[role]],
        )
        for role, key in verdict.keys.items()
    ]
    parts.append(table("Keys by their fingerprints", ("Party", "Part", "Fingerprint of the key", "Whose it is"), rows))
    copy = verdict.copy
    if copy is not None:
        parts.append(
            table(
                "The record, by its codes",
                ("What", "Code"),
                (
                    ("Matter", element("code", copy.matter.hex())),
                    ("Head, read so far" if phrases.ended_early(verdict) else "Head", element("code", copy.head.hex())),
                    ("Root", element("code", copy.root.hex())),
                    *(
                        (f"Signed at {each.size} entries", ", ".join(_NAMES[role] for role in sorted(each.signers)))
                        for each in copy.checkpoints[-20:]
                    ),
                ),
            )
        )
    return element("section", *parts, id="parties")


def glossary() -> Markup:
    """The section that explains words."""
    entries = [element("div", element("dt", term), element("dd", told)) for term, told in _GLOSSARY.items()]
    return element("section", element("h2", "Words"), element("dl", *entries, class_="glossary"), id="words-explained")
