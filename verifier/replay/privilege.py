"""V25: did every document that Alice claims as privileged go to the court before Bob, when it was due, and no other?

And did Alice ask back only what Bob was shown? What is clawed back still counts as shown: nothing else depends on it.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import floor
from typing import Any

from verifier.checks import Check
from verifier.plural import count
from verifier.replay import documents, given_reasons
from verifier.replay.asked_back import AskedBack, ShownAt
from verifier.replay.basis import BASIS, is_claim, is_text, parts_named, parts_of
from verifier.replay.commitment import Unit
from verifier.replay.condition import Blamed, Broken, Candidate, condition, some
from verifier.replay.contents import Clawback, Closed, Late, Positions, Privilege, Reclaim, Returned
from verifier.replay.disclosures import first_wrong_of
from verifier.replay.forms import Kind
from verifier.replay.reports import class_claims
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


@condition(
    Check.PRIVILEGE,
    Blamed.ALICE,
    "A claim for parts of a document names parts that it has, and not all of them",
    shown="the claim and the proof",
    stops=False,
)
def claims_parts_that_are_there(entry: Candidate[Positions]) -> Broken | None:
    """Each claim for parts names parts that the document has, and not all of them; it is looked at once."""
    current = entry.current
    for position, proof in (documents.proven(entry) or {}).items():
        has = len(proof.parts)
        claimed = parts_of(current.claim(position))
        if claimed and position not in current.compared and not len(claimed) < has > claimed[-1]:
            return Broken(f"some of the {has} parts at position {position}", f"a claim for {parts_named(claimed)}")
    return None


def take_camera(entry: Candidate[Positions]) -> None:
    """The part of the next wave that goes to the court alone."""
    documents.take_documents(entry)
    entry.current.take_camera(entry.content.positions, entry.body.releases)


@condition(Check.PRIVILEGE, Blamed.COURT, "The court rules on every claim that it is asked about, and no other")
def rules_on_claims(entry: Candidate[Privilege]) -> Broken | None:
    """There is a ruling for each position."""
    due, found = len(entry.current.camera), len(entry.content.upheld)
    return None if found == due else Broken(count(due, "ruling"), count(found, "ruling"))


@condition(
    Check.PRIVILEGE, Blamed.COURT, "If the court gives reasons, it seals one value for each document that it rules on"
)
def one_reason_each(entry: Candidate[Any]) -> Broken | None:
    """It seals a value of `reasons` for each ruling, or none at all."""
    return given_reasons.too_few(entry)


@condition(
    Check.PRIVILEGE,
    Blamed.COURT,
    "Each reason of the court is a text that is filled up with blanks, and at least one is given",
    shown="the reasons",
)
def reasons_have_form(entry: Candidate[Any]) -> Broken | None:
    """Each value of `reasons` is a filled-up reason, and they are not all blank."""
    return given_reasons.malformed(entry)


@condition(Check.PRIVILEGE, Blamed.COURT, "The court names the parts that it upholds for each position, in order")
def parts_for_each(entry: Candidate[Privilege]) -> Broken | None:
    """There is an array of `parts` for each position, each ascending, and with the unit `document` empty."""
    due, parts = len(entry.current.camera), entry.content.parts
    if len(parts) != due:
        return Broken(f"{count(due, 'array')} of parts", count(len(parts), "array"))
    if any(one >= other for each in parts for one, other in pairwise(each)):
        return Broken("parts in order", "parts out of order")
    single = entry.state.opened.corpus.unit is Unit.DOCUMENT
    return Broken("no parts: every document has one", "parts") if single and any(parts) else None


@condition(
    Check.PRIVILEGE,
    Blamed.COURT,
    "The court upholds parts only where Alice claims them, and a claim for parts only by naming some",
    shown="what is claimed",
)
def parts_as_claimed(entry: Candidate[Privilege]) -> Broken | None:
    """Where a position is claimed for parts, the court upholds some of these, or `upheld` is false. Elsewhere it
    upholds no parts.
    """
    current, said = entry.current, entry.content
    for position, parts, upheld in zip(current.camera, said.parts, said.upheld, strict=True):
        claim = current.claim(position)
        if claim is None and not current.known_unclaimed(position):
            continue
        claimed = parts_of(claim)
        if not set(parts) <= set(claimed):
            return Broken(f"at position {position} {parts_named(claimed)} at most", parts_named(parts))
        if claimed and upheld and not parts:
            return Broken(f"parts that are upheld at position {position}", "none, and the claim is upheld")
    return None


def take_privilege(entry: Candidate[Privilege]) -> None:
    """Whether the court upholds each claim that it saw; of a class, of what it looks at in any case, and of a document
    of which it withholds parts, its label.
    """
    current = entry.current
    found = dict(zip(current.camera, entry.content.upheld, strict=True))
    current.seen_in_camera |= found
    ruled = zip(current.camera, entry.content.parts, strict=True)
    current.upheld_parts |= {position: parts for position, parts in ruled if parts}
    for position, kept in found.items():
        labelled = position in current.upheld_parts or current.is_labelled_in_camera(position)
        if labelled is None:
            current.unclear.add(position)
        elif labelled:
            current.court[position] = not kept
    current.camera_in |= dict.fromkeys(found, entry.sequence)
    current.camera_because |= given_reasons.given(entry, current.camera)
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
    """Each is a basis; or with the unit `family` a claim for parts; or, in the claim that a `validation` asks for, a
    class of the terms.
    """
    first, opened = entry.current.asks is Kind.CLAIM and not entry.current.late_asked, entry.state.opened
    classes = opened.terms.classes if first else None
    for basis in entry.told.values.get("privilege", {}).values():
        if not is_claim(basis, opened.corpus.unit, classes):
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


@condition(
    Check.PRIVILEGE, Blamed.ALICE, "Alice asks back, in order, what Bob was shown, and each document at most once"
)
def was_shown(entry: Candidate[Reclaim]) -> Broken | None:
    """The documents are ascending by round and position. Bob was shown each of them, and none was asked back before."""
    asked, state = entry.content.places, entry.state
    if not all(one < other for one, other in pairwise(asked)):
        return Broken("documents in order", _some(asked))
    wrong = [each for each in asked if not state.was_shown(each) or state.was_asked_back(each)]
    return Broken("documents that Bob was shown, and that were not asked back before", _some(wrong)) if wrong else None


def _some(places: Sequence[ShownAt]) -> str:
    shown = ", ".join(f"position {position} of round {number}" for number, position in places[:8])
    return f"{shown}{', ...' if len(places) > 8 else ''}"


@condition(Check.PRIVILEGE, Blamed.ALICE, "Alice states one basis for each document that she asks back")
def one_basis_each(entry: Candidate[Reclaim]) -> Broken | None:
    """It seals a basis for each document."""
    due, found = len(entry.content.documents), entry.sealed("privilege")
    return None if found == due else Broken(due, found)


@condition(Check.PRIVILEGE, Blamed.ALICE, "Each document that is asked back has its basis", shown="the basis")
def has_basis(entry: Candidate[Reclaim]) -> Broken | None:
    """Each is a basis; no class may stand here."""
    wrong = [each for each in entry.told.values.get("privilege", {}).values() if not is_text(each)]
    return Broken(BASIS, repr(wrong[0])[:80]) if wrong else None


@condition(Check.PRIVILEGE, Blamed.COURT, "The court rules on every document that is asked back, and no other")
def rules_on_each(entry: Candidate[Returned]) -> Broken | None:
    """There is a ruling for each document."""
    due, found = len(entry.state.asked_back), len(entry.content.upheld)
    return None if found == due else Broken(count(due, "ruling"), count(found, "ruling"))


def take_clawback(entry: Candidate[Clawback]) -> None:
    """Alice is asked what she wants back."""


def take_reclaim(entry: Candidate[Reclaim]) -> None:
    """What Alice asks back."""
    state, asked = entry.state, entry.content.places
    opened = entry.told.values.get("privilege", {})
    state.asked_back = asked
    for index, place in enumerate(asked):
        state.reclaimed[place] = AskedBack(place=place, asked_in=entry.sequence, basis=opened.get(index))
    state.tally.passed(Check.PRIVILEGE, len(asked))


def take_returned(entry: Candidate[Returned]) -> None:
    """What the court upholds is clawed back."""
    state, reasons = entry.state, given_reasons.given(entry, entry.state.asked_back)
    for place, upheld in zip(state.asked_back, entry.content.upheld, strict=True):
        found = state.reclaimed[place]
        found.upheld, found.ruled_in, found.reason = upheld, entry.sequence, reasons.get(place, "")
