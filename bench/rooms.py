"""A room in a real browser: how long it takes until the first document is on the screen, and the next after each key.

The room is the command itself, in a process of its own, and the question is a real one. A key is pressed as soon as the
document before is on the screen, which is faster than anybody reads. The time runs from the key's event in the page
to the frame after the next document was put there.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from ledger.roles import Role
from protocol.corpus import build
from protocol.sources import synthetic
from protocol.sources.source import SourceDocument
from tests.support import corpora
from tests.support.exchange_cases import Table

if TYPE_CHECKING:
    from playwright.sync_api import Page

AIM = 100
"""Milliseconds until the next document, at the 95th percentile."""
PATIENCE = 60_000
"""Milliseconds until something is on the screen at all."""
_LONG_EACH, _LONG = 10, 50_000  # every tenth document is long, as some mails are: so many characters
_KEYS = "nnrnnlnnrb"  # labels, later, back

_WATCH = """
window.times = [];
let pressed = null;
let waiting = null;
window.until = (count) => new Promise((done) => {
  if (times.length >= count) done();
  else waiting = done;
});
addEventListener("keydown", () => { pressed = performance.now(); }, true);
addEventListener("DOMContentLoaded", () => {
  const pane = document.getElementById("document");
  if (!pane) return;
  new MutationObserver(() => {
    if (pressed === null || !pane.querySelector("article")) return;
    const since = pressed;
    pressed = null;
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        times.push(performance.now() - since);
        waiting?.();
      };
      port2.postMessage(null);  // after the frame was painted
    });
  }).observe(pane, { childList: true });
});
"""


def run(documents: int, keys: int) -> None:
    """Measure a question of so many documents with so many keys."""
    from tests.support.browsing import CHROMIUM, chromium

    if CHROMIUM is None:
        print("rooms: left out, since there is no Chromium here", flush=True)
        return
    with tempfile.TemporaryDirectory() as scratch, chromium() as browser:
        table = _table(Path(scratch), documents)
        started = perf_counter()
        with _room(table) as address:
            listening = perf_counter() - started
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(PATIENCE)
            page.add_init_script(_WATCH)
            _opened(page, address)
            first = perf_counter() - started
            times = _pressed(page, keys)
            page.close()
    times.sort()
    median, late = times[len(times) // 2], times[min(len(times) - 1, len(times) * 95 // 100)]
    name = f"a room with {documents:,} documents: start to the first document"
    print(f"{name:<58} {first:8.3f} s  of which the program's start {listening:8.3f} s", flush=True)
    print(
        f"{f'the next document, {len(times)} keys':<58} median {median:5.0f} ms  95th percentile {late:5.0f} ms  "
        f"(aim: {AIM})",
        flush=True,
    )


def _table(folder: Path, documents: int) -> Table:
    """A matter in which Alice is asked for a report on so many documents."""
    (folder / "table").mkdir()
    corpus = build.build(_mails(documents), folder / "corpus", secret=corpora.SECRET)
    table = Table(folder=folder / "table", corpus=corpus)
    table.begin(rounds=1, batch=documents, query="")
    table.until(Role.ALICE, "report")
    return table


def _mails(documents: int) -> Iterator[SourceDocument]:
    found = synthetic.documents(documents=documents, responsive=documents // 4, seed="rooms")
    for number, each in enumerate(found):
        part = each.parts[0]
        text = (part.text * (_LONG // len(part.text)))[:_LONG] if number % _LONG_EACH == 0 else part.text
        yield replace(each, parts=(replace(part, content=text.encode(), text=text),))


@contextmanager
def _room(table: Table) -> Iterator[str]:
    """The command, and the address that it prints."""
    options = ["--key", str(table.key_file(Role.ALICE)), "--folder", str(table.folder / "outbox"), "--no-browser"]
    with subprocess.Popen(
        [sys.executable, "-c", "from protocol.cli import main; main()", "room", *options],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        try:
            assert process.stdout is not None
            yield next(line.strip() for line in process.stdout if "http://" in line)
        finally:
            process.kill()


def _opened(page: "Page", address: str) -> None:
    page.goto(address)
    page.click("text=Label the documents")
    page.wait_for_selector("#document article")


def _pressed(page: "Page", keys: int) -> list[float]:
    """Milliseconds from each key to the next document."""
    page.wait_for_selector("body[data-ready=true]")
    for number, key in enumerate(islice(cycle(_KEYS), keys), start=1):
        page.keyboard.press(key)
        page.evaluate("count => window.until(count)", number)
    found: list[float] = page.evaluate("window.times")
    return found
