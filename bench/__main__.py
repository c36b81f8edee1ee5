"""`make bench`: what the ledger costs above what cannot be avoided, as ratios within one run.

Absolute times depend on the machine and on what else it does; each ratio's two sides are measured alternately,
and the best of several runs counts on both sides.
"""

import argparse
import tempfile
from pathlib import Path

from bench import appending, checking, coin_draws, memory, tree


def main() -> None:
    """Run every measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=20_000, help="entries of the copy that is checked")
    entries = parser.parse_args().entries
    with tempfile.TemporaryDirectory() as folder:
        tree.run()
        coin_draws.run()
        checking.run(Path(folder), entries)
        appending.run(Path(folder), entries)
        memory.run(Path(folder), entries)


if __name__ == "__main__":
    main()
