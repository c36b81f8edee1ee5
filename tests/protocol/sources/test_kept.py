"""A build that was killed goes on where it was; nothing kept is taken for something else."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from ledger.files import unfinished
from protocol.commands.corpus import corpus
from protocol.corpus.corpus import Corpus
from protocol.sources.family import Part
from protocol.sources.kept import MAGIC, Kept, is_kept, remove
from protocol.sources.limits import Limits
from protocol.sources.parts import File
from protocol.sources.problems import Cause

pytestmark = pytest.mark.slow

FILE = File(name="a.eml", content=b"mail", declared="message/rfc822")
FIRST = Part(
    index=0, parent=None, name="a.eml", content=b"mail", kind="mail", text="hello", tool="t 1", options="o",
    fields={"from": "a"}, notes=((Cause.UNREAD_PART, "so"),), pages=2,
)  # fmt: skip
PARTS = (FIRST, replace(FIRST, index=1, parent=0, name="b", content=b"inner"))


def kept(path: Path, limits: Limits | None = None) -> Kept:
    return Kept(path / "out.partial", limits or Limits())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    store = kept(tmp_path)
    store.put(FILE, PARTS)
    store.put(replace(FILE, content=b"other"), PARTS[:1])
    store.close()
    return tmp_path


def test_what_was_kept_comes_back_whole(path: Path) -> None:
    store = kept(path)
    assert store.get(FILE) == PARTS
    other = store.get(replace(FILE, content=b"other"))
    assert other is not None
    assert other[0].content == b"other"
    assert (path / "out.partial").stat().st_mode & 0o777 == 0o600
    store.close()


def test_another_file_name_type_or_limit_is_read_again(path: Path) -> None:
    store = kept(path)
    for other in (replace(FILE, name="b"), replace(FILE, declared=""), replace(FILE, content=b"Mail")):
        assert store.get(other) is None
    store.close()
    store = kept(path, Limits(depth=3))
    assert store.get(FILE) is None
    store.close()


def test_a_record_that_was_cut_is_none_and_the_next_one_follows_the_last_whole_one(path: Path) -> None:
    file = path / "out.partial"
    whole = file.read_bytes()
    for cut in range(1, len(whole) - len(MAGIC), 7):
        file.write_bytes(whole[:-cut])
        store = kept(path)
        assert store.get(replace(FILE, content=b"other")) is None
        store.put(replace(FILE, content=b"new"), PARTS)
        store.close()
        store = kept(path)
        assert store.get(replace(FILE, content=b"new")) is not None
        assert store.get(FILE) in (PARTS, None)
        store.close()


def test_a_record_that_was_changed_is_read_again(path: Path) -> None:
    file = path / "out.partial"
    raw = file.read_bytes()
    for place in range(len(MAGIC), len(raw), 5):
        file.write_bytes(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])
        store = kept(path)
        assert store.get(FILE) in (PARTS, None)
        store.close()


def test_somebodys_own_file_of_that_name_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files/a.txt").write_text("some words")
    (tmp_path / "corpus.partial").write_text("mine")
    assert not is_kept(tmp_path / "corpus.partial")
    build(tmp_path).communicate(timeout=120)
    assert Corpus.open(tmp_path / "corpus").size == 1
    remove(tmp_path / "corpus.partial")
    assert (tmp_path / "corpus.partial").read_text() == "mine"


def build(folder: Path) -> "subprocess.Popen[bytes]":
    program = "from protocol.commands.corpus import corpus; corpus()"
    arguments = ["build", str(folder / "files"), "--out", str(folder / "corpus"), "--seed", "1", "--json"]
    return subprocess.Popen([sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE)


def test_a_build_that_was_killed_goes_on_and_makes_the_same_corpus(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    for number in range(400):
        (tmp_path / f"files/{number:04}.txt").write_text(f"words of number{number} " * 50)
    first = build(tmp_path)
    partial = tmp_path / "corpus.partial"
    end = time.monotonic() + 60
    while not (partial.exists() and partial.stat().st_size > 50_000) and time.monotonic() < end:
        time.sleep(0.01)
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    assert not (tmp_path / "corpus").exists()
    size = partial.stat().st_size
    assert size > 50_000
    told, _ = build(tmp_path).communicate(timeout=120)
    assert not partial.exists()
    again, _ = build_at(tmp_path / "again", tmp_path / "files")
    assert json.loads(told)["root"] == json.loads(again)["root"]
    assert sorted(each.name for each in tmp_path.iterdir() if not each.name.startswith(".")) == [
        "again",
        "corpus",
        "files",
    ]


def build_at(folder: Path, files: Path) -> tuple[bytes, bytes]:
    folder.mkdir()
    (folder / "files").symlink_to(files)
    return build(folder).communicate(timeout=120)


@pytest.mark.parametrize("cause", ["another build", "no scheduler"])
def test_what_was_read_stays_if_the_source_is_not_to_blame(cause: str, tmp_path: Path) -> None:
    """Least of all may a second build remove what the first one, which still runs, has read."""
    (tmp_path / "files").mkdir()
    (tmp_path / "files/a.txt").write_text("some words")
    partial, out = tmp_path / "corpus.partial", tmp_path / "corpus"
    partial.write_bytes(MAGIC)
    more = ["--scheduler", "tls://127.0.0.1:1"] if cause == "no scheduler" else []
    with unfinished(out) if cause == "another build" else nullcontext():
        found = CliRunner().invoke(corpus, ["build", str(tmp_path / "files"), "--out", str(out), *more])
    assert found.exit_code == 1, found.output
    assert is_kept(partial)


def test_what_was_read_of_a_source_that_is_refused_goes(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "corpus.partial").write_bytes(MAGIC)
    found = CliRunner().invoke(corpus, ["build", str(tmp_path / "files"), "--out", str(tmp_path / "corpus")])
    assert found.exit_code == 1, found.output
    assert not (tmp_path / "corpus.partial").exists()
