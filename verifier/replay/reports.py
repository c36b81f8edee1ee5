"""V12: is each of Alice's reports complete, and as she committed to it?"""

from typing import Any

from verifier.checks import Check
from verifier.record.entries import hash_words
from verifier.replay import coins
from verifier.replay.basis import BASIS, is_claim, names_class
from verifier.replay.condition import Blamed, Broken, Candidate, condition
from verifier.replay.contents import Reported
from verifier.replay.rounds import Sort
from verifier.rules import table
from verifier.rules.base import Report

_LABELS = "her labels, and her threshold if one is asked for"


def _due(entry: Candidate[Reported]) -> dict[str, int]:
    """How many values each field of the report must have."""
    size, sealed = entry.current.to_label, entry.said.sealed
    due = ({"labels": 1} if size else {}) | ({"threshold": 1} if _with_threshold(entry) else {})
    return due | ({"privilege": size} if size and "privilege" in sealed else {})


def _with_threshold(entry: Candidate[Reported]) -> bool:
    return table.of(entry.state.opened.terms).with_threshold and entry.current.sort is Sort.BATCH


@condition(
    Check.REPORTS,
    Blamed.ALICE,
    "A report seals its labels, a threshold if one is asked for, and, if it claims privilege at all, a claim or null "
    "for each position that it is about",
)
def complete(entry: Candidate[Reported]) -> Broken | None:
    """It seals one `labels`, and none after a `call` that called nothing. It seals one threshold if it is about a batch
    and the rule asks for one, otherwise none; and a value of `privilege` for each position that it labels, or none at
    all.
    """
    found, due = {name: entry.sealed(name) for name in entry.said.sealed}, _due(entry)
    return None if found == due else Broken(due, found)


def _opened(entry: Candidate[Reported]) -> tuple[list[Any], Any] | None:
    """Labels and threshold, if the copy opens them all."""
    labels = entry.told.all_of("labels") if entry.current.to_label else [[]]
    threshold = entry.told.all_of("threshold")
    if labels is None or (threshold is None and _with_threshold(entry)):
        return None
    return labels[0], threshold[0] if threshold else None


@condition(Check.REPORTS, Blamed.ALICE, "A report has a label for each position that it is about", shown=_LABELS)
def one_label_each(entry: Candidate[Reported]) -> Broken | None:
    """`labels` has a label for each position; after a `call`, for each that was called."""
    opened, size = _opened(entry), entry.current.to_label
    if opened is None:
        return None
    found = len(opened[0]) if type(opened[0]) is list else repr(opened[0])[:80]
    return None if found == size else Broken(size, found)


@condition(Check.REPORTS, Blamed.ALICE, "A threshold is a rank of the batch, or 0", shown=_LABELS)
def threshold_is_rank(entry: Candidate[Reported]) -> Broken | None:
    """The threshold is a rank from 0 to the batch's size."""
    opened = _opened(entry)
    if opened is None or not _with_threshold(entry):
        return None
    labels, threshold = opened
    if type(threshold) is int and 0 <= threshold <= len(labels):
        return None
    return Broken(f"0 to {len(labels)}", repr(threshold)[:80])


@condition(
    Check.REPORTS,
    Blamed.ALICE,
    "A report has a label, true or false, wherever one is asked for, and null elsewhere",
    shown=_LABELS,
)
def labels_where_asked(entry: Candidate[Reported]) -> Broken | None:
    """The labels are true or false where one is asked for, and null elsewhere."""
    opened = _opened(entry)
    if opened is None:
        return None
    labels, threshold = opened
    asked = threshold if _with_threshold(entry) else len(labels)
    for index, label in enumerate(labels):
        if (type(label) is not bool) if index < asked else (label is not None):
            return Broken(f"{'a label' if index < asked else 'null'} at position {index + 1}", repr(label)[:80])
    return None


@condition(Check.REPORTS, Blamed.ALICE, "A claim of privilege has its basis, or names a class", shown="claims")
def claims_have_basis(entry: Candidate[Reported]) -> Broken | None:
    """Each value of `privilege` is null, a basis, a class of the terms, or with the unit `family` a claim for parts."""
    opened = entry.state.opened
    for index, basis in entry.told.values.get("privilege", {}).items():
        if basis is not None and not is_claim(basis, opened.corpus.unit, opened.terms.classes):
            return Broken(f"{BASIS}, or null, at position {index + 1}", repr(basis)[:80])
    return None


@condition(Check.REPORTS, Blamed.ALICE, "A report seals claims of privilege only if it makes some", shown="all claims")
def some_claim(entry: Candidate[Reported]) -> Broken | None:
    """Not all values of `privilege` are null."""
    opened = entry.told.values.get("privilege", {})
    unclaimed = sum(basis is None for basis in opened.values())
    return Broken("a claim", "none") if unclaimed and unclaimed == entry.sealed("privilege") else None


@condition(
    Check.REPORTS, Blamed.ALICE, "A report signs the hash of the openings that come with it", shown="all openings"
)
def signs_openings(entry: Candidate[Reported]) -> Broken | None:
    """`openings` is the hash of the report's openings."""
    openings = entry.told.openings
    if _opened(entry) is None or len(openings) != sum(map(entry.sealed, entry.said.sealed)):
        return None
    due, found = openings.hash, entry.content.openings
    return None if found == due else Broken(due.hex(), found.hex())


def take_report(entry: Candidate[Reported]) -> None:
    """Alice's report fixes what the coins will decide about."""
    current, opened = entry.current, _opened(entry)
    coins.begin_draw(entry, hash_words(entry.told.entry.statement_bytes))
    coins.spend(entry)
    current.report_entry, current.report_fields = entry.sequence, tuple(_due(entry))
    _take_claims(entry)
    if opened is not None:
        labels, threshold = opened
        current.report = Report(labels=tuple(labels), threshold=threshold)
        entry.state.tally.passed(Check.REPORTS)


def _take_claims(entry: Candidate[Reported]) -> None:
    """The claims of privilege that come with the report, as far as the copy shows them."""
    current = entry.current
    if "privilege" not in entry.said.sealed:
        current.unclaimed.update(range(1, current.to_label + 1))
        return
    opened = entry.told.values.get("privilege", {})
    current.unclaimed.update(index + 1 for index, basis in opened.items() if basis is None)
    current.claimed |= {index + 1: basis for index, basis in opened.items() if basis is not None}
    current.claims_shown = len(opened) == entry.sealed("privilege")
    entry.state.class_claims += class_claims(entry)


def class_claims(entry: Candidate[Any]) -> int:
    """How many values of an entry's `privilege` name a class, as far as the copy shows them."""
    return sum(names_class(value) for value in entry.told.values.get("privilege", {}).values())
