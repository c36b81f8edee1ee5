"""What the opening commits to: the corpus, and what was received (specification, "The population account")."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from verifier.record.shapes import digest, listed, mapped, natural, positive, record, shaped, text, word


class Unit(StrEnum):
    """What is labelled, drawn and disclosed as one thing."""

    FAMILY = "family"  # a file with what is attached to it or inside it
    DOCUMENT = "document"  # each part by itself


def _by_reason(value: Any) -> dict[str, int]:
    found: dict[str, int] = mapped(text, positive)(value)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What was received, and what became of it, in numbers."""

    containers: int = shaped(natural)  # that were opened, and are no documents
    custodians: int = shaped(natural)
    duplicates: int = shaped(natural)  # families that equal an earlier one as a whole
    entered: int = shaped(natural)
    exceptions: int = shaped(natural)  # items that could not enter
    families: int = shaped(natural)
    first: str = shaped(text)  # the least date of a part, and below the greatest
    items: int = shaped(natural)
    last: str = shaped(text)
    list: bytes = shaped(digest)  # the SHA-256 of the list of items
    parts: int = shaped(natural)  # of the families that entered
    protections: tuple[str, ...] = shaped(listed(text))  # of the machine that read the files
    reasons: dict[str, int] = shaped(_by_reason)
    unread: int = shaped(natural)  # parts without text


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusCommitment:
    """The documents under review."""

    account: Account = shaped(record(Account))
    documents: int = shaped(positive)
    root: bytes = shaped(digest)
    unit: Unit = shaped(word(Unit))


class Outcome(StrEnum):
    """What became of an item."""

    CONTAINER = "container"
    DUPLICATE = "duplicate"
    ENTERED = "entered"
    EXCEPTION = "exception"


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the list of items."""

    documents: tuple[int, ...] = shaped(listed(natural))
    outcome: Outcome = shaped(word(Outcome))
    reason: str = shaped(text)
    where: str = shaped(text)
