"""Orders of the court on silence and keys, and amendments: when each may come, and what follows from it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ledger.hashing import Digest
from ledger.records import Malformed
from ledger.roles import Role
from protocol.matter import requirements, statements, terms
from protocol.matter.statements import SHAPES, Kind

if TYPE_CHECKING:
    from protocol.matter.state import Awaited, MatterState, Told  # the state stands above this module

REPLACEABLE = (Role.ALICE, Role.BOB)
"""Who may get a new key: nobody stands above the court and Trent who could order one for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """A default, until the court's order: what the absent party was asked, and what it was shown."""

    absent: Role
    served: Digest
    awaited: "Awaited"


@dataclass(slots=True, kw_only=True)
class Amendment:
    """A number of rounds that is put to the parties, with their answers so far."""

    rounds: int
    accepted: dict[Role, bool] = field(default_factory=dict)


def _check_default(state: "MatterState", content: statements.Default, told: "Told") -> None:
    requirements.check_round(told, 0)
    awaited = state.awaits.get(content.absent)
    if awaited is None:  # nor is the court, for whom every default must wait
        raise Malformed(f"{content.absent.called} is not in default: nothing is asked of {content.absent.called} now")
    if state.sequences.get(content.served, -1) < state.sequences[awaited.question]:
        raise Malformed(f"what was served must be the entry that asks {content.absent.called}, or a later one")


def _take_default(state: "MatterState", content: statements.Default, told: "Told") -> None:
    awaited = state.awaits.pop(content.absent)
    state.silence = Silence(absent=content.absent, served=content.served, awaited=awaited)


def _check_order(state: "MatterState", content: statements.Order, told: "Told") -> None:
    silence = state.silence
    if silence is None or (content.absent, content.served) != (silence.absent, silence.served):
        raise Malformed("the order is about another party, or another service, than the court was asked about")
    if (content.link is not None) != (content.granted and silence.awaited.kind is Kind.LINK):
        raise Malformed("an order gives a link if it is granted and a link is what was asked for, and only then")
    if content.link is not None:
        given = statements.Link(draw=state.draws, link=content.link)
        requirements.check_link(state, content.absent, state.draws, given)


def _take_order(state: "MatterState", content: statements.Order, told: "Told") -> None:
    silence, state.silence = state.silence, None
    if silence is None:
        return
    if not content.granted:
        state.awaits[silence.absent] = silence.awaited
        return
    state.defaults += 1
    state.overtaken.add((silence.absent, silence.awaited.question))
    match silence.awaited.kind:
        case Kind.LINK if content.link is not None:
            state.spend(silence.absent, content.link)
        case Kind.REPORT:
            state.rounds[-1].go_without_report()
        case Kind.LABELS:
            state.rounds[-1].go_without_labels()
        case Kind.AMENDED:
            _take_vote(state, silence.absent, accepted=False)


def _check_rekey(state: "MatterState", content: statements.Rekey, told: "Told") -> None:
    requirements.check_round(told, 0)
    if content.role not in REPLACEABLE:
        raise Malformed(f"{content.role.called}'s key is never replaced, only Alice's and Bob's")
    if content.key in state.keys.values():
        raise Malformed(f"the new key of {content.role.called} is one that a party has already")
    if content.key in state.former_keys:
        raise Malformed(f"the new key of {content.role.called} is one that the court has replaced; make another")


def _take_rekey(state: "MatterState", content: statements.Rekey, told: "Told") -> None:
    state.rekeying = content


def _check_rekeyed(state: "MatterState", content: statements.Rekeyed, told: "Told") -> None:
    asked = state.rekeying
    if asked is None or (content.role, content.key) != (asked.role, asked.key):
        raise Malformed("the order is about another party, or another key, than the court was asked about")


def _take_rekeyed(state: "MatterState", content: statements.Rekeyed, told: "Told") -> None:
    state.rekeying = None
    if content.granted:
        state.former_keys = state.former_keys | {state.keys[content.role]: told.sequence}
        state.keys = state.keys | {content.role: content.key}


def _check_amend(state: "MatterState", content: statements.Amend, told: "Told") -> None:
    requirements.check_round(told, 0)
    most = min(terms.LONGEST, state.terms.draws // 2)
    if content.rounds == state.terms.rounds:
        raise Malformed(f"{content.rounds} rounds are agreed already")
    if not state.begun <= content.rounds <= most:
        raise Malformed(f"{content.rounds} rounds; from {max(1, state.begun)} to {most} can be agreed now")


def _take_amend(state: "MatterState", content: statements.Amend, told: "Told") -> None:
    state.amendment = Amendment(rounds=content.rounds)


def _check_amended(state: "MatterState", content: statements.Amended, told: "Told") -> None:
    """Whether its author accepts is what the author says."""


def _take_amended(state: "MatterState", content: statements.Amended, told: "Told") -> None:
    _take_vote(state, told.statement.author, accepted=content.accepted)


def _take_vote(state: "MatterState", role: Role, *, accepted: bool) -> None:
    """When all have answered, the amendment is in force, or it has failed."""
    amendment = state.amendment
    if amendment is None:
        return
    amendment.accepted[role] = accepted
    if amendment.accepted.keys() == SHAPES[Kind.AMEND].asks.keys():
        state.amendment = None
        if all(amendment.accepted.values()):
            state.terms = state.terms.amended(amendment.rounds)


CHECKS: dict[Kind, Callable[["MatterState", Any, "Told"], None]] = {
    Kind.DEFAULT: _check_default,
    Kind.ORDER: _check_order,
    Kind.REKEY: _check_rekey,
    Kind.REKEYED: _check_rekeyed,
    Kind.AMEND: _check_amend,
    Kind.AMENDED: _check_amended,
}

HANDLERS: dict[Kind, Callable[["MatterState", Any, "Told"], None]] = {
    Kind.DEFAULT: _take_default,
    Kind.ORDER: _take_order,
    Kind.REKEY: _take_rekey,
    Kind.REKEYED: _take_rekeyed,
    Kind.AMEND: _take_amend,
    Kind.AMENDED: _take_amended,
}
