"""What stops a verification, by what it proves.

A *fault* stands above the valid signature of the party that it names: only that key could have made it. *Damage*
proves nothing against anybody. An *unknown version* is for a newer verifier.
"""

from dataclasses import dataclass

from verifier.checks import Check, Role

_LONGEST = 400  # characters of what a stranger wrote


def shortened(text: str) -> str:
    """A text that a person can read, whatever a record holds."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A broken rule: where, which, and whose signature proves whose fault; no party where nobody's does."""

    check: Check
    rule: str  # the rule, as a sentence
    expected: str
    found: str
    entry: int | None = None
    party: Role | None = None
    rests_on: tuple[int, ...] = ()  # earlier entries whose signatures by the same party it needs too

    def __post_init__(self) -> None:
        for name in ("rule", "expected", "found"):
            object.__setattr__(self, name, shortened(getattr(self, name)))


class VerifierError(Exception):
    """Base of what this package raises on purpose."""


class Fault(VerifierError):
    """A rule is broken above a party's own valid signature."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.rule)
        self.finding = finding


class Damaged(VerifierError):
    """The bytes are not what somebody signed or committed to. Blames nobody; another copy may be whole."""

    def __init__(self, check: Check, message: str) -> None:
        super().__init__(shortened(message))
        self.check = check


class UnknownVersion(VerifierError):
    """It was written by a version that this verifier does not know."""


class Unreadable(VerifierError):
    """The system does not let the file be read, or it is not a copy at all."""
