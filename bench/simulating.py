"""A whole `simulate`, with everything signed and stored, over the bare loop of a review that proves nothing.

The bare loop is scikit-learn's LinearSVC at its default tolerance, one scipy CSR product and argpartition: the same
corpus, rounds and batch, true labels, no ledger, its matrix in memory already. `simulate` is timed from the command's
start to its end, in a process of its own.
"""

import json
import re
import subprocess
import sys
import warnings
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.svm import LinearSVC

from bench.timing import REPORTED, TIMED, Runs
from protocol.corpus.corpus import Corpus
from protocol.sources import synthetic

_RUN = f"""{TIMED}
from protocol import cli
from protocol.corpus import corpus
from protocol.learning import scoring, training
from protocol.matter import bookkeeping, course, fold
from protocol.simulation import parties, run
from ledger import log
spent["loading the program"] = perf_counter() - started
timed(corpus.Corpus, "open", "opening the corpus")
timed(scoring.Scorer, "best", "scores")
timed(scoring.Scorer, "drawn", "scores")
timed(scoring, "top", "batches")
timed(training.Trainer, "train", "models with certificate")
timed(log.Log, "prepare", "checking signatures and signing")
timed(log.Log, "write", "storing")
timed(fold, "check", "checking the rules")
for party in (parties.Alice, parties.Bob, parties.Court):
    timed(party, "answer", "the parties")
timed(bookkeeping, "close", "certificates")
timed(course, "following", "certificates")
timed(course, "escalation", "certificates")
{REPORTED}
"""


def corpus(folder: Path, documents: int) -> Path:
    """A synthetic corpus of this size, made by the commands and kept for the next run."""
    path = folder / f"corpus-{documents}"
    if not path.exists():
        source = folder / f"mail-{documents}.jsonl.gz"
        responsive = str(max(40, documents * 3 // 1000))
        made = ["corpus", "synth", "--documents", str(documents), "--responsive", responsive, "--seed", "bench"]
        for arguments in ([*made, "--out", str(source)], ["corpus", "build", str(source), "--out", str(path)]):
            start = perf_counter()
            tallystick(*arguments)
            print(
                f"{' '.join(arguments[:2]):<58} {perf_counter() - start:8.1f} s  for {documents:,} documents",
                flush=True,
            )
        source.unlink()
    return path


def run(folder: Path, documents: int, rounds: int, batch: int, protocol: str = "spot-check") -> float:
    """Print and return the ratio for one size, best of two on both sides."""
    path = corpus(folder, documents)
    bare = min(_bare_loop(path, rounds, batch) for _ in Runs.of(2))
    found = min(
        (simulated(folder, path, rounds, batch, protocol) for _ in Runs.of(2)), key=lambda each: each["spent"]["all"]
    )
    spent = found["spent"]
    certificates = spent.pop("certificates")  # they are also part of what checks the rules
    ratio: float = spent["all"] / bare
    name = f"Simulate {protocol!r}, {documents:,} documents, T={rounds}, N={batch}"
    print(
        f"{name:<58} {spent['all']:8.2f} s  floor {bare:8.2f} s  ratio {ratio:5.2f}  (at most 1.6, aim: 1.2), "
        f"peak {found['peak'] / 2**20:.2f} GiB",
        flush=True,
    )
    rest = 2 * spent["all"] - sum(spent.values())
    shares = sorted(((seconds, label) for label, seconds in spent.items() if label != "all"), reverse=True)
    print("   " + ", ".join(f"{label} {seconds:.2f} s" for seconds, label in [*shares, (rest, "the rest")]), flush=True)
    print(f"   books and certificates {certificates / spent['all']:.1%} of that (at most 5 %)", flush=True)
    return ratio


def tallystick(*arguments: str) -> None:
    """A command, in a process of its own."""
    command = [sys.executable, "-c", "from protocol.cli import main; main()", *arguments]
    subprocess.run(command, check=True, capture_output=True)


def simulated(folder: Path, path: Path, rounds: int, batch: int, protocol: str) -> dict[str, Any]:
    """Run `simulate` into a fresh matter; where its time went, and its peak memory."""
    matter = folder / "bench.matter"
    for stale in folder.glob("bench.matter*"):
        stale.unlink()
    options = {"--responsive": synthetic.LABEL, "--protocol": protocol, "--rounds": rounds, "--batch": batch}
    options |= {"--query": synthetic.QUERY, "--out": matter}
    arguments = [str(part) for option in options.items() for part in option]
    command = [sys.executable, "-c", _RUN, "simulate", str(path), *arguments]
    errors = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    found: dict[str, Any] = json.loads(re.findall(r"^\{.*\}$", errors, re.MULTILINE)[-1])
    return found


def in_memory(opened: Corpus) -> tuple[csr_array, NDArray[np.bool_], NDArray[np.int64]]:
    """The rows as a matrix of floats, the true labels, and the documents that hold a term of the query."""
    features = opened.features.joined()
    values = np.asarray(features.values) / 2.0**15
    rows = csr_array(
        (values, np.asarray(features.columns), np.asarray(features.starts, dtype=np.int32)),
        shape=(features.size, features.terms),
    )
    truth = np.zeros(features.size, dtype=bool)
    truth[list(opened.labels(synthetic.LABEL))] = True
    query = [opened.terms.find(word.encode()) for word in synthetic.QUERY.split()]
    return rows, truth, np.flatnonzero(rows[:, [column for column in query if column is not None]].sum(axis=1))


def _bare_loop(path: Path, rounds: int, batch: int) -> float:
    opened = Corpus.open(path)
    rows, truth, results = in_memory(opened)
    reviewed = np.zeros(opened.size, dtype=bool)
    order = results[:batch]
    labelled: list[int] = []
    start = perf_counter()
    for _ in range(rounds - 1):
        reviewed[order] = True
        labelled += order.tolist()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = LinearSVC(random_state=0).fit(rows[labelled], truth[labelled])
        scores = rows @ fitted.coef_[0]
        scores[reviewed] = -np.inf
        order = np.argpartition(-scores, batch)[:batch]
    return perf_counter() - start
