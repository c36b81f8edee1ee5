"""Peak memory of cutting and checking copies, each in a process of its own: it must not grow with the matter."""

import subprocess
import sys
from pathlib import Path

from bench import matters

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


def run(folder: Path, entries: int) -> None:
    """Measure at one and at ten times the size."""
    peaks: dict[str, list[int]] = {}
    for size in (entries, 10 * entries):
        matter, copy = folder / f"memory-{size}", folder / f"memory-{size}.jsonl.gz"
        matters.build_quickly(matter, size)
        peaks.setdefault("Cut the court's copy", []).append(_peak(_CUT, matter, copy))
        peaks.setdefault("Check the court's copy", []).append(_peak(_CHECK, copy))
        peaks.setdefault("Check the matter's file", []).append(_peak(_CHECK, matter))
    for work, (small, large) in peaks.items():
        name = f"{work}, {entries:,} and {10 * entries:,} entries"
        print(f"{name:<58} {small / 1024:6.1f} MiB and {large / 1024:6.1f} MiB  ratio {large / small:5.2f}  (aim: 1.0)")


def _peak(script: str, *arguments: Path) -> int:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
