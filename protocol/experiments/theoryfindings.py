"""What the numbers say of each part of the one-dimensional theorems, and of the steps of their proofs."""

from collections.abc import Callable, Iterator, Sequence
from math import log
from typing import Any

from scipy.stats import binom

from protocol.experiments.outcome import Finding, Verdict
from protocol.theory.bounds import harmonic

Row = dict[str, Any]


def findings(rows: Sequence[Row]) -> list[Finding]:
    """One for each part, as printed and as corrected."""
    return [*_label(rows), *_classifier(rows), *_response(rows)]


def agreement(inside: int, total: int) -> Finding:
    """Whether the exact values are those of the rules that run, judged by how many intervals of 99 % hold theirs."""
    plausible = int(binom.ppf(0.999, total, 0.01)) if total else 0  # if each interval missed with its 1 %
    return Finding(
        claim="The exact values are those of the rules as they run, with coins of the ledger",
        seen=f"{inside} of {total} intervals of 99 % hold the exact value; by chance up to {plausible} would not.",
        verdict=Verdict.HOLDS if total - inside <= plausible else Verdict.DIFFERS,
    )


def _label(rows: Sequence[Row]) -> Iterator[Finding]:
    recall = _chosen(rows, ("one-dim-label", "label report"), "recall")
    yield _judged(
        "Theorem one-dim-label, recall: whatever Alice reports (false claims included), more than err* + k - 1 stay "
        "hidden with probability at most delta",
        recall,
        "printed",
        _largest_share,
    )
    yield _judged(
        "Theorem one-dim-label, recall sharpened: for every k, more than err* stay hidden with probability at most "
        "delta; c = 2 ln(1/delta) is enough for that, and the factor 1 + err_A/k is not needed",
        _chosen(rows, ("one-dim-label", "label report"), "recall, err* alone"),
        "corrected",
        _largest_share,
    )
    disclosure = _chosen(rows, ("one-dim-label", "label report"), "disclosure")
    yield _judged(
        "Theorem one-dim-label, disclosure as printed: (2 + 2 err*/k) ln N- ln(1/delta) + err*",
        disclosure,
        "printed",
        _excess,
        "A harmonic sum is not at most a logarithm: with one negative ln N- is 0, and with delta above 0.26 and err* "
        "= 0 too few chances are cut off at 1 to make up for it, at any N.",
    )
    yield _judged(
        "Theorem one-dim-label, disclosure as corrected: H of N- instead of ln N-", disclosure, "corrected", _excess
    )
    yield _judged(
        "Lemma one-dim-label, as printed: if err(t_A) >= err* + k, a hidden document is detected with probability at "
        "least 1 - delta",
        _chosen(rows, ("label report",), "detection, any report"),
        "printed",
        _excess,
        "With false claims Alice can move her threshold below t* while she hides nothing that could be detected. The "
        "recall does not suffer: then no more than err* lie below.",
    )
    yield _judged(
        "Lemma one-dim-label, for reports that call nothing responsive which is not",
        _chosen(rows, ("label report",), "detection, no false claims"),
        "printed",
        _largest_share,
    )
    pairs = [(a, b) for a in range(1, 30) for b in range(1, 30)]
    sums = [(harmonic(a + b) - harmonic(b), log((a + b) / b), a / (a + b) - 1e-12) for a, b in pairs]
    reversed_ = sum(total < printed for total, printed, _ in sums)
    enough = sum(total >= needed for total, _, needed in sums)
    yield Finding(
        claim="Lemma one-dim-label, its proof: the sum of 1/(b + j) for j to a is at least ln((a + b)/b)",
        seen=f"It is less for {reversed_} of {len(pairs)} pairs of a and b; for {enough} of them it is at least "
        "a/(a + b), which is what the printed constant needs.",
        verdict=Verdict.DIFFERS if reversed_ else Verdict.HOLDS,
    )


def _classifier(rows: Sequence[Row]) -> Iterator[Finding]:
    names = ("one-dim-classifier", "classifier report")
    yield _judged(
        "Theorem one-dim-classifier, recall: whatever threshold Alice reports, more than 3 err* stay hidden with "
        "probability at most delta",
        _chosen(rows, names, "recall"),
        "printed",
        _largest_share,
    )
    disclosure = [row for row in rows if row["theorem"] in names and row["part"].startswith("disclosure")]
    exact = [row for row in disclosure if row["part"].endswith("= 0") or row.get("error") == 0]
    others = [row for row in disclosure if row["part"].endswith("> 0") or (row.get("error") or 0) > 0]
    printed = "Theorem one-dim-classifier, disclosure as printed: 2 err* ln N ln(N/delta) + err*"
    yield _judged(f"{printed}; with err* = 0", exact, "printed", _excess, "It prints 0, but one epoch always runs.")
    yield _judged(f"{printed}; with err* > 0", others, "printed", _excess)
    yield _judged(
        "Theorem one-dim-classifier, disclosure as corrected: err* + 1 epochs, each with H of N",
        disclosure,
        "corrected",
        _excess,
    )
    lemma = "Lemma one-dim-classifier: if err(t_A) > 3 err*, the rest is compelled with probability at least 1 - delta"
    yield _judged(f"{lemma}; t_A above t*", _chosen(rows, names, "detection, t_A > t*"), "printed", _largest_share)
    yield _judged(
        f"{lemma}; t_A below t*",
        _chosen(rows, names, "detection, t_A < t*"),
        "printed",
        _excess,
        "The algorithm looks below t_A only and never compares t_A with a larger threshold. The recall does not "
        "suffer, the non-responsive disclosure has no bound then.",
    )


def _response(rows: Sequence[Row]) -> Iterator[Finding]:
    found = [row for row in rows if row["theorem"] == "best response"]
    recall = _chosen(found, ("best response",), "recall")
    claim = "Best-response theorem (cor:one-dim-label), recall: the best response hides at most err* + k"
    yield _judged(claim, recall, "printed", _hides)
    yield _judged(f"{claim} - 1, as its proof says", recall, "corrected", _hides)
    disclosure = _chosen(found, ("best response",), "disclosure")
    claim = "Best-response theorem, disclosure as"
    note = "With k = 1 or 3, err* = 0 and delta near 1/3 the premise lets in an N- at which H of N- is still too large."
    yield _judged(f"{claim} printed", disclosure, "printed", _excess, note)
    yield _judged(f"{claim} corrected: H of N-, and c (k - 1)", disclosure, "corrected", _excess)
    yield _judged(
        "Best-response theorem, k = 1: the best response gives true labels for all that the optimal classifier calls "
        "responsive",
        _chosen(found, ("best response",), "truthful"),
        "printed",
        _dearer,
        "Documents above the threshold are shown to Bob whatever Alice calls them. To call the others among them "
        "responsive lowers err_A, and with it every chance below.",
    )
    yield _judged(
        "Best-response theorem, k = 1: its recall is at least that of the optimal classifier",
        _chosen(found, ("best response",), "recall of the optimal classifier"),
        "printed",
        _hides,
    )
    yield _steps(recall)
    searched = [row for row in rows if row["part"] == "search"]
    cases, unproven = sum(row["cases"] for row in searched), sum(row["unproven"] for row in searched)
    yield _judged(
        "The search for best responses finds the best of all 2^N reports",
        searched,
        "printed",
        lambda _rows, _bound: (
            f"{unproven} of the {cases} cases are too small for its proof, and agree. "
            f"{sum(not row['proven'] for row in recall)} of {len(recall)} larger ones are unproven."
        ),
    )


def _steps(recall: Sequence[Row]) -> Finding:
    """The two sentences of the proofs about what Alice will not do."""
    false = [row for row in recall if row["false claims"]]
    moved = [row for row in recall if row["moved"]]
    return Finding(
        claim="Proofs of the label theorems: Alice will not label any negative point as positive; and her best "
        "response has err(t_A) < err* + k",
        seen=f"Of {len(recall)} best responses {len(false)} make false claims, and {len(moved)} move t_A below t* so "
        "that err(t_A) >= err* + k. Where Bob sees a document for certain anyway, a false claim costs nothing, and it "
        "lowers err_A.",
        verdict=Verdict.DIFFERS if false or moved else Verdict.HOLDS,
    )


def _chosen(rows: Sequence[Row], theorems: Sequence[str], part: str) -> list[Row]:
    return [row for row in rows if row["theorem"] in theorems and row["part"] == part]


def _judged(
    claim: str, rows: Sequence[Row], bound: str, told: Callable[[Sequence[Row], str], str], why: str = ""
) -> Finding:
    """A finding whose verdict is whether any case is above its bound; `why` is said only if one is."""
    if not rows:
        return Finding(claim=claim, seen="No instance that was tried fulfils its premise.", verdict=Verdict.OPEN)
    cases, over = sum(row["cases"] for row in rows), sum(row["over"][bound] for row in rows)
    first = f"{over} exceptions in {cases} cases." if over else f"No exception in {cases} cases."
    seen = [first, told(rows, bound), why if over else ""]
    return Finding(
        claim=claim, seen=" ".join(each for each in seen if each), verdict=Verdict.DIFFERS if over else Verdict.HOLDS
    )


def _largest_share(rows: Sequence[Row], bound: str) -> str:
    worst = max(rows, key=lambda row: float(row["exact"] / row[bound]))
    return f"The largest is {worst['exact']:.4g} with delta = {worst['delta']:g}{_place(worst)}."


def _excess(rows: Sequence[Row], bound: str) -> str:
    worst = max(rows, key=lambda row: float(row["exact"] - row[bound]))
    if worst["exact"] <= worst[bound]:
        worst = max(rows, key=lambda row: float(row["exact"] / row[bound]) if row[bound] else 0.0)
    against = f"{worst['exact']:.4g} against {worst[bound]:.4g}, delta = {worst['delta']:g}{_place(worst)}"
    return f"Most above: {against}." if worst["exact"] > worst[bound] else f"Nearest: {against}."


def _hides(rows: Sequence[Row], bound: str) -> str:
    worst = max(rows, key=lambda row: (row["exact"] - row[bound], row["exact"]))
    nearest = f"{worst['exact']} hidden against {worst[bound]}, delta = {worst['delta']:g}{_place(worst)}"
    return f"Nearest: {nearest}. The most that is hidden anywhere is {max(row['exact'] for row in rows)}."


def _dearer(rows: Sequence[Row], _bound: str) -> str:
    plain = [row for row in rows if row["price"] == 0] or rows
    worst = max(plain, key=lambda row: float(row["exact"]))
    loss, held = worst["losses"]
    return (
        f"With c = 0 such truth costs up to {held:.4g} against {loss:.4g}, delta = {worst['delta']:g}{_place(worst)}."
    )


def _place(row: Row) -> str:
    k = "" if row.get("k") is None else f", k = {row['k']}"
    batch = f", batch {row['batch']}" if row.get("batch") else f", {row['family']}"
    return f"{k}, N = {row['size']}{batch}"
