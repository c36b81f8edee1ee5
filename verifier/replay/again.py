"""A question asked again: a new key never answers a question from before it, so Trent repeats what became void.

By its `asks`, an `again` asks one party whose question is void (V05); here it names that question.
"""

from verifier.checks import Check
from verifier.replay.condition import Blamed, Broken, Candidate, condition
from verifier.replay.contents import Again
from verifier.replay.order import of_round
from verifier.replay.turns import Awaited


def _void(entry: Candidate[Again]) -> Awaited:
    (role,) = entry.body.asks
    return entry.state.turns.void[role]


@condition(Check.ORDER, Blamed.TRENT, "Trent asks again what a new key has made void")
def names_void_question(entry: Candidate[Again]) -> Broken | None:
    """`question` is the hash of the entry whose question to that party is void."""
    void, found = _void(entry), entry.content.question
    return None if found == void.question else Broken(f"entry {void.entry}, {void.question.hex()}", found.hex())


@condition(Check.ORDER, Blamed.TRENT, "A question that is asked again belongs to the round that it belonged to")
def of_its_round(entry: Candidate[Again]) -> Broken | None:
    """`round` is that of the question."""
    return of_round(entry, _void(entry).round)


def take_again(entry: Candidate[Again]) -> None:
    """The party must answer again, with its new key."""
    entry.state.asked_again += 1
