"""`order`: if granted, the matter goes on without a party's answer; a link that is due comes from the deposit."""

from ledger import coins
from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.asking import Asked, Asking, Decision, Said, Shown, yes_or_no
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import Matter
from protocol.matter.values import Link


class Order(Record, frozen=True, kw_only=True):
    """What the court orders; it repeats what it was asked about."""

    absent: Role
    granted: bool
    link: Digest | None
    served: Digest


def blind(matter: Matter, content: Order, entry: Entry) -> None:
    """The order is about what the court was asked, and gives a link if and only if one is due."""
    silence = matter.silence
    if silence is None or (content.absent, content.served) != (silence.absent, silence.served):
        raise Malformed("the order is about another party, or another service, than the court was asked about")
    if (content.link is not None) != (content.granted and silence.awaited.kind == "link"):
        raise Malformed("an order must give a link if it is granted and a link was asked for, and only then")
    if content.link is not None:
        requirements.link(matter, content.absent, matter.draws, Link(draw=matter.draws, link=content.link))


def take(matter: Matter, content: Order, entry: Entry) -> None:
    """The matter goes on without the answer, or waits for it as before."""
    silence, matter.silence = matter.silence, None
    if silence is None:
        return
    if not content.granted:
        if not matter.concluded:
            matter.awaits[silence.absent] = silence.awaited
        return
    if not matter.concluded:
        matter.defaults += 1
        matter.overtaken.add((silence.absent, silence.awaited.question))
    if silence.awaited.silenced is not None:
        silence.awaited.silenced(matter, silence.absent, content.link)


def event(content: Order) -> str:
    """What the court has ordered."""
    outcome = "goes on without" if content.granted else "still waits for"
    return f"the court orders that the matter {outcome} {content.absent.called}'s answer"


def say(asked: Asked, decisions: Decisions) -> Said:
    """Whether the matter goes on without the absent party; with the party's link from the deposit, if one is due."""
    question = asked.statement.content
    absent, granted = Role(question["absent"]), yes_or_no(decisions.granted)
    link = asked.absent_link if granted else None
    if link is not None:
        _check_link(asked, absent, link)
    return Said(content=Order(absent=absent, granted=granted, link=link, served=Digest.parse(question["served"])))


def _check_link(asked: Asked, absent: Role, link: Digest) -> None:
    """The party's link, which must belong to the chain that the party named, or the court would be at fault."""
    most = asked.opening.terms.draws
    if not 0 < asked.draws <= most:
        raise Refused(f"draw {asked.draws} is beyond the {most} that the terms provide for")
    for index in range(asked.draws, 0, -1):
        link = coins.step(asked.statement.matter, absent, index, link)
    if link != asked.anchors[absent]:
        raise Refused(f"the deposit does not belong to the chain that {absent.called} named: do not use it in an order")


KIND = Kind(
    name="order",
    record=Order,
    authors=(Role.COURT,),
    when=When.ASKED,
    asks={},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=nothing,
    take=take,
    asking=Asking(
        task="decide whether the matter goes on without {absent}'s answer",
        question="for an order, because a party has not answered",
        shown=Shown.NONE,
        decision=Decision.GRANT,
        say=say,
        silence=None,
    ),
    words=Words(called="order on the missing answer", event=event),
)
