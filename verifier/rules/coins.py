"""Coins that nobody chooses (specification, section "Coins"): chains, seeds, and the coin of an item."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from struct import Struct

from verifier.checks import Role
from verifier.record.hashing import domain, integer, tagged_hash

_COIN = Struct(">Q24x")  # the first 8 bytes of a digest

DRAWERS = (Role.ALICE, Role.BOB, Role.TRENT)
"""Whose links make a seed, in the order in which they are hashed."""

MOST_COINS = 2**64 - 1
"""The largest coin."""


def link_before(matter: bytes, role: Role, draw: int, link: bytes) -> bytes:
    """The link that stands before link number `draw` in a chain; before the first one, the anchor."""
    return tagged_hash("link", matter, role.encode(), integer(draw), link)


def seed(matter: bytes, draw: int, links: Mapping[Role, bytes], answered: bytes) -> bytes:
    """A draw's seed, from all three links and what the draw answers."""
    return tagged_hash("draw", matter, integer(draw), *(links[role] for role in DRAWERS), answered)


def coins(of: bytes, items: Iterable[int]) -> tuple[int, ...]:
    """The coin U of each item under a seed: an integer below 2^64."""
    start = domain("coin") + integer(len(of)) + of + integer(8)
    digests = b"".join([sha256(start + item.to_bytes(8, "big")).digest() for item in items])
    return tuple([coin for (coin,) in _COIN.iter_unpack(digests)])


def drawn(of: bytes, items: Iterable[int], chance: int) -> list[int]:
    """The items whose coin under a seed is below the chance, in their order.

    A whole collection may have a coin each. The coin is the digest's beginning, so digests compare as coins do: one is
    less than the eight bytes of the chance just if its own first eight bytes are.
    """
    if chance > MOST_COINS:
        return list(items)
    start = sha256(domain("coin") + integer(len(of)) + of + integer(8))
    limit, found = integer(chance), []
    for item in items:
        hashed = start.copy()
        hashed.update(item.to_bytes(8, "big"))
        if hashed.digest() < limit:
            found.append(item)
    return found


def query_answered(root: bytes, query: str) -> bytes:
    """What the seed of a batch drawn by coin binds."""
    return tagged_hash("query", root, query.encode())
