"""Escalations: coins draw again from what was withheld, pass by pass, and what the certificate said after each."""

from verifier import passes, proven
from verifier.plural import count, more
from verifier.replay.passed import Passed
from verifier.replay.reason import percent
from verifier.replay.rounds import ClosedRound
from verifier.report.markup import Markup, element, paragraph, table
from verifier.verdict import Verdict

MOST = 1000  # rows
_HEADS = (
    "Round",
    "Withheld before it",
    "Given up by Alice",
    "Chance of the rest",
    "Drawn",
    "Hits",
    "Found in it",
    "Can be hidden after it, at most",
    "Target",
)


def escalations(verdict: Verdict) -> Markup:
    """The section of all escalations."""
    found = passes.escalations(verdict)
    parts: list[str] = [element("h2", "Escalations")]
    if not found:
        parts.append(paragraph(_none(verdict)))
        return element("section", *parts, id="escalations", class_="flows")
    parts.append(
        paragraph(
            "If too many responsive documents could still be hidden among what Alice withheld, all of it was drawn "
            "again. First Alice was asked for a second look: she could give up documents, which Bob then got. Then "
            "fresh coins, thrown after her answer was fixed, drew from the rest, all with the same chance. A hit is a "
            "drawn document that turned out to be responsive, or that can be: Bob left it unread, or Alice claimed it "
            "late and the court withheld it as privileged. Every pass is one row."
        )
    )
    rows = [_row(each, passed) for each, passed in found[:MOST]]
    parts.append(table(count(len(found), "pass"), _HEADS, rows, look="numbers"))
    if len(found) > MOST:
        parts.append(paragraph(f"The table has the first {MOST}; {more(len(found) - MOST)}."))
    if any(passed and passed.limited for _, passed in found):
        parts.append(
            paragraph(
                element("strong", "The limit was used up."),
                " The terms say how much escalations may show Bob in all. Once that is used up, coins do not draw "
                "again until the limit is amended, and the target may stay out of reach.",
            )
        )
    return element("section", *parts, id="escalations", class_="flows")


def _none(verdict: Verdict) -> str:
    if proven.has_books(verdict):
        return "No escalation is closed in the part of the record that was read."
    return "The rule of this matter has no escalations: coins did not draw again from what Alice withheld."


def _row(each: ClosedRound, passed: Passed | None) -> tuple[str, ...]:
    if passed is None:
        return (str(each.number), str(each.size), *(["sealed"] * 4), str(each.found), *(["sealed"] * 2))
    return (
        str(each.number),
        str(each.size),
        str(passed.given_up),
        percent(passed.chance) if passed.chance else "no draw",
        str(passed.drawn),
        str(passed.hits),
        str(each.found),
        str(passed.at_most),
        "reached" if passed.reached else "not reached",
    )
