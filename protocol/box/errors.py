"""What can go wrong between a party, the mailbox and Trent. Each message says what was found, and what to do."""

from protocol.errors import ProtocolError


class BoxError(ProtocolError):
    """Base of the mailbox's errors."""


class BadSeal(BoxError):
    """Bytes that this key does not open, or that are damaged or cut short."""


class BadBox(BoxError):
    """A folder that is not a mailbox, or a file in it that cannot be what it is called."""


class DamagedAnswer(BadBox):
    """An answer in the mailbox whose bytes are no longer those that its party sent."""


class BadNotice(BoxError):
    """A notice that Trent has not signed, or that is about something else."""


class BadOrigin(BoxError):
    """A text that does not name a server."""


class BadLogin(BoxError):
    """A login that the server does not accept."""


class Unreachable(BoxError):
    """The server cannot be reached, or has no time; the same request can be made again after some seconds."""

    def __init__(self, message: str, *, wait: int = 0) -> None:
        super().__init__(message)
        self.wait = wait  # seconds, as far as the server has said


class Denied(BoxError):
    """The server has understood the request, and refuses it; to ask again does not help."""


class NotThere(Denied):
    """The mailbox does not have this question or answer."""


class WrongServer(BoxError):
    """What answers is not a mailbox, or not the one that was asked for."""
