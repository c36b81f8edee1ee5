"""A round of ours, with everything signed, stored and checked, over a round of TARexp, which keeps no record.

TARexp is installed from PyPI by its name into an environment of its own, `build/tarexp`, which the next run finds. It
is left out with a message where it cannot be installed or does not run. Version 0.1.4 needs no pins: it was tried on
Python 3.11 with numpy 2.4, scipy 1.17, pandas 3.1, scikit-learn 1.9 and ir-measures 0.4.

Both get the same rows, the same first batch size and batches, and true labels. TARexp trains what its own examples do,
a logistic regression by liblinear: its wrapper of scikit-learn does not run with LinearSVC, of whose one column of
scores it asks for the second. It keeps the scores of one round only, which is the least that it can keep. A round is
the time of all rounds over their number. Loading program and rows is not counted on either side.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from bench import simulating
from bench.timing import REPORTED, TIMED
from protocol.corpus.corpus import Corpus
from protocol.sources import synthetic

ENVIRONMENT = Path(__file__).parents[1] / "build/tarexp"
AIM = 0.5
RUNS = 3

_OURS = f"""{TIMED}
from protocol import cli
from protocol.simulation import run
timed(run.Run, "run", "rounds")
{REPORTED}
"""

_THEIRS = """
import sys, warnings
from time import perf_counter
warnings.simplefilter("ignore")
import numpy as np
import tarexp
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from tarexp import component
rows, known, rounds, batch = sparse.load_npz(sys.argv[1]), np.load(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
setting = component.combine(
    component.SklearnRanker(LogisticRegression, solver="liblinear"),
    component.PerfectLabeler(),
    component.RelevanceSampler(),
    component.FixedRoundStoppingRule(max_round=rounds),
)()
documents = tarexp.SparseVectorDataset.from_sparse(rows).setLabels(known["truth"])
workflow = tarexp.OnePhaseTARWorkflow(
    documents, setting, seed_doc=known["first"].tolist(), batch_size=batch, random_seed=1, saved_score_limit=1
)
start = perf_counter()
done = 0
for _ in workflow:
    done += 1
    if done == rounds:
        break
print((perf_counter() - start) / done)
"""


def run(folder: Path, documents: int = 200_000, rounds: int = 30, batch: int = 100) -> float | None:
    """Print and return the ratio, best of several on both sides in turns; None where TARexp does not run."""
    path = simulating.corpus(folder, documents)
    rows, known = _same_rows(folder, path, batch)
    theirs, ours = [], []
    for _ in range(RUNS):
        try:
            theirs.append(_tarexp(rows, known, rounds, batch))
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            said = getattr(error, "stderr", None) or str(error)
            print(f"TARexp is left out, since it cannot be installed or run here: {said.strip().splitlines()[-1]}")
            return None
        ours.append(_ours(folder, path, rounds, batch))
    found = min(ours) / min(theirs)
    print(
        f"{f'A round, {documents:,} documents, N={batch} / one of TARexp':<58} {min(ours):8.3f} s  floor "
        f"{min(theirs):8.3f} s  ratio {found:5.2f}  (aim: {AIM})",
        flush=True,
    )
    return found


def _same_rows(folder: Path, path: Path, batch: int) -> tuple[Path, Path]:
    """The corpus's rows as a file of scipy's, and the true labels with a first batch."""
    matrix, truth, results = simulating.in_memory(Corpus.open(path))
    rows, known = folder / "peers-rows.npz", folder / "peers-known.npz"
    sparse.save_npz(rows, matrix, compressed=False)
    np.savez(known, truth=truth, first=results[:batch])
    return rows, known


def _tarexp(rows: Path, known: Path, rounds: int, batch: int) -> float:
    """The seconds of a round of TARexp."""
    python = ENVIRONMENT / "bin/python"
    if not (ENVIRONMENT / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)], check=True, capture_output=True)
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "tarexp==0.1.4"]
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=1200)
        (ENVIRONMENT / "ready").touch()
    command = [str(python), "-c", _THEIRS, str(rows), str(known), str(rounds), str(batch)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True, timeout=3600).stdout)


def _ours(folder: Path, path: Path, rounds: int, batch: int) -> float:
    """The seconds of a round of `simulate`."""
    for stale in folder.glob("peers.matter*"):
        stale.unlink()
    options = {"--responsive": synthetic.LABEL, "--rounds": rounds, "--batch": batch, "--query": synthetic.QUERY}
    arguments = [str(part) for option in options.items() for part in option]
    command = [sys.executable, "-c", _OURS, "simulate", str(path), *arguments, "--out", str(folder / "peers.matter")]
    errors = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    found: dict[str, Any] = json.loads(re.findall(r"^\{.*\}$", errors, re.MULTILINE)[-1])
    return float(found["spent"]["rounds"]) / rounds
