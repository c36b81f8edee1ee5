"""A drawer's coin chain: derived from its key, or for a key that the court has ordered, from the deposit."""

from dataclasses import replace

from ledger.coins import LinkChain
from ledger.hashing import Digest
from ledger.keys import PublicKey, SigningKey
from ledger.roles import Role
from protocol.exchange import request, secrets
from protocol.exchange.continuing import Told
from protocol.exchange.errors import BadPackage, NotAnswered
from protocol.exchange.question import Question
from protocol.exchange.secrets import NotSealedForThis, SealedRoot
from protocol.matter.statements import Kind, Opening


def brought(question: Question) -> dict[Role, SealedRoot]:
    """The deposits that come with the question: the court's own file, or the one of a party with a new key."""
    role = question.request.role
    name, other = request.DEPOSIT, request.DEPOSITS
    if role is Role.COURT:
        name, other = other, name
    found = secrets.decode_deposits(question.small[name], name) if name in question.small else {}
    if other in question.small or (role is not Role.COURT and found.keys() - {role}):
        raise BadPackage(f"the question brings deposits that are not for {role.called}; ask Trent to write it again")
    return found


def own(
    told: Told, opening: Opening, role: Role, key: SigningKey, sealed: tuple[SealedRoot | None, SealedRoot | None]
) -> tuple[LinkChain, SealedRoot | None]:
    """The chain that fits the anchor which the role has named, and the deposit that it came from, if it did.

    `sealed` are a deposit that came with the question, and one that was kept. Whoever takes a root from Trent without
    the court's order lets him choose the coins.
    """
    brought, kept = sealed
    ordered = _ordered(told, role, key.public)
    if brought is not None and not ordered:
        raise BadPackage(
            "the question brings the root of a coin chain, which only a new key needs, and the court has ordered none "
            f"for {role.called}. Do not answer: whoever knows your chain can steer the coins. Tell the court"
        )
    anchor = named(told, role)
    root = secrets.chain_root(key, told.opening)
    found = LinkChain(matter=told.history.matter, role=role, length=opening.terms.draws, root=root)
    if anchor in (None, found.anchor):
        return found, None
    for each in (brought, kept) if ordered else ():
        chain = None if each is None else _unsealed(found, key, each)
        if chain is not None and chain.anchor == anchor:
            return chain, each
    raise NotAnswered(
        f"the coin chain at hand is not the one that {role.called} has named when the matter began. "
        + (
            "The deposit that came with the question is wrong: ask the court to seal it again"
            if brought is not None
            else "A new key needs the court's deposit: ask Trent to write the question again with the whole history "
            "(matter next --all), which brings it"
        )
    )


def _unsealed(own: LinkChain, key: SigningKey, sealed: SealedRoot) -> LinkChain | None:
    """The chain that was sealed for this key; None if it was sealed for another, such as the one before."""
    try:
        return replace(own, root=secrets.unsealed_root(key, sealed))
    except NotSealedForThis:
        return None


def _ordered(told: Told, role: Role, key: PublicKey) -> bool:
    """Whether the court has given this very key to the role."""
    granted = {"granted": True, "key": key.hex(), "role": role.value}
    said = (notice.statement for notice in told.notices)
    return any(each.kind == Kind.REKEYED and each.author is Role.COURT and each.content == granted for each in said)


def named(told: Told, role: Role) -> Digest | None:
    """The anchor that Alice or Bob has named."""
    said = (notice.statement for notice in told.notices)
    anchors = (each.content["anchor"] for each in said if each.kind == Kind.AGREED and each.author is role)
    return next(map(Digest.parse, anchors), None)
