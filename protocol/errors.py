"""What can go wrong in a review, by cause. Each message says what was found, where, and what to do."""

from ledger.errors import LedgerError


class ProtocolError(LedgerError):
    """Base of the protocol's errors."""


class BadSource(ProtocolError):
    """Documents that cannot be read."""


class Unwritable(ProtocolError):
    """What a load file or a volume cannot hold."""


class BadCorpus(ProtocolError):
    """A corpus folder that is not whole, or not the one that was committed to."""


class BadTerms(ProtocolError):
    """Terms under which no matter can be run."""


class NotOptimal(ProtocolError):
    """A model that does not carry its certificate."""


class OutOfTurn(ProtocolError):
    """A statement that the matter does not wait for."""


class Undecided(ProtocolError):
    """Decisions that leave open what an answer must say."""


class BadToken(ProtocolError):
    """What should be a time stamp, or a query for one, and is not, or is one of something else."""


class TrentOnly(ProtocolError):
    """A command that needs more packages than a party's installation has."""
