"""Numbers as text for a terminal."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from ledger import records
from ledger.plain import shown
from ledger.roles import Role, listed
from protocol.matter import sentences
from protocol.matter.naming import Telling
from protocol.matter.values import Caption

_ROUND_COLUMNS = (
    ("round", "round"),
    ("sort", "sort"),
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
    ("privileged", "privileged"),
    ("unread", "unread"),
    ("near_cut", "near cut"),
)

_LEGEND = {
    "sort": "sort       escalation: a draw from all that is withheld; validation: one from all that Bob has not seen",
    "responsive": "resp.      responsive documents in the batch, which only a simulation knows",
    "revealed": "shown      to Bob; found: the responsive ones among them; NRD: the others (non-responsive disclosure)",
    "recall": "recall     the share of all responsive documents of the corpus that Bob has been shown so far",
    "threshold_rank": "rank       the threshold in Alice's report; error: how many of her labels are on its wrong side",
    "sampled": "drawn      documents drawn by coin; compelled: {find}",
    "privileged": "privileged withheld as privileged, by the court's ruling",
    "unread": "unread     shown to Bob, who did not answer; the court ordered the matter to go on without him",
    "near_cut": "near cut   documents so near the batch's end that the optimal model could put them on the other side",
}


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns side by side: the first to the left, numbers to the right."""
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    lines = []
    for row in (header, ["-" * width for width in widths], *rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def rounds_table(summary: dict[str, Any]) -> str:
    """A row for each round; columns that a real matter cannot know are left out."""
    known = [(key, title) for key, title in _ROUND_COLUMNS if _is_shown(key, summary)]
    rows = [[cell(row[key]) for key, _ in known] for row in summary["rounds"]]
    return table([title for _, title in known], rows)


def legend(summary: dict[str, Any]) -> str:
    """What the columns of the table mean."""
    find = sentences.words(summary).find
    return "\n".join(words.format(find=find) for key, words in _LEGEND.items() if _is_shown(key, summary))


def _is_shown(key: str, summary: dict[str, Any]) -> bool:
    values = [row[key] for row in summary["rounds"]]
    if key in ("privileged", "unread", "threshold_rank", "report_error"):
        return any(values)
    if key == "sort":
        return any(value != "batch" for value in values)
    return key == "near_cut" or any(value is not None for value in values)


def standing(summary: dict[str, Any]) -> str:
    """Where a matter stands; for a real one, with its docket."""
    telling = Telling(records.from_value(Caption, summary["caption"]) if "caption" in summary else None)
    parts = [telling.said(totals(summary))]
    if summary["rounds"]:
        parts = [rounds_table(summary), f"\n{telling.said(legend(summary))}\n", *parts]
    if "caption" in summary:
        parts.append(docket(summary, telling))
    return "\n".join(parts)


def totals(summary: dict[str, Any]) -> str:
    """The matter's claims in sentences."""
    lines = sentences.claims(summary) if summary["rounds"] else ["No round is closed yet; nothing can be claimed."]
    if played := summary["simulation"]:
        alice, bob, court = (shown(played[name]) for name in ("alice", "bob", "court"))
        lines.append(
            f"Simulation: Alice {alice}, Bob {bob}, court {court}, seed "
            f"{played['seed']!r}. Of {summary['responsive']} documents that the corpus labels as responsive, "
            f"Bob was shown {summary['recall']:.1%} (the true recall)."
        )
    lines.append(f"Now: {summary['waiting']}.")
    return "\n".join(lines)


_NEXT = {
    "batch": "a batch",
    "escalation": "an escalation, which draws again from all that is withheld",
    "validation": "a validation of the whole collection",
    "claims": "the end, with the claims",
}
_COMMAND = {"claims": "close"}


def docket(found: dict[str, Any], telling: Telling) -> str:
    """What is asked of whom and since when, what the court ordered, and what the parties agreed on."""
    caption = found["caption"]
    lines = [f"\n{shown(caption['case'])}", shown(caption["court"])]
    if found["events"]:
        lines.append("On the docket:")
        lines += [
            f"  {moment(each['time'])}  entry {each['entry']}: {telling.said(each['what'])}" for each in found["events"]
        ]
    lines += [
        f"Since {moment(each['since'])} (entry {each['entry']}): {shown(each['sentence'])}" for each in found["asked"]
    ]
    if found["next"]:
        lines.append(f"Next comes {_NEXT[found['next']]}: tallystick matter {_COMMAND.get(found['next'], 'next')}")
    if found["cosigned"]:
        lines.append(telling.said(f"Cosigned by {listed(map(Role, found['cosigned']))}."))
    for each in found["ended_without"]:
        who = telling.called(Role(each["role"]))
        lines.append(f"By the court's order in entry {each['entry']} the matter ends without {who}'s signature.")
    return "\n".join(lines)


def moment(seconds: int) -> str:
    """Trent's clock for people, even if it is absurd."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        return f"time {seconds}"


def cell(value: Any) -> str:
    """A value in a table."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)
