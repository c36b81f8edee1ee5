"""What Alice asked back after Bob was shown it, on what basis, and how the court ruled."""

from verifier.plural import count, more
from verifier.replay.asked_back import AskedBack
from verifier.report.documents import document
from verifier.report.markup import Markup, element, paragraph, stranger, table
from verifier.verdict import Verdict

MOST = 2000  # most rows, so that a browser can show the page
_LONGEST = 2000


def told(verdict: Verdict) -> list[Markup]:
    """The table of all that was asked back, if anything was."""
    found = verdict.asked_back
    if not found:
        return []
    reasons = any(each.reason for each in found)
    rows = [
        (
            f"{each.place.round} / {each.place.position}",
            _document(verdict, each),
            element("em", "sealed in this copy") if each.basis is None else stranger(each.basis, _LONGEST),
            str(each.asked_in),
            _ruling(each),
            *([stranger(each.reason, _LONGEST)] if reasons else []),
        )
        for each in found[:MOST]
    ]
    heads = ["Round / position", "Document", "Basis", "Asked back in entry", "The court"]
    upheld, ruled = (sum(test(each) for each in found) for test in (_upheld, _ruled))
    caption = f"{count(len(found), 'document')} asked back: {upheld} clawed back, {ruled - upheld} overruled"
    parts = [
        paragraph(
            "Alice may ask for a document back after Bob was shown it. If the court upholds that, the document is "
            "clawed back: whoever has it must return or destroy it, and it is left out of a production. It still "
            "counts as shown, in every number of this report. Whether it was returned, no record can show."
        ),
        table(caption, [*heads, *(["The court's reason"] if reasons else [])], rows, look="cards"),
    ]
    if len(found) > MOST:
        parts.append(paragraph(f"The table has the first {MOST}; {more(len(found) - MOST)}."))
    return parts


def concluded(verdict: Verdict) -> list[str]:
    """What the court did about it, in a sentence."""
    ruled = [each for each in verdict.asked_back if _ruled(each)]
    if not ruled:
        return []
    upheld = sum(map(_upheld, ruled))
    return [
        f"Alice asked for {count(len(ruled), 'document')} back that Bob had been shown, and the court ruled: {upheld} "
        f"clawed back, {len(ruled) - upheld} overruled. What is clawed back still counts as shown."
    ]


def _ruled(each: AskedBack) -> bool:
    return each.upheld is not None


def _upheld(each: AskedBack) -> bool:
    return each.upheld is True


def _document(verdict: Verdict, each: AskedBack) -> Markup:
    detail = next((one for one in verdict.details if one.number == each.place.round), None)
    return Markup("") if detail is None else document(detail, each.place.position, "not named here")


def _ruling(each: AskedBack) -> str:
    if each.upheld is None:
        return "not ruled on so far"
    return f"{'upheld: clawed back' if each.upheld else 'overruled: Bob keeps it'} (entry {each.ruled_in})"
