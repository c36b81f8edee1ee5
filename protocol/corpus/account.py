"""The population account: what was received, and what became of it, counted so that the sums add up.

The counts stand in a matter's opening, for all to sign. The list of all items is sealed for Alice and the court.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from ledger import canonical
from ledger.hashing import Digest
from ledger.records import Natural, Record
from protocol.sources.items import Outcome, Received

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Unit = Literal["family", "document"]
"""What is labelled, drawn and disclosed as one thing."""

_COUNT = Annotated[int, msgspec.Meta(ge=1, le=2**31)]
_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TOLD_EVERY = 2**12  # documents
_DATE_LENGTH = len("2001-12-31")


class Account(Record, frozen=True, kw_only=True):
    """The counts."""

    containers: Natural
    custodians: Natural  # how many are named
    duplicates: Natural
    entered: Natural
    exceptions: Natural
    families: Natural
    first: str  # the least date of the parts that entered,
    items: Natural
    last: str  # and the greatest
    list: Digest  # the SHA-256 of the list of all items
    parts: Natural  # of the families that entered
    protections: tuple[str, ...]  # what kept a file from harming the machine that read it
    reasons: dict[str, _COUNT]  # of the exceptions
    unread: Natural  # parts that entered and whose text is empty


@dataclass(slots=True)
class Tally:
    """What is counted of the parts while they come."""

    parts: int = 0
    unread: int = 0
    custodians: set[str] = field(default_factory=set)
    first: str = ""
    last: str = ""

    def count(self, text: bytes, date: str, custodians: Iterable[str]) -> None:
        """One more part."""
        self.parts += 1
        self.unread += not text
        self.custodians.update(custodians)
        if date and _DATE.match(date):
            day = date[:_DATE_LENGTH]
            self.first = min(self.first or day, day)
            self.last = max(self.last, day)


def write(
    path: Path,
    received: Received,
    tally: Tally,
    numbers: "NDArray[np.int32]",
    progress: Callable[[int], None] = lambda _: None,
) -> Account:
    """Write the list of all items, and count them; `numbers` has each document's number by its place in the source.

    `progress` is told how many documents are listed.
    """
    outcomes, reasons = Counter[Outcome](), Counter[str]()
    state, due = sha256(), 0
    with path.open("wb") as file:
        for item in received:
            outcomes[item.outcome] += 1
            if item.outcome is Outcome.EXCEPTION:
                reasons[item.reason] += 1
            if item.outcome is Outcome.ENTERED:
                if item.documents.start != due or not item.documents:
                    raise RuntimeError(f"{item.where!r} entered as {item.documents}, but document {due} is due")
                due = item.documents.stop
                if due % _TOLD_EVERY == 0:
                    progress(due)
            value = {
                "documents": sorted(numbers[item.documents.start : item.documents.stop].tolist()),
                "outcome": item.outcome,
                "reason": item.reason,
                "where": item.where,
            }
            line = canonical.encode_checked(value) + b"\n"
            state.update(line)
            file.write(line)
    if due != len(numbers):
        raise RuntimeError(f"the source's items account for {due} documents, but {len(numbers)} were read")
    return Account(
        containers=outcomes[Outcome.CONTAINER],
        custodians=len(tally.custodians),
        duplicates=outcomes[Outcome.DUPLICATE],
        entered=outcomes[Outcome.ENTERED],
        exceptions=outcomes[Outcome.EXCEPTION],
        families=outcomes[Outcome.DUPLICATE] + outcomes[Outcome.ENTERED],
        first=tally.first,
        items=len(received),
        last=tally.last,
        list=Digest(state.digest()),
        parts=tally.parts,
        protections=received.protections,
        reasons=dict(sorted(reasons.items())),
        unread=tally.unread,
    )


def fault(account: Account, documents: int, unit: Unit) -> str:
    """Which of the sums does not add up, or an empty text."""
    entered = account.entered if unit == "family" else account.parts
    sums = {
        "the items": (account.items, account.containers + account.exceptions + account.families),
        "the families": (account.families, account.duplicates + account.entered),
        "the exceptions": (account.exceptions, sum(account.reasons.values())),
        "the documents": (documents, entered),
    }
    return next((f"{what} are {stated}, not {due}" for what, (stated, due) in sums.items() if stated != due), "")


def sentences(account: Account, documents: int, unit: Unit) -> Iterator[str]:
    """The account in words."""
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in account.reasons.items())
    exceptions = f"{_count(account.exceptions, 'exception')}{f' ({reasons})' if reasons else ''}"
    equal = f", of which {account.duplicates:,} {'is a duplicate' if account.duplicates == 1 else 'are duplicates'}"
    yield (
        f"{_count(account.items, 'item')} {'was' if account.items == 1 else 'were'} received: "
        f"{_count(account.containers, 'container')}, {exceptions}, "
        f"{_count(account.families, 'family', 'families')}{equal if account.duplicates else ''}; "
        f"{_count(documents, 'document')} entered"
    )
    if account.parts != documents or account.unread:
        have = "has" if account.unread == 1 else "have"
        unread = f", {account.unread:,} of which {have} no text" if account.unread else ""
        yield f"they have {_count(account.parts, 'part')}{unread}"
    yield "a family is reviewed as one document" if unit == "family" else "each file of a family is a document"
    if account.custodians:
        yield f"{_count(account.custodians, 'custodian')} {'is' if account.custodians == 1 else 'are'} named"
    if account.first:
        yield f"dates run from {account.first} to {account.last}"
    if account.protections:
        yield f"files were read with {', '.join(account.protections)}"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
