"""A simulated matter with claw-backs and reasons, and cheats about them.

Round 1: after a wave Alice asks two documents back, of which the court lets her claw back one. When the round is closed
she is asked again and keeps silent; and again, when her key changes before she answers, and she asks one more back.
Round 2: she is asked once more, and asks nothing back. Bob and the court give reasons wherever they may.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from ledger.entries import Addition
from ledger.roles import Audience, Role
from protocol.corpus.corpus import Corpus
from protocol.matter import reasons
from protocol.matter.asking import Answer
from protocol.matter.decisions import Decisions
from protocol.matter.kinds.clawback import Clawback
from protocol.parties.party import Party
from protocol.simulation.identity import Simulated
from tests.support.forging import eventful, events
from tests.support.forging.bending import INSIDERS, of_kind, saying
from tests.support.forging.catalogue import DISPUTED, EVERYBODY, Cheat
from tests.support.forging.eventful import EventfulRun, Events
from tests.support.forging.events import nth
from tests.support.forging.running import Change, CheatingRun

AGREED: dict[str, Any] = eventful.AGREED | {"rounds": 2}
REASON = "It is about the prepay swaps."
BASES = ("sent by mistake: advice", "sent by mistake: draft")

_ASKED = eventful.waits_for(Role.ALICE, "reclaim", 0)


def _ask(run: EventfulRun) -> None:
    run.desk.clawback()


ASKING: Events = [
    (eventful.after_first_wave(1), _ask),
    (eventful.closed(1), _ask),
    (_ASKED, eventful.silent(Role.ALICE)),
    (eventful.closed(1), _ask),
    (_ASKED, eventful.new_key(Role.ALICE)),
    (eventful.closed(2), _ask),
]
"""When Alice is asked what she wants back, and what becomes of it."""


class ClawbackRun(EventfulRun):
    """Plays the claw-backs in their order, with reasons."""

    events = ASKING

    def __init__(self, corpus: Corpus, plan: Simulated, path: Path, **cheat: Any) -> None:
        super().__init__(corpus, plan, path, **cheat)
        for role in (Role.BOB, Role.COURT):
            self.parties[role].seal = plan.seal(role)

    def answer(self) -> Answer:
        asked = self.state.awaits
        role = Role.COURT if Role.COURT in asked and asked[Role.COURT].kind == "rekeyed" else min(asked)
        kind, party = asked[role].kind, self.parties[role]
        if kind == "reclaim":
            return self._asks_back(party)
        if kind == "returned":
            about = range(1, len(self.state.clawbacks.asked) + 1)
            return party.say(Decisions(upheld={each: each % 2 == 1 for each in about}, reasons={1: REASON}))
        answer = super().answer()
        return self._explained(party, answer) if kind in ("labels", "rulings", "privilege") else answer

    def _asks_back(self, alice: Party) -> Answer:
        """Two documents at first, later one, and after round 2 none."""
        if len(self.state.rounds) > 1:
            return alice.say(Decisions())
        bases = BASES if not self.state.clawbacks.bases else BASES[:1]
        return alice.say(Decisions(claims=dict(enumerate(bases, start=1))))

    def _explained(self, party: Party, answer: Answer) -> Answer:
        """The same answer with a reason for the first position that was asked about."""
        said, asked = answer.signed.statement.content, party.question
        if asked is None:
            return answer
        positions = asked.statement.content["positions"]
        decided: dict[str, Any] = {
            {"parts": "upheld_parts"}.get(name, name): dict(zip(positions, values, strict=True))
            for name, values in said.items()
        }
        return party.say(Decisions(**decided, reasons={positions[0]: REASON}))


def _cheat(who: Role, comment: str, check: str, change: Change, **fields: Any) -> Cheat:
    whole: dict[str, Any] = {"caught_in": EVERYBODY, "last": True, "players": DISPUTED, "terms": AGREED} | fields
    return Cheat(who=who, comment=comment, check=check, change=change, course=ClawbackRun, **whole)


def _of_alice(change: Any, number: int = 1) -> Change:
    return nth(number, of_kind("reclaim", change, author=Role.ALICE))


def _reasons(kind: str, author: Role, change: Any) -> Change:
    return of_kind(kind, events.sealing("reasons", change), author=author)


def _asked_before(run: CheatingRun, addition: Addition) -> Addition:
    first = next(iter(run.state.clawbacks.bases), None)
    if first is None:
        return addition
    return run.saying(addition, documents=[{"position": first.position, "round": first.round}])


def _not_shown(run: CheatingRun, addition: Addition) -> Addition:
    """The last documents become one of the same round that no wave has shown."""
    review, documents = run.state.rounds[0], addition.statement.content["documents"]
    hidden = max(set(range(1, review.size + 1)) - review.disclosed, default=review.size + 1)
    return run.saying(addition, documents=sorted([documents[0], {"position": hidden, "round": 1}], key=_place))


def _place(each: dict[str, int]) -> tuple[int, int]:
    return each["round"], each["position"]


def _asking(*roles: Role) -> Any:
    return lambda _, addition: replace(addition, asks=roles)


def _of_round_1(_: CheatingRun, addition: Addition) -> Addition:
    return replace(addition, statement=msgspec.structs.replace(addition.statement, round=1))


OWNERS = (Audience.ALICE, Audience.COURT)

CLAWBACKS: Mapping[str, Cheat] = {
    "alice-asks-back-what-bob-was-not-shown": _cheat(
        Role.ALICE, "of two documents that Alice asks back, Bob was not shown one", "V25", _of_alice(_not_shown)
    ),
    "alice-asks-back-of-a-round-to-come": _cheat(
        Role.ALICE,
        "Alice asks back a document of a round that has not begun",
        "V25",
        _of_alice(saying(documents=lambda found: [found[0], {"position": 1, "round": 9}])),
    ),
    "alice-asks-back-in-disorder": _cheat(
        Role.ALICE,
        "the documents that Alice asks back are not in order",
        "V25",
        _of_alice(saying(documents=lambda found: found[::-1])),
    ),
    "alice-asks-one-document-back-twice": _cheat(
        Role.ALICE,
        "Alice names a document twice",
        "V25",
        _of_alice(saying(documents=lambda found: [found[0], found[0]])),
    ),
    "alice-asks-back-again": _cheat(
        Role.ALICE, "Alice asks back what she has asked back before", "V25", _of_alice(_asked_before, 2)
    ),
    "alice-asks-back-with-too-few-bases": _cheat(
        Role.ALICE,
        "Alice asks two documents back and states one basis",
        "V25",
        _of_alice(events.sealing("privilege", lambda found: found[:1])),
    ),
    "alice-asks-back-without-a-basis": _cheat(
        Role.ALICE,
        "the basis on which Alice asks a document back is the empty text",
        "V25",
        _of_alice(events.sealing("privilege", lambda found: [found[0], ""])),
        caught_in=INSIDERS,
    ),
    "alice-asks-back-for-a-class": _cheat(
        Role.ALICE,
        "Alice puts what she asks back into a class",
        "V25",
        _of_alice(events.sealing("privilege", lambda found: [found[0], {"class": "medical"}])),
        caught_in=INSIDERS,
    ),
    "alice-asks-back-a-number": _cheat(
        Role.ALICE,
        "Alice names the number of a document, and not where Bob was shown it",
        "V05",
        _of_alice(saying(documents=[7, 8])),
    ),
    "court-rules-on-fewer-that-were-asked-back": _cheat(
        Role.COURT,
        "the court rules on one of two documents that Alice asks back",
        "V25",
        of_kind("returned", saying(upheld=[True]), author=Role.COURT),
    ),
    "court-gives-one-reason-for-two": _cheat(
        Role.COURT,
        "the court seals one reason for two rulings",
        "V25",
        _reasons("returned", Role.COURT, lambda found: found[:1]),
    ),
    "court-does-not-fill-up-a-reason": _cheat(
        Role.COURT,
        "a reason of the court is as long as it is",
        "V25",
        _reasons("returned", Role.COURT, lambda found: [REASON, found[1]]),
        caught_in=OWNERS,
    ),
    "court-gives-only-blanks-in-camera": _cheat(
        Role.COURT,
        "the court seals reasons, and gives none",
        "V25",
        _reasons("privilege", Role.COURT, lambda found: [reasons.filled("")] * len(found)),
        caught_in=OWNERS,
    ),
    "court-gives-a-reason-that-is-no-text": _cheat(
        Role.COURT,
        "a reason of the court is null",
        "V25",
        _reasons("privilege", Role.COURT, lambda found: [found[0], None]),
        caught_in=OWNERS,
    ),
    "bob-gives-a-reason-too-few": _cheat(
        Role.BOB, "Bob leaves out a reason", "V15", _reasons("labels", Role.BOB, lambda found: found[:-1])
    ),
    "bob-fills-up-a-reason-too-far": _cheat(
        Role.BOB,
        "Bob fills up his reason to 512 code points, though it has less than 256",
        "V15",
        _reasons("labels", Role.BOB, lambda found: [found[0].ljust(512), *found[1:]]),
        caught_in=INSIDERS,
    ),
    "bob-gives-a-reason-that-is-too-long": _cheat(
        Role.BOB,
        "Bob's reason has 2001 code points",
        "V15",
        _reasons("labels", Role.BOB, lambda found: [reasons.filled("x" * 2001), *found[1:]]),
        caught_in=INSIDERS,
    ),
    "court-explains-a-ruling-with-null": _cheat(
        Role.COURT,
        "the court's reason for a ruling is null",
        "V15",
        _reasons("rulings", Role.COURT, lambda found: [None, *found[1:]]),
        caught_in=INSIDERS,
    ),
    "trent-asks-what-to-claw-back-in-a-round": _cheat(
        Role.TRENT, "a `clawback` is of round 1, and not of round 0", "V05", of_kind("clawback", _of_round_1)
    ),
    "trent-asks-what-to-claw-back-too-early": _cheat(
        Role.TRENT,
        "a `clawback` comes before all have signed the opening",
        "V05",
        events.instead("deposited", Role.COURT, lambda run: run.says("clawback", Clawback())),
    ),
    "trent-does-not-ask-the-court-what-alice-asks-back": _cheat(
        Role.TRENT, "Alice asks documents back, and nobody is asked", "V05", _of_alice(_asking())
    ),
    "trent-asks-the-court-about-nothing": _cheat(
        Role.TRENT, "Alice asks nothing back, and the court is asked", "V05", _of_alice(_asking(Role.COURT), 3)
    ),
    "trent-forgets-what-was-clawed-back": _cheat(
        Role.TRENT,
        "the claims state one document less that was clawed back",
        "V17",
        of_kind("claims", saying(clawed_back=lambda number: number - 1)),
    ),
}
"""By name: each blames one party."""
