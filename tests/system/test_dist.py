"""`make dist`: the same commit gives the same bytes, and the wheel is all that a party needs to be told about."""

import os
import subprocess
import sys
import tarfile
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from verifier import browser

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent


def built(out: Path, umask: int) -> dict[str, bytes]:
    """What one run writes, with whatever the builder's machine lets others read."""
    command = [sys.executable, "-m", "tools.dist", str(out)]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"TZ": f"UTC{umask % 9}"}, umask=umask, check=True)
    return {path.name: path.read_bytes() for path in out.iterdir()}


def test_two_builds_have_the_same_bytes_and_the_sums_are_theirs(tmp_path: Path) -> None:
    one, two = built(tmp_path / "one", 0o022), built(tmp_path / "two", 0o077)
    assert one == two
    sums = dict(line.split("  ")[::-1] for line in one.pop("SHA256SUMS").decode().splitlines())
    assert sums == {name: sha256(content).hexdigest() for name, content in one.items()}
    assert one[browser.NAME] == browser.page()
    (wheel,) = (name for name in one if name.endswith(".whl"))
    (sources,) = (name for name in one if name.endswith(".tar.gz"))
    names = zipfile.ZipFile(tmp_path / "one" / wheel).namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info" not in name} == {"ledger", "protocol", "verifier"}
    with tarfile.open(tmp_path / "one" / sources) as archive:
        above = sources.removesuffix(".tar.gz")
        assert {f"{above}/PKG-INFO", f"{above}/pyproject.toml", f"{above}/constraints.txt"} <= set(archive.getnames())
    listed = ["git", "ls-tree", "-r", "--name-only", "HEAD", "ledger", "protocol", "verifier"]
    committed = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    page = "verifier/browser/"  # of which the wheel has what was built, and not what it was built from
    needed = {name for name in committed if not name.startswith(page) or name.endswith((".py", ".html"))}
    needed.discard(f"{page}src/page/template.html")
    assert needed <= set(names), "every module, and every file that a module needs, is in the wheel"
