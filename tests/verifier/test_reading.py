"""The verifier reads plain files only, and no more of one than was expected."""

import os
from pathlib import Path

import pytest

from verifier import reading


def test_a_file_is_read_up_to_its_largest_size(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    assert reading.at_most(tmp_path / "file", 5) == b"12345"
    with pytest.raises(OSError, match="it is larger than 4 bytes"):
        reading.at_most(tmp_path / "file", 4)


def test_a_pipe_a_folder_and_a_device_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(OSError, match="it is not a plain file"):
            reading.plain_file(path)
