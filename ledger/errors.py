"""What can go wrong in a ledger, by who has to act.

A *Damaged* record is not what was signed: it blames nobody, and another copy may be whole.
A *Fault* is proven by the named party's own valid signature.
*Refused* is a request that the ledger will not carry out; nothing was changed.
"""

from ledger.roles import Role


class LedgerError(Exception):
    """The base of all errors that this package raises on purpose; the message is meant for a user."""


class Damaged(LedgerError):
    """The bytes are not what somebody signed or committed to. Blames nobody."""


class Refused(LedgerError):
    """The ledger does not do what was asked, and has changed nothing."""


class WrongKey(Refused):
    """The key is not the one that the matter enrolled for this role."""


class UnknownFormat(LedgerError):
    """It was written by a version that this one does not know."""

    def __init__(self, what: str, found: int, known: int) -> None:
        super().__init__(
            f"the {what} has format {found}, but this version knows only format {known}; install a newer version"
        )


class Fault(LedgerError):
    """A rule is broken, and the valid signature of `party` proves it: only that key could have made this."""

    def __init__(self, party: Role, message: str, *, entry: int | None = None) -> None:
        super().__init__(message)
        self.party = party
        self.entry = entry
