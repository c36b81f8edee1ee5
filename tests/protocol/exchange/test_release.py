"""Which release wrote a question: README.txt names its version and wheel, and the hash if the installation noted it."""

import json
from email.message import Message
from importlib.metadata import Distribution, version
from pathlib import Path

import pytest

from ledger.hashing import Digest
from ledger.roles import Role
from protocol.exchange import readme, release
from protocol.exchange.readme import Guide
from protocol.exchange.release import Release
from protocol.parties.question import Request

HASH = "ab" * 32
WHEEL = "tallystick-0.1.0-py3-none-any.whl"


class Installed(Distribution):
    """An installation that has noted this about where it came from."""

    def __init__(self, noted: str | None) -> None:
        self.noted = noted

    def read_text(self, filename: str) -> str | None:
        return self.noted if filename == "direct_url.json" else None

    def locate_file(self, path: object) -> Path:
        raise NotImplementedError

    @property
    def metadata(self) -> Message:  # type: ignore[override]
        found = Message()
        found["Version"] = "0.1.0"
        return found


def noted(url: str, *, hashes: object) -> Release:
    return release.noted(Installed(json.dumps({"url": url, "archive_info": {"hashes": hashes}})))


def test_an_installation_from_a_wheel_knows_its_hash() -> None:
    found = noted(f"file:///home/trent/some%20folder/{WHEEL}", hashes={"sha256": HASH})
    assert found == Release(version="0.1.0", wheel=WHEEL, sha256=HASH)


@pytest.mark.parametrize(
    "told",
    [
        None,
        "",
        "no JSON",
        "[]",
        '{"url": "file:///src", "dir_info": {"editable": true}}',
        f'{{"url": "file:///{WHEEL}", "archive_info": {{}}}}',
        f'{{"url": "file:///{WHEEL}", "archive_info": {{"hashes": {{"md5": "{HASH}"}}}}}}',
        f'{{"url": "file:///{WHEEL}", "archive_info": {{"hashes": {{"sha256": "{HASH} and more"}}}}}}',
        f'{{"url": "file:///evil; rm -rf.whl", "archive_info": {{"hashes": {{"sha256": "{HASH}"}}}}}}',
    ],
)
def test_any_other_installation_does_not_and_names_the_usual_wheel(told: str | None) -> None:
    assert release.noted(Installed(told)) == Release(version="0.1.0", wheel=WHEEL)


def told(known: Release) -> str:
    nothing = Digest(bytes(32))
    asked = Request(
        entry=nothing, files={}, format=1, head=nothing, kind="labels", matter=nothing, role=Role.BOB, round=1, size=7,
        start=0,
    )  # fmt: skip
    return readme.text(asked, Guide(case="A v. B", release=known), 3).decode()


def test_the_readme_says_which_version_how_to_check_it_and_how_to_install_it() -> None:
    text = told(Release(version="0.1.0", wheel=WHEEL, sha256=HASH))
    for words in ("version 0.1.0 of tallystick wrote this question", f"sha256sum {WHEEL}", HASH):
        assert words in text
    assert f"pipx install './{WHEEL}[room]'" in text
    assert f"uv tool install './{WHEEL}[room]'" in text
    assert "nothing in it is ever run" in text


def test_the_readme_says_where_to_get_a_hash_that_is_not_known() -> None:
    text = told(Release(version="0.1.0", wheel=WHEEL))
    assert "SHA256SUMS" in text
    assert "It comes from Trent" not in text


def test_a_guide_names_the_release_that_runs() -> None:
    assert Guide(case="A v. B").release.version == version("tallystick")
