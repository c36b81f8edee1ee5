"""Coins for many items at once against the bare hashes."""

from hashlib import sha256

from bench.timing import ratio
from ledger import coins
from ledger.hashing import Digest

ITEMS = 720_000


def run(items: int = ITEMS) -> None:
    """Measure one coin for every document of a matter, usually a large one."""
    seed = Digest(bytes(32))
    message = bytes(range(80))

    def bare() -> None:
        for _ in range(items):
            sha256(message).digest()

    ratio(f"Coins for {items:,} items / bare hashes", lambda: coins.coins(seed, range(items)), bare, aim=3.0, runs=3)
