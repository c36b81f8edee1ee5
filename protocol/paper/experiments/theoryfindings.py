"""What the numbers say about each part of the one-dimensional theorems and about the steps of their proofs.

The paper assumes err* > 0. Its own statements are judged by such instances, and a remark says what happens if
err* = 0. Our own statements, corrected or sharpened, are judged by all instances.
"""

from collections.abc import Callable, Iterator, Sequence
from math import exp, log
from typing import Any

from scipy.stats import binom

from protocol.paper.experiments.outcome import Finding, Verdict
from protocol.paper.theory.bounds import EULER, harmonic

Row = dict[str, Any]

LABEL, CLASSIFIER = ("one-dim-label", "label report"), ("one-dim-classifier", "classifier report")

LIMIT = 2 / (3 / 2 - EULER)
"""The c below which a harmonic sum with its first chances cut off at 1 is above c ln N-, however large N- is.

For c from 2 to 3 the sum of min(1, c/j) tends to c ln N- + 2 + c (gamma - 3/2), from above.
"""


def findings(rows: Sequence[Row]) -> list[Finding]:
    """One for each part, as printed and as corrected."""
    return [*_label(rows), *_classifier(rows), *_response(rows)]


def agreement(inside: int, total: int) -> Finding:
    """Whether the exact values are those of the rules that run, judged by how many intervals of 99 % hold theirs."""
    plausible = int(binom.ppf(0.999, total, 0.01)) if total else 0  # if each interval missed with its 1 %
    return Finding(
        claim="Our check: the exact values are those of the rules as they run, with coins of the ledger",
        seen=f"{inside} of {total} intervals of 99 % hold the exact value; by chance up to {plausible} would not.",
        verdict=Verdict.HOLDS if total - inside <= plausible else Verdict.DIFFERS,
    )


def _label(rows: Sequence[Row]) -> Iterator[Finding]:
    yield _printed(
        "Theorem one-dim-label, recall: whatever Alice reports (false claims included), more than err* + k - 1 stay "
        "hidden with probability at most delta",
        _chosen(rows, LABEL, "recall"),
        _largest_share,
    )
    yield _ours(
        "Theorem one-dim-label, recall sharpened: for every k, more than err* stay hidden with probability at most "
        "delta; c = 2 ln(1/delta) is enough for that, and the factor 1 + err_A/k is not needed",
        _chosen(rows, LABEL, "recall, err* alone"),
        _largest_share,
    )
    disclosure = _chosen(rows, LABEL, "disclosure")
    yield _printed(
        "Theorem one-dim-label, disclosure as printed: (2 + 2 err*/k) ln N- ln(1/delta) + err*",
        disclosure,
        _excess,
        f"A harmonic sum is not at most a logarithm. If c = (2 + 2 err*/k) ln(1/delta) is below {LIMIT:.2f} and "
        "FN* = 0, too few chances are cut off at 1 to make up for it, at every large N-; for err* = 0 that is delta "
        f"above {exp(-LIMIT / 2):.3f}. A larger c fails at small N- only.",
    )
    yield _ours(
        "Theorem one-dim-label, disclosure as corrected: the harmonic number H(N-) instead of ln N-",
        disclosure,
        _excess,
    )
    yield _printed(
        "Lemma one-dim-label, as printed: if err(t_A) >= err* + k, a hidden document is detected with probability at "
        "least 1 - delta",
        _chosen(rows, LABEL, "detection, any report"),
        _excess,
        "The lemma's proof assumes that Alice makes no false claims. With them she can move her threshold below t* "
        "while she hides nothing that could be detected. The recall does not suffer: then no more than err* lie below.",
    )
    yield _printed(
        "Lemma one-dim-label, as its proof assumes: for reports that call nothing responsive which is not",
        _chosen(rows, LABEL, "detection, no false claims"),
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
    yield _printed(
        "Theorem one-dim-classifier, recall: whatever threshold Alice reports, more than 3 err* stay hidden with "
        "probability at most delta",
        _chosen(rows, CLASSIFIER, "recall"),
        _largest_share,
    )
    disclosure = _chosen(rows, CLASSIFIER, "disclosure")
    yield _printed(
        "Theorem one-dim-classifier, disclosure as printed: 2 err* ln N ln(N/delta) + err*",
        disclosure,
        _excess,
        "The proof's count of epochs is off by one: err* finds make err* + 1. It shows where err* = 0, for which 0 is "
        "printed while one epoch runs; that is outside the paper's assumption.",
    )
    yield _ours(
        "Theorem one-dim-classifier, disclosure as corrected: err* + 1 epochs, each with H(N)", disclosure, _excess
    )
    lemma = "Lemma one-dim-classifier: if err(t_A) > 3 err*, it is detected that t_A is not optimal"
    yield _printed(
        f"{lemma}, with probability at least 1 - delta; t_A above t*",
        _chosen(rows, CLASSIFIER, "detection, t_A > t*"),
        _largest_share,
    )
    compelled = _chosen(rows, CLASSIFIER, "compelled, t_A < t*")
    yield _printed(
        f"{lemma}, from the labels that Trent holds; t_A below t*",
        _chosen(rows, CLASSIFIER, "seen, t_A < t*"),
        lambda these, bound: (
            "Remark: the algorithm has no step that acts on it. Its own test, M+ > M-, looks below t_A only, and "
            f"compels the rest too seldom in {_over(_alike(compelled, these), bound)} of these cases. No promise is "
            "broken: Bob sees more, and the paper bounds the disclosure for an optimal t_A only."
        ),
    )


def _response(rows: Sequence[Row]) -> Iterator[Finding]:
    names = ("best response",)
    recall = _chosen(rows, names, "recall")
    claim = "Best-response theorem (cor:one-dim-label), recall: the best response hides at most err* + k"
    yield _printed(claim, recall, _hides)
    yield _ours(f"{claim} - 1, as its proof says", _applies(recall), _hides)
    disclosure = _chosen(rows, names, "disclosure")
    yield _printed(
        "Best-response theorem, disclosure as printed",
        disclosure,
        _excess,
        "At delta near 1/3 its premise lets in an N- at which H(N-) is still too large for ln N-; with err* > 0 it "
        "asks for a larger N-, and none is left.",
    )
    yield _ours(
        "Best-response theorem, disclosure as corrected: H(N-) for ln N-, in the premise too, and price (err* + k - 1)",
        _applies(disclosure),
        _excess,
    )
    claim = (
        "Best-response theorem, k = 1: the best response gives true labels for all that the optimal classifier calls"
    )
    yield _printed(
        f"{claim} responsive; by the pseudo-code, where only a sampled true positive brings the batch",
        _chosen(rows, names, "truthful"),
        _dearer,
        "Documents above the threshold are shown to Bob whatever Alice calls them. To call the others among them "
        "responsive lowers err_A, and with it every chance below.",
    )
    yield _printed(
        f"{claim} responsive; by the prose before it, where any error that is found brings the batch",
        _chosen(rows, names, "truthful, by the prose"),
        lambda _rows, _bound: "A false claim is always refuted then, and costs the whole batch.",
    )
    yield _printed(
        "Best-response theorem, k = 1: its recall is at least that of the optimal classifier",
        _chosen(rows, names, "recall of the optimal classifier"),
        _hides,
    )
    yield _steps(recall)
    searched = [row for row in rows if row["part"] == "search"]
    cases, unproven = sum(row["cases"] for row in searched), sum(row["unproven"] for row in searched)
    yield _ours(
        "Our check: the search for best responses finds the best of all 2^N reports",
        searched,
        lambda _rows, _bound: (
            f"{unproven} of the {cases} cases are too small for its proof, and agree. "
            f"{sum(not row['proven'] for row in recall)} of {len(recall)} larger ones are unproven."
        ),
    )


def _steps(recall: Sequence[Row]) -> Finding:
    """The two sentences of the proofs about what Alice will not do."""
    claim = (
        "Proofs of the label theorems: Alice will not label any negative point as positive; and her best response has "
        "err(t_A) < err* + k"
    )
    inside = [row for row in recall if row["inside"]]
    if not inside:
        return Finding(claim=claim, seen=NOTHING, verdict=Verdict.OPEN)
    false = sum(row["false claims"] > 0 for row in inside)
    moved = sum(row["moved"] for row in inside)
    held = sum(row["losses"][2] < row["others"] and not row["moved, by the prose"] for row in inside)
    return Finding(
        claim=claim,
        seen=f"By the pseudo-code, of {len(inside)} best responses (err* > 0) {false} make false claims, and {moved} "
        "move t_A below t* so that err(t_A) >= err* + k: where Bob sees a document for certain anyway, a false claim "
        "costs nothing, and it lowers err_A. By the prose, where any error that is found brings the batch, a false "
        f"claim does not pay; both sentences hold for {held} of {len(inside)}.",
        verdict=Verdict.DIFFERS if false or moved else Verdict.HOLDS,
    )


NOTHING = "No instance that was tried fulfils its premise."

Told = Callable[[Sequence[Row], str], str]


def _chosen(rows: Sequence[Row], theorems: Sequence[str], part: str) -> list[Row]:
    return [row for row in rows if row["theorem"] in theorems and row["part"] == part]


def _applies(rows: Sequence[Row]) -> list[Row]:
    """Those that fulfil the corrected premise."""
    return [row for row in rows if row["applies corrected"]]


def _alike(rows: Sequence[Row], others: Sequence[Row]) -> list[Row]:
    """Those on the same side of the paper's assumption as the others."""
    sides = {row["inside"] for row in others}
    return [row for row in rows if row["inside"] in sides]


def _printed(claim: str, rows: Sequence[Row], told: Told, why: str = "") -> Finding:
    """A finding on what the paper says, judged where err* > 0, as it assumes; `why` is said if there is an exception.

    Exceptions with err* = 0 are told as a remark.
    """
    inside, outside = ([row for row in rows if row["inside"] is which] for which in (True, False))
    seen = []
    if inside:
        seen += [f"err* > 0: {_count(inside, 'printed')}", told(inside, "printed")]
    if outside:
        seen.append(f"err* = 0, outside the paper's assumption: {_count(outside, 'printed')}")
        seen.append(told(outside, "printed") if _over(outside, "printed") or not inside else "")
    seen.append(why if _over(rows, "printed") else "")
    verdict = Verdict.OPEN
    if inside:
        verdict = Verdict.DIFFERS if _over(inside, "printed") else Verdict.HOLDS
    return Finding(claim=claim, seen=" ".join(each for each in seen if each) or NOTHING, verdict=verdict)


def _ours(claim: str, rows: Sequence[Row], told: Told) -> Finding:
    """A finding on what we say, judged by all cases."""
    if not rows:
        return Finding(claim=claim, seen=NOTHING, verdict=Verdict.OPEN)
    within = [row for row in rows if row["inside"]]
    seen = f"{_count(rows, 'corrected').capitalize()} Of them {_cases(within)} have err* > 0. {told(rows, 'corrected')}"
    return Finding(claim=claim, seen=seen, verdict=Verdict.DIFFERS if _over(rows, "corrected") else Verdict.HOLDS)


def _cases(rows: Sequence[Row]) -> int:
    return sum(row["cases"] for row in rows)


def _over(rows: Sequence[Row], bound: str) -> int:
    return sum(row["over"][bound] for row in rows)


def _count(rows: Sequence[Row], bound: str) -> str:
    cases, over = _cases(rows), _over(rows, bound)
    return f"{over} exceptions in {cases} cases." if over else f"no exception in {cases} cases."


def _largest_share(rows: Sequence[Row], bound: str) -> str:
    worst = max(rows, key=lambda row: float(row["exact"] / row[bound]))
    return f"The largest is {worst['exact']:.4g} with delta = {worst['delta']:g}{_place(worst)}."


def _excess(rows: Sequence[Row], bound: str) -> str:
    """The most above a bound, and the largest N with the least k that is; or the nearest to it."""
    worst = max(rows, key=lambda row: float(row["exact"] - row[bound]))
    if worst["exact"] <= worst[bound]:
        worst = max(rows, key=lambda row: float(row["exact"] / row[bound]) if row[bound] else 0.0)
        return f"Nearest: {_against(worst, bound)}."
    above = [row for row in rows if row["over"][bound] and row["exact"] > row[bound]] or [worst]
    longest = max(above, key=lambda row: (-(row.get("k") or 0), row["size"], row["exact"] - row[bound]))
    also = f" Also: {_against(longest, bound)}." if longest is not worst and longest["size"] > 9 else ""
    return f"Most above: {_against(worst, bound)}.{also}"


def _against(row: Row, bound: str) -> str:
    return f"{row['exact']:.4g} against {row[bound]:.4g}, delta = {row['delta']:g}{_place(row)}"


def _hides(rows: Sequence[Row], bound: str) -> str:
    worst = max(rows, key=lambda row: (row["exact"] - row[bound], row["exact"]))
    nearest = f"{worst['exact']} hidden against {worst[bound]}, delta = {worst['delta']:g}{_place(worst)}"
    return f"Nearest: {nearest}. The most that is hidden anywhere is {max(row['exact'] for row in rows)}."


def _dearer(rows: Sequence[Row], _bound: str) -> str:
    plain = [row for row in rows if row["price"] == 0] or rows
    worst = max(plain, key=lambda row: float(row["exact"]))
    loss, held, _ = worst["losses"]
    return (
        f"At price 0 such truth costs up to {held:.4g} against {loss:.4g}, delta = {worst['delta']:g}{_place(worst)}."
    )


def _place(row: Row) -> str:
    k = "" if row.get("k") is None else f", k = {row['k']}"
    batch = f", batch {row['batch']}" if row.get("batch") else f", {row['family']}"
    return f"{k}, N = {row['size']}{batch}"
