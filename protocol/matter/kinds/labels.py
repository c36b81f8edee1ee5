"""`labels`: whether Bob finds each document of the wave responsive."""

from ledger.hashing import Digest
from ledger.records import Record
from ledger.roles import Role
from protocol.matter import reasons, requirements
from protocol.matter.asking import Asked, Asking, Decision, Granted, Said, Shown, decided
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.state import Matter
from protocol.matter.values import PARTIES


class Labels(Record, frozen=True, kw_only=True):
    """Bob's labels, in the order of the wave."""

    labels: tuple[bool, ...]


def blind(matter: Matter, content: Labels, entry: Entry) -> None:
    """He labels the whole wave."""
    requirements.count("labels", len(content.labels), matter.rounds[-1].waves[-1])
    reasons.check_number(entry, len(matter.rounds[-1].waves[-1]))


def check(matter: Matter, content: Labels, entry: Entry) -> None:
    """The reasons have their form."""
    reasons.check(entry)


def take(matter: Matter, content: Labels, entry: Entry) -> None:
    """Where he agrees with Alice, the label is settled."""
    review = matter.rounds[-1]
    review.bob |= dict(zip(review.waves[-1], content.labels, strict=True))


def silenced(matter: Matter, absent: Role, link: Digest | None) -> None:
    """Alice's labels stand for the wave."""
    matter.rounds[-1].go_without_labels()


def say(asked: Asked, decisions: Decisions) -> Said:
    """His labels of the wave."""
    about = asked.statement.content["positions"]
    said = Said(content=Labels(labels=tuple(decided(decisions.labels, about))))
    return reasons.with_reasons(asked, said, KIND, decisions.reasons, about)


KIND = Kind(
    name="labels",
    record=Labels,
    authors=(Role.BOB,),
    when=When.ASKED,
    asks={},
    seals={"reasons": PARTIES},
    optional=("reasons",),  # missing if no reason is given
    releases=False,
    blind=blind,
    check=check,
    take=take,
    asking=Asking(
        task="label the {asked} that were disclosed",
        question="to say of each document that was disclosed whether it is responsive",
        shown=Shown.NAMED,
        decision=Decision.LABELS,
        say=say,
        silence=Granted(
            words="Alice's labels stand for what Bob did not read, and this round proves nothing to him about it",
            take=silenced,
        ),
    ),
    words=Words(called="labels", event=None),
)
