"""The page in a real browser, at the sizes of a desk, a phone and a sheet of paper.

Skipped where there is no browser, unless TALLYSTICK_NEEDS_BROWSER is set, as CI does: then that is a failure.
"""

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.busy_verdict import busy, checked
from tests.vectors import FOLDER
from tests.verifier.test_report import hostile_verdict
from verifier.report import About, page
from verifier.verification import verify

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"))), None
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        BROWSER is None and "TALLYSTICK_NEEDS_BROWSER" not in os.environ,
        reason="no Chromium here: the page is not looked at in a browser",
    ),
]

WIDTHS = {"desktop": 1280, "phone": 390, "smallest phone": 320}
NAMES = (
    "valid-label-bob",
    "valid-eventful-label-court",
    "valid-classifier-public",
    "trent-inflates-recall",
    "damage-a-changed-byte",
)

MEASURE = """
<body><pre id="found"></pre><script>
const found = {}, widths = WIDTHS;
for (const [size, width] of Object.entries(widths)) {
  const frame = document.createElement("iframe");
  frame.style = `width:${width}px;height:900px;border:0`;
  frame.onload = () => {
    const page = frame.contentDocument, root = page.documentElement, look = frame.contentWindow.getComputedStyle;
    const sticks = [...page.querySelectorAll("body *")].filter(each => !each.closest(".scroll, .defs, svg")
      && each.getBoundingClientRect().right > root.clientWidth + 1);
    const tables = [...page.querySelectorAll(".scroll")].filter(each => each.scrollWidth > each.clientWidth + 1);
    found[size] = {
      overflow: root.scrollWidth - root.clientWidth,
      sticks: sticks.map(each => each.outerHTML.slice(0, 120)),
      unstyled: look(page.querySelector(".answer")).display !== "flex",
      flat: [...page.querySelectorAll("figure svg")].filter(each => each.getBoundingClientRect().height < 20).length,
      scrolling: tables.length,
      silent: tables.filter(each => !look(each, "::before").content.includes("sideways"))
        .map(each => each.getAttribute("aria-label")),
      below: [...page.querySelectorAll(".answer, .proven")].some(each => each.getBoundingClientRect().bottom > 900)};
    document.getElementById("found").textContent = JSON.stringify(found);
  };
  frame.srcdoc = SOURCE;
  document.body.append(frame);
}
</script>"""
GOOD = {"overflow": 0, "sticks": [], "unstyled": False, "flat": 0, "silent": [], "below": False}


def browse(*options: str) -> subprocess.CompletedProcess[str]:
    assert BROWSER is not None, "TALLYSTICK_NEEDS_BROWSER is set, and there is no Chromium here"
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return subprocess.run(
        [BROWSER, "--headless", "--disable-gpu", "--enable-logging=stderr", "--v=0", *sandbox, *options],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )


def source(name: str) -> str:
    if name == "hostile":
        return page(hostile_verdict(), About(file="x" * 300))
    if name in ("busy", "checked"):
        return page(busy() if name == "busy" else checked(), About(file="bob.jsonl"))
    path = FOLDER / "transcripts" / f"{name}.jsonl"
    return page(verify(path, detailed=True), About(file=path.name))


def console(stderr: str) -> list[str]:
    """What the browser says of the page itself."""
    return [line for line in stderr.splitlines() if "CONSOLE" in line]


def measured(folder: Path, source: str) -> Any:
    """How a page lies at each width."""
    frame = folder / "frame.html"
    quoted = json.dumps(source).replace("</", "<\\/")  # which would end the script that holds the page
    frame.write_text(MEASURE.replace("WIDTHS", json.dumps(WIDTHS)).replace("SOURCE", quoted))
    done = browse("--window-size=1400,1000", "--virtual-time-budget=8000", "--dump-dom", frame.as_uri())
    told = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
    assert told is not None
    return json.loads(html.unescape(told[1]))


@pytest.mark.parametrize("name", [*NAMES, "hostile", "busy", "checked"])
def test_nothing_sticks_out_at_any_width(tmp_path: Path, name: str) -> None:
    found = measured(tmp_path, source(name))
    assert found.keys() == WIDTHS.keys()
    # A name of 60 letters without a blank makes the headings of a table wide on any screen, and then it scrolls.
    good = {key: value for key, value in GOOD.items() if name != "hostile" or key != "silent"}
    for each in found.values():
        assert each | good == each


@pytest.mark.parametrize("size", WIDTHS)
def test_a_table_that_scrolls_says_so(tmp_path: Path, size: str) -> None:
    found = measured(tmp_path, source("busy"))[size]
    assert found["silent"] == []
    assert found["scrolling"] == (0 if size == "desktop" else 2)


def test_what_sticks_out_would_be_noticed(tmp_path: Path) -> None:
    wide = source(NAMES[0]).replace("</main>", f"<pre>{'x' * 400}</pre></main>")
    found = measured(tmp_path, wide)
    assert all(each["overflow"] > 0 for each in found.values())


@pytest.mark.parametrize("name", ["valid-label-bob", "trent-inflates-recall", "busy", "checked"])
def test_the_console_stays_silent_and_the_page_prints(tmp_path: Path, name: str) -> None:
    file, paper, picture = tmp_path / "report.html", tmp_path / "report.pdf", tmp_path / "report.png"
    file.write_text(source(name))
    shown = browse("--window-size=1280,1000", f"--screenshot={picture}", file.as_uri())
    printed = browse(f"--print-to-pdf={paper}", "--no-pdf-header-footer", file.as_uri())
    assert console(shown.stderr) == console(printed.stderr) == []
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert paper.read_bytes().count(b"/Type /Page\n") >= 3


def test_the_test_would_notice_a_script_and_a_style_that_the_policy_forbids(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(source(NAMES[0]).replace("</main>", "<script>1</script><p style='color:red'>x</p></main>"))
    done = browse("--window-size=1280,1000", f"--screenshot={tmp_path / 'report.png'}", file.as_uri())
    assert len(console(done.stderr)) >= 2
