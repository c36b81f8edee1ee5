"""The installed command: what it prints, what it refuses, and that no user ever sees a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ledger.copies import write_copy
from ledger.keys import fingerprint
from ledger.roles import Audience, Role
from ledger.store import Store
from tests.builders import KEYS, build_matter

COMMAND = str(Path(sys.executable).parent / "tallystick")


def tallystick(*arguments: object, cwd: Path, code: int = 0, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the installed command; whatever happens, it must not show a traceback."""
    command = [COMMAND, *map(str, arguments)]
    run = subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, text=True, check=False)
    assert "Traceback" not in run.stderr + run.stdout
    assert run.returncode == code, run.stdout + run.stderr
    return run


def answer(*arguments: object, cwd: Path, code: int = 0) -> Any:
    """What a script reads with --json."""
    return json.loads(tallystick(*arguments, "--json", cwd=cwd, code=code).stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A matter with Bob's and the court's copies."""
    found = tmp_path_factory.mktemp("cli")
    build_matter(found / "matter")
    with Store.open(found / "matter") as store:
        for audience in (Audience.BOB, Audience.COURT):
            write_copy(store, audience, KEYS[Role.TRENT], found / f"{audience}.jsonl")
            write_copy(store, audience, KEYS[Role.TRENT], found / f"{audience}.jsonl.gz")
    (found / "passphrase").write_text("correct horse\nsecond line\n")
    return found


def test_a_new_key_is_encrypted_and_shown_with_its_fingerprint(folder: Path, tmp_path: Path) -> None:
    made = answer("key", "new", "--role", "alice", "--passphrase-file", folder / "passphrase", cwd=tmp_path)
    assert (made["private_file"], made["public_file"]) == ("alice.key", "alice.key.pub")
    assert oct((tmp_path / "alice.key").stat().st_mode)[-3:] == "600"
    assert "BEGIN ENCRYPTED PRIVATE KEY" in (tmp_path / "alice.key").read_text()
    public = answer("key", "show", "alice.key.pub", cwd=tmp_path)
    private = answer("key", "show", "alice.key", "--passphrase-file", folder / "passphrase", cwd=tmp_path)
    assert (public["kind"], private["kind"]) == ("public", "private")
    assert public["fingerprint"] == private["fingerprint"] == made["fingerprint"]
    assert public["role"] == private["role"] == "alice"
    text = tallystick("key", "show", "alice.key.pub", cwd=tmp_path).stdout
    assert made["fingerprint"] in text


def test_a_passphrase_is_asked_for_twice_and_without_an_echo(tmp_path: Path) -> None:
    run = tallystick("key", "new", "--role", "bob", cwd=tmp_path, stdin="secret words\nsecret words\n")
    assert "secret" not in run.stdout + run.stderr
    shown = tallystick("key", "show", "bob.key", cwd=tmp_path, stdin="secret words\n").stdout
    assert "bob" in shown
    tallystick("key", "show", "bob.key", cwd=tmp_path, stdin="other words\n", code=1)


def test_keys_are_never_overwritten(tmp_path: Path) -> None:
    tallystick("key", "new", "--role", "court", "--no-passphrase", cwd=tmp_path)
    before = (tmp_path / "court.key").read_bytes()
    run = tallystick("key", "new", "--role", "court", "--no-passphrase", cwd=tmp_path, code=1)
    assert "never overwritten" in run.stderr
    assert (tmp_path / "court.key").read_bytes() == before


@pytest.mark.parametrize("name", ["matter", "bob.jsonl", "court.jsonl", "court.jsonl.gz"])
def test_check_passes_a_whole_ledger_and_says_what_it_holds(folder: Path, name: str) -> None:
    found = answer("ledger", "check", name, cwd=folder)
    assert found["outcome"] == "pass"
    assert found["entries"] == 9
    assert found["audience"] == (None if name == "matter" else name.split(".")[0])
    assert found["checkpoints"] == [{"entries": 9, "signers": ["alice", "bob", "court", "trent"]}]
    assert found["keys"]["trent"]["fingerprint"] == fingerprint(KEYS[Role.TRENT].public)
    text = tallystick("ledger", "check", name, cwd=folder).stdout
    assert found["head"] in text
    assert found["keys"]["alice"]["fingerprint"] in text
    assert "compare these fingerprints" in text


@pytest.mark.parametrize("name", ["matter", "bob.jsonl.gz"])
def test_show_lists_the_entries_and_one_in_full(folder: Path, name: str) -> None:
    lines = tallystick("ledger", "show", name, cwd=folder).stdout.splitlines()
    assert len(lines) == 9
    assert "round 1: trent question, asks alice" in lines[1]
    whole = json.loads(tallystick("ledger", "show", name, "--entry", 2, cwd=folder).stdout)
    assert whole["entry"]["body"]["statement"]["kind"] == "report"
    assert len(whole["openings"]) == 3
    stream = tallystick("ledger", "show", name, "--json", cwd=folder).stdout.splitlines()
    assert json.loads(stream[2]) == whole
    assert "has no entry 99" in tallystick("ledger", "show", name, "--entry", 99, cwd=folder, code=1).stderr


def test_show_into_a_closed_pipe_is_quiet(folder: Path) -> None:
    run = subprocess.run(
        f"{COMMAND} ledger show matter | head -1", shell=True, cwd=folder, capture_output=True, check=True
    )
    assert run.stderr == b""


def damaged(folder: Path, tmp_path: Path) -> Path:
    path = tmp_path / "damaged"
    path.write_bytes((folder / "bob.jsonl").read_bytes().replace(b'"question"', b'"questiom"', 1))
    return path


def test_damage_blames_nobody_and_says_what_to_do(folder: Path, tmp_path: Path) -> None:
    path = damaged(folder, tmp_path)
    found = answer("ledger", "check", path, cwd=tmp_path, code=1)
    assert (found["outcome"], found["cause"], found["party"]) == ("refused", "damage", None)
    error = tallystick("ledger", "check", path, cwd=tmp_path, code=1).stderr
    assert "damaged: entry 1 does not carry Trent's signature" in error
    assert "Nobody is blamed" in error


def test_a_fault_names_the_party_and_the_key(folder: Path, tmp_path: Path) -> None:
    from tests.test_mutated_copies import CheatingTrent, rewrite_one_entry

    trent = CheatingTrent((folder / "bob.jsonl").read_bytes().splitlines())
    path = tmp_path / "cheated"
    path.write_bytes(b"".join(line + b"\n" for line in rewrite_one_entry(trent, 3, None)))  # type: ignore[arg-type]
    found = answer("ledger", "check", path, cwd=tmp_path, code=1)
    assert (found["cause"], found["party"], found["entry"]) == ("fault", "trent", 4)
    assert found["fingerprint"] == fingerprint(KEYS[Role.TRENT].public)
    error = tallystick("ledger", "check", path, cwd=tmp_path, code=1).stderr
    assert f"fault, signed by trent with the key {found['fingerprint']}" in error


def test_show_ends_where_a_ledger_stops_being_what_was_signed(folder: Path, tmp_path: Path) -> None:
    run = tallystick("ledger", "show", damaged(folder, tmp_path), cwd=tmp_path, code=1)
    assert len(run.stdout.splitlines()) == 1
    assert "entry 1 does not carry Trent's signature" in run.stderr


BAD_USAGE: list[list[str]] = [
    [],
    ["nonsense"],
    ["key"],
    ["key", "new"],
    ["key", "new", "--role", "judge"],
    ["key", "new", "--role", "bob", "--no-passphrase", "--passphrase-file", "{folder}/passphrase"],
    ["key", "show"],
    ["key", "show", "no such file"],
    ["key", "show", "{folder}"],
    ["ledger", "check"],
    ["ledger", "check", "no such file"],
    ["ledger", "check", "{folder}"],
    ["ledger", "show", "{folder}/matter", "--entry", "-1"],
    ["ledger", "show", "{folder}/matter", "--entry", "x"],
]


@pytest.mark.parametrize("arguments", BAD_USAGE, ids=" ".join)
def test_wrong_usage_exits_with_2_and_changes_nothing(folder: Path, tmp_path: Path, arguments: list[str]) -> None:
    filled = [each.format(folder=folder) for each in arguments]
    run = tallystick(*filled, cwd=tmp_path, code=2)
    assert "Usage:" in run.stderr
    assert not list(tmp_path.iterdir())


REFUSED: list[tuple[list[str], str]] = [
    (["key", "show", "{folder}/matter"], "no key in PEM form"),
    (["key", "new", "--role", "bob", "--out", "no folder/bob.key", "--no-passphrase"], "cannot be written"),
    (["key", "new", "--role", "bob", "--passphrase-file", "{tmp}/empty"], "empty line"),
    (["ledger", "check", "{folder}/passphrase"], "neither a copy"),
    (["ledger", "check", "{tmp}/empty"], "empty"),
    (["ledger", "check", "{tmp}/foreign.db"], "not a Tallystick matter"),
    (["ledger", "show", "{tmp}/truncated"], "damaged"),
    (["ledger", "check", "{tmp}/truncated.gz"], "damaged or cut short"),
    (["ledger", "check", "/proc/self/mem"], "cannot be read"),
]


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED, ids=lambda part: " ".join(part)[:40])
def test_bad_input_exits_with_1_and_a_clear_message(
    folder: Path, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "foreign.db").write_bytes(b"SQLite format 3\0" + bytes(5000))
    (tmp_path / "truncated").write_bytes((folder / "matter").read_bytes()[:30_000])
    (tmp_path / "truncated.gz").write_bytes((folder / "bob.jsonl.gz").read_bytes()[:2000])
    run = tallystick(*(each.format(folder=folder, tmp=tmp_path) for each in arguments), cwd=tmp_path, code=1)
    assert run.stderr.startswith("Error: ")
    assert sentence in run.stderr


def test_every_command_has_help(tmp_path: Path) -> None:
    for words in ([], ["key"], ["key", "new"], ["key", "show"], ["ledger"], ["ledger", "show"], ["ledger", "check"]):
        assert "Usage: tallystick" in tallystick(*words, "--help", cwd=tmp_path).stdout
    assert tallystick("--version", cwd=tmp_path).stdout.startswith("tallystick, version ")


def test_a_locale_without_utf_8_does_not_matter(folder: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "PYTHONUTF8": "0"}
    run = subprocess.run(
        [COMMAND, "ledger", "show", "bob.jsonl"], cwd=folder, env=environment, capture_output=True, check=True
    )
    assert len(run.stdout.splitlines()) == 9
