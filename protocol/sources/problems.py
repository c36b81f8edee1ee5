"""What can be wrong with a document of a source. Nothing is dropped or repaired without saying so."""

from dataclasses import dataclass
from enum import StrEnum

from ledger.plain import shown

LONGEST_SHOWN = 300


class Cause(StrEnum):
    """Why a document, or what should have been one, is listed."""

    BAD_LINE = "bad_line"
    BROKEN_MAIL = "broken_mail"
    EMPTY_TEXT = "empty_text"
    OTHER_FILE = "other_file"
    REPEATED_DOCUMENT = "repeated_document"
    REPEATED_ID = "repeated_id"
    UNDECODABLE = "undecodable"
    UNREAD_PART = "unread_part"
    UNREADABLE = "unreadable"

    @property
    def kept(self) -> bool:
        """Whether the corpus holds the document nevertheless."""
        return self in _KEPT

    @property
    def words(self) -> str:
        """The cause, for people."""
        return self.value.replace("_", " ")


_KEPT = {Cause.BROKEN_MAIL, Cause.EMPTY_TEXT, Cause.REPEATED_ID, Cause.UNDECODABLE, Cause.UNREAD_PART}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that was wrong: the place in the source, and what was found there."""

    where: str
    cause: Cause
    detail: str

    def __str__(self) -> str:
        return printable(f"{self.where}: {self.cause.words}: {self.detail}")


def printable(text: str) -> str:
    """Text from a source as one line that is not too long."""
    return shown(text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "...")
