"""V25: did every document that Alice claims as privileged go to the court before Bob, when it was due, and no other?"""

from itertools import pairwise
from math import floor
from typing import Any

from verifier.checks import Check
from verifier.replay import documents
from verifier.replay.condition import Blamed, Broken, Candidate, condition, some
from verifier.replay.contents import Closed, Late, Positions, Privilege
from verifier.replay.disclosures import first_wrong_of
from verifier.replay.forms import Kind
from verifier.replay.reports import BASIS, class_claims, is_basis, is_class
from verifier.replay.rounds import Step
from verifier.rules.terms import probability


def _ascending(positions: tuple[int, ...]) -> bool:
    return all(one < other for one, other in pairwise(positions))


@condition(
    Check.PRIVILEGE,
    Blamed.TRENT,
    "A camera names positions of the round in order, neither disclosed nor ruled on",
)
def camera_is_new(entry: Candidate[Positions]) -> Broken | None:
    """The positions are ascending, at least one, in the round, and neither disclosed nor ruled on."""
    positions, current = entry.content.positions, entry.current
    new = current.shown.isdisjoint(positions) and current.seen_in_camera.keys().isdisjoint(positions)
    if positions and _ascending(positions) and positions[-1] <= current.size and new:
        return None
    return Broken(f"positions up to {current.size}", some(positions))


@condition(
    Check.PRIVILEGE,
    Blamed.TRENT,
    "The court sees in camera only what Alice claims, unless the terms let it look at everything",
    shown="that a position is not claimed",
)
def camera_is_claimed(entry: Candidate[Positions]) -> Broken | None:
    """Alice claims each of them, with a report or late; or the round is a validation whose `viewer` is `court`."""
    current = entry.current
    if current.court_looks:
        return None
    unclaimed = [
        each
        for each in entry.content.positions
        if each not in current.late and (each in current.unclaimed or not current.has_claims)
    ]
    return Broken("claimed positions", f"unclaimed: {some(unclaimed)}") if unclaimed else None


@condition(
    Check.PRIVILEGE,
    Blamed.TRENT,
    "A camera releases to Bob the bases of its claims, and nothing else",
    shown="which documents are withheld, if it shows such",
)
def releases_bases(entry: Candidate[Positions]) -> Broken | None:
    """It releases to Bob the bases of these claims, by a list of indices, and nothing else."""
    positions = entry.content.positions
    if not entry.current.claims_known(positions):
        return None
    due = entry.current.released_in_camera(positions)
    return None if entry.body.releases == due else Broken(some(positions), "another release")


def take_camera(entry: Candidate[Positions]) -> None:
    """The part of the next wave that goes to the court alone."""
    documents.take_documents(entry)
    entry.current.take_camera(entry.content.positions, entry.body.releases)


@condition(Check.PRIVILEGE, Blamed.COURT, "The court rules on every claim that it is asked about, and no other")
def rules_on_claims(entry: Candidate[Privilege]) -> Broken | None:
    """There is a ruling for each position."""
    due, found = len(entry.current.camera), len(entry.content.upheld)
    return None if found == due else Broken(f"{due} rulings", f"{found} rulings")


def take_privilege(entry: Candidate[Privilege]) -> None:
    """Whether the court upholds each claim that it saw; of a class, or of what it looks at in any case, its label."""
    current = entry.current
    found = dict(zip(current.camera, entry.content.upheld, strict=True))
    current.seen_in_camera |= found
    for position, kept in found.items():
        labelled = current.is_labelled_in_camera(position)
        if labelled is None:
            current.unclear.add(position)
        elif labelled:
            current.court[position] = not kept
    current.camera_in |= dict.fromkeys(found, entry.sequence)
    upheld = frozenset(position for position, upheld in found.items() if upheld)
    current.steps.append(Step(Kind.CAMERA, current.camera, upheld))


def take_late(entry: Candidate[Late]) -> None:
    """Alice is asked for further claims."""
    entry.current.late_asked = True


@condition(
    Check.PRIVILEGE,
    Blamed.ALICE,
    "A late claim names positions of the round in order, neither disclosed nor claimed nor given up",
)
def late_claim_is_new(entry: Candidate[Positions]) -> Broken | None:
    """The positions are ascending, in the round, and neither disclosed nor claimed nor given up."""
    positions, current = entry.content.positions, entry.current
    taken = current.shown | current.claimed.keys() | current.late.keys() | current.given_up
    if _ascending(positions) and max(positions, default=0) <= current.size and taken.isdisjoint(positions):
        return None
    return Broken(f"positions up to {current.size}", some(positions))


@condition(Check.PRIVILEGE, Blamed.ALICE, "A late claim seals one basis for each position")
def late_claim_counts(entry: Candidate[Positions]) -> Broken | None:
    """It seals a basis for each position."""
    due, found = len(entry.content.positions), entry.sealed("privilege")
    return None if found == due else Broken(due, found)


@condition(
    Check.PRIVILEGE, Blamed.ALICE, "Each late claim has its basis, or in a validation names a class", shown="the basis"
)
def late_claim_has_basis(entry: Candidate[Positions]) -> Broken | None:
    """Each is a basis; or, in the claim that a `validation` asks for, a class of the terms."""
    first = entry.current.asks is Kind.CLAIM and not entry.current.late_asked
    classes = entry.state.opened.terms.classes if first else None
    for basis in entry.told.values.get("privilege", {}).values():
        if not is_basis(basis) and not is_class(basis, classes):
            return Broken(BASIS, repr(basis)[:80])
    return None


@condition(
    Check.PRIVILEGE, Blamed.ALICE, "Alice puts no more documents into classes than the terms allow", shown="the classes"
)
def classes_within_share(entry: Candidate[Any]) -> Broken | None:
    """Together with all reports and claims before, it names a class for at most floor(`share` · documents)."""
    terms, found = entry.state.opened.terms, entry.state.class_claims + class_claims(entry)
    if terms.classes is None:
        return None
    most = floor(probability("classes.share", terms.classes.share) * entry.state.opened.corpus.documents)
    return None if found <= most else Broken(f"at most {most}", found)


def take_claim(entry: Candidate[Positions]) -> None:
    """What Alice claims late, from what Bob has not been shown."""
    current, positions = entry.current, entry.content.positions
    opened = entry.told.values.get("privilege", {})
    current.late_bases |= {positions[index]: basis for index, basis in opened.items()}
    current.late |= {position: (entry.sequence, index) for index, position in enumerate(positions)}
    current.steps.append(Step(Kind.CLAIM, positions))
    entry.state.class_claims += class_claims(entry)


@condition(
    Check.PRIVILEGE,
    Blamed.TRENT,
    "Everything in a wave that Alice claims goes to the court first, and nothing else does",
    shown="Alice's labels",
)
def cameras_as_due(entry: Candidate[Closed]) -> Broken | None:
    """Of all waves and `camera`s, in order, the first that is not what was due is neither a `camera` nor a wave with a
    claimed position that is not ruled on.
    """
    wrong = first_wrong_of(Check.PRIVILEGE, entry)
    if wrong is None:
        return None
    where = f"wave {wrong.wave} of round {entry.current.number}"
    return Broken(
        f"before {where} in camera also {some(wrong.omitted)}" if wrong.omitted else f"no more of {where}",
        f"not due, or not ruled on: {some(wrong.added)}" if wrong.added else "not shown to the court",
    )
