"""Programs that convert a stranger's file: only the input is there, and only what they leave is taken."""

import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from protocol.sources.limits import Limits
from protocol.sources.parts import Unextractable
from protocol.sources.problems import Cause
from protocol.sources.sandbox import confine, programs

LIMITS = Limits(program_seconds=3, output=2**20)

needs_namespaces = pytest.mark.skipif(
    os.system("unshare -Urnm true 2>/dev/null") != 0, reason="this machine lets nobody make namespaces"
)


def run(script: str, limits: Limits = LIMITS) -> dict[str, bytes]:
    return programs.run_program(["sh", "-c", script], "in.doc", b"hello", limits)


def test_a_program_gets_its_input_and_what_it_makes_is_returned() -> None:
    made = run("cat in.doc in.doc > out.txt; mkdir sub; echo x > sub/y; echo z > $HOME/z")
    assert made == {"out.txt": b"hellohello", "sub/y": b"x\n"}


@pytest.mark.parametrize(
    ("script", "cause", "words"),
    [
        ("echo no such filter >&2; exit 3", Cause.DAMAGED, "no such filter"),
        ("exit 3", Cause.DAMAGED, "exit code 3"),
        ("sleep 60", Cause.TOO_SLOW, "3 seconds"),
        ("setsid sleep 60 & sleep 60", Cause.TOO_SLOW, "3 seconds"),
        ("kill -SEGV $$", Cause.DAMAGED, "exit code"),
        ("for n in 1 2 3; do head -c 900000 /dev/zero > out$n; done", Cause.TOO_LARGE, "larger than"),
    ],
)
def test_a_program_that_fails_is_a_reason(script: str, cause: Cause, words: str) -> None:
    with pytest.raises(Unextractable) as refused:
        run(script)
    assert refused.value.cause is cause
    assert words in refused.value.detail


def test_a_program_that_is_not_installed_is_needed() -> None:
    with pytest.raises(Unextractable) as refused:
        programs.run_program(["no-such-program"], "in.doc", b"", LIMITS)
    assert refused.value.cause is Cause.NEEDS_TOOL


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/etc/x", "\0", ".home"])
def test_an_input_is_named_plainly(name: str) -> None:
    with pytest.raises(ValueError, match="plain"):
        programs.run_program(["true"], name, b"", LIMITS)


def test_links_that_a_program_leaves_are_not_followed() -> None:
    assert run("ln -s /etc/passwd out.txt; ln -s / root; mkfifo pipe; echo x > good") == {"good": b"x\n"}


@needs_namespaces
def test_a_program_sees_no_file_of_this_machines_users_and_no_network(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        probe = f"cat {tmp_path}/secret {Path.home()}/.profile; echo x > {tmp_path}/mine; echo x > /usr/mine; exit 0"
        connect = f"bash -c 'echo x > /dev/tcp/127.0.0.1/{port}' && echo reached"
        made = run(f"({probe}; {connect}) > out 2>&1; ls / >> out; true")
    assert b"reached" not in made["out"]
    assert b"secret\n" not in made["out"].replace(b"/secret", b"")
    assert b"home" not in made["out"].split()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["secret"]
    assert set(programs.held()) == set(confine.PROTECTIONS)


@needs_namespaces
def test_what_a_program_has_started_ends_with_it() -> None:
    run("setsid sleep 61234 & echo x > out")
    end = time.monotonic() + 5
    while _sleepers() and time.monotonic() < end:
        time.sleep(0.05)
    assert not _sleepers()


def _sleepers() -> list[str]:
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                found += [each.name] if b"61234" in (each / "cmdline").read_bytes() else []
            except OSError:
                continue
    return found


def test_the_folder_of_a_killed_build_is_removed_by_the_next_and_nobody_elses_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen(["true"])
    ended.wait()
    names = [f"tallystick-build-{ended.pid}-a", f"tallystick-build-{os.getpid()}-b", "tallystick-build-mine-c", "other"]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "input.doc").write_bytes(b"a document")
    (tmp_path / f"tallystick-build-{ended.pid}-link").symlink_to(tmp_path / "other")
    programs._sweep.cache_clear()
    programs._sweep()
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == sorted([*names[1:], f"tallystick-build-{ended.pid}-link"])
    assert (tmp_path / "other" / "input.doc").exists()
