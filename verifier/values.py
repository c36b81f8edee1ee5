"""Verdicts and comparisons as plain values, for scripts, and how they are written."""

import json
from dataclasses import asdict
from typing import Any

from verifier import passes, proven, received, stamps
from verifier.checks import DEFINITIONS, Role
from verifier.comparison import Compared
from verifier.findings import Finding
from verifier.record.hashing import fingerprint
from verifier.replay.contents import Claims
from verifier.replay.rounds import ClosedRound
from verifier.trust import Identity
from verifier.verdict import Verdict

_EXACT = 2**53  # the largest integer that every reader of JSON takes exactly


def written(value: Any) -> str:
    """JSON as this program prints it, in printable ASCII, so that a display changes nothing.

    Integers beyond 2^53 become texts, since some readers of JSON round them.
    """
    return json.dumps(_exact(value), indent=2).replace("\x7f", "\\u007f")


def _exact(value: Any) -> Any:
    match value:
        case bool():
            return value
        case int():
            return value if abs(value) <= _EXACT else str(value)
        case dict():
            return {key: _exact(item) for key, item in value.items()}
        case list() | tuple():
            return [_exact(item) for item in value]
    return value


def verdict_value(verdict: Verdict) -> dict[str, Any]:
    """What `--json` prints."""
    copy, opened = verdict.copy, verdict.opened
    return {
        "verdict": verdict.answer,
        "exit_code": verdict.exit_code,
        "trouble": verdict.trouble or None,
        "advice": verdict.advice or None,
        "blamed": [_blamed_value(role, verdict) for role in blamed(verdict)],
        "copy": None
        if copy is None
        else {
            "audience": copy.audience,
            "matter": copy.matter.hex(),
            "entries": copy.entries,
            "head": copy.head.hex(),
            "root": copy.root.hex(),
            "checkpoints": [{"entries": each.size, "signers": list(each.signers)} for each in copy.checkpoints],
            "simulation": opened is not None and opened.simulation is not None,
            "waits_for": verdict.waits_for,
        },
        "caption": asdict(opened.caption) if opened is not None and opened.caption is not None else None,
        "keys": verdict.keys_value(),
        "checks": [
            {
                "check": each.check,
                "name": DEFINITIONS[each.check].name,
                "outcome": each.outcome,
                "items": each.items,
                "reason": each.reason or None,
            }
            for each in verdict.checks
        ],
        "account": received.value(verdict),
        "findings": [finding_value(each, verdict) for each in verdict.findings],
        "claims": _claims_value(verdict),
        "certificates": proven.value(verdict),
        "escalations": passes.escalations_value(verdict),
        "validations": passes.validations_value(verdict),
        "ended": proven.ended_by(verdict),
        "rounds": [_round_value(each) for each in verdict.rounds],
        "asked_back": asked_back_value(verdict),
        "orders": [asdict(each) for each in verdict.orders],
        "orders_unlisted": verdict.orders_unlisted,
        "ended_without": [{"role": role, "entry": entry} for role, entry in verdict.ended_without.items()],
        "shown_parts": verdict.shown_parts,
        "skipped_draws": verdict.skipped_draws,
        "stamped": None
        if verdict.dated is None
        else {"entries": verdict.dated.entries, **stamps.value(verdict.dated.stamp)},
        "questions_asked_again": verdict.asked_again,
        "rounds_agreed": verdict.rounds_agreed,
    }


def blamed(verdict: Verdict) -> list[Role]:
    """The parties that findings blame, unless the reader knows that the key is not theirs."""
    return sorted({each.party for each in verdict.findings if each.party and verdict.blames(each)})


def _blamed_value(role: Role, verdict: Verdict) -> dict[str, Any]:
    """A party with the key that proves the first finding against it."""
    first = next(each for each in verdict.findings if each.party is role and verdict.blames(each))
    key = verdict.signed_with(first, role)
    return {"role": role, "key": fingerprint(key), "identity": verdict.identities[role, key]}


def finding_value(finding: Finding, verdict: Verdict) -> dict[str, Any]:
    """A finding, with the key that proves it."""
    party = finding.party
    return {
        "check": finding.check,
        "entry": finding.entry,
        "rule": finding.rule,
        "expected": finding.expected,
        "found": finding.found,
        "party": party if verdict.blames(finding) else None,
    } | _signed_value(finding, verdict)


def _signed_value(finding: Finding, verdict: Verdict) -> dict[str, Any]:
    if finding.party is None:
        return {"key": None, "identity": None}
    key = verdict.signed_with(finding, finding.party)
    return {"key": fingerprint(key), "identity": verdict.identities[finding.party, key]}


def _claims_value(verdict: Verdict) -> dict[str, Any] | None:
    """The recomputed claims; numbers that this copy does not show are null."""
    claims: Claims | None = verdict.claims
    if claims is None:
        return None
    value = asdict(claims)
    for name in ("certificates", "ended", "rounds", "validations"):  # they are told apart, for people
        del value[name]
    if any(each.unclear for each in verdict.rounds):
        value |= {"privileged": None, "in_camera": None}
    return value


def asked_back_value(verdict: Verdict) -> list[dict[str, Any]]:
    """What Alice asked back, for scripts; what the copy does not show, or the court has not ruled on, is null."""
    return [
        {
            "round": each.place.round,
            "position": each.place.position,
            "asked_in": each.asked_in,
            "basis": each.basis,
            "upheld": each.upheld,
            "ruled_in": None if each.upheld is None else each.ruled_in,
            "reason": each.reason or None,
        }
        for each in verdict.asked_back
    ]


def _round_value(each: ClosedRound) -> dict[str, Any]:
    return {
        "round": each.number,
        "sort": each.sort,
        "size": each.size,
        "revealed": each.revealed,
        "found": each.found,
        "nrd": each.revealed - each.found,
        "disputes": each.disputes,
        "alice_errors": each.alice_errors,
        "threshold": each.threshold,
        "threshold_error": each.error,
        "sampled": each.sampled,
        "compelled": each.compelled,
        "near_cut": each.near_cut,
        "reported": each.reported,
        "privileged": None if each.unclear else each.privileged,
        "unread": each.unread,
    }


def compared_value(compared: Compared) -> dict[str, Any]:
    """What `compare --json` prints."""
    return {
        "result": compared.result,
        "exit_code": compared.exit_code,
        "message": compared.message,
        "entries": list(compared.entries),
        "sequence": compared.sequence,
        "blamed": [{"role": "trent", "key": compared.trent, "identity": compared.identity}]
        if compared.proof and compared.identity is not Identity.ANOTHER
        else [],
        "trent": {"key": compared.trent, "identity": compared.identity} if compared.trent else None,
        "simulation": compared.simulation,
        "proof": [
            {
                "copy": str(each.copy),
                "hash": each.hash.hex(),
                "signature": each.signature.hex(),
                "body": each.body.decode(),
            }
            for each in compared.proof or ()
        ],
    }
