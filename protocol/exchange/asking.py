"""Who must do what next, as data and in a sentence."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from ledger.checkpoints import COSIGNERS
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.exchange.register import Register
from protocol.exchange.request import COSIGN
from protocol.matter.state import MatterState
from protocol.matter.statements import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One question to one party, and which entries go with it."""

    role: Role
    kind: str
    round: int
    entry: Digest  # the entry that asks
    number: int  # which one of its kind to this party in its round
    content: dict[str, Any]  # what that entry says
    start: int  # from which entry on the party gets the record
    size: int  # up to which

    @property
    def name(self) -> str:
        """What its package is called."""
        again = "" if self.number == 1 else f"-{self.number}"
        return f"{self.round}-{self.kind}-for-{self.role}{again}"


def tasks(state: MatterState, register: Register, head: Digest, cosigned: Collection[Role]) -> list[Task]:
    """What is asked of whom now. The court keeps the deposits once Alice and Bob have handed in theirs."""
    if state.claims is not None:
        return [_cosign(state, register, head, role) for role in COSIGNERS if role not in cosigned]
    found = []
    for role, awaited in state.awaits.items():
        size = register.served(role, awaited.question)
        if awaited.kind is Kind.DEPOSITED:
            if len(state.awaits) > 1:
                continue
            size = state.size
        put = register.puts[role, awaited.question]
        found.append(
            Task(
                role=role,
                kind=awaited.kind,
                round=awaited.round,
                entry=awaited.question,
                number=put.number,
                content=put.content,
                start=register.seen[role],
                size=size,
            )
        )
    return found


def held(state: MatterState) -> bool:
    """Whether all rounds are held, so that only the claims are left to be made."""
    between = state.current is None and state.drawing is None and not state.awaits
    return state.claims is None and between and (len(state.rounds) >= state.terms.rounds or state.exhausted)


def _cosign(state: MatterState, register: Register, head: Digest, role: Role) -> Task:
    return Task(
        role=role,
        kind=COSIGN,
        round=0,
        entry=head,
        number=1,
        content={},
        start=register.seen[role],
        size=state.size,
    )


_TASKS: dict[str, str] = {
    Kind.AGREED: "read the terms and sign them",
    Kind.DEPOSITED: "sign the terms and keep the three sealed deposits",
    Kind.LINK: "give the next link of the coin chain",
    Kind.REPORT: "label the {size} documents of the batch",
    Kind.LABELS: "label the {asked} that were disclosed",
    Kind.RULINGS: "rule on the {asked} on which Alice and Bob disagree",
    Kind.PRIVILEGE: "rule on the {asked} that Alice claims as privileged",
    Kind.CLAIM: "say which further documents are claimed as privileged",
    Kind.ORDER: "decide whether the matter goes on without {absent}'s answer",
    Kind.REKEYED: "decide about a new key for {whose}",
    Kind.AMENDED: "accept or reject another number of rounds, {rounds}",
    COSIGN: "sign the checkpoint of the closed matter",
}


def sentence(task: Task, state: MatterState) -> str:
    """In words, what the party must do."""
    content = task.content
    asked = len(content.get("positions", ()))
    words = _TASKS[task.kind].format(
        size=content.get("size"),
        asked=f"{asked} document{'' if asked == 1 else 's'}",
        absent=str(content.get("absent", "")).capitalize(),
        whose=str(content.get("role", "")).capitalize(),
        rounds=content.get("rounds"),
    )
    where = f" (round {task.round})" if task.round else ""
    return f"{called(task.role, state)} must {words}{where}."


def called(role: Role, state: MatterState) -> str:
    """A party by its role, with the name that the terms give it."""
    title = "The court" if role is Role.COURT else role.capitalize()
    caption = state.opening.caption
    return f"{title} ({caption.names[role]})" if caption is not None else title
