"""A drawer's coin chain: derived from its key, or taken from the deposit if the court has granted a new key."""

from dataclasses import replace

from ledger.coins import LinkChain
from ledger.hashing import Digest
from ledger.keys import PublicKey, SigningKey
from ledger.roles import Role
from protocol.matter.values import Opened
from protocol.parties import secrets
from protocol.parties.errors import NotAnswered, Objectionable
from protocol.parties.history import PartyHistory
from protocol.parties.secrets import NotSealedForThis, SealedRoot


def own(
    history: PartyHistory,
    opening: Opened,
    role: Role,
    key: SigningKey,
    sealed: tuple[SealedRoot | None, SealedRoot | None],
) -> tuple[LinkChain, SealedRoot | None]:
    """The chain whose anchor the role has named, and the deposit that it came from, if any.

    `sealed` holds the deposit that came with the question and the one that was kept. A party that takes a root from
    Trent without the court's order lets him choose the coins.
    """
    brought, kept = sealed
    ordered = _ordered(history, role, key.public)
    if brought is not None and not ordered:
        raise Objectionable(
            "the question holds the root of a coin chain, which only a new key needs, and the court has granted no new "
            f"key to {role.called}. Do not answer: whoever knows your chain can steer the coins. Tell the court"
        )
    anchor = named(history, role)
    root = secrets.chain_root(key, history.opening)
    found = LinkChain(matter=history.record.matter, role=role, length=opening.terms.draws, root=root)
    if anchor in (None, found.anchor):
        return found, None
    for each in (brought, kept) if ordered else ():
        chain = None if each is None else _unsealed(found, key, each)
        if chain is not None and chain.anchor == anchor:
            return chain, each
    refusal = Objectionable if ordered else NotAnswered
    raise refusal(
        f"this coin chain is not the one that {role.called} named when the matter began. "
        + (
            "The deposit that came with the question is wrong: ask the court to seal it again"
            if brought is not None
            else "A new key needs the court's deposit: ask Trent to write the question again with the whole history "
            "(matter next --all), which contains it"
        )
    )


def _unsealed(own: LinkChain, key: SigningKey, sealed: SealedRoot) -> LinkChain | None:
    """The chain that was sealed for this key; None if it was sealed for another, such as a former one."""
    try:
        return replace(own, root=secrets.unsealed_root(key, sealed))
    except NotSealedForThis:
        return None


def _ordered(history: PartyHistory, role: Role, key: PublicKey) -> bool:
    """Whether the court has granted this key to the role."""
    granted = {"granted": True, "key": key.hex(), "role": role.value}
    said = (notice.statement for notice in history.notices)
    return any(each.kind == "rekeyed" and each.author is Role.COURT and each.content == granted for each in said)


def named(history: PartyHistory, role: Role) -> Digest | None:
    """The anchor that Alice or Bob has named."""
    said = (notice.statement for notice in history.notices)
    anchors = (each.content["anchor"] for each in said if each.kind == "agreed" and each.author is role)
    return next(map(Digest.parse, anchors), None)
