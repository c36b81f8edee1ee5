"""`claim`: what Alice claims as privileged after her report, or of what a validation drew.

Sealed, if she claims any: `privilege`, a basis each. In a validation a class may stand in place of a basis.
"""

from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter import privilege_log, requirements
from protocol.matter.asking import Asked, Asking, Decision, Granted, Said, Shown
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.privilege_log import claims_of_classes
from protocol.matter.state import Matter
from protocol.matter.values import OWNERS
from protocol.rules.terms import Positive


class LateClaim(Record, frozen=True, kw_only=True):
    """Positions that Bob has not been shown, and that were neither claimed nor given up; perhaps none."""

    positions: tuple[Positive, ...]


def blind(matter: Matter, content: LateClaim, entry: Entry) -> None:
    """Each position can still be claimed, and has a basis."""
    review, claims = matter.rounds[-1], content.positions
    if claims:
        requirements.positions(claims, review)
    if not review.claimable.issuperset(claims):
        raise Malformed(
            "a late claim may name only positions that Bob has not been shown, and that Alice has neither claimed "
            "before nor given up in her second look"
        )
    requirements.sealed(entry, "privilege", len(claims))


def check(matter: Matter, content: LateClaim, entry: Entry) -> None:
    """Each basis is a text that fits a log, or a class where one may stand."""
    requirements.bases(matter, entry.values("privilege"), classes=matter.rounds[-1].may_classify)


def take(matter: Matter, content: LateClaim, entry: Entry) -> None:
    """The claims count as drawn."""
    review, bases = matter.rounds[-1], None if entry.openings is None else entry.values("privilege")
    review.privilege.claim_late(entry.sequence, content.positions, bases)
    review.may_classify = False
    matter.classed += claims_of_classes(bases or ())


def silenced(matter: Matter, absent: Role, link: Digest | None) -> None:
    """Nothing further is claimed."""
    matter.rounds[-1].may_classify = False


def say(asked: Asked, decisions: Decisions) -> Said:
    """What she claims, in the order of the batch."""
    if decisions.classes and asked.statement.kind != "validation":
        raise Refused("a document is put into a class in a report, or when a validation has drawn it, and not later")
    claims = dict(sorted(privilege_log.values(decisions.claims, decisions.classes, decisions.claimed_parts).items()))
    content = LateClaim(positions=tuple(claims))
    if not claims:
        return Said(content=content)
    fields = {"privilege": list(claims.values())}
    sealed, openings = asked.sealed(f"claim/{asked.hash.hex()}", KIND.seals, fields)
    return Said(content=content, sealed=sealed, openings=openings)


KIND = Kind(
    name="claim",
    record=LateClaim,
    authors=(Role.ALICE,),
    when=When.ASKED,
    asks={},
    seals={"privilege": OWNERS},
    optional=("privilege",),  # missing if nothing is claimed
    releases=False,
    blind=blind,
    check=check,
    take=take,
    asking=Asking(
        task="say which documents are claimed as privileged",
        question="which of the documents are claimed as privileged",
        shown=Shown.CLAIMABLE,
        decision=Decision.CLAIMS,
        say=say,
        silence=Granted(words="nothing further is claimed as privileged in this round", take=silenced),
    ),
    words=Words(called="late claims of privilege", event=None),
)
