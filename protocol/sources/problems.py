"""What can be wrong with a document of a source. Nothing is dropped or repaired without saying so."""

from dataclasses import dataclass
from enum import StrEnum

from ledger.plain import shown

LONGEST_SHOWN = 300


class Cause(StrEnum):
    """Why a document, or what should have been one, is listed."""

    BAD_FAMILY = "bad_family"
    BAD_LINE = "bad_line"
    BROKEN_MAIL = "broken_mail"
    CRASHED = "crashed"
    DAMAGED = "damaged"
    EMPTY_TEXT = "empty_text"
    ENCRYPTED = "encrypted"
    NEEDS_TOOL = "needs_tool"
    NO_TEXT_LAYER = "no_text_layer"
    OTHER_FILE = "other_file"
    REPEATED_DOCUMENT = "repeated_document"
    REPEATED_ID = "repeated_id"
    TOO_DEEP = "too_deep"
    TOO_LARGE = "too_large"
    TOO_SLOW = "too_slow"
    UNDECODABLE = "undecodable"
    UNREAD_PART = "unread_part"
    UNREADABLE = "unreadable"

    @property
    def kept(self) -> bool:
        """Whether a document is in the corpus although this is wrong with it."""
        return self in _KEPT

    @property
    def words(self) -> str:
        """The cause, for people."""
        return self.value.replace("_", " ")


_KEPT = {
    Cause.BAD_FAMILY,
    Cause.BROKEN_MAIL,
    Cause.EMPTY_TEXT,
    Cause.REPEATED_ID,
    Cause.UNDECODABLE,
    Cause.UNREAD_PART,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that was wrong: the place in the source, and what was found there."""

    where: str
    cause: Cause
    detail: str
    in_kept: bool = False
    """Whether it is about a document that the corpus holds, although the cause alone would leave one out."""

    @property
    def kept(self) -> bool:
        """Whether the corpus holds the document nevertheless."""
        return self.in_kept or self.cause.kept

    def __str__(self) -> str:
        return printable(f"{self.where}: {self.cause.words}: {self.detail}")


def printable(text: str) -> str:
    """Text from a source as one line that is not too long."""
    return shown(text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "...")
