"""Who must do what next, as data and in a sentence."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from ledger.checkpoints import COSIGNERS
from ledger.hashing import Digest
from ledger.keys import fingerprint
from ledger.roles import Role
from protocol.exchange.readme import Guide
from protocol.exchange.register import Register
from protocol.matter.orders import Silence
from protocol.matter.state import MatterState
from protocol.matter.statements import Kind, Rekey
from protocol.parties.question import ASKED, COSIGN, GRANTED
from protocol.rules import table


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
        of_round = f"{self.round}-" if self.round else ""
        return f"{of_round}{self.kind}-for-{self.role}{again}"


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
        absent=Role(content["absent"]).called if "absent" in content else "",
        whose=Role(content["role"]).called if "role" in content else "",
        rounds=content.get("rounds"),
    )
    where = f" (round {task.round})" if task.round else ""
    return f"{called(task.role, state)} must {words}{where}."


def guide(task: Task, state: MatterState, register: Register) -> Guide:
    """What README.txt tells the party of the matter, and of what it is to decide."""
    caption = state.opening.caption
    return Guide(
        case="" if caption is None else caption.case,
        sought="" if caption is None else caption.request,
        about=tuple(_about(task, state)),
        threshold=table.of(state.terms).words.threshold,
        new_key=fingerprint(state.keys[task.role]) if task.role in register.rekeyed else "",
    )


def _about(task: Task, state: MatterState) -> Iterator[str]:
    """What is to be decided, and what follows from it."""
    match task.kind:
        case Kind.ORDER if state.silence is not None:
            yield from _about_silence(state, state.silence)
        case Kind.REKEYED if state.rekeying is not None:
            yield from _about_key(state, state.rekeying)
        case Kind.AMENDED:
            yield f"Proposed are {task.content['rounds']} rounds in all, instead of {state.terms.rounds}."
            yield "--accept: it is in force if Alice, Bob and the court all accept. --reject: nothing changes."


def _about_silence(state: MatterState, silence: Silence) -> Iterator[str]:
    awaited, who = silence.awaited, silence.absent.called
    where = f"round {awaited.round}, " if awaited.round else ""
    place, served = state.sequences[awaited.question], state.sequences[silence.served]
    yield f"{called(silence.absent, state)} does not answer, says Trent."
    yield f"{who} was asked {ASKED[awaited.kind]} ({where}entry {place})."
    yield f"Trent says that everything up to entry {served} was served. Ask him for the proof of it."
    yield f"--grant: {GRANTED[awaited.kind]}. What {who} sends later comes too late."
    yield f"--deny: {who} must answer as before."


def _about_key(state: MatterState, asked: Rekey) -> Iterator[str]:
    who = asked.role.called
    yield f"A new key is asked for {called(asked.role, state)}. Its fingerprint is {fingerprint(asked.key)}."
    yield f"The key until now has the fingerprint {fingerprint(state.keys[asked.role])}."
    yield "Have the party confirm the new fingerprint in person or by telephone."
    yield (
        f"--grant: the new key speaks for {who} from then on, and the former one no more. Its holder gets all of the "
        f"record that {who} may see, and {who}'s share in the coins, which the court keeps under seal."
    )
    yield "--deny: the former key stays."


def called(role: Role, state: MatterState) -> str:
    """A party by its role at the beginning of a sentence, with the name that the terms give it."""
    title = role.called[0].upper() + role.called[1:]
    caption = state.opening.caption
    return f"{title} ({caption.names[role]})" if caption is not None else title
