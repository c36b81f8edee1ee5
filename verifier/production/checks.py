"""What is asked of a production volume, and what is wrong with one (docs/production.md, "The check")."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from verifier.checks import Role
from verifier.findings import VerifierError, shortened
from verifier.verdict import Outcome

MOST = 20
"""Findings of one check that are told; the others are counted."""


class Check(StrEnum):
    """A check by its number."""

    SIGNATURE = "P01"
    HEAD = "P02"
    FILES = "P03"
    DOCUMENTS = "P04"
    CONTENTS = "P05"
    SLIP_SHEETS = "P06"
    FIELDS = "P07"
    RETURN = "P08"
    EARLIER = "P09"


@dataclass(frozen=True, slots=True)
class Definition:
    """A check in words."""

    name: str
    question: str
    counts: str  # what its items are


DEFINITIONS = {
    Check.SIGNATURE: Definition("signature", "Is the manifest signed by Trent's key in the copy?", "signatures"),
    Check.HEAD: Definition("head", "Is its head an entry of this record, and are those of earlier volumes?", "entries"),
    Check.FILES: Definition(
        "files", "Are just the files of the manifest in the folder, each with its size and hash?", "files"
    ),
    Check.DOCUMENTS: Definition(
        "documents",
        "Does the volume hold just what is to be produced, in order, with all parts, under numbers that go on?",
        "documents",
    ),
    Check.CONTENTS: Definition(
        "contents", "Has each native the committed content, and each text the committed text?", "parts"
    ),
    Check.SLIP_SHEETS: Definition(
        "slip sheets",
        "Are just the parts that the proof withholds slip sheets, do they say nothing else, and does no native hold "
        "such a part?",
        "slip sheets",
    ),
    Check.FIELDS: Definition("fields", "Does each line of the load file state the committed fields?", "lines"),
    Check.RETURN: Definition("return", "Does RETURN.csv list just what Bob may not keep?", "documents"),
    Check.EARLIER: Definition(
        "earlier volumes",
        "Are the earlier volumes those that the manifest names, and do they hold what was to be produced in them?",
        "volumes",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A broken rule: where, and whether Trent's signature proves it. Without a party nobody is blamed."""

    check: Check
    rule: str
    where: str  # a file, a line, a document
    expected: str
    found: str
    party: Role | None = None

    def __post_init__(self) -> None:
        for name in ("where", "expected", "found"):
            object.__setattr__(self, name, shortened(getattr(self, name)))


class Undecided(VerifierError):
    """The volume cannot be judged; `advice` says what to do about it."""

    def __init__(self, reason: str, advice: str = "") -> None:
        super().__init__(shortened(reason))
        self.advice = advice


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How one check came out."""

    check: Check
    outcome: Outcome
    items: int
    reason: str = ""  # if it was not checked


@dataclass(slots=True)
class Results:
    """The checks as far as they were made."""

    findings: list[Finding] = field(default_factory=list)
    untold: Counter[Check] = field(default_factory=Counter)  # findings beyond those that are told
    items: Counter[Check] = field(default_factory=Counter)
    unchecked: dict[Check, str] = field(default_factory=lambda: dict.fromkeys(Check, "it was not reached"))
    blamed: Role | None = None  # who has signed the manifest, if the reader may think so

    def made(self, check: Check) -> None:
        """The check is made to its end."""
        self.unchecked.pop(check, None)

    def leave(self, check: Check, reason: str) -> None:
        """The check cannot be made."""
        self.unchecked[check] = reason

    def fail(
        self, check: Check, rule: str, where: str, expected: object, found: object, *, signed: bool = True
    ) -> None:
        """A rule is broken; if `signed`, by what Trent has signed."""
        if sum(each.check is check for each in self.findings) >= MOST:
            self.untold[check] += 1
            return
        self.findings.append(
            Finding(
                check=check,
                rule=rule,
                where=where,
                expected=str(expected),
                found=str(found),
                party=self.blamed if signed else None,
            )
        )

    def results(self) -> list[Result]:
        """All checks in order."""
        failed = {each.check for each in self.findings}
        found = []
        for check in Check:
            reason = "" if check in failed else self.unchecked.get(check, "")
            outcome = Outcome.FAIL if check in failed else Outcome.NOT_CHECKED if reason else Outcome.PASS
            found.append(Result(check=check, outcome=outcome, items=self.items[check], reason=reason))
        return found
