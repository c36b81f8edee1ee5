"""What stands at the head and at the end of each paper."""

from ledger.roles import Role
from protocol.papers.ground import Ground
from protocol.papers.paper import Blank, Piece, Section

HOW_TO_USE = (
    "This draft was filled in by a program. A lawyer must check every sentence against the rules in force, the local "
    "rules and the judge's standing orders before anyone relies on it. Text in [square brackets] is for counsel to "
    "complete or to delete."
)


def front(ground: Ground) -> tuple[Piece, ...]:
    """The court, the case, and how to use the draft."""
    caption = ground.caption
    return (
        HOW_TO_USE,
        Blank("\n".join([" ".join(caption.court.split()), " ".join(caption.case.split())])),
    )


def signatures(ground: Ground, *, ordered: bool) -> Section:
    """Lines to sign on."""
    signed = [sign_here(f"Counsel for {ground.name(role)}") for role in (Role.ALICE, Role.BOB)]
    if ordered:
        signed.append(f"SO ORDERED.\n\n{sign_here('Judge')}")
    return Section(heading="Signatures", pieces=tuple(map(Blank, signed)))


def sign_here(who: str) -> str:
    """A line to sign on, and one for the date."""
    return f"By: {'_' * 40}\n{who}\nDate: {'_' * 20}"
