"""Why a party's program does not answer. Each message says what was found, where, and what to do."""

from protocol.errors import ProtocolError


class BadQuestion(ProtocolError):
    """A question that was changed or damaged after Trent wrote it."""


class NotAnswered(ProtocolError):
    """The party's program refused to sign; nothing was written."""


class WrongDecision(NotAnswered):
    """The question asks for a decision that is missing, or does not ask for one that was made."""

    def __init__(self, asked: str, decision: str, *, wanted: bool) -> None:
        super().__init__(f"{asked}: {'decide on' if wanted else 'do not decide on'} {decision}")
        self.asked = asked
        self.decision = decision
        self.wanted = wanted


class Forgotten(NotAnswered):
    """The history holds statements signed with this key that the memory beside the key does not know."""


class TwoHistories(NotAnswered):
    """Trent has signed two different entries with one number."""
