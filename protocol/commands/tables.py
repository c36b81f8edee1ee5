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

LEGEND = (
    "shown: to Bob; NRD: shown and not responsive; recall: of all responsive documents, shown so far; rank, error: of "
    "the round's threshold by Alice's report; drawn: by coin; compelled: a confirmed error brought the whole batch; "
    "near cut: documents that the optimal model could put on the other side of the batch's end"
)


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
    bound = summary["hidden_bound"]
    lines = [
        f"Reviewed {count(summary['reviewed'], 'document')} of {summary['documents']} in "
        f"{count(len(summary['rounds']), 'round')} by the protocol {summary['protocol']!r}.",
        f"Shown to Bob: {summary['revealed']}, of which {summary['found']} responsive and {summary['nrd']} not "
        "(the non-responsive disclosure).",
        f"Disputes: {summary['disputes']}; in {summary['alice_errors']} the court found against Alice.",
        f"Hidden among the reviewed: at most {bound['at_most']}, with confidence {bound['confidence']:.0%}, whatever "
        f"Alice reported{_at_least(bound['recall_at_least'])}.",
        "  This assumes that Bob recognises a responsive document that he is shown, and that the court rules rightly.",
        f"Guarantee of the method: {summary['guarantee']}",
    ]
    if summary["simulation"]:
        lines.append(
            f"Simulation: {summary['responsive']} documents are responsive by the labels given; true recall "
            f"{summary['recall']:.1%}."
        )
    lines.append(f"Now: {summary['waiting']}.")
    return "\n".join(lines)


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
