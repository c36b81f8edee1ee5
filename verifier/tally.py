"""What is collected while a copy is read: what passed, findings, what could not be checked, and the progress."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from verifier.checks import Check
from verifier.findings import Finding

Progress = Callable[[str, int, int], None]
"""Gets the current step, how much of it is done, and how much there is in all (0: not known)."""


@dataclass(slots=True)
class Tally:
    """What has been seen so far."""

    items: Counter[Check] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    unchecked: dict[Check, str] = field(default_factory=dict)  # with the reason

    def passed(self, check: Check, items: int = 1) -> None:
        """Count items that have passed."""
        self.items[check] += items

    def fail(self, finding: Finding) -> None:
        """A rule is broken."""
        self.findings.append(finding)

    def leave(self, check: Check, reason: str) -> None:
        """A check cannot be made; the first reason counts."""
        self.unchecked.setdefault(check, reason)
