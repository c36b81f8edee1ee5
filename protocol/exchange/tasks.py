"""Who must do what next, as data and in a sentence."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from ledger.checkpoints import COSIGNERS
from ledger.hashing import Digest
from ledger.keys import fingerprint
from ledger.roles import Role
from protocol.corpus import account
from protocol.exchange.readme import Guide
from protocol.exchange.register import Register
from protocol.matter.kinds import KINDS
from protocol.matter.naming import Telling
from protocol.matter.rounds import Round, Sort
from protocol.matter.state import Matter, Rekeying, Silence
from protocol.parties.question import ASKED, COSIGN, GRANTED, classes_for, proposed
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
        """The name of its package."""
        again = "" if self.number == 1 else f"-{self.number}"
        of_round = f"{self.round}-" if self.round else ""
        return f"{of_round}{self.kind}-for-{self.role}{again}"


def tasks(state: Matter, register: Register, head: Digest, cosigned: Collection[Role]) -> list[Task]:
    """The open questions. The court is asked to keep the deposits once Alice and Bob have handed in theirs."""
    if state.concluded and not state.awaits:
        return [
            _cosign(state, register, head, role)
            for role in COSIGNERS
            if role not in cosigned and role not in state.excused
        ]
    found = []
    for role, awaited in state.awaits.items():
        size = register.served(role, awaited.question)
        if awaited.kind == "deposited":
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


def _cosign(state: Matter, register: Register, head: Digest, role: Role) -> Task:
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


_MOST_PLACES = 50
_COSIGN = "sign the checkpoint of the closed matter"
_EXCUSE = "decide whether the matter ends without {absent}'s signature"


def sentence(task: Task, state: Matter) -> str:
    """What the party must do, in words."""
    content = task.content
    asked = len(content.get("positions", content.get("documents", ())))
    asking = KINDS[task.kind].asking if task.kind in KINDS else None
    task_words = _COSIGN if asking is None else _EXCUSE if state.concluded else asking.task
    words = task_words.format(
        size=_documents(content.get("size", len(content.get("numbers", ())))),
        asked=_documents(asked),
        absent=Role(content["absent"]).called if "absent" in content else "",
        whose=Role(content["role"]).called if "role" in content else "",
        change=proposed(content, state.terms) if task.kind == "amended" else "",
    )
    where = f" (round {task.round})" if task.round else ""
    who = task.role.called
    told = f"{who[0].upper()}{who[1:]} must {words}{where}."
    return Telling(state.opening.caption).said(told)


def _documents(number: int) -> str:
    return f"{number} document{'' if number == 1 else 's'}"


def guide(task: Task, state: Matter, register: Register) -> Guide:
    """What README.txt tells the party about the matter and about its decision."""
    caption = state.opening.caption
    return Guide(
        case="" if caption is None else caption.case,
        sought="" if caption is None else caption.request,
        caption=caption,
        about=(*_about(task, state), *_clawed_back(task, state)),
        threshold=None if "numbers" in task.content else table.of(state.terms).words.threshold,
        classes=classes_for(state.terms, task.kind, task.content),
        new_key=fingerprint(state.keys[task.role]) if task.role in register.rekeyed else "",
    )


def _about(task: Task, state: Matter) -> Iterator[str]:
    """What is to be decided, and what follows from it."""
    match task.kind:
        case "agreed" | "deposited":
            yield from _about_account(state)
        case "order" if state.silence is not None:
            yield from _about_silence(state, state.silence)
        case "rekeyed" if state.rekeying is not None:
            yield from _about_key(state, state.rekeying)
        case "amended":
            yield f"Proposed: {proposed(task.content, state.terms)}."
            yield f"--accept: it is in force if {_voters(task, state)}. --reject: nothing changes."
        case "look":
            yield from _about_look(state)
        case "claim" if state.current is not None:
            yield from _about_claim(state.current)


def _clawed_back(task: Task, state: Matter) -> Iterator[str]:
    """What Bob must be told of what Alice has asked back since his last question."""
    if task.role is not Role.BOB:
        return
    known = state.clawbacks
    new = [seat for seat, (entry, _) in known.ruled_in.items() if entry >= task.start and known.upheld[seat]]
    if new:
        places = "; ".join(f"round {seat.round}, position {seat.position}" for seat in new[:_MOST_PLACES])
        more = f"; and {len(new) - _MOST_PLACES} more" if len(new) > _MOST_PLACES else ""
        yield (
            f"CLAWED BACK: the court lets Alice claw back {_documents(len(new))} that you were shown. Return or "
            f"destroy every copy, and use none: {places}{more}."
        )


def _voters(task: Task, state: Matter) -> str:
    """Who must accept an amendment."""
    if task.content["rounds"] != state.terms.rounds:
        return "Alice, Bob and the court all accept"
    return "the court accepts it, once all have answered"


def _about_account(state: Matter) -> Iterator[str]:
    """What was received for the review, which all sign with the terms."""
    corpus = state.opening.corpus
    received, *more = account.sentences(corpus.account, corpus.documents, corpus.unit)
    yield f"What was received: {'; '.join([received, *more])}. Nothing is known about what was never received."


def _about_look(state: Matter) -> Iterator[str]:
    """Why Alice is asked to look again."""
    agreed = {each.name: value for each, value in table.values(state.terms)}
    yield (
        f"The coins have not shown yet that Bob has {agreed['target']} of the responsive documents that were reviewed. "
        "So coins will draw again from all that is withheld, and you may look at it again before."
    )


def _about_claim(current: Round) -> Iterator[str]:
    """What Alice is not asked about, though Bob has not been shown it."""
    standing = current.privilege.unruled - current.disclosed - current.in_camera.keys()
    if standing:
        yield (
            f"You have claimed {_documents(len(standing))} of this round before. These claims stand: you need not make "
            "them again, and the documents are not listed."
        )
    given_up = current.given_up - current.disclosed if current.sort is Sort.ESCALATION else ()
    if given_up:
        yield f"You have given up {_documents(len(given_up))}. They cannot be claimed any more, and are not listed."


def _about_silence(state: Matter, silence: Silence) -> Iterator[str]:
    awaited, who = silence.awaited, silence.absent.called
    where = f"round {awaited.round}, " if awaited.round else ""
    place, served = state.sequences[awaited.question], state.sequences[silence.served]
    yield f"Trent says that {who} has not answered."
    yield f"{who} was asked {ASKED[awaited.kind]} ({where}entry {place})."
    yield f"Trent says that everything up to entry {served} was served. Ask him for the proof of it."
    yield (
        f"Ask {who} by another way than through Trent whether {who} has signed an objection to that question. Add each "
        "one to the command below with --objection FILE: the program checks and shows it before you sign."
    )
    yield f"--grant: {GRANTED[awaited.kind]}. What {who} sends later comes too late."
    yield f"--deny: {who} must answer as before."


def _about_key(state: Matter, asked: Rekeying) -> Iterator[str]:
    who = asked.role.called
    yield f"Trent asks for a new key for {who}. Its fingerprint is {fingerprint(asked.key)}."
    yield f"The present key has the fingerprint {fingerprint(state.keys[asked.role])}."
    yield "Have the party confirm the new fingerprint in person or by telephone."
    yield (
        f"--grant: from then on the new key speaks for {who}, and the former one no longer does. Its holder gets all "
        f"of the record that {who} may see, and {who}'s share in the coins, which the court keeps under seal."
    )
    yield "--deny: the former key stays."
