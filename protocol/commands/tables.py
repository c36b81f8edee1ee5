"""Numbers as text for a terminal."""

from collections.abc import Sequence
from typing import Any

_ROUND_COLUMNS = (
    ("round", "round"),
    ("reviewed", "docs"),
    ("responsive", "resp."),
    ("revealed", "shown"),
    ("found", "found"),
    ("nrd", "NRD"),
    ("recall", "recall"),
    ("threshold_rank", "rank"),
    ("report_error", "error"),
    ("sampled", "drawn"),
    ("disputes", "disputes"),
    ("compelled", "compelled"),
    ("near_cut", "near cut"),
)

LEGEND = """\
resp.      truly responsive documents in the batch, which only a simulation knows
shown      to Bob; found: of these, held responsive; NRD: the others, the non-responsive disclosure
recall     of all responsive documents of the corpus, the share that Bob has been shown up to here
rank       how far down the batch the cut-off lies by Alice's report; error: her labels on its wrong side
drawn      by coin; compelled: a confirmed error of Alice's brought Bob the whole batch
near cut   documents so near the batch's end that the optimal model could put them on the other side"""


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns side by side: the first to the left, numbers to the right."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    lines = []
    for row in (header, ["-" * width for width in widths], *rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def rounds_table(summary: dict[str, Any]) -> str:
    """A row a round; columns that a real matter does not know are left out."""
    known = [
        (key, title)
        for key, title in _ROUND_COLUMNS
        if key in ("near_cut",) or any(row[key] is not None for row in summary["rounds"])
    ]
    rows = [[cell(row[key]) for key, _ in known] for row in summary["rounds"]]
    return table([title for _, title in known], rows)


def totals(summary: dict[str, Any]) -> str:
    """The matter's claims in sentences."""
    lines = _claims(summary) if summary["rounds"] else ["No round is closed yet; nothing can be claimed."]
    if played := summary["simulation"]:
        lines.append(
            f"Simulation: Alice {played['alice']}, Bob {played['bob']}, court {played['court']}, seed "
            f"{played['seed']!r}. Of {summary['responsive']} in the corpus that are responsive by the labels given, "
            f"Bob was shown {summary['recall']:.1%} (the true recall)."
        )
    lines.append(f"Now: {summary['waiting']}.")
    return "\n".join(lines)


def _claims(summary: dict[str, Any]) -> list[str]:
    bound, played = summary["hidden_bound"], summary["simulation"]
    unreviewed = summary["documents"] - summary["reviewed"]
    lines = [
        f"Reviewed {count(summary['reviewed'], 'document')} of {summary['documents']} in "
        f"{count(len(summary['rounds']), 'round')} by the protocol {summary['protocol']!r}.",
        f"Shown to Bob: {summary['revealed']}, of which {summary['found']} responsive and {summary['nrd']} not "
        "(the non-responsive disclosure).",
        _disputes(summary),
        f"Hidden among the reviewed: at most {bound['at_most']}, with confidence {bound['confidence']:.0%}, whatever "
        f"Alice reported{_at_least(bound['recall_at_least'])}.",
        f"  This assumes: {bound['assumes']}",
    ]
    if played and (played["bob"], played["court"]) != ("truthful", "right"):
        lines.append("  In this simulation that does not hold, so the bound proves nothing here.")
    if unreviewed:
        lines.append(f"  It says nothing about the {count(unreviewed, 'document')} that nobody has reviewed.")
    return [*lines, f"Guarantee of the method: {summary['guarantee']}"]


def _disputes(summary: dict[str, Any]) -> str:
    if summary["protocol"] == "classifier":
        return (
            f"Disputes: {summary['disputes']}; in {summary['alice_errors']} the court held otherwise than Alice's "
            "report, which for a document below her cut-off is expected even of a truthful Alice."
        )
    return f"Disputes: {summary['disputes']}; in {summary['alice_errors']} the court found against Alice."


def _at_least(recall: float | None) -> str:
    return "" if recall is None else f"; so of the responsive ones reviewed, at least {recall:.1%} were shown"


def cell(value: Any) -> str:
    """A value in a table."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def count(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
