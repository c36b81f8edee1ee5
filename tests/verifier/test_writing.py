"""The report of the verifier is there whole or not at all, and a killed verifier leaves nothing for ever."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from verifier import writing

HOLDING = """
import sys, time
from pathlib import Path
from verifier import writing
writing._name = lambda hidden, path: (print("written", flush=True), time.sleep(60))
writing.new_file(Path(sys.argv[1]), b"half")
"""


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def without_links(hidden: Path, path: Path) -> None:
    raise PermissionError(1, "Operation not permitted")


@pytest.mark.parametrize("link", [os.link, without_links])
def test_a_file_is_new_or_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: object) -> None:
    monkeypatch.setattr(os, "link", link)
    writing.new_file(tmp_path / "report", b"first")
    with pytest.raises(FileExistsError):
        writing.new_file(tmp_path / "report", b"second")
    assert (tmp_path / "report").read_bytes() == b"first"
    assert names(tmp_path) == ["report"]


def test_what_a_killed_process_left_goes_with_the_next_file_and_not_before(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDING, str(tmp_path / "report")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "written\n"
        with pytest.raises(OSError, match="another process is writing it"):
            writing.new_file(tmp_path / "report", b"whole")
        writing.remove_left(tmp_path / "report")
        assert names(tmp_path) == [".report.unfinished"]
        process.kill()
    assert names(tmp_path) == [".report.unfinished"]
    writing.new_file(tmp_path / "report", b"whole")
    assert (tmp_path / "report").read_bytes() == b"whole"
    assert names(tmp_path) == ["report"]


def test_a_link_under_the_hidden_name_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_bytes(b"mine")
    (tmp_path / ".report.unfinished").symlink_to("precious")
    with pytest.raises(OSError, match="Too many levels"):
        writing.new_file(tmp_path / "report", b"whole")
    assert (tmp_path / "precious").read_bytes() == b"mine"
