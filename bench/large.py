"""`make bench-large`: a large matter on one machine, from documents to the court's verdict, with time and peak memory.

The documents are made up by `corpus synth` (their making is shown, and no part of the total). Each further step is a
command in a process of its own: `corpus build`, `simulate` with 10 rounds, `copy` for the court, and the court's
verification, which makes all rows and leaves again from the texts and replays every round.

Peak memory is given twice: that of the largest process (VmHWM, as the system counts it), and the largest sum over all
processes of a command at one time (sampled; memory that they share counts in each).
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from protocol.sources import synthetic

DOCUMENTS = 10_000_000
ROUNDS, BATCH = 10, 1000
TIME, MEMORY = 3600, 6 * 2**20
"""The aim: seconds for all steps, and KiB for the largest process, both at the full size."""

_PROGRAMS = {
    "tallystick": "from protocol.cli import main; main()",
    "tallystick-verify": "from verifier.cli import main; main()",
}
_PAUSE = 0.2  # seconds between two looks at the processes


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a command took: seconds, seconds of computing, and KiB."""

    wall: float
    computing: float
    largest: int
    together: int


def main() -> None:
    """Run all steps, print what each took, and the total."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--folder", type=Path, help="where everything is written (by default a temporary folder)")
    parser.add_argument("--keep", action="store_true", help="keep the corpus and the matter in the folder")
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="large-", dir=chosen.folder))
    try:
        run(folder, chosen.documents)
    finally:
        if not chosen.keep:
            shutil.rmtree(folder, ignore_errors=True)


def run(folder: Path, documents: int) -> None:
    """All steps at one size."""
    source, corpus, matter, copy = (folder / name for name in ("mail.jsonl", "corpus", "matter", "court.jsonl.gz"))
    responsive = max(40, documents * 3 // 1000)
    made = ["--documents", str(documents), "--responsive", str(responsive), "--seed", "large", "--out", str(source)]
    _report("corpus synth (not in the total)", cost("tallystick", "corpus", "synth", *made), documents)
    total = [cost("tallystick", "corpus", "build", str(source), "--out", str(corpus), "--seed", "large")]
    _report("corpus build", total[-1], documents)
    source.unlink()
    size = sum(path.stat().st_size for path in corpus.rglob("*") if path.is_file())
    print(f"   the corpus has {size / 2**30:.2f} GiB, {size / documents:.0f} bytes a document", flush=True)
    played = ["--responsive", synthetic.LABEL, "--query", synthetic.QUERY, "--rounds", str(ROUNDS)]
    played += ["--batch", str(BATCH), "--out", str(matter)]
    total.append(cost("tallystick", "simulate", str(corpus), *played))
    _report(f"simulate, {ROUNDS} rounds of {BATCH}", total[-1], documents)
    total.append(cost("tallystick", "copy", str(matter), "--for", "court", "--out", str(copy)))
    _report("copy for the court", total[-1], documents)
    total.append(cost("tallystick-verify", "copy", str(copy), "--corpus", str(corpus)))
    _report("the court's verification", total[-1], documents)
    wall, largest = sum(each.wall for each in total), max(each.largest for each in total)
    aim = f" (aim: {TIME / 60:.0f} min, {MEMORY / 2**20:.0f} GiB)" if documents == DOCUMENTS else ""
    print(f"In all {wall / 60:.1f} min, the largest process {largest / 2**20:.2f} GiB{aim}", flush=True)


def _report(step: str, found: Cost, documents: int) -> None:
    name = f"{step}, {documents:,} documents"
    print(
        f"{name:<58} {found.wall:8.1f} s  computing {found.computing:8.1f} s  largest process "
        f"{found.largest / 2**20:5.2f} GiB, all together {found.together / 2**20:5.2f} GiB",
        flush=True,
    )


def cost(program: str, *arguments: str) -> Cost:
    """Run a command, and watch all of its processes."""
    command = [sys.executable, "-c", _PROGRAMS[program], *arguments]
    start, before = time.perf_counter(), os.times()
    peaks: dict[int, int] = {}
    together = 0
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, stdin=subprocess.DEVNULL, start_new_session=True)
        while process.poll() is None:
            now = list(_sizes(process.pid))
            together = max(together, sum(size for _, _, size in now))
            peaks |= {number: peak for number, peak, _ in now}
            time.sleep(_PAUSE)
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"{' '.join(command)} failed: {said.read().decode()}")
    after = os.times()
    computing = sum(after[2:4]) - sum(before[2:4])
    wall = time.perf_counter() - start
    return Cost(wall=wall, computing=computing, largest=max(peaks.values(), default=0), together=together)


def _sizes(session: int) -> Iterator[tuple[int, int, int]]:
    """Each process of a session: its number, its largest size so far, and its size now."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            if int((folder / "stat").read_text().rpartition(")")[2].split()[3]) == session:
                status = (folder / "status").read_text()
                yield int(folder.name), _number(status, "VmHWM"), _number(status, "VmRSS")


def _number(status: str, name: str) -> int:
    found: Sequence[str] = re.findall(rf"^{name}:\s+(\d+)", status, re.MULTILINE)
    return int(found[0]) if found else 0


if __name__ == "__main__":
    main()
