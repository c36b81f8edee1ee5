"""Whether an entry may come next, and says what it must. Everything but the choice of batches is recomputed.

The same checks meet a party's answer before it is added and every entry of a stored matter, Trent's own included. They
read the state and change nothing.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ledger import coins, entries, records
from ledger.records import Malformed
from ledger.roles import Role, listed
from protocol.matter import claims, orders, privilege, statements, terms
from protocol.matter.requirements import (
    check_count,
    check_link,
    check_number,
    check_positions,
    check_proofs,
    check_round,
    open_round,
    settled_round,
)
from protocol.matter.rounds import Round
from protocol.matter.statements import CONTENTS, METHOD, SHAPES, Kind, Place
from protocol.rules import base

if TYPE_CHECKING:
    from protocol.matter.state import MatterState, Told  # the state stands above this module


def check(state: "MatterState", told: "Told") -> Any:
    """The entry's content, typed; raises `Malformed` with what is wrong."""
    content = typed(told)
    _check_opened(told)
    CHECKS[Kind(told.statement.kind)](state, content, told)
    return content


def typed(told: "Told") -> Any:
    """The content of an entry that has its kind's shape; no opening is looked at."""
    kind = Kind(told.statement.kind)
    _check_shape(told, kind)
    return records.from_value(CONTENTS[kind], told.statement.content)


def _check_shape(told: "Told", kind: Kind) -> None:
    said, shape = told.statement, SHAPES[kind]
    if said.author not in shape.authors:
        raise Malformed(f"{said.author.called} does not say this")
    if told.asks != tuple(sorted(shape.asks)):
        raise Malformed(f"it asks {listed(told.asks) if told.asks else 'nobody'}")
    for name, audiences in shape.sealed.items():
        if name not in said.sealed and name not in shape.may_lack:
            raise Malformed(f"it does not seal {name!r}")
        if name in said.sealed and said.sealed[name].audiences != audiences:
            raise Malformed(f"{name!r} must be sealed for {' and '.join(each.called for each in audiences)}")
    if not said.sealed.keys() <= shape.sealed.keys():
        raise Malformed("it seals values where nothing is to be sealed")
    if told.releases and kind not in (Kind.CAMERA, Kind.DISCLOSURE, Kind.CLOSED):
        raise Malformed("it releases what it has no right to")


def _check_opened(told: "Told") -> None:
    sealed = told.statement.sealed
    expected = [(name, index) for name in sorted(sealed) for index in range(len(sealed[name].commitments))]
    if [(each.field, each.index) for each in told.openings] != expected:
        raise Malformed("it must come with the openings of all that it seals, in order")


def _open(state: "MatterState", content: statements.Opening, told: "Told") -> None:
    if content.method != METHOD:
        raise Malformed(f"it follows version {content.method} of the method; this program knows version {METHOD}")
    terms.check(content.terms)
    if (content.caption is None) != (content.simulation is not None):
        raise Malformed("a simulation has no caption, and every other matter has one")
    if content.caption is not None and content.caption.names.keys() != set(Role):
        raise Malformed("the caption must name all of alice, bob, court and trent")
    check_round(told, 0)


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
    check_number(content.draw, state.draws + 1)


def _link(state: "MatterState", content: statements.Link, told: "Told") -> None:
    check_link(state, told.statement.author, state.draws, content)


def check_choice(state: "MatterState", content: statements.Batch, told: "Told") -> None:
    """Raise unless a batch is due, and chosen in the way that is due."""
    _check_next_round(state, told)
    by_model = "model" in told.statement.sealed
    if (content.drawn is None) != by_model or by_model == (state.drawing is not None) or by_model == state.one_class:
        raise Malformed("a batch is drawn by coin while nothing can be learnt, and chosen by a model afterwards")
    if content.drawn is not None:
        check_link(state, Role.TRENT, state.draws, content.drawn)


def _batch(state: "MatterState", content: statements.Batch, told: "Told") -> None:
    check_choice(state, content, told)
    documents = [records.from_value(Place, value).document for value in told.values("documents")]
    reviewed, _ = state.labelled()
    if not len(documents) == content.size <= state.terms.batch:
        raise Malformed(f"{len(documents)} documents in a batch of {content.size}, at most {state.terms.batch}")
    if len(set(documents) | set(reviewed)) != len(documents) + len(reviewed):
        raise Malformed("a document is in a batch for the second time")
    if max(documents) >= state.opening.corpus.documents:
        raise Malformed(f"document {max(documents)} is not in the corpus")


def check_promise(state: "MatterState", content: statements.Reported, told: "Told") -> None:
    """Raise unless a report gives the link that is due, and seals what the rule asks for."""
    check_link(state, Role.ALICE, state.draws + 1, statements.Link(draw=content.draw, link=content.link))
    if state.rule.reports_threshold != ("threshold" in told.statement.sealed):
        wanted = "the threshold" if state.rule.reports_threshold else "no threshold"
        raise Malformed(f"a report of this protocol seals labels and {wanted}")


def _report(state: "MatterState", content: statements.Reported, told: "Told") -> None:
    check_promise(state, content, told)
    for opening in told.openings:
        if opening.field == "labels" and not (opening.value is None or type(opening.value) is bool):
            raise Malformed(f"label {opening.index} must be true, false or null")
        if opening.field == "privilege" and opening.value is not None:
            privilege.check_basis(opening.value)
        if opening.field == "threshold" and (opening.index or type(opening.value) is not int):
            raise Malformed("the threshold must be a rank")
    problem = base.malformed(state.rule, state.rounds[-1].size, told.report())
    if problem:
        raise Malformed(problem)
    _check_claims(state, told)
    if content.openings != entries.hash_openings(told.openings):
        raise Malformed("its openings are not those whose hash it signs")


def _check_claims(state: "MatterState", told: "Told") -> None:
    """A report's claims: a basis or nothing for each position, and not nothing for all."""
    bases = told.values("privilege")
    if bases and len(bases) != state.rounds[-1].size:
        raise Malformed(f"{len(bases)} bases of privilege for {state.rounds[-1].size} documents")
    if bases and not any(bases):
        raise Malformed("a report that claims no privilege does not seal any")


def _camera(state: "MatterState", content: statements.Camera, told: "Told") -> None:
    current = settled_round(state, told)
    check_positions(content.positions, current)
    if not current.privilege.unruled.issuperset(content.positions):  # nothing of which Bob has been shown
        raise Malformed("the court gets positions that Alice claims and that it has not ruled on")
    check_proofs(told, content.positions)
    if told.releases != current.privilege.opened_to_bob(content.positions):
        raise Malformed("it must release to Bob the bases of these claims, and nothing else")


def _privilege(state: "MatterState", content: statements.Privilege, told: "Told") -> None:
    check_count("rulings", len(content.upheld), state.rounds[-1].privilege.asked)


def _late(state: "MatterState", content: statements.Late, told: "Told") -> None:
    open_round(state, told)


def _claim(state: "MatterState", content: statements.LateClaim, told: "Told") -> None:
    current, bases = state.rounds[-1], told.values("privilege")
    if content.positions:
        check_positions(content.positions, current)
    if (current.disclosed | current.privilege.claimed.keys()) & set(content.positions):
        raise Malformed("a late claim names positions that Bob has not been shown and that were not claimed before")
    if len(bases) != len(content.positions):
        raise Malformed(f"{len(bases)} bases of privilege for {len(content.positions)} documents")
    for basis in bases:
        privilege.check_basis(basis)


def _disclosure(state: "MatterState", content: statements.Disclosure, told: "Told") -> None:
    current = settled_round(state, told)
    check_positions(content.positions, current)
    if current.disclosed & set(content.positions):
        raise Malformed("a position is disclosed for the second time")
    if (current.privilege.withheld | current.privilege.unruled) & set(content.positions):
        raise Malformed("a position is disclosed that is withheld, or whose claim the court has not ruled on")
    check_proofs(told, content.positions)
    if told.releases != current.shown_to_bob(content.positions):
        raise Malformed("it must release to Bob the places of its positions, and nothing else")


def _labels(state: "MatterState", content: statements.Labels, told: "Told") -> None:
    check_count("labels", len(content.labels), state.rounds[-1].waves[-1])


def _dispute(state: "MatterState", content: statements.Dispute, told: "Told") -> None:
    check_round(told, state.rounds[-1].number if state.current else -1)
    if not content.positions or content.positions != state.rounds[-1].open_disputes():
        raise Malformed("the court gets the positions on which Alice and Bob disagree")


def _rulings(state: "MatterState", content: statements.Labels, told: "Told") -> None:
    check_count("labels", len(content.labels), state.rounds[-1].disputed)


def _closed(state: "MatterState", content: statements.Closed, told: "Told") -> None:
    current = settled_round(state, told)
    flips = _coins_of_close(state, current, content)
    current.check_steps(state.rule, flips)
    expected = current.outcome(state.rule, flips, draw=content.draw, link=content.link, truth=content.truth)
    if content != expected:
        raise Malformed(f"the round ends otherwise: {_difference(content, expected)}")
    if (content.truth is None) != (state.opening.simulation is None):
        raise Malformed("a simulation states the truth, and nothing else does")
    if told.releases != current.opened_to_bob():
        raise Malformed("it must release Alice's report to Bob, and nothing else")


def _coins_of_close(state: "MatterState", current: Round, content: statements.Closed) -> list[int]:
    """The coins that Trent's link gives; none where there is no report, and then no link."""
    check_last_link(state, current, content)
    if content.link is None:
        return []
    return state.coins({**state.links_of_draw(), Role.TRENT: content.link}, current.size)


def check_last_link(state: "MatterState", current: Round, content: statements.Closed) -> None:
    """Raise unless a close gives Trent's link; without a report there is none."""
    if {content.draw is None, content.link is None} != {current.unreported}:
        raise Malformed("a round is closed with Trent's link, but for one without a report")
    if content.draw is not None and content.link is not None:
        check_link(state, Role.TRENT, state.draws, statements.Link(draw=content.draw, link=content.link))


def check_held(state: "MatterState", told: "Told") -> None:
    """Raise unless all rounds are held, so that claims can be made."""
    check_round(told, 0)
    if state.current is not None or state.drawing is not None:
        raise Malformed("a round is open")
    if len(state.rounds) < state.terms.rounds and not state.exhausted:
        raise Malformed(f"{len(state.rounds)} of {state.terms.rounds} rounds were held, and documents are left")


def _claims(state: "MatterState", content: statements.Claims, told: "Told") -> None:
    check_held(state, told)
    expected = claims.claims(state)
    if content != expected:
        raise Malformed(f"the entries say otherwise: {_difference(content, expected)}")


CHECKS: dict[Kind, Callable[["MatterState", Any, "Told"], None]] = {
    Kind.OPEN: _open,
    Kind.AGREED: _agreed,
    Kind.DEPOSITED: _deposited,
    Kind.DRAW: _draw,
    Kind.LINK: _link,
    Kind.BATCH: _batch,
    Kind.REPORT: _report,
    Kind.CAMERA: _camera,
    Kind.PRIVILEGE: _privilege,
    Kind.LATE: _late,
    Kind.CLAIM: _claim,
    Kind.DISCLOSURE: _disclosure,
    Kind.LABELS: _labels,
    Kind.DISPUTE: _dispute,
    Kind.RULINGS: _rulings,
    Kind.CLOSED: _closed,
    Kind.CLAIMS: _claims,
    **orders.CHECKS,
}
"""What each kind of entry must fulfil besides its shape."""


def _check_next_round(state: "MatterState", told: "Told") -> None:
    if state.current is not None or len(state.rounds) >= state.terms.rounds or state.exhausted:
        raise Malformed("no further round begins here")
    check_round(told, len(state.rounds) + 1)


def _difference(found: Any, expected: Any) -> str:
    names = [name for name in found.__struct_fields__ if getattr(found, name) != getattr(expected, name)]
    return ", ".join(f"{name} is {getattr(expected, name)}, not {getattr(found, name)}" for name in names)
