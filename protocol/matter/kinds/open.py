"""`open`: the terms, the commitment to all documents and the keys, for all parties to sign.

Sealed: `account`, the list of all that was received, an attachment for Alice and the court; and `vocabulary`, the hash
of the term table, for the court.
"""

from ledger import entries
from ledger.records import Malformed
from ledger.roles import Audience, Role
from protocol.corpus import account
from protocol.matter import requirements, terms
from protocol.matter.kind import Entry, Kind, When, Words
from protocol.matter.state import LastLink, Matter
from protocol.matter.values import METHOD, OWNERS, Opened
from protocol.rules import table


def blind(matter: Matter, content: Opened, entry: Entry) -> None:
    """A matter with this opening can be run."""
    if content.method != METHOD:
        raise Malformed(f"it follows version {content.method} of the method; this program knows version {METHOD}")
    terms.check(content.terms)
    if (content.caption is None) != (content.simulation is not None):
        raise Malformed("a simulation has no caption, and every other matter has one")
    if content.caption is not None and content.caption.names.keys() != set(Role):
        raise Malformed("the caption must name all of alice, bob, court and trent")
    requirements.of_round(entry, 0)
    requirements.sealed(entry, "account", 1)
    corpus = content.corpus
    if fault := account.fault(corpus.account, corpus.documents, corpus.unit):
        raise Malformed(f"the account of what was received does not add up: {fault}")


def check(matter: Matter, content: Opened, entry: Entry) -> None:
    """The sealed list is the one that the account names."""
    listed = next((entries.attachment_in(each) for each in entry.openings or () if each.field == "account"), None)
    if listed is None or listed.attachment != content.corpus.account.list:
        raise Malformed("the sealed list of what was received is not the one that the account names")


def take(matter: Matter, content: Opened, entry: Entry) -> None:
    """The terms and keys are in force."""
    matter.number = entry.statement.matter
    matter.opening, matter.terms, matter.keys = content, content.terms, content.keys
    matter.rule = table.examiner(content.terms)
    matter.links[Role.TRENT] = LastLink(number=0, link=content.anchor)
    if entry.openings is not None:
        matter.vocabulary = entry.values("vocabulary")[0]


KIND = Kind(
    name="open",
    record=Opened,
    authors=(Role.TRENT,),
    when=When.FIRST,
    asks={Role.ALICE: "agreed", Role.BOB: "agreed", Role.COURT: "deposited"},
    seals={"account": OWNERS, "vocabulary": (Audience.COURT,)},
    optional=(),
    releases=False,
    blind=blind,
    check=check,
    take=take,
    asking=None,
    words=Words(called="opening", event=None),
)
