"""Whether an entry may come next, and says what it must. Everything but the choice of batches is recomputed.

The same checks meet a party's answer before it is added and every entry of a stored matter, Trent's own included. They
read the state and change nothing.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ledger import coins, entries, records
from ledger.hashing import Digest
from ledger.records import Malformed
from ledger.roles import Role
from protocol.matter import claims, statements, terms
from protocol.matter.statements import CONTENTS, METHOD, SHAPES, Kind, Place
from protocol.rules import base

if TYPE_CHECKING:
    from protocol.matter.state import MatterState, Told  # the state stands above this module


def check(state: "MatterState", told: "Told") -> Any:
    """The entry's content, typed; raises `Malformed` with what is wrong."""
    kind = Kind(told.statement.kind)
    _check_shape(told, kind)
    content = records.from_value(CONTENTS[kind], told.statement.content)
    _CHECKS[kind](state, content, told)
    return content


def _check_shape(told: "Told", kind: Kind) -> None:
    said, shape = told.statement, SHAPES[kind]
    if said.author not in shape.authors:
        raise Malformed(f"{said.author} does not say this")
    if told.asks != tuple(sorted(shape.asks)):
        raise Malformed(f"it asks {', '.join(told.asks) or 'nobody'}")
    for name, audiences in shape.sealed.items():
        if name not in said.sealed and name != shape.may_lack:
            raise Malformed(f"it does not seal {name!r}")
        if name in said.sealed and said.sealed[name].audiences != audiences:
            raise Malformed(f"{name!r} must be sealed for {' and '.join(audiences)}")
    if not said.sealed.keys() <= shape.sealed.keys():
        raise Malformed("it seals values where nothing is to be sealed")
    expected = [(name, index) for name in sorted(said.sealed) for index in range(len(said.sealed[name].commitments))]
    if [(each.field, each.index) for each in told.openings] != expected:
        raise Malformed("it must come with the openings of all that it seals, in order")
    if told.releases and kind not in (Kind.DISCLOSURE, Kind.CLOSED):
        raise Malformed("it releases what it has no right to")


def _open(state: "MatterState", content: statements.Opening, told: "Told") -> None:
    if content.method != METHOD:
        raise Malformed(f"it follows version {content.method} of the method; this program knows version {METHOD}")
    terms.check(content.terms)
    _check_round(told, 0)


def _agreed(state: "MatterState", content: statements.Agreed, told: "Told") -> None:
    """An anchor is what its author says it is."""


def _deposited(state: "MatterState", content: statements.Deposited, told: "Told") -> None:
    if not {Role.ALICE, Role.BOB}.isdisjoint(state.awaits):
        raise Malformed("the court holds no deposit before Alice and Bob have named their anchors")
    if content.anchors != {role: state.links[role] for role in coins.DRAWERS}:
        raise Malformed("the deposited chains are not those whose anchors Alice, Bob and Trent have named")


def _draw(state: "MatterState", content: statements.Draw, told: "Told") -> None:
    _check_next_round(state, told)
    if state.drawing is not None or not state.one_class:
        raise Malformed("no coins are needed for this batch")
    _check_number(content.draw, state.draws + 1)


def _link(state: "MatterState", content: statements.Link, told: "Told") -> None:
    check_link(state, told.statement.author, state.draws, content)


def _batch(state: "MatterState", content: statements.Batch, told: "Told") -> None:
    _check_next_round(state, told)
    by_model = "model" in told.statement.sealed
    if (content.drawn is None) != by_model or by_model == (state.drawing is not None) or by_model == state.one_class:
        raise Malformed("a batch is drawn by coin while nothing can be learnt, and chosen by a model afterwards")
    if content.drawn is not None:
        check_link(state, Role.TRENT, state.draws, content.drawn)
    documents = [records.from_value(Place, value).document for value in told.values("documents")]
    reviewed, _ = state.labelled()
    if not len(documents) == content.size <= state.terms.batch:
        raise Malformed(f"{len(documents)} documents in a batch of {content.size}, at most {state.terms.batch}")
    if len(set(documents) | set(reviewed)) != len(documents) + len(reviewed):
        raise Malformed("a document is in a batch for the second time")
    if max(documents) >= state.opening.corpus.documents:
        raise Malformed(f"document {max(documents)} is not in the corpus")


def _report(state: "MatterState", content: statements.Reported, told: "Told") -> None:
    check_link(state, Role.ALICE, state.draws + 1, statements.Link(draw=content.draw, link=content.link))
    if state.rule.reports_threshold != ("threshold" in told.statement.sealed):
        wanted = "the threshold" if state.rule.reports_threshold else "no threshold"
        raise Malformed(f"a report of this protocol seals labels and {wanted}")
    for opening in told.openings:
        if opening.field == "labels" and not (opening.value is None or type(opening.value) is bool):
            raise Malformed(f"label {opening.index} must be true, false or null")
        if opening.field == "threshold" and (opening.index or type(opening.value) is not int):
            raise Malformed("the threshold must be a rank")
    problem = base.malformed(state.rule, state.rounds[-1].size, told.report())
    if problem:
        raise Malformed(problem)
    if content.openings != entries.hash_openings(told.openings):
        raise Malformed("its openings are not those whose hash it signs")


def _disclosure(state: "MatterState", content: statements.Disclosure, told: "Told") -> None:
    current = _check_settled(state, told)
    ascending = all(one < other for one, other in pairwise(content.positions))
    if not content.positions or not ascending or content.positions[-1] > current.size:
        raise Malformed("a wave names positions of the batch, in order")
    if not current.bob.keys().isdisjoint(content.positions):
        raise Malformed("a position is disclosed for the second time")
    if len(told.values("proofs")) != len(content.positions):
        raise Malformed(f"{len(told.values('proofs'))} proofs for {len(content.positions)} documents")
    if told.releases != current.shown_to_bob(content.positions):
        raise Malformed("it must release to Bob the places of its positions, and nothing else")


def _labels(state: "MatterState", content: statements.Labels, told: "Told") -> None:
    _check_count(content, state.rounds[-1].waves[-1])


def _dispute(state: "MatterState", content: statements.Dispute, told: "Told") -> None:
    _check_round(told, state.rounds[-1].number if state.current else -1)
    if not content.positions or content.positions != state.rounds[-1].open_disputes():
        raise Malformed("the court gets the positions on which Alice and Bob disagree")


def _rulings(state: "MatterState", content: statements.Labels, told: "Told") -> None:
    _check_count(content, state.rounds[-1].disputed)


def _closed(state: "MatterState", content: statements.Closed, told: "Told") -> None:
    current = _check_settled(state, told)
    check_link(state, Role.TRENT, state.draws, statements.Link(draw=content.draw, link=content.link))
    flips = state.coins({**state.links_of_draw(), Role.TRENT: content.link}, current.size)
    current.check_waves(state.rule, flips)
    _, expected = current.outcome(state.rule, flips, draw=content.draw, link=content.link, truth=content.truth)
    if content != expected:
        raise Malformed(f"the round ends otherwise: {_difference(content, expected)}")
    if (content.truth is None) != (state.opening.simulation is None):
        raise Malformed("a simulation states the truth, and nothing else does")
    if told.releases != current.opened_to_bob():
        raise Malformed("it must release Alice's report to Bob, and nothing else")


def _claims(state: "MatterState", content: statements.Claims, told: "Told") -> None:
    _check_round(told, 0)
    if state.current is not None or state.drawing is not None:
        raise Malformed("a round is open")
    if len(state.rounds) < state.terms.rounds and not state.exhausted:
        raise Malformed(f"{len(state.rounds)} of {state.terms.rounds} rounds were held, and documents are left")
    expected = claims.claims(state)
    if content != expected:
        raise Malformed(f"the entries say otherwise: {_difference(content, expected)}")


_CHECKS: dict[Kind, Callable[["MatterState", Any, "Told"], None]] = {
    Kind.OPEN: _open,
    Kind.AGREED: _agreed,
    Kind.DEPOSITED: _deposited,
    Kind.DRAW: _draw,
    Kind.LINK: _link,
    Kind.BATCH: _batch,
    Kind.REPORT: _report,
    Kind.DISCLOSURE: _disclosure,
    Kind.LABELS: _labels,
    Kind.DISPUTE: _dispute,
    Kind.RULINGS: _rulings,
    Kind.CLOSED: _closed,
    Kind.CLAIMS: _claims,
}


def check_link(state: "MatterState", role: Role, due: int, link: statements.Link) -> None:
    """Raise unless it is the next link of this drawer's chain, for the draw that is due."""
    _check_number(link.draw, due)
    before: Digest = state.links[role]
    if not coins.follows(matter=state.matter, role=role, draw=link.draw, link=link.link, before=before):
        raise Malformed(f"the link is not number {link.draw} of the chain that {role} has committed to")


def _check_number(draw: int, due: int) -> None:
    if draw != due:
        raise Malformed(f"the link is for draw {draw}, where draw {due} is due")


def _check_next_round(state: "MatterState", told: "Told") -> None:
    if state.current is not None or len(state.rounds) >= state.terms.rounds or state.exhausted:
        raise Malformed("no further round begins here")
    _check_round(told, len(state.rounds) + 1)


def _check_settled(state: "MatterState", told: "Told") -> Any:
    """The round that is open, in which nothing is disputed and the coins are known."""
    current = state.current
    if current is None or state.drawing is None or Role.BOB not in state.drawing.links:
        raise Malformed("no round is open, or its coins are not known yet")
    _check_round(told, current.number)
    if current.open_disputes():
        raise Malformed(f"the court has not ruled on the positions {current.open_disputes()}")
    return current


def _check_round(told: "Told", due: int) -> None:
    if told.statement.round != due:
        raise Malformed(f"it is of round {told.statement.round}")


def _check_count(content: statements.Labels, asked: tuple[int, ...]) -> None:
    if len(content.labels) != len(asked):
        raise Malformed(f"{len(content.labels)} labels, where {len(asked)} documents were asked about")


def _difference(found: Any, expected: Any) -> str:
    names = [name for name in found.__struct_fields__ if getattr(found, name) != getattr(expected, name)]
    return ", ".join(f"{name} is {getattr(expected, name)}, not {getattr(found, name)}" for name in names)
