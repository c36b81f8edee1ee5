"""The opening of a matter: the terms, who signed them, and whose chains the court holds (V07, V08)."""

from verifier.checks import Check, Role
from verifier.findings import UnknownVersion
from verifier.record.copy import Told
from verifier.record.shapes import Malformed, digest
from verifier.replay import contents
from verifier.replay.contents import METHOD
from verifier.replay.state import State
from verifier.replay.turns import broken
from verifier.rules import coins, table


def check_method(told: Told) -> None:
    """Another version of the method, or another rule, may have other forms: so this comes before the forms."""
    content = told.entry.said.content
    method, agreed = content.get("method"), content.get("terms")
    if type(method) is int and method != METHOD:
        raise UnknownVersion(f"the matter follows version {method} of the method; this verifier knows version {METHOD}")
    protocol = agreed.get("protocol") if type(agreed) is dict else None
    if type(protocol) is str:
        table.named(protocol)


def open_matter(state: State, content: contents.Opened, told: Told) -> None:
    """The first entry."""
    state.check_round(told, 0)
    if (content.caption is None) != (content.simulation is not None):
        raise broken(
            told,
            Check.ORDER,
            Role.TRENT,
            "A matter says who is who and what it is about, and a simulation that it is one",
            "a caption, or a simulation",
            "both" if content.caption else "neither",
        )
    vocabulary = told.all_of("vocabulary")
    try:
        table.check(content.terms)
        if len(told.entry.said.sealed["vocabulary"].commitments) != 1:
            raise Malformed("vocabulary: one value was expected")
        if vocabulary is not None:
            digest(vocabulary[0])
    except Malformed as error:
        raise broken(
            told, Check.TERMS, Role.TRENT, "The terms are such that a matter can be run", "such terms", error
        ) from None
    state.opening, state.matter = content, told.entry.said.matter
    state.keys, state.rounds_agreed = dict(content.keys), content.terms.rounds
    state.links[Role.TRENT] = content.anchor
    state.tally.passed(Check.TERMS)
    if state.corpus:
        state.corpus.open(content, vocabulary[0] if vocabulary else None)


def agreed(state: State, content: contents.Agreed, told: Told) -> None:
    """Alice or Bob signs the terms, and names a coin chain's anchor."""
    state.links[told.entry.said.author] = content.anchor
    state.tally.passed(Check.TERMS)


def deposited(state: State, content: contents.Deposited, told: Told) -> None:
    """The court signs the terms, and holds the chains."""
    if content.anchors != {role: state.links.get(role) for role in coins.DRAWERS}:
        raise broken(
            told,
            Check.COINS,
            Role.TRENT,
            "Trent logs a deposit of the chains whose anchors Alice, Bob and he have named, after they named them",
            "these three anchors",
            ", ".join(sorted(content.anchors)) or "none",
        )
    state.tally.passed(Check.TERMS)
