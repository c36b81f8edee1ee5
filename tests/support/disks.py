"""Disks that are small or read-only, for programs in a mount namespace of their own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def in_namespace(prepare: str, *arguments: str) -> list[str]:
    """Run Python after `prepare` in a mount namespace of its own, as a user who is root only there.

    `prepare` is a shell's script, in which "$1" is the interpreter, and the arguments follow.
    """
    command = ["unshare", "--map-root-user", "--mount", "sh", "-ec"]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*command, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("needs `unshare --map-root-user --mount`, to mount a small or read-only disk")
    run = subprocess.run(
        [*command, prepare, "sh", sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent.parent)},
    )
    return run.stdout.splitlines()
