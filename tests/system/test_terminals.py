"""Names, captions, queries and files from outside cannot steer the terminal of whoever looks at them.

All commands are the installed ones, on a real terminal. `terminals.run` checks everything that reaches it.
"""

import json
import shutil
from pathlib import Path

import pytest

from ledger.plain import shown
from tests.support.real_matter import Behaviour, Play, run_here
from tests.support.terminals import STEERING, Terminals, run

SHOWN = shown(STEERING)
CASE, COURT, NAME, QUERY = (f"{word}{STEERING}\nForged: line{STEERING}" for word in ("Case", "Court", "Name", "prepay"))


def hostile_terms(play: Play) -> None:
    """Terms in which every text that the parties choose steers."""
    play.write_terms(batch=6, rounds=1, query=QUERY)  # one batch holds all six documents
    path = play.folder("trent") / "terms.toml"
    text = path.read_text()
    for role in ("alice", "bob", "trent", "court"):
        text = text.replace(f'"Counsel of {role}"', json.dumps(NAME + role))
    text = text.replace('"Roe v. Doe, No. 12-345"', json.dumps(CASE)).replace('"District Court"', json.dumps(COURT))
    path.write_text(text.replace("prepaid swaps", json.dumps(STEERING)[1:-1]).replace("\x7f", "\\u007f"))


def hostile_corpus(play: Play) -> list[str]:
    """Documents, labels and a source whose names steer; returns the documents' names."""
    names = [f"{STEERING}/mail {number}{STEERING}.eml" for number in range(6)]
    lines = [{"id": name, "text": f"prepay swap {name}", "labels": ["x" + STEERING]} for name in names]
    source = play.folder("trent") / f"source{STEERING}.jsonl"
    source.write_text("\n".join(map(json.dumps, [*lines, lines[0], STEERING])))
    return names


def build(play: Play) -> list[str]:
    names = hostile_corpus(play)
    run_here(play.folder("trent"), "tallystick", "corpus", "build", f"source{STEERING}.jsonl", "--out", "corpus")
    return names


def test_escape_codes_from_terms_and_names_do_not_reach_a_terminal(tmp_path: Path) -> None:
    """Attack: raw in what `matter open`, `matter next` and `status` print."""
    play = Play(tmp_path, run_here)
    play.make_keys()
    hostile_terms(play)
    build(play)
    play.runs = Terminals()
    opened = play.open().stdout
    asked = play.matter("next", "--corpus", "corpus", "--outbox", "outbox").stdout
    stands = play.tallystick("trent", "status", "case.matter").stdout
    for text, said in ((CASE, opened + stands), (COURT, opened + stands), (NAME, opened + asked), (QUERY, opened)):
        assert shown(text) in said
    assert "\nForged" not in opened + asked + stands


@pytest.mark.slow
def test_nothing_from_outside_steers_a_terminal_in_any_command(tmp_path: Path) -> None:
    play = Play(tmp_path, Terminals())
    trent = play.folder("trent")
    play.make_keys()
    names = hostile_corpus(play)
    said = run(trent, "tallystick", "corpus", "build", f"source{STEERING}.jsonl", "--out", "corpus")
    assert f"x{SHOWN} 6" in said
    hostile_terms(play)
    play.open()
    behaviour = Behaviour(
        truth=dict.fromkeys([shown(name) for name in names], True),
        claims=lambda asked, listed: {listed[0]: f"advice {STEERING}"},
        upholds=lambda name: False,
    )
    while play.exchange(behaviour):
        pass
    play.matter("close")
    while play.exchange(behaviour):
        pass
    copy = f"copy{STEERING}.jsonl"
    run(trent, "tallystick", "copy", "case.matter", "--for", "bob", "--key", "trent.key", "--out", copy)
    assert SHOWN in run(trent, "tallystick", "status", "case.matter")
    for file in ("case.matter", copy):
        run(trent, "tallystick", "ledger", "check", file)
    run(trent, "tallystick", "ledger", "show", copy)
    run(trent, "tallystick", "ledger", "show", "case.matter", "--entry", 0)
    assert "Case    Case\ufffd[2J\ufffd]0;owned" in run(trent, "tallystick-verify", copy)
    run(trent, "tallystick-verify", copy, "--explain", "--report", f"report{STEERING}.html")
    run(trent, "tallystick-verify", "compare", copy, copy)
    run(trent, "tallystick", "exhibit", "case.matter", "--number", 0, "--corpus", "corpus", "--out", f"e{STEERING}")
    run(trent, "tallystick-verify", "exhibit", f"e{STEERING}")


@pytest.mark.slow
def test_no_refusal_steers_a_terminal(tmp_path: Path) -> None:
    """What is quoted may be a word of the command line, a path, a key of TOML or JSON, or what stands in a file."""
    play = Play(tmp_path, run_here)
    trent = play.folder("trent")
    play.make_keys()
    build(play)
    (trent / f"bad{STEERING}.toml").write_text(f'[caption]\n"x{STEERING[:4]}" = 1\n'.replace("\x1b", "\\u001b"))
    (trent / f"worse{STEERING}.toml").write_text(f"[caption\x1b]{STEERING}")
    (trent / f"bad{STEERING}.json").write_text(json.dumps({STEERING: 1}, ensure_ascii=False))
    (trent / f"key{STEERING}.key").write_text(f"{STEERING}")
    (trent / f"trust{STEERING}").write_text(f"carol{STEERING} 1")
    shutil.copytree(trent / "corpus", trent / f"corpus{STEERING}")
    bad = f"bad{STEERING}.json"
    options = ("--corpus", f"corpus{STEERING}", "--key", f"key{STEERING}.key", "--out", f"m{STEERING}")
    for arguments, code in (
        ([STEERING], 2),
        (["matter", "open", f"bad{STEERING}.toml", *options], 1),
        (["matter", "open", f"worse{STEERING}.toml", *options], 1),
        (["matter", "accept", bad, bad, "--key", "trent.key"], 1),
        (["answer", bad, "--key", "alice.key.pub", "--out", STEERING], 1),
        (["ledger", "check", bad], 1),
        (["key", "show", f"key{STEERING}.key"], 1),
        (["simulate", f"corpus{STEERING}", "--responsive", STEERING, "--protocol", "label", "--out", "m"], 1),
        (["corpus", "build", bad, "--out", STEERING], 1),
    ):
        run(trent, "tallystick", *arguments, code=code)
    for arguments, code in (
        ([STEERING], 2),
        ([bad], 3),
        (["compare", bad, bad], 3),
        (["exhibit", f"corpus{STEERING}"], 3),
        ([bad, "--trust", f"trust{STEERING}"], 2),
    ):
        run(trent, "tallystick-verify", *arguments, code=code)


@pytest.mark.slow
def test_a_prompt_names_a_file_without_steering(tmp_path: Path) -> None:
    """A prompt for a passphrase goes to the terminal itself, past standard error."""
    (tmp_path / "secret").write_text("correct horse battery\n")
    file = f"k{STEERING}.key"
    run(tmp_path, "tallystick", "key", "new", "--role", "bob", "--passphrase-file", "secret", "--out", file)
    said = run(tmp_path, "tallystick", "key", "show", file, typed="correct horse battery\n")
    assert f"Passphrase of k{SHOWN}.key" in said
    assert "Fingerprint" in said
