"""What stops a verification, by what it proves.

A *fault* carries the valid signature of the party that it names: only that key could have made it. *Damage* proves
nothing against anybody. An *unknown version* needs a newer verifier.
"""

from dataclasses import dataclass

from verifier.checks import Check, Role

_LONGEST = 400  # most characters of a stranger's text


def shortened(text: str) -> str:
    """A text that a person can read, whatever a record holds."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A broken rule: which, where, and whose signature proves the fault; no party if no signature does."""

    check: Check
    rule: str  # the rule, as a sentence
    expected: str
    found: str
    entry: int | None = None
    party: Role | None = None

    def __post_init__(self) -> None:
        for name in ("rule", "expected", "found"):
            object.__setattr__(self, name, shortened(getattr(self, name)))


class VerifierError(Exception):
    """The base of the errors that this package raises on purpose."""


class Fault(VerifierError):
    """A rule is broken, and a party's own valid signature proves it."""

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
    """The file cannot be read, or is not a copy at all."""
