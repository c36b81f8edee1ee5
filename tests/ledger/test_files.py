"""Files that must not exist yet: they never take the place of another, on any file system."""

import os
from pathlib import Path

import pytest

from ledger import files
from ledger.errors import Refused


def without_links(unfinished: Path, path: Path) -> None:
    raise PermissionError(1, "Operation not permitted")


@pytest.mark.parametrize("link", [os.link, without_links])
def test_a_file_that_came_meanwhile_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: object
) -> None:
    monkeypatch.setattr(os, "link", link)
    (tmp_path / "file").write_bytes(b"first")
    with pytest.raises(Refused, match="exists already"), files.new_file(tmp_path / "file") as stream:
        stream.write(b"second")
    assert (tmp_path / "file").read_bytes() == b"first"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
