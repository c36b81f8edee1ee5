"""Why a party's program does not answer. Each message says what was found, where, and what to do."""

from protocol.errors import ProtocolError


class BadQuestion(ProtocolError):
    """A question that is not as it was written."""


class NotAnswered(ProtocolError):
    """The party's program does not sign; nothing was written."""


class WrongDecision(NotAnswered):
    """A decision that the question does not ask for, or the lack of one that it needs."""

    def __init__(self, asked: str, decision: str, *, wanted: bool) -> None:
        super().__init__(f"{asked}: {f'decide on {decision}' if wanted else f'{decision} has no place in it'}")
        self.asked = asked
        self.decision = decision
        self.wanted = wanted


class Forgotten(NotAnswered):
    """The history holds what this key has signed, and the memory beside the key does not know it."""


class TwoHistories(NotAnswered):
    """Trent has signed two different entries of one number."""
