"""`logged`: the record as it was before this entry is in the operator's log, with the proof (C2SP tlog-proof)."""

from ledger.checkpoints import Checkpoint
from ledger.hashing import Digest
from ledger.records import Malformed, Record
from ledger.roles import Role
from ledger.tlog import proofs
from ledger.tlog.proofs import BadProof
from protocol.matter import requirements, terms
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.leaf import Leaf, State
from protocol.matter.state import Matter


class Logged(Record, frozen=True, kw_only=True):
    """What is in the log, and where."""

    proof: str
    root: Digest  # over all entries before this one


def blind(matter: Matter, content: Logged, entry: Entry) -> None:
    """The terms name a log, and the proof is one for the entries before it under a checkpoint of that log."""
    requirements.seen_from_outside(matter, entry, content.root)
    asked = matter.terms.witnesses
    if asked is None or asked.log is None:
        raise Malformed("the terms name no log")
    try:
        proofs.check(proofs.parse(content.proof), bytes(leaf_of(matter)), terms.log_key(asked.log))
    except BadProof as error:
        raise Malformed(str(error)) from None


def leaf_of(matter: Matter) -> Leaf:
    """What the log must say of the matter as it stands."""
    head = next(reversed(matter.sequences))
    here = Checkpoint(matter=matter.number, size=matter.size, root=matter.tree.root(), head=head)
    return Leaf(checkpoint=here, state=State.OPEN)


def take(matter: Matter, content: Logged, entry: Entry) -> None:
    """The review may go on, as far as the log goes."""
    matter.logged, matter.proof = True, content.proof


def event(content: Logged) -> str:
    """That it is in the log."""
    return "the record is in the operator's log up to here, by the proof in this entry"


KIND = Kind(
    name="logged",
    record=Logged,
    authors=(Role.TRENT,),
    when=When.FREE,
    asks={},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=nothing,
    take=take,
    asking=None,
    words=Words(called="proof of the log", event=event),
)
