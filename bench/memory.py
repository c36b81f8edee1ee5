"""Peak memory of cutting, checking and verifying, each in a process of its own.

What the ledger does must not grow with the matter. What grows in the verifier, and why, is in docs/threat-model.md.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from bench import matters
from ledger.roles import Audience
from tests.support import corpora, long_records

_CUT = """
import re, sys
from pathlib import Path
from ledger.copies import write_copy
from ledger.roles import Audience, Role
from ledger.store import Store
from tests.support.builders import KEYS
with Store.open(Path(sys.argv[1])) as store:
    write_copy(store, Audience.COURT, KEYS[Role.TRENT], Path(sys.argv[2]))
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""

_CHECK = """
import re, sys
from pathlib import Path
from ledger.examining import examine, open_reader
examine(open_reader(Path(sys.argv[1])))
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""

_VERIFY = """
import re, sys
from pathlib import Path
from verifier.summary import summary
from verifier.verification import verify
summary(verify(Path(sys.argv[1])))
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""


def run(folder: Path, entries: int) -> None:
    """Measure at one and at ten times the size."""
    sizes = (entries, 10 * entries)
    for size in sizes:
        matters.build_quickly(_matter(folder, size), size)
    _compare("Cut the court's copy", sizes, lambda size: _peak(_CUT, _matter(folder, size), _copy(folder, size)))
    _compare("Check the court's copy", sizes, lambda size: _peak(_CHECK, _copy(folder, size)))
    _compare("Check the matter's file", sizes, lambda size: _peak(_CHECK, _matter(folder, size)))
    copies = _long_records(folder, (entries // 5, 2 * entries))
    _compare("Verify the court's copy", tuple(copies), lambda size: _peak(_VERIFY, copies[size]))


def _matter(folder: Path, size: int) -> Path:
    return folder / f"memory-{size}"


def _copy(folder: Path, size: int) -> Path:
    return folder / f"memory-{size}.jsonl.gz"


def _compare(work: str, sizes: tuple[int, ...], peak: Callable[[int], int]) -> None:
    small, large = map(peak, sizes)
    name = f"{work}, {sizes[0]:,} and {sizes[1]:,} entries"
    print(f"{name:<58} {small / 1024:6.1f} MiB and {large / 1024:6.1f} MiB  ratio {large / small:5.2f}  (aim: 1.0)")


def _long_records(folder: Path, sizes: tuple[int, int]) -> dict[int, Path]:
    """Copies at these sizes of a record that follows the protocol, since the verifier stops at one that does not."""
    corpus = corpora.make(folder / "memory-corpus", documents=40, responsive=10)
    copies = {}
    with long_records.begin(corpus, folder / "memory-long") as run:
        for size in sizes:
            long_records.lengthen(run, size)
            copies[size] = long_records.cut(run, Audience.COURT, folder / f"memory-long-{size}.jsonl")
    return copies


def _peak(script: str, *arguments: Path) -> int:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
