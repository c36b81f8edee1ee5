"""Coins that nobody chooses.

Alice, Bob and Trent each commit to a hash chain before the first draw, and spend one link for each draw:

    link(length) = the root, deposited with the court under seal
    link(i - 1)  = H("link", matter, role, i, link(i))
    link(0)      = the anchor, in the matter's opening

Anyone who has the link before can check a link, and nobody without the root can guess one. From the deposit the court
derives any link that a party withholds, so refusing to go on changes nothing. A draw's seed hashes all three links
with what the draw answers, which was fixed before any of the links was known.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from heapq import nsmallest
from itertools import islice
from struct import Struct

from ledger.errors import LedgerError
from ledger.hashing import Digest, integer, tagged_hash, type_tag
from ledger.roles import Role

_PIECE = 2**14  # items whose coins are in memory at a time

DRAWERS = (Role.ALICE, Role.BOB, Role.TRENT)
"""Whose links make a seed, in the order in which they are hashed."""


class ChainSpent(LedgerError):
    """A draw's number is beyond the chain that was committed to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkChain:
    """A party's own chain for one matter. Whoever has the root knows every link."""

    matter: Digest
    role: Role
    length: int
    root: Digest

    @classmethod
    def fresh(cls, matter: Digest, role: Role, length: int) -> "LinkChain":
        """A new chain from the system's randomness."""
        return cls(matter=matter, role=role, length=length, root=Digest(os.urandom(32)))

    @property
    def anchor(self) -> Digest:
        """Link 0, for the matter's opening."""
        return self.links()[0]

    def link(self, draw: int) -> Digest:
        """The link that draw number `draw` (from 1) spends."""
        if not 1 <= draw <= self.length:
            raise ChainSpent(f"draw {draw} is not among the {self.length} that {self.role.called}'s chain was made for")
        return self.links()[draw]

    def links(self) -> list[Digest]:
        """All links, from the anchor to the root."""
        return list(_links(self))


@lru_cache(8)  # cached: a party needs one link for each draw, and each costs the whole chain
def _links(chain: LinkChain) -> tuple[Digest, ...]:
    found = [chain.root]
    for index in range(chain.length, 0, -1):
        found.append(step(chain.matter, chain.role, index, found[-1]))
    return tuple(reversed(found))


def step(matter: Digest, role: Role, index: int, link: Digest) -> Digest:
    """Link number `index` - 1, from link number `index`."""
    return tagged_hash("link", matter, role.encode(), integer(index), link)


def follows(*, matter: Digest, role: Role, draw: int, link: Digest, last: int, before: Digest) -> bool:
    """Whether `link` is the one for this draw, given its drawer's last link, number `last`; 0 is the anchor.

    Draws in between were skipped, and their links are never given.
    """
    for index in range(draw, last, -1):
        link = step(matter, role, index, link)
    return last < draw and link == before


def seed(*, matter: Digest, draw: int, links: Mapping[Role, Digest], answered: Digest) -> Digest:
    """A draw's seed: its number, the three links, and the hash of what it answers."""
    return tagged_hash("draw", matter, integer(draw), *(links[role] for role in DRAWERS), answered)


def coins(seed: Digest, items: Iterable[int]) -> list[int]:
    """The coin of each item: the first 64 bits of H("coin", seed, item), as integers in [0, 2^64).

    They are Python's integers, so that arithmetic with them cannot wrap around.
    """
    started = sha256(type_tag("coin") + integer(len(seed)) + seed + integer(8))
    digests = []
    for item in items:
        state = started.copy()
        state.update(item.to_bytes(8, "big"))
        digests.append(state.digest())
    return [coin for (coin,) in _FIRST_64_BITS.iter_unpack(b"".join(digests))]


_FIRST_64_BITS = Struct(">Q24x")


def draw(seed: Digest, count: int, items: Sequence[int]) -> list[int]:
    """`count` of the items, which are all different: those with the smallest coins, smallest first.

    Of equal coins, the smaller item comes first. A larger draw with the same seed begins with the smaller draw.
    """
    if not 0 <= count <= len(set(items)) == len(items):
        raise ValueError(f"{count} of {len(items)} items cannot be drawn without replacement")
    return smallest(seed, count, items)


def smallest(seed: Digest, count: int, items: Iterable[int]) -> list[int]:
    """The same for items that are too many for a list. If there are fewer than `count`, all are drawn."""
    left = iter(items)
    pieces = iter(lambda: list(islice(left, _PIECE)), [])
    tickets = (ticket for piece in pieces for ticket in zip(coins(seed, piece), piece, strict=True))
    return [item for _, item in nsmallest(count, tickets)]


def below(seed: Digest, bound: int, items: Iterable[int]) -> list[int]:
    """The items whose coin is below the bound, in their order; they may be too many for a list."""
    left = iter(items)
    pieces = iter(lambda: list(islice(left, _PIECE)), [])
    return [item for piece in pieces for item, coin in zip(piece, coins(seed, piece), strict=True) if coin < bound]
