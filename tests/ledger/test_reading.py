"""A file that is read must be a regular one, and no larger than expected."""

import os
from pathlib import Path

import pytest

from ledger import reading


def test_a_file_is_read_up_to_its_largest_size(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    assert reading.whole(tmp_path / "file", 5, "a thing") == b"12345"
    with pytest.raises(OSError, match="it is too large to be a thing"):
        reading.whole(tmp_path / "file", 4, "a thing")


def test_a_file_without_a_stated_size_is_read() -> None:
    assert reading.whole(Path("/proc/self/status"), 2**20, "a thing").startswith(b"Name:")


def test_a_pipe_a_folder_and_a_device_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for path, kind in (
        (tmp_path / "pipe", "a pipe or a device"),
        (Path("/dev/zero"), "a pipe or a device"),
        (tmp_path, "a folder"),
    ):
        with pytest.raises(OSError, match=f"it is {kind}, not a file") as refused:
            reading.opened(path)
        assert refused.value.filename == str(path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
