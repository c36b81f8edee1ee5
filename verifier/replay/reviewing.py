"""A round under review: Alice's report, waves for Bob, his labels, disputes and rulings (V12 to V15)."""

from itertools import pairwise
from typing import Any

from verifier.checks import Check, Role
from verifier.record.copy import Told
from verifier.record.entries import hash_openings, hash_words
from verifier.replay import contents, privilege, proofs
from verifier.replay.contents import Kind
from verifier.replay.rounds import Step
from verifier.replay.state import Drawing, State, some
from verifier.replay.turns import broken
from verifier.rules import table
from verifier.rules.base import Report


def report(state: State, content: contents.Reported, told: Told) -> None:
    """Alice's report, and her link."""
    current = state.current
    if current is None:
        raise RuntimeError("a report answers a batch")
    sealed = told.entry.said.sealed
    with_threshold = table.of(state.opened.terms).with_threshold
    counts = {name: len(each.commitments) for name, each in sealed.items()}
    due = {"labels": current.size} | ({"threshold": 1} if with_threshold else {})
    if "privilege" in sealed:
        due["privilege"] = current.size
    if counts != due:
        raise broken(
            told,
            Check.REPORTS,
            Role.ALICE,
            "A report seals a label for each position, a threshold if asked, and a claim or null for each if any",
            due,
            counts,
        )
    state.draws += 1
    state.drawing = Drawing(answered=hash_words(told.entry.statement_bytes))
    state.take_link(told, Role.ALICE, content.draw, content.link)
    current.report_entry, current.report_fields = told.entry.body.sequence, tuple(due)
    labels, threshold = told.all_of("labels"), told.all_of("threshold")
    opened = labels is not None and (threshold is not None or not with_threshold)
    if labels is not None and opened:
        current.report = _checked_report(state, told, labels, threshold[0] if threshold else None)
    privilege.reported(told, current)
    if opened:
        whole = len(told.openings) == sum(counts.values())  # Bob is not shown all claims
        if whole and content.openings != hash_openings(told.openings):
            raise broken(
                told,
                Check.REPORTS,
                Role.ALICE,
                "A report signs the hash of the openings that come with it",
                hash_openings(told.openings).hex(),
                content.openings.hex(),
            )
        state.tally.passed(Check.REPORTS)


def _checked_report(state: State, told: Told, labels: list[Any], threshold: Any) -> Report:
    """Alice's report, opened: a label where one is asked for, and nothing elsewhere."""
    rule = "A report has a label, true or false, where one is asked for, and null elsewhere"
    asked = len(labels)
    if table.of(state.opened.terms).with_threshold:
        if type(threshold) is not int or not 0 <= threshold <= len(labels):
            raise broken(
                told, Check.REPORTS, Role.ALICE, "A threshold is a rank", f"0 to {len(labels)}", repr(threshold)[:80]
            )
        asked = threshold
    for index, label in enumerate(labels):
        if (type(label) is not bool) if index < asked else (label is not None):
            raise broken(
                told,
                Check.REPORTS,
                Role.ALICE,
                rule,
                f"{'a label' if index < asked else 'null'} at position {index + 1}",
                repr(label)[:80],
            )
    return Report(labels=tuple(labels), threshold=threshold)


def disclosure(state: State, content: contents.Positions, told: Told) -> None:
    """One wave of documents for Bob."""
    current = state.round_with_coins(told)
    state.check_ruled(told, current)
    wave = content.positions
    is_wave = (
        wave
        and all(one < other for one, other in pairwise(wave))
        and wave[-1] <= current.size
        and current.shown.isdisjoint(wave)
        and set(current.withheld).isdisjoint(wave)
    )
    if not is_wave:
        raise broken(
            told,
            Check.DISCLOSURES,
            Role.TRENT,
            "A wave names positions of the batch in order, none for the second time, and none that the court withheld",
            f"positions up to {current.size}",
            some(wave),
        )
    if told.entry.body.releases != current.released_by(wave):
        raise broken(
            told,
            Check.DISCLOSURES,
            Role.TRENT,
            "A disclosure releases to Bob the places of its positions, and nothing else",
            some(wave),
            "another release",
        )
    proofs.check(state, told, current, wave)
    current.waves.append(wave)
    current.steps.append(Step(Kind.DISCLOSURE, wave))
    current.shown_in.append(told.entry.body.sequence)


def labels(state: State, content: contents.Labels, told: Told) -> None:
    """Bob's labels of the last wave."""
    current = state.round_with_coins(told)
    _check_count(
        told,
        Role.BOB,
        "Bob labels every document that he is shown, and no other",
        len(current.waves[-1]),
        len(content.labels),
    )
    current.bob |= dict(zip(current.waves[-1], content.labels, strict=True))
    current.labelled_in.append(told.entry.body.sequence)
    state.tally.passed(Check.ANSWERS)


def _check_count(told: Told, party: Role, rule: str, due: int, found: int) -> None:
    if found != due:
        raise broken(told, Check.ANSWERS, party, rule, f"{due} labels", f"{found} labels")


def dispute(state: State, content: contents.Positions, told: Told) -> None:
    """What goes to the court."""
    current = state.round_with_coins(told)
    positions = content.positions
    due = current.disagreements() if current.known else None
    plausible = (
        bool(positions)
        and all(one < other for one, other in pairwise(positions))
        and set(positions) <= current.bob.keys() - current.rulings.keys()
    )
    if not plausible or (due is not None and positions != due):
        raise broken(
            told,
            Check.ANSWERS,
            Role.TRENT,
            "The court gets the documents on which Alice and Bob disagree, and no others",
            some(due) if due is not None else "disclosed positions",
            some(positions),
        )
    if due is None:
        state.tally.leave(Check.ANSWERS, "this copy does not show Alice's labels, so what is disputed cannot be told")
    current.disputed = positions
    state.tally.passed(Check.ANSWERS)


def rulings(state: State, content: contents.Labels, told: Told) -> None:
    """The court's labels of what was disputed."""
    current = state.round_with_coins(told)
    _check_count(
        told,
        Role.COURT,
        "The court rules on every document that is disputed, and no other",
        len(current.disputed),
        len(content.labels),
    )
    current.rulings |= dict(zip(current.disputed, content.labels, strict=True))
    current.ruled_in |= dict.fromkeys(current.disputed, told.entry.body.sequence)
    state.tally.passed(Check.ANSWERS)
