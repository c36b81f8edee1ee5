"""Runs a simulation in processes that are killed for real, until one of them comes to the end.

    python -m tests.support.killed_simulation CORPUS MATTER PROTOCOL SEED

Every other child kills itself right after a chosen entry; the rest are killed by their parent at a moment that nobody
chose.
Prints the number of kills. Children are forked, so the program is loaded only once.
"""

import os
import signal
import sys
import time
from hashlib import sha256
from pathlib import Path

from ledger.log import Log, Prepared
from protocol.corpus.corpus import Corpus
from protocol.simulation import run as simulation
from protocol.simulation.identity import Simulated
from tests.support.corpora import QUERY
from tests.support.matters import of_its_rule


def plan(corpus: Corpus, protocol: str, seed: str) -> Simulated:
    """A matter with every kind of entry in it: hidden documents, disputes, a compelled round."""
    agreed = of_its_rule({"protocol": protocol, "rounds": 5, "batch": 24, "delta": "0.2", "k": 1, "query": QUERY})
    return simulation.plan(
        corpus, agreed, label="responsive", seed=seed, alice="adaptive:0.5", bob="careless:0.1", court="right"
    )


def play(corpus: Corpus, path: Path, protocol: str, seed: str) -> None:
    with simulation.Run(corpus, plan(corpus, protocol, seed), path) as run:
        run.run()


def _die_after(entries: int) -> None:
    """Let the log kill its own process once this many entries are stored."""
    write = Log.write
    left = [entries]

    def counted(log: Log, prepared: Prepared) -> object:
        found = write(log, prepared)
        left[0] -= len(found)
        if left[0] <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    Log.write = counted  # type: ignore[method-assign, assignment]


def main() -> None:
    corpus_path, path, protocol, seed = sys.argv[1:]
    corpus = Corpus.open(Path(corpus_path))
    kills = 0
    while True:
        chance = sha256(f"{seed}/{protocol}/{kills}".encode()).digest()
        child = os.fork()
        if child == 0:
            if kills % 2 == 0:
                _die_after(1 + chance[0] % 6)
            play(corpus, Path(path), protocol, seed)
            os._exit(0)
        if kills % 2:
            time.sleep((chance[0] + chance[1] * 256) / 65536 * 0.4)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            sys.exit("a simulation failed") if os.waitstatus_to_exitcode(status) else sys.stdout.write(str(kills))
            return
        kills += 1


if __name__ == "__main__":
    main()
