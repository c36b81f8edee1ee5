"""`returned`: whether the court lets Alice claw back each document that she asked back.

Sealed for Alice and the court, if the court gives reasons: `reasons`, one for each document.
"""

from ledger.records import Record
from ledger.roles import Role
from protocol.matter import reasons, requirements
from protocol.matter.asking import Asked, Asking, Decision, Said, Shown, decided
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.state import Matter
from protocol.matter.values import OWNERS


class Returned(Record, frozen=True, kw_only=True):
    """The court's rulings, in the order of what was asked back."""

    upheld: tuple[bool, ...]


def blind(matter: Matter, content: Returned, entry: Entry) -> None:
    """It rules on all that was asked back."""
    asked = matter.clawbacks.asked
    requirements.count("rulings", len(content.upheld), tuple(range(len(asked))))
    reasons.check_number(entry, len(asked))


def check(matter: Matter, content: Returned, entry: Entry) -> None:
    """The reasons have their form."""
    reasons.check(entry)


def take(matter: Matter, content: Returned, entry: Entry) -> None:
    """What is upheld is clawed back."""
    matter.clawbacks.hear(entry.sequence, content.upheld)


def say(asked: Asked, decisions: Decisions) -> Said:
    """The court's rulings, by the number of each document in the question."""
    about = range(1, len(asked.statement.content["documents"]) + 1)
    said = Said(content=Returned(upheld=tuple(decided(decisions.upheld, about))))
    return reasons.with_reasons(asked, said, KIND, decisions.reasons, about)


def event(content: Returned) -> str:
    """What the court ruled."""
    upheld = sum(content.upheld)
    return f"the court rules on what was asked back: {upheld} upheld, {len(content.upheld) - upheld} overruled"


KIND = Kind(
    name="returned",
    record=Returned,
    authors=(Role.COURT,),
    when=When.ASKED,
    asks={},
    seals={"reasons": OWNERS},
    optional=("reasons",),  # missing if no reason is given
    releases=False,
    blind=blind,
    check=check,
    take=take,
    asking=Asking(
        task="rule on the {asked} that Alice asks back",
        question="to rule on documents that Alice asks back after Bob was shown them",
        shown=Shown.ASKED_BACK,
        decision=Decision.UPHELD,
        say=say,
        silence=None,
    ),
    words=Words(called="rulings on what was asked back", event=event),
)
