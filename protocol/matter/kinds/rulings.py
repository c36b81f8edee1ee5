"""`rulings`: whether the court finds each disputed document responsive."""

from ledger.records import Record
from ledger.roles import Role
from protocol.matter import reasons, requirements
from protocol.matter.asking import Asked, Asking, Decision, Said, Shown, decided
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.state import Matter
from protocol.matter.values import PARTIES


class Rulings(Record, frozen=True, kw_only=True):
    """The court's labels, in the order of the dispute."""

    labels: tuple[bool, ...]


def blind(matter: Matter, content: Rulings, entry: Entry) -> None:
    """It rules on all that it was asked about."""
    requirements.count("labels", len(content.labels), matter.rounds[-1].disputed)
    reasons.check_number(entry, len(matter.rounds[-1].disputed))


def check(matter: Matter, content: Rulings, entry: Entry) -> None:
    """The reasons have their form."""
    reasons.check(entry)


def take(matter: Matter, content: Rulings, entry: Entry) -> None:
    """Its label is the last word."""
    review = matter.rounds[-1]
    review.rulings |= dict(zip(review.disputed, content.labels, strict=True))


def say(asked: Asked, decisions: Decisions) -> Said:
    """The court's labels of what is disputed."""
    about = asked.statement.content["positions"]
    said = Said(content=Rulings(labels=tuple(decided(decisions.labels, about))))
    return reasons.with_reasons(asked, said, KIND, decisions.reasons, about)


KIND = Kind(
    name="rulings",
    record=Rulings,
    authors=(Role.COURT,),
    when=When.ASKED,
    asks={},
    seals={"reasons": PARTIES},
    optional=("reasons",),  # missing if no reason is given
    releases=False,
    blind=blind,
    check=check,
    take=take,
    asking=Asking(
        task="rule on the {asked} on which Alice and Bob disagree",
        question="to rule on the documents on which the parties disagree",
        shown=Shown.NAMED,
        decision=Decision.LABELS,
        say=say,
        silence=None,
    ),
    words=Words(called="rulings", event=None),
)
