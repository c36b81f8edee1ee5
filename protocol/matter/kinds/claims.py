"""`claims`: what Trent states at the close, as integers, from the entries alone."""

from typing import Literal

from ledger.records import Malformed, Natural, Record
from ledger.roles import Role
from protocol.matter import course, requirements, validating
from protocol.matter.course import Next
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.rounds import Round, Sort
from protocol.matter.state import Matter
from protocol.matter.validating import Validation
from protocol.matter.validations import meets
from protocol.matter.values import Outcome, Truth
from protocol.rules import table
from protocol.rules.spot_check import SpotCheck
from protocol.rules.terms import Positive, probability

ASSUMPTIONS = (
    "Bob recognises every responsive document that he is shown, and the court rules rightly, on privilege too."
)
"""What both certificates rest on."""


class RoundClaim(Record, frozen=True, kw_only=True):
    """The parameters that a round's guarantee rests on."""

    compelled: bool
    error: Natural
    near_cut: Natural | None
    privileged: Natural  # withheld as such
    round: Positive
    sampled: Natural
    size: Natural  # how many positions it has
    sort: Sort
    threshold: Natural
    unread: Natural  # shown to Bob, who did not answer


class ReviewedCertificate(Record, frozen=True, kw_only=True):
    """At most how many responsive documents of the reviewed ones Bob does not have, except with probability `doubt`."""

    assumes: str
    at_most: Natural
    doubt: str
    found: Natural
    reached: bool | None  # whether the target is met; None without a target
    target: str | None


class CollectionCertificate(Record, frozen=True, kw_only=True):
    """The same of the whole collection."""

    assumes: str
    at_most: Natural | None  # None: nothing is proven about documents that were never put up
    doubt: str
    found: Natural
    reached: bool | None
    target: str | None
    unreviewed: Natural  # documents that were never put up


class Certificates(Record, frozen=True, kw_only=True):
    """What is proven about the documents. Each certificate has its own doubt."""

    collection: CollectionCertificate
    reviewed: ReviewedCertificate


class Stratum(Record, frozen=True, kw_only=True):
    """One part of what a validation drew from."""

    documents: Natural
    hits: Natural  # settled as responsive
    shown: Natural  # to Bob, or labelled by the court


class ValidationClaim(Record, frozen=True, kw_only=True):
    """What a validation has brought, and what it proves."""

    at_most: Natural | None  # None: it proves nothing
    called: Natural
    never: Stratum  # documents that were never put up before
    number: Positive
    reached: bool
    round: Positive
    total: Natural | None
    unread: Natural
    withheld: Stratum  # documents that were put up before


class Claims(Record, frozen=True, kw_only=True):
    """What the matter can state."""

    alice_errors: Natural
    certificates: Certificates
    clawed_back: Natural  # after Bob was shown it; it still counts as shown
    compelled_rounds: Natural
    defaults: Natural
    disputes: Natural
    ended: Literal["validation", "documents", "amendment", "rounds"]  # why the review is over
    found: Natural
    guarantee: str  # of the rule, in words
    in_camera: Natural  # what the court kept from Bob as not responsive
    nrd: Natural  # non-responsive disclosure
    privileged: Natural  # withheld as such
    revealed: Natural
    reviewed: Natural
    rounds: tuple[RoundClaim, ...]
    truth: Truth | None
    validations: tuple[ValidationClaim, ...]


def claims(matter: Matter) -> Claims:
    """What the matter can state as it stands."""
    rounds = [each for each, _ in matter.closed]
    revealed = sum(len(each.disclosed) for each in rounds)
    found = matter.found
    return Claims(
        alice_errors=sum(each.alice_errors() for each in rounds),
        certificates=certificates(matter),
        clawed_back=len(matter.clawbacks.returned),
        compelled_rounds=sum(outcome.compelled for _, outcome in matter.closed),
        defaults=matter.defaults,
        disputes=sum(len(each.rulings) for each in rounds),
        ended=_ended(matter),
        found=found,
        guarantee=table.of(matter.terms).words.guarantee,
        in_camera=sum(len(each.kept) for each in rounds),
        nrd=revealed - found,
        privileged=sum(len(each.privilege.withheld) for each in rounds),
        revealed=revealed,
        reviewed=sum(len(each.fresh) for each in rounds),
        rounds=tuple(_round_claim(each, outcome) for each, outcome in matter.closed),
        truth=_truth(matter),
        validations=validations(matter),
    )


def _truth(matter: Matter) -> Truth | None:
    """A simulation's true recall: how many of all responsive documents of the corpus Bob has seen."""
    if matter.opening.simulation is None:
        return None
    revealed = sum(outcome.truth.revealed for _, outcome in matter.closed if outcome.truth)
    return Truth(responsive=matter.opening.simulation.responsive, revealed=revealed)


def _ended(matter: Matter) -> Literal["validation", "documents", "amendment", "rounds"]:
    """Why the review is over, or will be."""
    if matter.validated:
        return "validation"
    if matter.exhausted:
        return "documents"
    return "rounds" if matter.terms.rounds == matter.opening.terms.rounds else "amendment"


def certificates(matter: Matter) -> Certificates:
    """What the closed rounds prove."""
    reviewed = reviewed_certificate(matter)
    return Certificates(collection=collection_certificate(matter, reviewed), reviewed=reviewed)


def reviewed_certificate(matter: Matter) -> ReviewedCertificate:
    """By the books, under spot checks; by the bound of the paper's rules otherwise."""
    rule = matter.rule
    certified = course.certificate(matter, rule) if isinstance(rule, SpotCheck) else None
    return ReviewedCertificate(
        assumes=ASSUMPTIONS,
        at_most=certified.at_most if certified else _bound(matter),
        doubt=matter.terms.doubt,
        found=matter.confirmed,
        reached=certified.met if certified else None,
        target=getattr(matter.terms, "target", None),
    )


def _bound(matter: Matter) -> int:
    """The bound of the paper's rules. No batch's coins tell anything of what was called and Alice withholds."""
    called = sum(matter.rounds[seat.round - 1].sort is Sort.VALIDATION for seat in matter.books.exposures)
    return called + matter.rule.hidden_at_most(matter.evidence(), probability("doubt", matter.terms.doubt))


def collection_certificate(matter: Matter, reviewed: ReviewedCertificate) -> CollectionCertificate:
    """By the validation that leaves least missing; without one, that of the reviewed, if nothing else is left.

    What Bob was shown later is not taken off: it may be privileged, and then it was never counted as missing.
    """
    unreviewed = matter.opening.corpus.documents - matter.put_up
    proven = [each.certificate.at_most for each, _ in matter.closed if each.certificate is not None]
    found, terms = matter.confirmed, matter.terms.validation
    at_most = min(proven) if proven else None if unreviewed else reviewed.at_most
    reached = None
    if terms is not None:
        target = probability("target", terms.target)
        reached = at_most is not None and meets(target, found, found + at_most)
    return CollectionCertificate(
        assumes=ASSUMPTIONS,
        at_most=at_most,
        doubt=matter.terms.doubt,
        found=found,
        reached=reached,
        target=None if terms is None else terms.target,
        unreviewed=unreviewed,
    )


def validations(matter: Matter) -> tuple[ValidationClaim, ...]:
    """What each validation has brought."""
    return tuple(
        _validation(each, each.procedure) for each, _ in matter.closed if isinstance(each.procedure, Validation)
    )


def _validation(each: Round, held: Validation) -> ValidationClaim:
    proven = each.certificate
    return ValidationClaim(
        at_most=None if proven is None else proven.at_most,
        called=each.called,
        never=_stratum(each, held.never, each.fresh),
        number=held.number,
        reached=proven is not None and proven.reached,
        round=each.number,
        total=None if proven is None else proven.total,
        unread=len(each.unread),
        withheld=_stratum(each, held.withheld, frozenset(range(1, each.size + 1)) - each.fresh),
    )


def _stratum(each: Round, documents: int, positions: frozenset[int]) -> Stratum:
    return Stratum(
        documents=documents,
        hits=validating.tally(each, positions).hits,
        shown=len(positions & (each.disclosed | each.in_camera.keys())),
    )


def _round_claim(each: Round, outcome: Outcome) -> RoundClaim:
    return RoundClaim(
        compelled=outcome.compelled,
        error=outcome.error,
        near_cut=each.near_cut,
        privileged=len(each.privilege.withheld),
        round=each.number,
        sampled=outcome.sampled,
        size=each.size,
        sort=each.sort,
        threshold=outcome.threshold,
        unread=len(each.unread),
    )


def blind(matter: Matter, content: Claims, entry: Entry) -> None:
    """All rounds are held, or a validation can have reached its target."""
    requirements.of_round(entry, 0)
    if matter.current is not None or matter.drawing is not None:
        raise Malformed("a round is open")
    requirements.seen_before(matter)
    if not matter.over and not (matter.stages and matter.closed):
        held = len(matter.batches)
        raise Malformed(f"only {held} of {matter.terms.rounds} rounds were held, and documents are left")


def check(matter: Matter, content: Claims, entry: Entry) -> None:
    """The review is over, nothing else is due, and Trent claims what the entries say."""
    requirements.comes_next(matter, Next.CLAIMS)
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
