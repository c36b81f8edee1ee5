"""Why a party's program does not answer. Each message says what was found, where, and what to do."""

from protocol.errors import ProtocolError


class BadQuestion(ProtocolError):
    """A question that is not as it was written."""


class NotAnswered(ProtocolError):
    """The party's program refused to sign; nothing was written."""


class WrongDecision(NotAnswered):
    """The question does not ask for this decision, or lacks it."""

    def __init__(self, asked: str, decision: str, *, wanted: bool) -> None:
        super().__init__(f"{asked}: {f'decide on {decision}' if wanted else f'{decision} has no place in it'}")
        self.asked = asked
        self.decision = decision
        self.wanted = wanted


class Forgotten(NotAnswered):
    """The history holds statements signed with this key that the memory beside the key does not know."""


class TwoHistories(NotAnswered):
    """Trent has signed two different entries with one number."""
