"""The command: what it prints, what it refuses, and that no user ever sees a traceback."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ledger.copies import write_copy
from ledger.entries import Addition
from ledger.keys import fingerprint
from ledger.log import Log
from ledger.roles import Audience, Role
from ledger.store import Store
from tests.support import forked
from tests.support.builders import KEYS, build_matter, opening_statement, says
from tests.support.forging.trent import CheatingTrent, rewrite_one_entry

pytestmark = pytest.mark.slow  # each test starts the command, several times

COMMAND = str(Path(sys.executable).parent / "tallystick")


def tallystick(*arguments: object, cwd: Path, code: int = 0, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command; whatever happens, it must not show a traceback."""
    run = forked.run("tallystick", *arguments, cwd=cwd, stdin=stdin)
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


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_private_key_that_others_can_read_is_shown_with_a_warning(tmp_path: Path, mode: int) -> None:
    tallystick("key", "new", "--role", "bob", "--no-passphrase", "--out", "my key", cwd=tmp_path)
    (tmp_path / "my key").chmod(mode)
    shown = tallystick("key", "show", "my key", "--json", cwd=tmp_path)
    assert json.loads(shown.stdout)["kind"] == "private"
    assert shown.stderr == (
        "WARNING: other users of this computer have access to the private key in 'my key'. Keep it to yourself with: "
        "chmod 600 'my key'\n"
    )
    assert not tallystick("key", "show", "my key.pub", cwd=tmp_path).stderr
    (tmp_path / "my key").chmod(0o600)
    assert not tallystick("key", "show", "my key", cwd=tmp_path).stderr


def type_at_terminal(arguments: list[str], answers: list[bytes], cwd: Path) -> tuple[int, bytes]:
    """Run the command in a terminal, answer its prompts, and return its exit code and all that the screen showed."""
    pid, terminal = pty.fork()
    if pid == 0:
        signal.alarm(30)  # a prompt that nobody answers must not hang the tests
        os.chdir(cwd)
        os.execv(COMMAND, [COMMAND, *arguments])
    screen = b""
    answered = 0
    while True:
        try:
            piece = os.read(terminal, 1000)
        except OSError:  # the other side has gone
            break
        screen += piece
        if screen.count(b": ") > answered and answered < len(answers):
            time.sleep(0.2)  # the prompt turns the echo off, and drops what was typed before
            os.write(terminal, answers[answered] + b"\n")
            answered += 1
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), screen


def test_a_terminal_never_shows_a_passphrase_and_asks_for_it_twice(tmp_path: Path) -> None:
    arguments = ["key", "new", "--role", "Bob"]
    code, screen = type_at_terminal(arguments, [b"some secret words", b"other secret words"], tmp_path)
    assert (code, list(tmp_path.iterdir())) == (1, [])
    assert b"differ" in screen
    code, screen = type_at_terminal(arguments, [b"some secret words"] * 2, tmp_path)
    assert code == 0, screen
    assert b"secret" not in screen
    assert b"New passphrase" in screen
    assert b"Once more" in screen
    code, screen = type_at_terminal(["key", "show", "bob.key"], [b"some secret words"], tmp_path)
    assert code == 0, screen


def test_a_terminal_shows_no_progress_of_short_work(folder: Path) -> None:
    code, screen = type_at_terminal(["ledger", "check", "bob.jsonl"], [], folder)
    assert code == 0
    assert screen.startswith(b"Whole and as signed")


@pytest.mark.parametrize("content", [b"\xef\xbb\xbfcorrect horse\r\n", b"correct horse", b"correct horse\nmore"])
def test_a_passphrase_file_may_come_from_any_editor(folder: Path, tmp_path: Path, content: bytes) -> None:
    key = ["--role", "alice", "--passphrase-file", folder / "passphrase"]
    tallystick("key", "new", *key, cwd=tmp_path)
    (tmp_path / "file").write_bytes(content)
    tallystick("key", "show", "alice.key", "--passphrase-file", "file", cwd=tmp_path)
    (tmp_path / "file").write_bytes("correct horse".encode("utf-16"))
    run = tallystick("key", "show", "alice.key", "--passphrase-file", "file", cwd=tmp_path, code=1)
    assert "UTF-16" in run.stderr


def test_accents_do_not_depend_on_where_they_were_typed(tmp_path: Path) -> None:
    composed, apart = "gr\u00fcne Wiesen", "gru\u0308ne Wiesen"
    (tmp_path / "file").write_text(composed)
    tallystick("key", "new", "--role", "bob", "--passphrase-file", "file", cwd=tmp_path)
    tallystick("key", "show", "bob.key", cwd=tmp_path, stdin=apart + "\n")


def test_a_prompt_without_anybody_to_answer_says_what_to_do(tmp_path: Path) -> None:
    assert "--passphrase-file" in tallystick("key", "new", "--role", "bob", cwd=tmp_path, code=1).stderr
    run = subprocess.run(
        f"{COMMAND} key new --role bob <&-", shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("Error: a passphrase is needed")
    assert not list(tmp_path.iterdir())


def test_an_output_that_cannot_be_written_is_an_error_and_no_traceback(folder: Path) -> None:
    run = subprocess.run(
        f"{COMMAND} ledger check bob.jsonl > /dev/full",
        shell=True,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "Traceback" not in run.stderr


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A copy whose clock and names no terminal expects."""
    content = {"name": "\u4e2d\u6587 \u202e \x9b"}
    with Log.create(tmp_path / "matter", KEYS[Role.TRENT], lambda: 2**53 - 1) as log:
        log.append([Addition(statement=opening_statement())])
        log.append([Addition(statement=says(Role.TRENT, "note", content=content))])
        write_copy(log.store, Audience.BOB, KEYS[Role.TRENT], tmp_path / "odd.jsonl")
    return tmp_path / "odd.jsonl"


def test_no_clock_and_no_name_can_stop_a_reader_or_reach_the_terminal_raw(odd: Path) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "cp1252"}
    for options in (["--json"], [], ["--entry", "1"]):
        command = [COMMAND, "ledger", "show", str(odd), *options]
        run = subprocess.run(command, env=environment, capture_output=True, check=True)
        assert run.stdout.isascii()
        assert b"9007199254740991" in run.stdout


def test_a_check_says_what_it_does_not_cover(folder: Path, odd: Path) -> None:
    whole = tallystick("ledger", "check", "bob.jsonl", cwd=folder).stdout
    assert "Not checked  whether the review followed the protocol" in whole
    assert "only Trent vouches" not in whole
    alone = tallystick("ledger", "check", odd, cwd=folder).stdout
    assert "none of these entries: for the rest, only Trent vouches" in alone


def test_json_is_json_also_where_something_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "letter.pdf").write_bytes(b"%PDF-1.7")
    for words in (["ledger", "check"], ["ledger", "show"], ["key", "show"]):
        found = answer(*words, tmp_path / "letter.pdf", cwd=tmp_path, code=1)
        assert (found["outcome"], found["cause"]) == ("refused", "error")


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
    assert "round 1: Trent question, asks Alice" in lines[1]
    whole = json.loads(tallystick("ledger", "show", name, "--entry", 2, cwd=folder).stdout)
    assert whole["entry"]["body"]["statement"]["kind"] == "report"
    assert len(whole["openings"]["labels"]["values"]) == 3
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
    assert "Damaged: entry 1 does not carry Trent's signature" in error
    assert "Nobody is blamed" in error


def test_a_fault_names_the_party_and_the_key(folder: Path, tmp_path: Path) -> None:
    trent = CheatingTrent((folder / "bob.jsonl").read_bytes().splitlines())
    path = tmp_path / "cheated"
    path.write_bytes(b"".join(line + b"\n" for line in rewrite_one_entry(trent, 3)))
    found = answer("ledger", "check", path, cwd=tmp_path, code=1)
    assert (found["cause"], found["party"], found["entry"]) == ("fault", "trent", 4)
    error = tallystick("ledger", "check", path, cwd=tmp_path, code=1).stderr
    assert error.startswith("Fault, signed by Trent: ")
    assert fingerprint(KEYS[Role.TRENT].public) in error
    assert "it is the evidence" in error


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
    (["key", "show", "{folder}/matter"], "too large to be a key file"),
    (["key", "show", "{folder}/passphrase"], "no key in PEM form"),
    (["key", "new", "--role", "bob", "--out", "no folder/bob.key", "--no-passphrase"], "no folder"),
    (["key", "new", "--role", "bob", "--passphrase-file", "{tmp}/empty"], "empty line"),
    (["ledger", "check", "{folder}/passphrase"], "neither a copy"),
    (["ledger", "check", "{tmp}/empty"], "empty"),
    (["ledger", "check", "{tmp}/foreign.db"], "not a Tallystick matter"),
    (["ledger", "show", "{tmp}/truncated"], "Damaged: "),
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
    assert run.stderr.startswith(("Error: ", "Damaged: "))
    assert sentence in run.stderr


def test_every_command_has_help(tmp_path: Path) -> None:
    for words in ([], ["key"], ["key", "new"], ["key", "show"], ["ledger"], ["ledger", "show"], ["ledger", "check"]):
        assert "Usage: tallystick" in tallystick(*words, "--help", cwd=tmp_path).stdout
    assert tallystick("--version", cwd=tmp_path).stdout.startswith("tallystick, version ")
