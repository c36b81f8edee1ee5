"""What a matter can claim at its close, from the entries alone."""

from typing import TYPE_CHECKING

from protocol.matter import statements
from protocol.matter.rounds import Round
from protocol.rules import table
from protocol.rules.terms import probability

if TYPE_CHECKING:
    from protocol.matter.state import MatterState  # the state stands above this module

ASSUMPTIONS = (
    "Bob recognises every responsive document that he is shown, and the court rules rightly, on privilege too."
)


def claims(state: "MatterState") -> statements.Claims:
    """Trent's statement at the close, as integers."""
    rounds = [each for each, _ in state.closed]
    revealed = sum(len(each.settled) for each in rounds)
    found = sum(each.found for each in rounds)
    return statements.Claims(
        alice_errors=sum(each.alice_errors() for each in rounds),
        compelled_rounds=sum(closed.compelled for _, closed in state.closed),
        defaults=state.defaults,
        disputes=sum(len(each.rulings) for each in rounds),
        found=found,
        guarantee=table.of(state.terms).words.guarantee,
        hidden=hidden_bound(state),
        nrd=revealed - found,
        revealed=revealed,
        reviewed=sum(each.size for each in rounds),
        rounds=tuple(_round_claim(each, closed) for each, closed in state.closed),
        truth=_truth(state),
        withheld=sum(len(each.privilege.withheld) for each in rounds),
    )


def _truth(state: "MatterState") -> statements.Truth | None:
    """A simulation's true recall: of all responsive documents of the corpus, how many Bob has seen."""
    if state.opening.simulation is None:
        return None
    revealed = sum(closed.truth.revealed for _, closed in state.closed if closed.truth)
    return statements.Truth(responsive=state.opening.simulation.responsive, revealed=revealed)


def hidden_bound(state: "MatterState") -> statements.HiddenBound:
    """The absolute bound from the coins, over the rounds that are closed."""
    doubt = probability("doubt", state.terms.doubt)
    return statements.HiddenBound(
        assumes=ASSUMPTIONS, at_most=state.rule.hidden_at_most(state.evidence(), doubt), doubt=state.terms.doubt
    )


def _round_claim(each: Round, closed: statements.Closed) -> statements.RoundClaim:
    return statements.RoundClaim(
        compelled=closed.compelled,
        error=closed.error,
        near_cut=each.near_cut,
        round=each.number,
        sampled=closed.sampled,
        size=each.size,
        threshold=closed.threshold,
        unread=len(each.unread),
        withheld=len(each.privilege.withheld),
    )
