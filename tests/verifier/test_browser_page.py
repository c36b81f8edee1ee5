"""The page's own tests, on files that our commands make: in Node, and in a real browser."""

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.support.browsing import CHROMIUM
from tests.support.node import needs_node
from tests.vectors import FOLDER
from verifier import browser

pytestmark = [pytest.mark.slow, needs_node]

SIZE = 300_000
"""Bytes that the page must stay below."""


@pytest.fixture(scope="module")
def environment(page_built: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the page's tests are told, with the files that they need made by the installed commands."""
    told = {
        "TALLYSTICK_BIN": sysconfig.get_path("scripts"),
        "TALLYSTICK_PAGE": str(page_built / "dist" / browser.NAME),
        "TALLYSTICK_SAMPLES": str(tmp_path_factory.mktemp("samples")),
        "TALLYSTICK_VECTORS": str(FOLDER),
    }
    found = {**os.environ, **told, **({"TALLYSTICK_CHROMIUM": CHROMIUM} if CHROMIUM else {})}
    run(page_built, "samples", found)
    return found


def run(folder: Path, script: str, environment: dict[str, str]) -> str:
    """What a script of the page's package.json says, which must succeed."""
    ran = subprocess.run(
        ["npm", "run", "--silent", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_page_is_small_enough_to_be_sent_by_mail() -> None:
    assert len(browser.page()) < SIZE


def test_its_types_are_strict(page_built: Path) -> None:
    run(page_built, "check", dict(os.environ))


def test_every_vector_exhibit_volume_and_handed_document_is_judged_rightly_in_node(
    page_built: Path, environment: dict[str, str]
) -> None:
    assert "skipped 0" in run(page_built, "test", environment)


def test_every_vector_is_judged_rightly_in_a_browser_and_a_reader_finds_the_way(
    page_built: Path, environment: dict[str, str]
) -> None:
    if CHROMIUM is None and "TALLYSTICK_NEEDS_BROWSER" not in os.environ:
        pytest.skip("no Chromium here: the page is not tried in a browser")
    assert "skipped 0" in run(page_built, "test:browser", environment)
