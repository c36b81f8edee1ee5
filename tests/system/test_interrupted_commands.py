"""A command that is interrupted in its middle says so, ends as it should, and leaves nothing behind.

Every command that writes something is interrupted by each signal at its steps on the disk. Commands that start other
processes, or work for long, run as they are typed, and are interrupted as soon as they are seen to work.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count, cycle
from pathlib import Path

import pytest

from protocol.corpus.corpus import Corpus
from protocol.sources.madeup import recipe
from tests.support import writing_commands
from tests.support.exchange_cases import Table
from tests.support.killing import Interrupter, interrupter, left_of
from tests.support.programs import PATIENCE, ROOT
from tests.support.writing_commands import COMMANDS

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
MAIN = "from protocol.cli import main; main()"
APART = {"corpus build": 11, "matter next": 11, "exhibit": 4}
"""How many steps on the disk from one signal to the next, where there are many; else 3."""
EARLY = 3
"""A step at which none of these has finished anything."""
QUICK = ("copy", "corpus synth", "forecast", "tallystick-verify")
"""What is tried in the quick tests; the slow ones try all commands."""


@pytest.fixture(scope="module")
def base(_labelling: Table, tmp_path_factory: pytest.TempPathFactory) -> Table:
    table = _labelling.copied(tmp_path_factory.mktemp("base"))
    writing_commands.prepare(table, tmp_path_factory.mktemp("twin"))
    return table


@pytest.fixture(scope="module")
def interrupted() -> Iterator[Interrupter]:
    with interrupter() as found:
        yield found


def check(interrupted: Interrupter, table: Table, name: str, step: int, number: signal.Signals) -> bool:
    """Whether the command got as far as this step; it was interrupted there, and left nothing."""
    before = {path for path in table.folder.rglob("*") if path.is_file()}
    ended = interrupted(writing_commands.program(name), COMMANDS[name](table), step, number)
    if not ended.signalled:
        return False
    code = 3 if name == "tallystick-verify" else 1
    if ended.code != 0:  # else all was written when the signal came
        assert (ended.code, "interrupted; nothing was" in ended.said) == (code, True), ended.said
        assert "Traceback" not in ended.said
    assert ended.left == []
    assert writing_commands.hidden(table) == []
    if name in QUICK and step == EARLY:
        after = {path for path in table.folder.rglob("*") if path.is_file()}
        assert after <= before | {table.matter.with_name(f"{table.matter.name}-{end}") for end in ("wal", "shm")}
    return True


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("name", QUICK)
def test_an_interrupted_command_leaves_nothing(
    base: Table, interrupted: Interrupter, tmp_path: Path, name: str, number: signal.Signals
) -> None:
    assert check(interrupted, base.copied(tmp_path / "table"), name, EARLY, number)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_is_interrupted_at_any_step_leaves_nothing_and_can_be_given_again(
    base: Table, interrupted: Interrupter, tmp_path: Path, name: str
) -> None:
    """By one signal after the other, since all of them are caught in one way."""
    tried = 0
    for step, number in zip(count(1, APART.get(name, 3)), cycle(SIGNALS)):
        table = base.copied(tmp_path / str(step))
        if not check(interrupted, table, name, step, number):
            break
        tried += 1
        code, said = writing_commands.run(name, table)
        assert code == 0 or "exists" in said, said
    assert tried >= len(SIGNALS)


# Commands that work for long, or with other processes


def workers(process: "subprocess.Popen[bytes]", _folder: Path) -> bool:
    """It has started another process."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    found = children.read_text().split() if children.exists() else []
    return bool(found) or _threads_children(process.pid)


def _threads_children(pid: int) -> bool:
    return any(path.read_text().strip() for path in Path(f"/proc/{pid}/task").glob("*/children"))


def writes(process: "subprocess.Popen[bytes]", folder: Path) -> bool:
    """Something new is in the folder."""
    return any(path.name.startswith((".", "out")) for path in folder.iterdir())


Seen = Callable[["subprocess.Popen[bytes]", Path], bool]

LONG: dict[str, tuple[str, Seen, tuple[str, ...]]] = {
    "corpus build, a folder": ("corpus build MAIL --out out", workers, ("out.partial",)),
    "corpus build, lines": ("corpus build LINES --out out", writes, ()),
    "corpus check": ("corpus check --extract READ", workers, ()),
    "corpus mail": ("corpus mail --documents 50000 --responsive 50 --out out", writes, ()),
    "corpus synth": ("corpus synth --documents 1000000 --responsive 50 --out out.jsonl.gz", writes, ()),
    "simulate": (
        "simulate CORPUS --responsive responsive --rounds 150 --batch 2 --out out.matter",
        writes,
        ("out.matter",),
    ),
    "demo": ("demo --out out", writes, ()),
    "experiment theory": ("experiment theory --quick --out out", workers, ()),
    "experiment critical": ("experiment critical --out out", workers, ()),
    "experiment curves": ("experiment curves --out out", writes, ()),
}  # fmt: skip
"""By name: what is typed, when it is interrupted, and what may stay, because the next run goes on with it."""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory, small_corpus: Corpus) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("sources")
    recipe.write(folder / "mail", documents=400, responsive=20, seed="1")
    read = [sys.executable, "-c", MAIN, "corpus", "build", str(folder / "mail"), "--out", str(folder / "read")]
    subprocess.run(read, cwd=ROOT, check=True, capture_output=True)
    lines = b"".join(b'{"id":"%d","text":"words of mail %d"}\n' % (each, each) for each in range(200_000))
    (folder / "lines.jsonl").write_bytes(lines)
    names = {"MAIL": "mail", "LINES": "lines.jsonl", "READ": "read"}
    return {word: str(folder / name) for word, name in names.items()} | {"CORPUS": str(small_corpus.path)}


def started(words: list[str], folder: Path, scratch: Path) -> "subprocess.Popen[bytes]":
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "LANG": "C.UTF-8", "TMPDIR": str(scratch)}
    return subprocess.Popen(
        [sys.executable, "-c", MAIN, *words],
        cwd=folder,
        env=environment | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number"), list(zip(LONG, cycle([signal.SIGINT, signal.SIGTERM]))))
def test_an_interrupted_process_ends_its_workers_and_leaves_no_half_file_and_no_scratch_folder(
    sources: dict[str, str], tmp_path: Path, name: str, number: signal.Signals
) -> None:
    typed, is_at_work, may_stay = LONG[name]
    folder, scratch = tmp_path / "folder", tmp_path / "scratch"
    folder.mkdir()
    scratch.mkdir()
    process = started([sources.get(word, word) for word in typed.split()], folder, scratch)
    try:
        end = time.monotonic() + PATIENCE
        while not is_at_work(process, folder) and process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        assert process.poll() is None, process.communicate()
        time.sleep(0.2)
        process.send_signal(number)
        _, said = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 1, said
    assert said == b"Error: interrupted; nothing was left half done. Run the same command again\n"
    assert left_of(process.pid) == []
    assert {path.name for path in folder.iterdir()} <= set(may_stay)
    assert list(scratch.iterdir()) == []


@pytest.mark.slow
def test_a_closed_pipe_ends_a_command_without_a_word_and_the_matter_stays_as_it_was(
    base: Table, tmp_path: Path
) -> None:
    table = base.copied(tmp_path / "table")
    before = table.matter.read_bytes()
    words = [
        sys.executable,
        "-c",
        MAIN,
        "ledger",
        "show",
        "--json",
        str(table.matter),
    ]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait(PATIENCE) in (0, 1)
    assert said == b""
    assert left_of(process.pid) == []
    assert table.matter.read_bytes() == before
    assert writing_commands.hidden(table) == []
