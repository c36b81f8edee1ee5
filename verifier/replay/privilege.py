"""What Alice claims as privileged: to the court in camera before Bob sees anything of it (V25)."""

from itertools import pairwise
from typing import Any

from verifier.checks import Check, Role
from verifier.record.copy import Told
from verifier.replay import contents, proofs
from verifier.replay.contents import Kind
from verifier.replay.rounds import Round, Step
from verifier.replay.state import State, some
from verifier.replay.turns import broken

LONGEST_BASIS = 2000  # characters


def is_basis(value: Any) -> bool:
    """Whether a sealed value says on what ground a document is privileged."""
    return type(value) is str and 0 < len(value) <= LONGEST_BASIS


def reported(told: Told, current: Round) -> None:
    """The claims that come with a report, as far as the copy opens them (V12)."""
    sealed = told.entry.said.sealed.get("privilege")
    if sealed is None:
        current.unclaimed.update(range(1, current.size + 1))
        return
    for index, basis in told.opened.get("privilege", {}).items():
        if basis is None:
            current.unclaimed.add(index + 1)
        elif is_basis(basis):
            current.claimed[index + 1] = basis
        else:
            raise broken(
                told,
                Check.REPORTS,
                Role.ALICE,
                "A claim of privilege has its basis",
                f"a text of 1 to {LONGEST_BASIS} characters, or null, at position {index + 1}",
                repr(basis)[:80],
            )
    current.claims_shown = len(told.opened.get("privilege", {})) == len(sealed.commitments)
    if len(current.unclaimed) == len(sealed.commitments):
        raise broken(
            told,
            Check.REPORTS,
            Role.ALICE,
            "A report seals claims of privilege only if it makes some",
            "a claim",
            "none",
        )


def camera(state: State, content: contents.Positions, told: Told) -> None:
    """What of the next wave goes to the court alone."""
    current = state.round_with_coins(told)
    state.check_ruled(told, current)
    positions = content.positions
    new = current.shown.isdisjoint(positions) and current.privileged.keys().isdisjoint(positions)
    if not positions or not _ascending(positions) or positions[-1] > current.size or not new:
        raise broken(
            told,
            Check.PRIVILEGE,
            Role.TRENT,
            "A camera names positions of the batch in order, neither disclosed nor ruled on",
            f"positions up to {current.size}",
            some(positions),
        )
    unclaimed = [each for each in positions if each not in current.late and _is_unclaimed(current, each)]
    if unclaimed:
        raise broken(
            told,
            Check.PRIVILEGE,
            Role.TRENT,
            "The court sees in camera only what Alice claims as privileged",
            "claimed positions",
            f"unclaimed: {some(unclaimed)}",
        )
    if told.entry.body.releases != current.released_in_camera(positions):
        raise broken(
            told,
            Check.PRIVILEGE,
            Role.TRENT,
            "A camera releases to Bob the bases of its claims, and nothing else",
            some(positions),
            "another release",
        )
    proofs.check(state, told, current, positions)
    current.camera = positions


def _is_unclaimed(current: Round, position: int) -> bool:
    return position in current.unclaimed or not current.reported


def ruled(state: State, content: contents.Privilege, told: Told) -> None:
    """Whether the court upholds each claim that it saw."""
    current = state.round_with_coins(told)
    if len(content.upheld) != len(current.camera):
        raise broken(
            told,
            Check.PRIVILEGE,
            Role.COURT,
            "The court rules on every claim that it is asked about, and no other",
            f"{len(current.camera)} rulings",
            f"{len(content.upheld)} rulings",
        )
    found = dict(zip(current.camera, content.upheld, strict=True))
    current.privileged |= found
    current.camera_in |= dict.fromkeys(found, told.entry.body.sequence)
    upheld = frozenset(position for position, upheld in found.items() if upheld)
    current.steps.append(Step(Kind.CAMERA, current.camera, upheld))


def late(state: State, _: contents.Late, told: Told) -> None:
    """Alice is asked what else she claims."""
    state.round_with_coins(told)


def claim(state: State, content: contents.Positions, told: Told) -> None:
    """What Alice claims late, of what Bob has not been shown."""
    current = state.round_with_coins(told)
    positions = content.positions
    taken = current.shown | current.claimed.keys() | current.late.keys()
    if not _ascending(positions) or max(positions, default=0) > current.size or not taken.isdisjoint(positions):
        raise broken(
            told,
            Check.PRIVILEGE,
            Role.ALICE,
            "A late claim names positions of the batch in order, neither disclosed nor claimed",
            f"positions up to {current.size}",
            some(positions),
        )
    sealed = told.entry.said.sealed.get("privilege")
    bases = len(sealed.commitments) if sealed else 0
    if bases != len(positions):
        raise broken(told, Check.PRIVILEGE, Role.ALICE, "Each late claim has its basis", len(positions), bases)
    for index, basis in told.opened.get("privilege", {}).items():
        if not is_basis(basis):
            raise broken(
                told,
                Check.PRIVILEGE,
                Role.ALICE,
                "Each late claim has its basis",
                f"a text of 1 to {LONGEST_BASIS} characters",
                repr(basis)[:80],
            )
        current.late_bases[positions[index]] = basis
    entry = told.entry.body.sequence
    current.late |= {position: (entry, index) for index, position in enumerate(positions)}
    current.steps.append(Step(Kind.CLAIM, positions))


def _ascending(positions: tuple[int, ...]) -> bool:
    return all(one < other for one, other in pairwise(positions))
