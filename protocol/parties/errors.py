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


class Withdrawable(NotAnswered):
    """A different answer was given before, and may be withdrawn. How, depends on where the party works."""

    def __init__(self, message: str) -> None:
        super().__init__(message.format(how="add --replace"))
        self._message = message

    def words(self, how: str) -> str:
        """The message for whoever does not work with the command."""
        return self._message.format(how=how)


class Forgotten(NotAnswered):
    """The history holds statements signed with this key that the memory beside the key does not know."""


class Objectionable(NotAnswered):
    """Trent's question, or the history that he shows, is at fault: the party can sign an objection for the court."""

    def __init__(self, message: str, *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason or message  # for the court: without anything that is only of use on this computer


class BadObjection(ProtocolError):
    """A file that is not an objection to the question that the court is asked about."""


class TwoHistories(Objectionable):
    """Trent has signed two different entries with one number."""
