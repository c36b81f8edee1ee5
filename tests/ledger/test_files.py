"""Files and folders appear whole or not at all, replace nothing by accident, and leave nothing behind."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO

import pytest

from ledger import files
from ledger.errors import Refused
from ledger.store import Store

WRITING = {
    "file": "with files.new_file(path) as stream:\n    stream.write(b'half')\n    stream.flush()\n    wait()",
    "folder": "with files.new_folder(path) as folder:\n    (folder / 'half').write_text('half')\n    wait()",
    "matter": "schema.layout.lay_out = wait\nschema.create(path)",
}
SCRIPT = """
import sys, time
from pathlib import Path
from ledger import files, schema
path = Path(sys.argv[1])
def wait(*_):
    print("ready", flush=True)
    time.sleep(60)
"""


def without_links(unfinished: Path, path: Path) -> None:
    raise PermissionError(1, "Operation not permitted")


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@contextmanager
def writer(kind: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that is in the middle of writing, and is killed at the end."""
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT + WRITING[kind], str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def write(kind: str, path: Path) -> None:
    """Write a file, a folder or a matter."""
    match kind:
        case "file":
            with files.new_file(path) as stream:
                stream.write(b"whole")
        case "folder":
            files.write_folder(path, {"whole": b"whole"})
        case "matter":
            Store.create(path).close()


@pytest.mark.parametrize("link", [os.link, without_links])
def test_a_file_that_came_meanwhile_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: object
) -> None:
    monkeypatch.setattr(os, "link", link)
    with pytest.raises(Refused, match="exists already"), files.new_file(tmp_path / "file"):
        (tmp_path / "file").write_bytes(b"first")
    assert (tmp_path / "file").read_bytes() == b"first"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("kind", WRITING)
def test_what_a_killed_process_left_goes_with_the_next_one(tmp_path: Path, kind: str) -> None:
    with writer(kind, tmp_path / "out"):
        pass
    assert names(tmp_path) == [".out.lock", ".out.unfinished"]
    write(kind, tmp_path / "out")
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("kind", WRITING)
def test_what_a_living_process_writes_is_not_touched(tmp_path: Path, kind: str) -> None:
    with writer(kind, tmp_path / "out"):
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises(Refused, match="another process is writing .*out; wait until it has ended"):
            write(kind, tmp_path / "out")
        files.sweep(tmp_path / "out")
        assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("kind", WRITING)
def test_what_is_left_beside_a_finished_file_goes_when_its_name_is_found_taken(tmp_path: Path, kind: str) -> None:
    """A process killed right after the file got its name."""
    write(kind, tmp_path / "out")
    (tmp_path / ".out.unfinished").mkdir()
    (tmp_path / ".out.unfinished" / "half").write_text("half")
    (tmp_path / ".out.lock").touch()
    with pytest.raises(Refused, match="out exists already; choose another name"):
        write(kind, tmp_path / "out")
    assert names(tmp_path) == ["out"]


def test_a_matter_that_is_continued_loses_what_was_left_when_it_was_made(tmp_path: Path) -> None:
    Store.create(tmp_path / "matter").close()
    (tmp_path / ".matter.unfinished").mkdir()
    (tmp_path / ".matter.lock").touch()
    Store.open(tmp_path / "matter").close()
    assert len(names(tmp_path)) == 3  # whoever only reads removes nothing
    Store.open(tmp_path / "matter", writable=True).close()
    assert names(tmp_path) == ["matter"]


def test_a_link_under_the_hidden_name_is_removed_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").touch()
    (tmp_path / ".out.unfinished").symlink_to("precious")
    write("file", tmp_path / "out")
    assert names(tmp_path) == ["out", "precious"]
    assert names(tmp_path / "precious") == ["file"]


@pytest.mark.parametrize("stream", [files.replaced_file, files.replaced_alone])
def test_a_file_that_could_not_be_replaced_is_as_it_was(
    tmp_path: Path, stream: Callable[[Path], AbstractContextManager[IO[bytes]]]
) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / ".file.unfinished").write_bytes(b"left by a killed process")
    with pytest.raises(ZeroDivisionError), stream(tmp_path / "file"):
        raise ZeroDivisionError
    assert (tmp_path / "file").read_bytes() == b"old"
    with stream(tmp_path / "file") as into:
        into.write(b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
    assert names(tmp_path) == ["file"]


def test_a_folder_into_which_somebody_still_writes_goes_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a worker on another machine does, which has not heard yet that the command was interrupted."""
    remove, late = shutil.rmtree, [b"first", b"second"]

    def removed(path: Path, *, ignore_errors: bool) -> None:
        remove(path, ignore_errors=ignore_errors)
        if late:
            path.mkdir()
            (path / "late").write_bytes(late.pop())

    monkeypatch.setattr(shutil, "rmtree", removed)
    with pytest.raises(KeyboardInterrupt), files.new_folder(tmp_path / "out"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
