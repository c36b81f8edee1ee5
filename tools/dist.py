"""`make dist`: a wheel, the sources and the page of the last commit, with their hashes, the same bytes each time.

    python -m tools.dist [FOLDER]

Everything comes from the commit, never from the files beside it, and every time in it is the commit's. The wheel is
built by setuptools: the one of this environment if it is new enough, so that no network is needed, else one that pip
fetches as constraints.txt says.
"""

import gzip
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
SUMS = "SHA256SUMS"
PAGE = Path("verifier/browser/tallystick-verify.html")
_SETUPTOOLS = 77  # as in pyproject.toml


def main(out: Path) -> None:
    """Build wheel and sources, take the page, and write their hashes."""
    epoch = int(_git("log", "-1", "--format=%ct"))
    if _git("status", "--porcelain"):
        print("Files that are not committed are not in it: this builds the last commit.", file=sys.stderr)
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch:
        tree = Path(scratch) / "tree"
        with zipfile.ZipFile(io.BytesIO(_raw("archive", "--format=zip", "HEAD"))) as archive:
            archive.extractall(tree)
        for path in tree.rglob("*"):  # permissions that do not depend on whoever builds
            path.chmod(0o755 if path.is_dir() else 0o644)
        wheel = _wheel(tree, Path(scratch) / "wheel", epoch)
        made = [wheel, _sources(tree, wheel, epoch), tree / PAGE]
        sums = []
        for file in made:
            content = file.read_bytes()
            (out / file.name).write_bytes(content)
            sums.append(f"{hashlib.sha256(content).hexdigest()}  {file.name}\n")
    (out / SUMS).write_text("".join(sums), "ascii")
    print("".join(sums), end="")


def _git(*words: str) -> str:
    return _raw(*words).decode().strip()


def _raw(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout


def _wheel(tree: Path, folder: Path, epoch: int) -> Path:
    """The wheel, as pip builds it from the commit's files."""
    given = {"SOURCE_DATE_EPOCH": str(epoch), "PIP_CONSTRAINT": str(tree / "constraints.txt"), "PYTHONHASHSEED": "0"}
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | given
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    if int(version("setuptools").partition(".")[0]) >= _SETUPTOOLS:
        command.append("--no-build-isolation")
    os.umask(0o022)
    subprocess.run([*command, "--wheel-dir", str(folder), str(tree)], env=environment, check=True)
    (made,) = folder.glob("*.whl")
    return made


def _sources(tree: Path, wheel: Path, epoch: int) -> Path:
    """The commit's files and the metadata of the wheel, as an sdist has them."""
    name, number, *_ = wheel.name.split("-")
    above = f"{name}-{number}"
    with zipfile.ZipFile(wheel) as zipped:
        about = zipped.read(f"{above}.dist-info/METADATA")
    files = {path: (tree / path).read_bytes() for path in _git("ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")
             if path and (tree / path).is_file()}  # fmt: skip
    tarred = io.BytesIO()
    with tarfile.open(fileobj=tarred, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, content in sorted({**files, "PKG-INFO": about}.items()):
            entry = tarfile.TarInfo(f"{above}/{path}")
            entry.size, entry.mtime, entry.mode = len(content), epoch, 0o644
            archive.addfile(entry, io.BytesIO(content))
    made = wheel.with_name(f"{above}.tar.gz")
    made.write_bytes(gzip.compress(tarred.getvalue(), mtime=epoch))
    return made


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist")
