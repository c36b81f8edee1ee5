"""`make bench`: what things cost above what cannot be avoided, as ratios within one run.

Absolute times depend on the machine and on what else it does; each ratio's two sides are measured alternately,
and the best of several runs counts on both sides.
"""

import argparse
import tempfile
from pathlib import Path

from bench import (
    appending,
    cal,
    checking,
    coin_draws,
    critical,
    features,
    intake,
    memory,
    peers,
    rooms,
    simulating,
    tree,
    verifying,
)
from bench.timing import Runs

SIZES = (45_000, 90_000, 180_000, 360_000, 720_000)
"""How cost grows, up to the paper's size."""


def main() -> None:
    """Run the measurements of the ledger and, on a smaller or on the paper's scale, of the protocol."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="everything once, on inputs that take half a minute")
    parser.add_argument("--full", action="store_true", help="the protocol alone, up to 720,000 documents")
    parser.add_argument("--keep", type=Path, help="a folder for the corpora, kept for the next run")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        if chosen.full:
            protocol_at_full_size(folder)
            verifier(folder, SIZES[-1], 30, 1000)
            peers.run(folder)
            critical.run(sample=None)
        elif chosen.small:
            Runs.at_most = 1
            ledger(Path(scratch), entries=500, leaves=20_000, items=20_000)
            protocol(folder, documents=2000, rounds=4, batch=50)
            verifier(folder, documents=2000, rounds=4, batch=50)
            critical.run(dimension=5, size=400, sample=20, grid=critical.SMALL_GRID)
            intake.run(files=50)
            rooms.run(documents=60, keys=60)
        else:
            ledger(Path(scratch), entries=20_000)
            protocol(folder, documents=45_000, rounds=10, batch=500)
            verifier(folder, documents=45_000, rounds=30, batch=1000)
            critical.run()
            intake.run(files=2000, messages=10_000)
            rooms.run(documents=1000, keys=500)


def ledger(folder: Path, entries: int, leaves: int = tree.LEAVES, items: int = coin_draws.ITEMS) -> None:
    """The ledger against its floors."""
    tree.run(leaves)
    coin_draws.run(items)
    checking.run(folder, entries)
    appending.run(folder, entries)
    memory.run(folder, entries)


def protocol(folder: Path, documents: int, rounds: int, batch: int) -> None:
    """The protocol at one size."""
    features.run(documents)
    cal.run(documents, rounds, batch)
    simulating.run(folder, documents, rounds, batch)


def verifier(folder: Path, documents: int, rounds: int, batch: int) -> None:
    """The verifier, on Bob's and the court's copies of one matter."""
    verifying.run(folder, documents, rounds, batch)


def protocol_at_full_size(folder: Path) -> None:
    """The paper's T and N, and how cost grows with the corpus."""
    features.run(200_000)
    cal.run(SIZES[-1], 30, 1000)
    for documents in SIZES:
        simulating.run(folder, documents, 30, 1000)


if __name__ == "__main__":
    main()
