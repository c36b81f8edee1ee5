"""The verifier for the browser against ours: Bob's copy in this machine's Chromium, over the time of the installed
command, and over that of `verify` in a Python that has started.

The page's time runs from the moment it gets the file to its verdict on the screen. Starting the browser is not counted.
The page is built anew with npm, which also installs what drives Chromium. It is left out with a message where there is
no Node.js, no npm or no Chromium.
"""

import json
import os
import subprocess
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from bench.timing import Runs
from tests.support import node
from verifier import browser
from verifier.verdict import Answer
from verifier.verification import verify

AIM = 3
RUNS = 3
_COMMAND = Path(sysconfig.get_path("scripts")) / "tallystick-verify"


def run(copy: Path, name: str) -> None:
    """Print both ratios, best of several on all sides in turns."""
    theirs, commands, ours = [], [], []
    try:
        with TemporaryDirectory() as scratch:
            made = node.build(Path(scratch))
            for _ in Runs.of(RUNS):
                ours.append(_in_python(copy))
                commands.append(_by_command(copy))
                theirs.append(_in_chromium(made, copy))
    except (OSError, subprocess.SubprocessError, node.NotBuilt) as error:
        said = getattr(error, "stderr", None) or str(error)
        print(f"The page in Chromium is left out, since it does not run here: {said.strip().splitlines()[-1]}")
        return
    page = min(theirs)
    for what, seconds in (("tallystick-verify", min(commands)), ("verify alone, Python started", min(ours))):
        print(
            f"The page, Bob's copy of {name}: {page:.2f} s in Chromium / {seconds:.2f} s for {what} = "
            f"{page / seconds:.2f}  (at most {AIM})",
            flush=True,
        )


def _in_python(copy: Path) -> float:
    """The seconds that `verify` takes in this process."""
    start = perf_counter()
    if verify(copy).answer is not Answer.VERIFIED:
        raise RuntimeError(f"{copy} should be verified")
    return perf_counter() - start


def _by_command(copy: Path) -> float:
    """The seconds that a reader waits for the installed command."""
    start = perf_counter()
    subprocess.run([_COMMAND, str(copy)], capture_output=True, check=True)
    return perf_counter() - start


def _in_chromium(made: Path, copy: Path) -> float:
    """The seconds that the page takes for a copy that it must find verified."""
    command = [node.NODE or "node", "bench/in-chromium.mjs", str(copy.absolute())]
    environment = os.environ | {"TALLYSTICK_PAGE": str(made / "dist" / browser.NAME)}
    said = subprocess.run(command, cwd=made, env=environment, capture_output=True, text=True, check=True).stdout
    found = json.loads(said)
    if not str(found["verdict"]).startswith("VERIFIED"):
        raise RuntimeError(f"the page says {found['verdict']} of {copy}")
    return float(found["milliseconds"]) / 1000
