"""A verdict: what was checked, how it came out, what it covers, and whose signature proves a fault."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from verifier.checks import Audience, Check, Role
from verifier.findings import Finding
from verifier.outside import Dated
from verifier.record.chain import KeyChange
from verifier.record.copy import Signed
from verifier.record.hashing import fingerprint
from verifier.replay.asked_back import AskedBack
from verifier.replay.contents import Claims, Opened
from verifier.replay.detail import RoundDetail
from verifier.replay.ordered import OrderDetail
from verifier.replay.passed import Passed
from verifier.replay.rounds import ClosedRound
from verifier.trust import Identity


class Outcome(StrEnum):
    """How a check ends. Not checked does not mean valid."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    NOT_CHECKED = "not checked"


class Answer(StrEnum):
    """How a verification ends."""

    VERIFIED = "verified"  # all that the copy supports has passed, and all have signed its end who must
    NOT_CLOSED = "not closed"  # all that the copy supports has passed, as far as it goes
    REJECTED = "rejected"
    UNDECIDED = "undecided"  # damaged, unreadable, or of an unknown version


EXIT_CODES = {Answer.VERIFIED: 0, Answer.NOT_CLOSED: 0, Answer.REJECTED: 1, Answer.UNDECIDED: 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """How one check came out."""

    check: Check
    outcome: Outcome
    items: int
    reason: str = ""  # if it was not checked


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """What was read of a copy."""

    audience: Audience
    matter: bytes
    entries: int
    head: bytes
    root: bytes
    checkpoints: tuple[Signed, ...]


class KeyHistory:
    """Who signed with which key, since the court may have replaced some: for the verdict on a copy or an exhibit."""

    __slots__ = ()

    keys: Mapping[Role, bytes]
    key_changes: tuple[KeyChange, ...]
    identities: Mapping[tuple[Role, bytes], Identity]

    @property
    def keys_before(self) -> dict[Role, tuple[bytes, ...]]:
        """The keys that a party had before the court replaced them, in order."""
        found: dict[Role, tuple[bytes, ...]] = {}
        for each in self.key_changes:
            found[each.role] = (*found.get(each.role, ()), each.before)
        return found

    def keys_value(self) -> dict[Role, Any]:
        """Each party's present key with its former ones, for scripts."""
        return {
            role: {
                "public_key": key.hex(),
                "fingerprint": fingerprint(key),
                "identity": self.identity(role),
                "before": [
                    {"fingerprint": fingerprint(each), "identity": self.identities[role, each]}
                    for each in self.keys_before.get(role, ())
                ],
            }
            for role, key in self.keys.items()
        }

    def key_of(self, role: Role, entry: int | None) -> bytes:
        """The key with which a party signed at an entry; without an entry, the present key."""
        for each in self.key_changes:
            if each.role is role and entry is not None and entry <= each.entry:
                return each.before
        return self.keys[role]

    def identity(self, role: Role) -> Identity:
        """What the reader knows about the holder of a party's present key."""
        return self.identities[role, self.keys[role]]

    def signed_with(self, finding: Finding, party: Role) -> bytes:
        """The key that proves a finding against a party. Of two answers it has signed both."""
        return self.key_of(party, finding.entry)

    def blames(self, finding: Finding) -> bool:
        """Whether a finding is proven against its party, as far as the reader knows whose the keys are."""
        party = finding.party
        return party is not None and self.identities[party, self.signed_with(finding, party)] is not Identity.ANOTHER


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(KeyHistory):
    """The whole answer."""

    answer: Answer
    checks: tuple[CheckResult, ...]
    findings: tuple[Finding, ...]
    trouble: str = ""  # why it is undecided
    advice: str = ""  # and what to do about it
    copy: Copy | None = None  # None if not even the first entry could be read
    keys: Mapping[Role, bytes] = field(default_factory=dict)  # those in force at the end
    key_changes: tuple[KeyChange, ...] = ()  # in order
    identities: Mapping[tuple[Role, bytes], Identity] = field(
        default_factory=dict
    )  # for each key that anybody has or had
    opened: Opened | None = None  # what the first entry says
    rounds_agreed: int = 0  # T, as it was amended
    orders: tuple[OrderDetail, ...] = ()  # the court's orders on silence and keys, and amendments
    orders_unlisted: int = 0  # more of them, none of which was granted
    ended_without: Mapping[Role, int] = field(
        default_factory=dict
    )  # whose signatures the end lacks, by the court's order in this entry
    shown_parts: int = 0  # of the documents that Bob was shown, as far as the copy proves them
    skipped_draws: int = 0  # because Alice's key changed while she owed a report
    stamps: int = 0  # on record
    proofs: int = 0  # of the operator's log, likewise
    cosigned: tuple[str, ...] = ()  # the witnesses of the last of these proofs, by their names in the reader's policy
    dated: Dated | None = None  # by the last time stamp on record that the reader trusts
    asked_again: int = 0  # questions that a new key had made void
    rounds: tuple[ClosedRound, ...] = ()
    asked_back: tuple[AskedBack, ...] = ()  # by Alice, after Bob was shown it, in order
    passes: tuple[Passed, ...] = ()  # the escalations, if the copy shows what came of them
    reported_hits: Mapping[int, int] = field(
        default_factory=dict
    )  # by a validation's number, if it has two stages: what Alice reported of the responsive ones that were called
    details: tuple[RoundDetail, ...] = ()  # if they were asked for
    claims: Claims | None = None  # recomputed, of the rounds that are closed
    stated: Claims | None = None  # as Trent states them, if the copy goes so far
    bound_known: bool = False  # whether the copy shows what the bound rests on
    waits_for: str = ""

    @property
    def exit_code(self) -> int:
        """For the shell."""
        return EXIT_CODES[self.answer]

    def result(self, check: Check) -> CheckResult:
        """One check's result."""
        return next(each for each in self.checks if each.check is check)
