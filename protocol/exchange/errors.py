"""What can be wrong with the files that a person sends. Each message says what was found, where, and what to do."""

from protocol.errors import ProtocolError


class BadAnswer(ProtocolError):
    """A file that is not an answer."""


class BadForm(ProtocolError):
    """A filled-in form that does not clearly say what is to be signed."""
