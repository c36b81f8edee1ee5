"""Go's own reader (golang.org/x/mod/sumdb, in Debian's packages) opens our checkpoints and checks our tiles and proofs.

It runs a small program, `reader.go`, which holds no cryptography of its own. CI installs Go; elsewhere the tests skip.
"""

import base64
import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ledger import merkle, notes
from ledger.tlog import exporting, log
from ledger.tlog.log import Log
from tests.ledger.tlog.test_log import KEY, ORIGIN, OTHER, WITNESS, add, leaves_of

pytestmark = pytest.mark.slow

PACKAGES = Path("/usr/share/gocode")
SIZES = (0, 1, 2, 5, 255, 256, 257, 700)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("go") is None or not (PACKAGES / "src/golang.org/x/mod/sumdb/tlog").is_dir():
        said = "Go is not here: apt-get install golang-go golang-golang-x-mod-dev"
        if os.environ.get("TALLYSTICK_NEEDS_GO"):
            pytest.fail(said)
        pytest.skip(said)
    out = tmp_path_factory.mktemp("go")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(out),
        "GOPATH": str(PACKAGES),
        "GOCACHE": str(out / "cache"),
        "GO111MODULE": "off",
        "GOFLAGS": "",
        "CGO_ENABLED": "0",
    }
    source = Path(__file__).with_name("reader.go")
    subprocess.run(["go", "build", "-o", str(out / "reader"), str(source)], env=environment, check=True)
    return out / "reader"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """By size, a log that grew from each size to the next, as it was exported then."""
    folder, found = tmp_path_factory.mktemp("logs"), {}
    log.create(folder / "log", ORIGIN, KEY)
    for size in SIZES:
        now = Log.open(folder / "log")
        now = add(folder / "log", leaves_of(now.size, size))
        found[size] = folder / f"export-{size}"
        exporting.export(now, found[size])
    return found


def encoded(value: Any) -> Any:
    """Bytes as Go's JSON has them."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return [encoded(each) for each in value] if isinstance(value, list | tuple) else value


def ask(program: Path, folder: Path, *questions: dict[str, Any]) -> list[str]:
    lines = "".join(json.dumps({name: encoded(value) for name, value in each.items()}) + "\n" for each in questions)
    run = subprocess.run([program, folder], input=lines, capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def whole(found: Log) -> dict[str, Any]:
    return {"what": "log", "vkey": found.key.vkey, "leaves": list(found.leaves)}


def record(found: Log, index: int) -> dict[str, Any]:
    proof = found.prove(index)
    return {
        "what": "record",
        "vkey": found.key.vkey,
        "leaf": found.leaves[index],
        "index": index,
        "hashes": proof.hashes,
        "note": str(proof.note).encode(),
    }


def tree(found: Log, old: int) -> dict[str, Any]:
    return {
        "what": "tree",
        "vkey": found.key.vkey,
        "note": str(found.note).encode(),
        "old": old,
        "root": bytes(found.root_at(old)),
        "hashes": found.consistency(old),
    }


@pytest.mark.parametrize("size", SIZES)
def test_it_reads_our_export_to_the_last_leaf(program: Path, folders: dict[int, Path], size: int) -> None:
    assert ask(program, folders[size], whole(Log.open(folders[size]))) == ["ok"]


@pytest.mark.parametrize("size", [each for each in SIZES if each])
def test_it_accepts_our_proofs(program: Path, folders: dict[int, Path], size: int) -> None:
    found = Log.open(folders[size])
    places = sorted({0, 1, size // 3, size // 2, size - 2, size - 1} & set(range(size)))
    asked = [*(record(found, index) for index in places), *(tree(found, index + 1) for index in places)]
    assert ask(program, folders[size], *asked) == ["ok"] * len(asked)


def test_it_refuses_what_we_refuse(program: Path, folders: dict[int, Path]) -> None:
    found = Log.open(folders[257])
    stranger = notes.NoteKey(name=ORIGIN, type=found.key.type, key=OTHER.public).vkey
    right, older = record(found, 100), tree(found, 100)
    wrong = [
        right | {"leaf": b"another"},
        right | {"index": 101},
        right | {"hashes": right["hashes"][1:]},
        right | {"vkey": stranger},
        right | {"note": right["note"].replace(b"\n257\n", b"\n258\n")},
        older | {"root": bytes(merkle.EMPTY_ROOT)},
        older | {"old": 101},
        older | {"hashes": older["hashes"][:-1]},
        whole(found) | {"leaves": [*found.leaves[:-1], b"another"]},
    ]
    said = ask(program, folders[257], *wrong)
    assert len(said) == len(wrong)
    assert "ok" not in said


@pytest.mark.parametrize("name", ["tile/0/000", "tile/0/001.p/1", "tile/1/000.p/1", "tile/entries/000"])
def test_a_changed_tile_is_refused_by_both(program: Path, folders: dict[int, Path], tmp_path: Path, name: str) -> None:
    question = whole(Log.open(folders[257]))
    shutil.copytree(folders[257], tmp_path / "changed")
    assert ask(program, tmp_path / "changed", question) == ["ok"]
    path = tmp_path / "changed" / name
    path.write_bytes(path.read_bytes()[:-1] + bytes([path.read_bytes()[-1] ^ 1]))
    assert ask(program, tmp_path / "changed", question) != ["ok"]
    with pytest.raises(Exception, match=name.replace(".", r"\.")):
        Log.open(tmp_path / "changed")


def test_cosignatures_of_witnesses_do_not_disturb_it(program: Path, folders: dict[int, Path], tmp_path: Path) -> None:
    shutil.copytree(folders[5], tmp_path / "cosigned")
    note = Log.open(folders[5]).note
    line = notes.cosign(note.text, WITNESS, "court.example/w", 1_700_000_000)
    (tmp_path / "cosigned/checkpoint").write_text(str(replace(note, signatures=(*note.signatures, line))))
    assert ask(program, tmp_path / "cosigned", whole(Log.open(folders[5]))) == ["ok"]
