"""The verifier for the browser against ours: Bob's copy in this machine's Chromium, over the time of `verify` here.

The page's time runs from the moment it gets the file to its verdict on the screen. Starting the browser and starting
Python are not counted. The page is built anew with npm, which also installs what drives Chromium. It is left out with a
message where there is no Node.js, no npm or no Chromium.
"""

import json
import os
import subprocess
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


def run(copy: Path, name: str) -> float | None:
    """Print and return the ratio, best of several on both sides in turns; None where there is no browser."""
    theirs, ours = [], []
    try:
        with TemporaryDirectory() as scratch:
            made = node.build(Path(scratch))
            for _ in Runs.of(RUNS):
                start = perf_counter()
                if verify(copy).answer is not Answer.VERIFIED:
                    raise RuntimeError(f"{copy} should be verified")
                ours.append(perf_counter() - start)
                theirs.append(_in_chromium(made, copy))
    except (OSError, subprocess.SubprocessError, node.NotBuilt) as error:
        said = getattr(error, "stderr", None) or str(error)
        print(f"The page in Chromium is left out, since it does not run here: {said.strip().splitlines()[-1]}")
        return None
    found = min(theirs) / min(ours)
    print(
        f"The page, Bob's copy of {name}: {min(theirs):.2f} s in Chromium / {min(ours):.2f} s in Python = {found:.2f}  "
        f"(at most {AIM})",
        flush=True,
    )
    return found


def _in_chromium(made: Path, copy: Path) -> float:
    """The seconds that the page takes for a copy that it must find verified."""
    command = [node.NODE or "node", "bench/in-chromium.mjs", str(copy.absolute())]
    environment = os.environ | {"TALLYSTICK_PAGE": str(made / "dist" / browser.NAME)}
    said = subprocess.run(command, cwd=made, env=environment, capture_output=True, text=True, check=True).stdout
    found = json.loads(said)
    if not str(found["verdict"]).startswith("VERIFIED"):
        raise RuntimeError(f"the page says {found['verdict']} of {copy}")
    return float(found["milliseconds"]) / 1000
