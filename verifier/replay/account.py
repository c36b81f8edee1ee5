"""V30: do the counts of what was received add up, and does the corpus hold what they say?

The counts stand in the opening, for everybody. The list of all items is sealed for Alice and the court, and is in the
corpus as well; the opening states its hash.
"""

import io
from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from verifier.checks import DEFINITIONS, Check
from verifier.plural import count
from verifier.record import encoding
from verifier.record.attachments import referred
from verifier.record.encoding import NotCanonical
from verifier.record.shapes import Malformed, read
from verifier.replay.commitment import Account, CorpusCommitment, Item, Outcome, Unit
from verifier.replay.condition import Blamed, Broken, Candidate, Condition, condition
from verifier.replay.contents import Opened
from verifier.replay.state import State

_NAMES_DOCUMENTS = (Outcome.ENTERED, Outcome.DUPLICATE)


@condition(Check.ACCOUNT, Blamed.TRENT, "The counts of what was received add up")
def adds_up(entry: Candidate[Opened]) -> Broken | None:
    """`items` is `containers` + `exceptions` + `families`, `families` is `duplicates` + `entered`, `exceptions` is the
    sum of `reasons`, and `documents` is `entered` with the unit `family`, and `parts` with the unit `document`.
    """
    corpus, account = entry.content.corpus, entry.content.corpus.account
    sums = {
        "items": (account.items, account.containers + account.exceptions + account.families),
        "families": (account.families, account.duplicates + account.entered),
        "exceptions": (account.exceptions, sum(account.reasons.values())),
        "documents": (corpus.documents, account.entered if corpus.unit is Unit.FAMILY else account.parts),
    }
    for name, (stated, due) in sums.items():
        if stated != due:
            return Broken(f"{due} {name}", stated)
    return None


@condition(Check.ACCOUNT, Blamed.TRENT, "The opening seals one list of what was received")
def one_list(entry: Candidate[Opened]) -> Broken | None:
    """One `account` is sealed."""
    found = entry.sealed("account")
    return None if found == 1 else Broken("one value", count(found, "value"))


@condition(
    Check.ACCOUNT, Blamed.TRENT, "The sealed list of what was received is the one that the opening names", shown="it"
)
def list_is_named(entry: Candidate[Opened]) -> Broken | None:
    """The sealed `account` is a reference to an attachment whose hash is `list`."""
    opened = entry.told.all_of("account")
    if opened is None:
        return None
    reference, due = referred(opened[0]), entry.content.corpus.account.list
    if reference is not None and reference.attachment == due:
        return None
    return Broken(f"the attachment {due.hex()}", "no attachment" if reference is None else reference.attachment.hex())


@condition(
    Check.ACCOUNT,
    Blamed.TRENT,
    "The list of what was received gives the counts, and enters each document once",
    shown="the list",
)
def list_follows(entry: Candidate[Opened]) -> Broken | None:
    """Each line of the list is an item of its shape, in canonical JSON. `reason` is empty but for an exception,
    `documents` is empty but for what has entered and for a duplicate. The items, by their outcomes and reasons, are as
    many as the account states. An entered item has one document with the unit `family`, at least one with the unit
    `document`, and all of them together have each number from 0 to `documents` - 1 once. A duplicate has the documents
    of one item that entered before it, each once.
    """
    data = entry.told.attachments.get("account")
    return None if data is None else judge_list(data, entry.content.corpus)


def judge_list(data: bytes, corpus: CorpusCommitment) -> Broken | None:
    """What is wrong with a list of items, if anything."""
    found = _Listed(corpus, len(data))
    for number, line in enumerate(io.BytesIO(data), start=1):
        try:
            if not line.endswith(b"\n"):
                raise NotCanonical("its newline is missing")
            found.add(number, read(Item, encoding.decode(line[:-1])))
        except (NotCanonical, Malformed) as error:
            return Broken("an item in each line of the list", f"line {number}: {error}")
    return found.wrong_counts()


@dataclass(slots=True)
class _Listed:
    """The items of a list so far."""

    corpus: CorpusCommitment
    length: int  # of the list, in bytes: it names no more documents
    counts: Counter[Outcome] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    owners: "array[int]" = field(init=False)  # of each document the line that entered it, or 0
    sizes: dict[int, int] = field(default_factory=dict)  # of the lines that entered several documents

    def __post_init__(self) -> None:
        self.owners = array("L", bytes(array("L").itemsize * min(self.corpus.documents, self.length)))

    def add(self, number: int, item: Item) -> None:
        """Take a line, or raise `Malformed`."""
        if item.reason and item.outcome is not Outcome.EXCEPTION:
            raise Malformed("only an exception has a reason")
        if bool(item.documents) is not (item.outcome in _NAMES_DOCUMENTS):
            raise Malformed(f"{len(item.documents)} documents of an item with the outcome {item.outcome}")
        self.counts[item.outcome] += 1
        if item.outcome is Outcome.EXCEPTION:
            self.reasons[item.reason] += 1
        elif item.outcome is Outcome.ENTERED:
            self._enter(number, item.documents)
        elif item.outcome is Outcome.DUPLICATE:
            self._repeat(item.documents)

    def _enter(self, number: int, documents: tuple[int, ...]) -> None:
        if len(documents) > 1:
            if self.corpus.unit is Unit.FAMILY:
                raise Malformed(f"{len(documents)} documents entered with one family")
            self.sizes[number] = len(documents)
        for each in documents:
            if each >= len(self.owners):
                raise Malformed(f"document {each} entered, but there are {self.corpus.documents}")
            if self.owners[each]:
                raise Malformed(f"document {each} entered twice")
            self.owners[each] = number

    def _repeat(self, documents: tuple[int, ...]) -> None:
        owners = {self.owners[each] if each < len(self.owners) else 0 for each in documents}
        owner = next(iter(owners))
        if len(owners) > 1 or not owner or not len(set(documents)) == len(documents) == self.sizes.get(owner, 1):
            raise Malformed("a duplicate of no item that entered before it")

    def wrong_counts(self) -> Broken | None:
        """The first count that is not that of the list."""
        account: Account = self.corpus.account
        stated = {
            Outcome.CONTAINER: account.containers,
            Outcome.DUPLICATE: account.duplicates,
            Outcome.ENTERED: account.entered,
            Outcome.EXCEPTION: account.exceptions,
        }
        for outcome, number in stated.items():
            if self.counts[outcome] != number:
                return Broken(f"{count(self.counts[outcome], 'item')} with the outcome {outcome}, as listed", number)
        if dict(self.reasons) != account.reasons:
            return Broken(f"the reasons {dict(sorted(self.reasons.items()))}, as listed", account.reasons)
        if 0 in self.owners or len(self.owners) < self.corpus.documents:
            lacking = self.owners.index(0) if 0 in self.owners else len(self.owners)
            return Broken(f"{count(self.corpus.documents, 'document')} entered", f"document {lacking} did not enter")
        return None


class Counted(Protocol):
    """What the corpus says of the parts that entered."""

    parts: int
    unread: int
    named: set[str]
    first: str
    last: str


COUNTED = Condition(
    check=Check.ACCOUNT,
    blames=Blamed.TRENT,
    sentence="Parts, parts without text, custodians and dates of the account are those of the corpus",
    stops=False,
)
LISTED = Condition(check=Check.ACCOUNT, blames=Blamed.TRENT, sentence=list_follows.sentence, stops=False)
"""For a copy that does not show the list, but the corpus has it."""


def judge_counts(account: Account, found: Counted) -> Broken | None:
    """The first count that is not that of the corpus."""
    counts = {
        "parts": (found.parts, account.parts),
        "unread": (found.unread, account.unread),
        "custodians": (len(found.named), account.custodians),
        "first": (found.first, account.first),
        "last": (found.last, account.last),
    }
    for name, (due, stated) in counts.items():
        if due != stated:
            return Broken(f"`{name}` {due!r}", repr(stated))
    return None


def take_account(entry: Candidate[Opened]) -> None:
    """The counts add up, and if the copy shows the list, they are those of the list."""
    tally, account = entry.state.tally, entry.content.corpus.account
    tally.passed(Check.ACCOUNT, account.items)
    if "account" in entry.told.attachments:
        entry.state.list_judged = True


def without_corpus(state: State) -> str:
    """Why the account is not checked where no corpus is at hand, and what of it was."""
    needs = f"needs {DEFINITIONS[Check.ACCOUNT].needs}"
    if state.first is None:
        return needs
    if state.list_judged:
        return f"{needs}: the sums and the list of items are right, but the parts in the corpus were not counted"
    return f"{needs}: the sums are right, but this copy does not show the list of items"
