"""A real Chromium for tests of pages on loopback."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright
from starlette.types import ASGIApp

from protocol.web import serving
from protocol.web.loopback import Guard

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = next(filter(None, map(shutil.which, _NAMES)), None)

needs_browser = pytest.mark.skipif(
    CHROMIUM is None and "TALLYSTICK_NEEDS_BROWSER" not in os.environ,
    reason="no Chromium here: the pages are not opened in a browser",
)


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        args = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=args)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def served(app: ASGIApp, max_body: int = 2**20) -> Iterator[Guard]:
    """The app on a real loopback socket."""
    listener = serving.listening()
    guard = Guard(serving.port_of(listener), max_body=max_body)
    with serving.beside(app, guard, listener):
        yield guard


def faults(page: Page) -> list[str]:
    """What axe-core finds on a page, in light and in dark."""
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        result: Any = Axe().run(page)
        found += [
            f"{scheme}: {each['id']}: {node['html'][:200]}: {node['failureSummary'][:300]}"
            for each in result["violations"]
            for node in each["nodes"]
        ]
    return found
