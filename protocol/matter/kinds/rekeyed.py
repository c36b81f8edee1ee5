"""`rekeyed`: whether the court grants a party's new key, which is then in force from the next entry on."""

from ledger.keys import PublicKey, fingerprint
from ledger.records import Malformed, Record
from ledger.roles import Role
from protocol.matter.asking import Asked, Asking, Decision, Said, Shown, yes_or_no
from protocol.matter.decisions import Decisions
from protocol.matter.kind import Entry, Kind, When, Words, nothing
from protocol.matter.state import Matter, Rekeying


class Rekeyed(Record, frozen=True, kw_only=True):
    """What the court orders; it repeats what it was asked about."""

    granted: bool
    key: PublicKey
    role: Role


def blind(matter: Matter, content: Rekeyed, entry: Entry) -> None:
    """The order is about the key that the court was asked about."""
    if matter.rekeying != Rekeying(role=content.role, key=content.key):
        raise Malformed("the order is about another party, or another key, than the court was asked about")


def take(matter: Matter, content: Rekeyed, entry: Entry) -> None:
    """The new key is in force, and what its party owes must be asked again; or the former key stays."""
    matter.rekeying = None
    if not content.granted:
        return
    role = content.role
    if matter.skips_draw(role):
        matter.skip_draw()
    if role in matter.awaits:
        matter.void[role] = matter.awaits.pop(role)
        matter.voided.add((role, matter.void[role].question))
    matter.former_keys = matter.former_keys | {matter.keys[role]: entry.sequence}
    matter.keys = matter.keys | {role: content.key}


def event(content: Rekeyed) -> str:
    """What the court has ordered."""
    verb = "grants" if content.granted else "refuses"
    return f"the court {verb} {content.role.called} a new key, {fingerprint(content.key)}"


def say(asked: Asked, decisions: Decisions) -> Said:
    """Whether the party gets the key that was asked for."""
    question = asked.statement.content
    granted = yes_or_no(decisions.granted)
    return Said(content=Rekeyed(granted=granted, key=PublicKey.parse(question["key"]), role=Role(question["role"])))


KIND = Kind(
    name="rekeyed",
    record=Rekeyed,
    authors=(Role.COURT,),
    when=When.ASKED,
    asks={},
    seals={},
    optional=(),
    releases=False,
    blind=blind,
    check=nothing,
    take=take,
    asking=Asking(
        task="decide about a new key for {whose}",
        question="for an order on a party's new key",
        shown=Shown.NONE,
        decision=Decision.GRANT,
        say=say,
        silence=None,
    ),
    words=Words(called="order on the new key", event=event),
)
