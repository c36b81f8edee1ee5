"""Orders: who did not answer and what followed, new keys, and agreed changes; and how silence weakens the proof."""

from collections.abc import Iterator

from verifier import proven
from verifier.plural import be, count
from verifier.replay.detail import RoundDetail
from verifier.replay.forms import Kind
from verifier.report.markup import Markup, bullets, element, paragraph, table
from verifier.verdict import Verdict
from verifier.words import cost_of_keys, listing, unlisted_orders

MOST = 2000  # rows
_ABOUT = {Kind.ORDER: "silence", Kind.REKEYED: "a new key", Kind.AMENDED: "the terms"}


def orders(verdict: Verdict) -> Markup:
    """The section of orders and agreed changes."""
    parts: list[str] = [element("h2", "Orders and changes")]
    if not verdict.orders:
        told = (
            "In the part of the record that was read, everyone answered, no key was replaced, and nothing was changed."
        )
        return element("section", *parts, paragraph(told), id="orders", class_="flows")
    parts.append(
        paragraph(
            "If Alice or Bob did not answer, the court could order the matter to go on without that answer, or to end "
            "without that party's signature. Trent and the court say who was silent; no record can prove that a "
            "message did not arrive, so silence is not a finding against anybody."
        )
    )
    rows = [
        (
            str(each.entry),
            _ABOUT.get(each.kind, str(each.kind)),
            "granted" if each.granted else "not granted",
            each.words,
        )
        for each in verdict.orders[:MOST]
    ]
    heads = ("Entry", "About", "Outcome", "In words")
    parts.append(table(f"{len(verdict.orders) + verdict.orders_unlisted} in all", heads, rows, look="cards"))
    parts += [paragraph(each) for each in (*unlisted_orders(verdict), *cost_of_keys(verdict))]
    effects = [effect for each in verdict.details for effect in _effects(each, books=proven.has_books(verdict))]
    if effects:
        parts += [element("h3", "How silence weakens the proof"), bullets(effects)]
    return element("section", *parts, id="orders", class_="flows")


def concluded(verdict: Verdict) -> list[str]:
    """How silence changes what may be concluded."""
    said = []
    closed = [each for each in verdict.details if each.closed_entry is not None]
    unread = [each for each in closed if each.unread]
    if unread and proven.has_books(verdict):
        said.append(
            f"Bob left {count(sum(len(each.unread) for each in unread), 'document')} unread, in {_rounds(unread)}. "
            "There Alice's labels stand. What a coin drew and nobody read counts as a hit, which makes the "
            "certificates weaker."
        )
    elif unread:
        possibly = possibly_hidden(verdict)
        added = "" if possibly is None else f": {possibly} in all, which the number below includes"
        said.append(
            f"Bob left {count(sum(len(each.unread) for each in unread), 'document')} unread, in {_rounds(unread)}. "
            "There Alice's labels stand, and the coins prove nothing: the drawn documents say something about the rest "
            "only if somebody reads them. Every document there that only she labelled, as not responsive, may be hidden"
            f"{added}."
        )
    if ordered := [each for each in closed if not each.reported and each.sort == "batch"]:
        said.append(
            f"Alice did not report in {_rounds(ordered)}. By the court's order the whole batch was due to Bob, except "
            "what the court withheld; no coin was thrown, and there was no report that could be wrong."
        )
    return said


def possibly_hidden(verdict: Verdict) -> int | None:
    """How many documents count as hidden because Bob left some unread; None if the copy does not show the labels.

    Where the rule keeps books, what nobody read counts as hits instead.
    """
    if proven.has_books(verdict):
        return 0
    unread = [
        each for each in verdict.details if each.closed_entry is not None and each.unread and each.sort == "batch"
    ]
    known = all(each.report is not None or not each.reported for each in unread)
    return sum(map(_unproven, unread)) if known else None


def not_concluded(verdict: Verdict) -> list[str]:
    """What orders do not show."""
    said = []
    if any(each.kind is Kind.ORDER for each in verdict.orders):
        said.append("That a party was silent, or why: Trent says so, and the court ordered the matter to go on.")
    if verdict.key_changes:
        said.append(
            "That a new key is in the hands of the right party: the court only ordered it. Ask the party, and compare "
            "the old and the new fingerprint."
        )
    return said


def _effects(detail: RoundDetail, *, books: bool) -> Iterator[str]:
    if not detail.reported:
        yield f"Round {detail.number}: {_without_report(detail)}"
    if detail.unread and (books or detail.sort != "batch"):
        yield (
            f"Round {detail.number}: Bob left {count(len(detail.unread), 'document')} unread. Each that a coin drew "
            "counts as a hit."
        )
    elif detail.unread:
        left = f"Round {detail.number}: Bob left {count(len(detail.unread), 'document')} unread."
        if detail.reported and detail.report is None:
            yield f"{left} Alice's labels stand, and the round proves nothing by its coins."
        else:
            yield (
                f"{left} Alice's labels stand, and the round proves nothing by its coins: {_unproven(detail)} of its "
                f"{count(detail.size, 'document')}, labelled only by Alice, as not responsive, may be hidden, and "
                f"{be(_unproven(detail))} added to the bound."
            )


def _without_report(detail: RoundDetail) -> str:
    if detail.sort == "batch":
        return "Alice did not report. The whole batch was due to Bob, and no coin was thrown."
    if detail.sort == "escalation":
        return "Alice did not look again. Nothing was given up, and another draw took the place of hers."
    return (
        "Alice did not report on the documents that were called. Bob was shown them, and the validation proves nothing."
    )


def _unproven(detail: RoundDetail) -> int:
    """How many documents were labelled only by Alice, as not responsive: neither Bob nor the court has judged them."""
    labels = detail.report.labels if detail.report else (False,) * detail.size
    judged = {*detail.bob, *detail.rulings, *detail.privileged, *detail.court}
    return sum(not label and position not in judged for position, label in enumerate(labels, start=1))


def _rounds(details: list[RoundDetail]) -> str:
    numbers = [str(each.number) for each in details]
    shown = numbers if len(numbers) <= 12 else [*numbers[:12], f"{len(numbers) - 12} more"]
    return f"{'round' if len(numbers) == 1 else 'rounds'} {listing(shown)}"
