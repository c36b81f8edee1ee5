"""Requirements that several kinds of entry share."""

from itertools import pairwise
from typing import TYPE_CHECKING

from ledger import coins
from ledger.records import Malformed
from ledger.roles import Role
from protocol.matter import statements
from protocol.matter.rounds import Round

if TYPE_CHECKING:
    from protocol.matter.state import MatterState, Told  # the state stands above this module


def check_round(told: "Told", due: int) -> None:
    """Raise unless the entry is of this round."""
    if told.statement.round != due:
        raise Malformed(f"it is of round {told.statement.round}")


def check_positions(positions: tuple[int, ...], current: Round) -> None:
    """Raise unless these are positions of the batch, in order."""
    ascending = all(one < other for one, other in pairwise(positions))
    if not positions or not ascending or positions[-1] > current.size:
        raise Malformed("it must name positions of the batch, in order")


def check_proofs(told: "Told", positions: tuple[int, ...]) -> None:
    """Raise unless there is a proof for each document that goes out."""
    if len(told.values("proofs")) != len(positions):
        raise Malformed(f"{len(told.values('proofs'))} proofs for {len(positions)} documents")


def check_count(what: str, given: int, asked: tuple[int, ...]) -> None:
    """Raise unless the answer is about all that was asked, and no more."""
    if given != len(asked):
        raise Malformed(f"{given} {what}, where {len(asked)} documents were asked about")


def check_number(draw: int, due: int) -> None:
    """Raise unless a link is for the draw that is due."""
    if draw != due:
        raise Malformed(f"the link is for draw {draw}, where draw {due} is due")


def check_link(state: "MatterState", role: Role, due: int, link: statements.Link) -> None:
    """Raise unless it is the next link of this drawer's chain, for the draw that is due."""
    check_number(link.draw, due)
    if not coins.follows(matter=state.matter, role=role, draw=link.draw, link=link.link, before=state.links[role]):
        raise Malformed(f"the link is not number {link.draw} of the chain that {role.called} has committed to")


def open_round(state: "MatterState", told: "Told") -> Round:
    """The round that is open, with its coins fixed or none to be thrown."""
    current = state.current
    if current is None or not (current.unreported or Role.BOB in state.links_of_draw()):
        raise Malformed("no round is open, or its coins are not known yet")
    check_round(told, current.number)
    return current


def settled_round(state: "MatterState", told: "Told") -> Round:
    """The round that is open, in which nothing is disputed."""
    current = open_round(state, told)
    if current.open_disputes():
        raise Malformed(f"the court has not ruled on the positions {current.open_disputes()}")
    return current
