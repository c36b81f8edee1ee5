"""`claims`: what Trent states at the close, as integers, from the entries alone."""

from ledger.records import Malformed, Natural, Record
from ledger.roles import Role
from protocol.matter import requirements
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.rounds import Round
from protocol.matter.state import Matter
from protocol.matter.values import Outcome, Truth
from protocol.rules import table
from protocol.rules.terms import Positive, probability

ASSUMPTIONS = (
    "Bob recognises every responsive document that he is shown, and the court rules rightly, on privilege too."
)


class RoundClaim(Record, frozen=True, kw_only=True):
    """The parameters that a round's guarantee rests on."""

    compelled: bool
    error: Natural
    near_cut: Natural | None
    round: Positive
    sampled: Natural
    size: Positive
    threshold: Natural
    unread: Natural  # shown to Bob, who did not answer
    withheld: Natural  # as privileged


class HiddenBound(Record, frozen=True, kw_only=True):
    """The most responsive documents hidden among those reviewed, except with probability `doubt`."""

    assumes: str
    at_most: Natural
    doubt: str


class Claims(Record, frozen=True, kw_only=True):
    """What the matter can state."""

    alice_errors: Natural
    compelled_rounds: Natural
    defaults: Natural
    disputes: Natural
    found: Natural
    guarantee: str  # the paper's, in words
    hidden: HiddenBound
    nrd: Natural  # non-responsive disclosure
    revealed: Natural
    reviewed: Natural
    rounds: tuple[RoundClaim, ...]
    truth: Truth | None
    withheld: Natural  # as privileged


def claims(matter: Matter) -> Claims:
    """What the matter can state as it stands."""
    rounds = [each for each, _ in matter.closed]
    revealed = sum(len(each.settled) for each in rounds)
    found = sum(each.found for each in rounds)
    return Claims(
        alice_errors=sum(each.alice_errors() for each in rounds),
        compelled_rounds=sum(outcome.compelled for _, outcome in matter.closed),
        defaults=matter.defaults,
        disputes=sum(len(each.rulings) for each in rounds),
        found=found,
        guarantee=table.of(matter.terms).words.guarantee,
        hidden=hidden_bound(matter),
        nrd=revealed - found,
        revealed=revealed,
        reviewed=sum(each.size for each in rounds),
        rounds=tuple(_round_claim(each, outcome) for each, outcome in matter.closed),
        truth=_truth(matter),
        withheld=sum(len(each.privilege.withheld) for each in rounds),
    )


def _truth(matter: Matter) -> Truth | None:
    """A simulation's true recall: how many of all responsive documents of the corpus Bob has seen."""
    if matter.opening.simulation is None:
        return None
    revealed = sum(outcome.truth.revealed for _, outcome in matter.closed if outcome.truth)
    return Truth(responsive=matter.opening.simulation.responsive, revealed=revealed)


def hidden_bound(matter: Matter) -> HiddenBound:
    """The bound in documents that the coins give, over the closed rounds."""
    doubt = probability("doubt", matter.terms.doubt)
    return HiddenBound(
        assumes=ASSUMPTIONS, at_most=matter.rule.hidden_at_most(matter.evidence(), doubt), doubt=matter.terms.doubt
    )


def _round_claim(each: Round, outcome: Outcome) -> RoundClaim:
    return RoundClaim(
        compelled=outcome.compelled,
        error=outcome.error,
        near_cut=each.near_cut,
        round=each.number,
        sampled=outcome.sampled,
        size=each.size,
        threshold=outcome.threshold,
        unread=len(each.unread),
        withheld=len(each.privilege.withheld),
    )


def blind(matter: Matter, content: Claims, entry: Entry) -> None:
    """All rounds are held."""
    requirements.of_round(entry, 0)
    if matter.current is not None or matter.drawing is not None:
        raise Malformed("a round is open")
    if len(matter.rounds) < matter.terms.rounds and not matter.exhausted:
        raise Malformed(f"only {len(matter.rounds)} of {matter.terms.rounds} rounds were held, and documents are left")


def check(matter: Matter, content: Claims, entry: Entry) -> None:
    """Trent claims what the entries say."""
    requirements.as_computed(content, claims(matter), "the claims do not follow from the entries")


def take(matter: Matter, content: Claims, entry: Entry) -> None:
    """Nothing follows but orders on missing signatures of the end."""
    matter.claimed_in = entry.hash


KIND = Kind(
    name="claims",
    record=Claims,
    authors=(Role.TRENT,),
    when=When.FREE,
    asks={},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=check,
    take=take,
    asking=None,
    words=Words(called="claims", event=None),
)
