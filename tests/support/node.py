"""The verifier for the browser, built anew from its sources and run by Node."""

import fcntl
import json
import os
import shutil
import subprocess
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.vectors import FOLDER
from verifier import browser

SOURCES = Path(browser.__file__).parent
_FROM_20 = 20

NODE = shutil.which("node")


def _major() -> int:
    said = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout if NODE else "v0"
    return int(said[1:].split(".")[0])


needs_node = pytest.mark.skipif(
    (_major() < _FROM_20 or shutil.which("npm") is None) and "TALLYSTICK_NEEDS_NODE" not in os.environ,
    reason="no Node.js from version 20 on with npm here: the verifier for the browser is not built anew",
)


class NotBuilt(RuntimeError):
    """npm cannot build the page here."""


def build(folder: Path) -> Path:
    """Build the page and the command into a new folder, or find them there: workers of one run share it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = folder / "browser"
        if not (made / "built").exists():
            shutil.rmtree(made, ignore_errors=True)
            ignored = shutil.ignore_patterns("node_modules", "dist", "*.py", "__pycache__", browser.NAME)
            shutil.copytree(SOURCES, made, ignore=ignored)
            for command in (["npm", "ci", "--no-audit", "--no-fund"], ["npm", "run", "build"]):
                ran = subprocess.run(command, cwd=made, capture_output=True, text=True, check=False)
                if ran.returncode:
                    raise NotBuilt(f"{' '.join(command)} failed: {ran.stdout}{ran.stderr}")
            (made / "built").touch()
    return made


class Forged(NamedTuple):
    """A copy that the page's own forger changed and signed anew."""

    seed: int
    source: str
    change: str
    copy: bytes


def forged(built: Path, seeds: range) -> Iterator[Forged]:
    """What the forger of the page's tests makes of these seeds. It was written apart as well."""
    program, environment = built / "build" / "forge.mjs", os.environ | {"TALLYSTICK_VECTORS": str(FOLDER)}
    with (built.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            bundle = ["npm", "run", "--silent", "forge", "--", "--count", "0"]
            subprocess.run(bundle, cwd=built, env=environment, check=True)
    command = [NODE or "node", str(program), "--from", str(seeds.start), "--count", str(len(seeds))]
    with subprocess.Popen(command, cwd=built, env=environment, stdout=subprocess.PIPE) as process:
        for line in process.stdout or ():
            made = json.loads(line)
            yield Forged(made["seed"], made["source"], made["change"], b64decode(made["copy"]))
    if process.returncode:
        raise RuntimeError(f"the forger ended with {process.returncode}")


class Judge:
    """A process that verifies one copy after the other."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request."""
        self.send(request)
        return self.receive()

    def send(self, request: dict[str, Any]) -> None:
        """A request whose answer is fetched later, so that both sides work at once."""
        if self._process.stdin is None:
            raise RuntimeError("the process has no pipes")
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The answer to the first request that has none yet."""
        if self._process.stdout is None:
            raise RuntimeError("the process has no pipes")
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("Node ended before it answered")
        found: dict[str, Any] = json.loads(line)
        return found


@contextmanager
def judging(built: Path) -> Iterator[Judge]:
    """Node, with the command that was built."""
    command = [NODE or "node", str(built / "dist" / "verify.mjs"), "--batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield Judge(process)
        if process.stdin:
            process.stdin.close()
