"""`pip install tallystick` alone gives a party what it needs, and nothing of what only Trent needs."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from ledger.copies import write_copy
from ledger.roles import Audience, Role
from ledger.store import Store
from tests.support.builders import KEYS, build_matter

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
TRENT_ONLY = ["scipy"]


@pytest.fixture(scope="module")
def party(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty environment with the base installation from the sources as they are packaged."""
    folder = tmp_path_factory.mktemp("installation")
    sources = folder / "sources"
    for name in ("ledger", "protocol", "verifier"):
        shutil.copytree(ROOT / name, sources / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, sources)
    venv.create(folder / "party")
    python = folder / "party" / "bin" / "python"
    environment = os.environ | {"PIP_CONSTRAINT": str(ROOT / "constraints.txt")}
    environment.pop("PYTHONPATH", None)
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--quiet", "--disable-pip-version-check"]
    command = [*pip, "install", "--no-compile", str(sources)]  # what is never imported need not be compiled
    subprocess.run(command, check=True, env=environment, cwd=folder)
    return folder


def run(party: Path, *arguments: object, code: int = 0) -> str:
    command = [str(party / "party" / "bin" / str(arguments[0])), *map(str, arguments[1:])]
    done = subprocess.run(command, cwd=party, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_base_installation_pulls_nothing_that_only_trent_needs(party: Path) -> None:
    script = f"import importlib.util as u; print([name for name in {TRENT_ONLY} if u.find_spec(name)])"
    assert run(party, "python", "-c", script).strip() == "[]"
    assert all(importlib.util.find_spec(name) for name in TRENT_ONLY), "the environment of the tests is Trent's"


def test_a_party_makes_keys_and_checks_copies(party: Path) -> None:
    build_matter(party / "matter")
    with Store.open(party / "matter") as store:
        write_copy(store, Audience.BOB, KEYS[Role.TRENT], party / "bob.jsonl.gz")
    run(party, "tallystick", "key", "new", "--role", "bob", "--no-passphrase")
    shown = json.loads(run(party, "tallystick", "key", "show", "bob.key", "--json"))
    assert shown["role"] == "bob"
    for name in ("bob.jsonl.gz", "matter"):
        checked = json.loads(run(party, "tallystick", "ledger", "check", name, "--json"))
        assert (checked["outcome"], checked["entries"]) == ("pass", 9)


def test_an_expert_verifies_with_the_base_installation_alone(party: Path) -> None:
    vectors = ROOT / "tests" / "vectors"
    copy, corpus = vectors / "transcripts/valid-label-court.jsonl", vectors / "corpora/plain"
    found = json.loads(run(party, "tallystick-verify", copy, "--corpus", corpus, "--json"))
    assert found["verdict"] == "verified"
    assert {check["check"] for check in found["checks"] if check["outcome"] != "pass"} == {
        "V04",
        "V23",
        "V32",
        "V33",
    }
    assert "REJECTED" in run(party, "tallystick-verify", vectors / "transcripts/trent-flips-a-coin.jsonl", code=1)


def test_the_verifier_loads_nothing_that_is_not_its_own(party: Path) -> None:
    loads = "import sys, verifier.cli, verifier.corpus_replay"
    script = f"{loads}; print(sorted({{each.split('.')[0] for each in sys.modules}}))"
    loaded = run(party, "python", "-c", script)
    for name in ("ledger", "protocol", "msgspec", "nacl", "scipy", "sklearn", "sqlite3"):
        assert f"'{name}'" not in loaded
    light = run(party, "python", "-c", "import sys, verifier.cli; print('numpy' in sys.modules)")
    assert light.strip() == "False"


def test_a_party_can_build_a_corpus_and_is_told_what_running_a_matter_needs(party: Path) -> None:
    made = ["--documents", 60, "--responsive", 10, "--out", "mail.jsonl"]
    run(party, "tallystick", "corpus", "synth", *made)
    run(party, "tallystick", "corpus", "build", "mail.jsonl", "--out", "corpus")
    options = ["--responsive", "responsive", "--protocol", "label", "--rounds", 1, "--batch", 10, "--out", "m"]
    refused = run(party, "tallystick", "simulate", "corpus", *options, code=1)
    assert "pip install 'tallystick[trent]'" in refused
    assert "Traceback" not in refused


def test_the_packages_carry_their_types(party: Path) -> None:
    script = "import ledger, protocol, verifier; print(*(m.__path__[0] for m in (ledger, protocol, verifier)))"
    for folder in run(party, "python", "-c", script).split():
        assert (Path(folder) / "py.typed").exists()
        assert str(party) in folder
