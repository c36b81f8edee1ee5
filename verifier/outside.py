"""V32, V33: are the time stamps and the log's proofs on record good, by those whom the reader trusts?

Nothing here blames anybody: whose roots and which witnesses count is the reader's choice, and a token may be missing
from a copy because somebody has left it out.
"""

from dataclasses import dataclass
from pathlib import Path

from verifier import policy as policies
from verifier import stamps
from verifier.checks import Check
from verifier.record import logs
from verifier.record.logs import BadProof
from verifier.record.notes import TreeHead, text_of
from verifier.stamps import BadRoots, BadStamp, NotChecked, Stamped
from verifier.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """What a time stamp proves of the record."""

    entries: int  # how many existed
    stamp: Stamped


class Outsiders:
    """Whom the reader trusts, read from files; `Unreadable` is raised if these cannot be used."""

    def __init__(self, *, roots: Path | None = None, policy: Path | None = None) -> None:
        self.roots = None if roots is None else stamps.read_roots(roots)
        self.policy = None if policy is None else policies.read(policy)


class Looking:
    """Looks at each stamp and proof with whom the reader trusts."""

    def __init__(self, tally: Tally, trusted: Outsiders) -> None:
        self._tally, self._trusted = tally, trusted
        self.dated: Dated | None = None  # by the last stamp
        self.cosigned: list[str] = []  # the witnesses of the last proof, by their names in the policy

    def stamped(self, entry: int, seen: TreeHead, token: bytes | None, authorities: tuple[bytes, ...]) -> None:
        """Check a token, if the copy has it."""
        if token is None:
            self._tally.leave(Check.STAMPS, f"the copy lacks the token that entry {entry} names; ask Trent for it")
            return
        try:
            found = stamps.check(token, text_of(seen).encode(), self._trusted.roots, authorities)
        except (NotChecked, BadStamp, BadRoots) as error:
            self._tally.leave(Check.STAMPS, f"entry {entry}: {error}")
            return
        self._tally.passed(Check.STAMPS)
        self.dated = Dated(entries=seen.size, stamp=found)

    def logged(self, entry: int, proof: str) -> None:
        """Check who has witnessed the log's checkpoint."""
        if self._trusted.policy is None:
            self._tally.leave(Check.LOG, "needs a policy (--policy)")
            return
        try:
            self.cosigned = self._trusted.policy.check(logs.parse(proof).note)
        except BadProof as error:
            self._tally.leave(Check.LOG, f"entry {entry}: {error}")
            return
        self._tally.passed(Check.LOG)
