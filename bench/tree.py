"""The Merkle tree against the 2n - 1 hashes that it is made of."""

from hashlib import sha256

from bench.timing import ratio
from ledger import merkle

LEAVES = 1_000_000


def run(size: int = LEAVES) -> None:
    """Measure the root of so many leaves."""
    leaves = [number.to_bytes(32, "big") for number in range(size)]
    node = b"\x01" + bytes(64)

    def bare() -> None:
        for leaf in leaves:
            sha256(b"\x00" + leaf).digest()
        for _ in range(size - 1):
            sha256(node).digest()

    ratio(f"Merkle root of {size:,} leaves / bare 2n - 1 hashes", lambda: merkle.root(leaves), bare, aim=1.3, runs=7)
