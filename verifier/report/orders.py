"""Orders: who did not answer and what followed, new keys, and agreed changes; and what silence leaves of the proof."""

from collections.abc import Iterator

from verifier.replay.forms import Kind
from verifier.replay.rounds import RoundDetail
from verifier.report.markup import Markup, bullets, element, paragraph, table
from verifier.verdict import Verdict
from verifier.words import count, listing

MOST = 2000  # rows
_ABOUT = {Kind.ORDER: "silence", Kind.REKEYED: "a new key", Kind.AMENDED: "the number of rounds"}


def orders(verdict: Verdict) -> Markup:
    """The section of orders and agreed changes."""
    parts: list[str] = [element("h2", "Orders and changes")]
    if not verdict.orders:
        told = "Everyone answered, no key was replaced, and nothing was changed, in what was read of this record."
        return element("section", *parts, paragraph(told), id="orders", class_="flows")
    parts.append(
        paragraph(
            "Where Alice or Bob did not answer, the court could order the matter to go on without that answer. "
            "That somebody kept silent is what Trent and the court say; no record can prove that a message did not "
            "arrive, and it is not a finding against anybody."
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
    parts.append(table(f"{len(verdict.orders)} in all", heads, rows, look="cards"))
    effects = [effect for each in verdict.details for effect in _effects(each)]
    if effects:
        parts += [element("h3", "What silence leaves of the proof"), bullets(effects)]
    return element("section", *parts, id="orders", class_="flows")


def concluded(verdict: Verdict) -> list[str]:
    """What silence does to the conclusions."""
    said = []
    closed = [each for each in verdict.details if each.closed_entry is not None]
    if unread := [each for each in closed if each.unread]:
        possibly = possibly_hidden(verdict)
        added = "" if possibly is None else f": {possibly} in all, which are in the number below"
        said.append(
            f"Bob left {count(sum(len(each.unread) for each in unread), 'document')} unread, in {_rounds(unread)}. "
            "There Alice's labels stand, and the coins prove nothing: what they drew speaks for the rest only if "
            "somebody reads it. Every document there that only she has labelled, and not as responsive, may be hidden"
            f"{added}."
        )
    if ordered := [each for each in closed if not each.reported]:
        said.append(
            f"Alice did not report in {_rounds(ordered)}. By the court's order Bob was due the whole batch, but for "
            "what the court withheld; no coin was thrown, and there was no report that could err."
        )
    return said


def possibly_hidden(verdict: Verdict) -> int | None:
    """How many documents of rounds that Bob left unread count as hidden; None if the copy does not show the labels."""
    unread = [each for each in verdict.details if each.closed_entry is not None and each.unread]
    known = all(each.report is not None or not each.reported for each in unread)
    return sum(map(_unproven, unread)) if known else None


def not_concluded(verdict: Verdict) -> list[str]:
    """What orders do not show."""
    said = []
    if any(each.kind is Kind.ORDER for each in verdict.orders):
        said.append("That somebody was silent, or why: Trent says so, and the court ordered the matter to go on.")
    if verdict.key_changes:
        said.append(
            "That a new key is in the hands of the party that it is said to be: the court ordered it. Ask the party, "
            "and compare the fingerprints, old and new."
        )
    return said


def _effects(detail: RoundDetail) -> Iterator[str]:
    if not detail.reported:
        yield f"Round {detail.number}: Alice did not report. The whole batch was due to Bob, and no coin was thrown."
    if detail.unread:
        left = f"Round {detail.number}: Bob left {count(len(detail.unread), 'document')} unread."
        if detail.reported and detail.report is None:
            yield f"{left} Alice's labels stand, and the round proves nothing by its coins."
        else:
            yield (
                f"{left} Alice's labels stand, and the round proves nothing by its coins: {_unproven(detail)} of its "
                f"{detail.size} documents, labelled only by Alice, as not responsive, may all be "
                "hidden, and are added to the bound."
            )


def _unproven(detail: RoundDetail) -> int:
    """How many documents nobody but Alice has labelled, and not as responsive."""
    labels = detail.report.labels if detail.report else (False,) * detail.size
    judged = {*detail.bob, *detail.rulings, *detail.withheld}
    return sum(not label and position not in judged for position, label in enumerate(labels, start=1))


def _rounds(details: list[RoundDetail]) -> str:
    numbers = [str(each.number) for each in details]
    shown = numbers if len(numbers) <= 12 else [*numbers[:12], f"{len(numbers) - 12} more"]
    return f"{'round' if len(numbers) == 1 else 'rounds'} {listing(shown)}"
