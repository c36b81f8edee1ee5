"""Documents as an honest Trent hands them over, in a real browser: what is a program is shown, and does not run.

Skipped where there is no browser, unless TALLYSTICK_NEEDS_BROWSER is set, as CI does: then that is a failure.
"""

import os
from pathlib import Path

import pytest

from protocol.exchange import pages
from tests.protocol.exchange.test_pages import asked
from tests.support import shown
from tests.verifier.test_report_browser import BROWSER, browse

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        BROWSER is None and "TALLYSTICK_NEEDS_BROWSER" not in os.environ,
        reason="no Chromium here: the documents are not opened in a browser",
    ),
]

SCRIPT = "<!DOCTYPE html><html><body><script>document.write('RAN' + 'NOW')</script></body></html>"
MAIL = f"From: a@example.com\nMIME-Version: 1.0\nContent-Type: text/html\n\n{SCRIPT}\n"


def test_a_document_that_is_a_program_does_not_run(tmp_path: Path) -> None:
    """Neither by its name nor by its first bytes, at which browsers look too. A mail they do not show at all."""
    documents = [
        shown.document(position=1, name="memo.html", content=SCRIPT.encode(), text=SCRIPT),
        shown.document(position=2, name="memo.eml", content=MAIL.encode(), text=MAIL),
    ]
    files = {each.file(1): each.parts[0].content for each in documents}
    for file, data in (pages.render(asked(), documents, "case") | files).items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(data)
    (tmp_path / "memo.html").write_text(SCRIPT)
    seen = [
        browse("--dump-dom", (tmp_path / file).as_uri()).stdout for file in (*files, "pages/0001.html", "memo.html")
    ]
    assert ["RANNOW" in each for each in seen] == [False, False, False, True]
    assert ["'RAN' + 'NOW'" in each for each in seen] == [True, False, True, True]
