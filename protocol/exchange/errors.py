"""What can go wrong with files that travel. Each message says what was found, where, and what to do."""

from protocol.errors import ProtocolError


class BadPackage(ProtocolError):
    """A question that is not as it was written."""


class BadAnswer(ProtocolError):
    """A file that is no answer."""


class BadForm(ProtocolError):
    """A filled-in spreadsheet that does not say clearly what is to be signed."""


class NotAnswered(ProtocolError):
    """The party's program does not sign; nothing was written."""


class Forgotten(NotAnswered):
    """The history holds what this key has signed, and the memory beside the key does not know it."""


class TwoHistories(NotAnswered):
    """Trent has signed two different entries of one number."""
