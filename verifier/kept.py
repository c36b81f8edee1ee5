"""How many documents the court kept from Bob in camera: as privileged, and as not responsive.

The public's copy may show only how many both are together. How many of each then rests on Trent's claims alone.
"""

from dataclasses import dataclass

from verifier.replay.rounds import ClosedRound
from verifier.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The documents that the court kept from Bob."""

    privileged: int  # withheld as such
    in_camera: int  # found not responsive
    unknown: int = 0  # further ones that are one or the other: nothing says which
    stated: bool = False  # by Trent alone: the copy shows only how many there are in all

    @property
    def together(self) -> int:
        """All of them."""
        return self.privileged + self.in_camera + self.unknown


def in_round(verdict: Verdict, closed: ClosedRound) -> Kept:
    """The documents of one round."""
    if not closed.unclear:
        return Kept(privileged=closed.privileged, in_camera=closed.in_camera)
    stated = verdict.stated.rounds if verdict.stated else ()
    privileged = next((each.privileged for each in stated if each.round == closed.number), None)
    if privileged is None:
        return Kept(privileged=closed.privileged - closed.unclear, in_camera=closed.in_camera, unknown=closed.unclear)
    return Kept(privileged=privileged, in_camera=closed.privileged + closed.in_camera - privileged, stated=True)


def in_all(verdict: Verdict) -> Kept:
    """The documents of all closed rounds."""
    claims = verdict.claims
    if claims is None or not any(each.unclear for each in verdict.rounds):
        return Kept(privileged=claims.privileged if claims else 0, in_camera=claims.in_camera if claims else 0)
    found = [in_round(verdict, each) for each in verdict.rounds]
    return Kept(
        privileged=sum(each.privileged for each in found),
        in_camera=sum(each.in_camera for each in found),
        unknown=sum(each.unknown for each in found),
        stated=any(each.stated for each in found),
    )
