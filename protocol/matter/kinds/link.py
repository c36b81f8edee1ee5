"""`link`: one link of its author's coin chain."""

from ledger.entries import hash_words
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.asking import Asked, Asking, Decision, Granted, Said, Shown
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import Matter, hash_query
from protocol.matter.values import Link


def blind(matter: Matter, content: Link, entry: Entry) -> None:
    """It is the link that is due."""
    requirements.link(matter, entry.statement.author, matter.draws, content)


def take(matter: Matter, content: Link, entry: Entry) -> None:
    """The link is spent."""
    matter.spend(entry.statement.author, content.link)


def silenced(matter: Matter, absent: Role, link: Digest | None) -> None:
    """The court gives the link from the deposit."""
    if link is not None:
        matter.spend(absent, link)


def say(asked: Asked, decisions: Decisions) -> Said:
    """The link of the draw that the question begins, spent on what that draw answers: the query, or Alice's report."""
    question, draw = asked.statement, asked.statement.content["draw"]
    asked.spend(draw, hash_query(asked.opening) if question.kind == "draw" else hash_words(question))
    return Said(content=Link(draw=draw, link=asked.chain.link(draw)))


KIND = Kind(
    name="link",
    record=Link,
    authors=(Role.ALICE, Role.BOB),
    when=When.ASKED,
    asks={},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=nothing,
    take=take,
    asking=Asking(
        task="give the next link of the coin chain",
        question="for the next link of the coin chain, a share in the next coins",
        shown=Shown.NONE,
        decision=Decision.NOTHING,
        say=say,
        silence=Granted(
            words="the link comes from the deposit that the court keeps, and the matter goes on", take=silenced
        ),
    ),
    words=Words(called="link of the coin chain", event=None),
)
