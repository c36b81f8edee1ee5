"""The real command, and its page in a real browser: by keyboard, in light and dark, and as a screen reader needs it."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from ledger.roles import Role
from tests.support.browsing import chromium, faults, needs_browser
from tests.support.exchange_cases import Table
from tests.support.operated import Operated

pytestmark = [pytest.mark.slow, needs_browser]


class Started:
    """`tallystick run` as a process."""

    def __init__(self, operated: Operated, *options: str) -> None:
        table = operated.table
        words = ["run", table.matter, "--corpus", table.corpus.path, "--key", table.key_file(Role.TRENT)]
        words += ["--box", operated.box.root, "--no-browser", *options]
        program = [sys.executable, "-c", "from protocol.cli import main; main()"]
        self.process = subprocess.Popen([*program, *map(str, words)], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        lines = iter(self.process.stdout.readline, "")
        self.address = next(found[0] for line in lines if (found := re.search(r"http://\S+", line)))

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=30)
        return self.process.returncode


@pytest.fixture
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def test_trent_releases_documents_and_asks_for_an_order_on_his_page(reporting: Table, browser: Browser) -> None:
    operated = Operated(reporting)
    operated.until(Role.BOB, "link")
    for role in operated.asked():
        operated.answer(role)
    started = Started(operated, "--hold", "1d")
    try:
        context = browser.new_context(color_scheme="dark", viewport={"width": 390, "height": 800})
        page = context.new_page()
        complaints: list[str] = []
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(started.address)
        page.get_by_role("button", name="Show Jo Smith (Bob) the documents now").wait_for()
        home = page.url
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
        page.get_by_role("button", name="Show Jo Smith (Bob) the documents now").focus()
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Show Jo Smith (Bob) the next documents now").wait_for()
        assert faults(page) == []
        idle = context.new_page()
        idle.goto(home)
        page.get_by_role("button", name="Show them now").click()
        news = idle.get_by_text("Something has happened")
        news.wait_for()
        idle.route("**/version", lambda route: route.abort())
        idle.get_by_text("The program does not answer").wait_for()
        idle.unroute("**/version")
        idle.get_by_text("The program does not answer").wait_for(state="hidden")
        assert news.is_visible()
        page.get_by_text("Released").first.wait_for()
        show, labelling = page.get_by_role("link", name="Show it"), page.get_by_text("Jo Smith (Bob) must label")
        show.or_(labelling).first.wait_for()  # a quick program has gone on before the page is back
        if show.is_visible():
            show.click()
        labelling.first.wait_for()
        page.get_by_text("Somebody does not answer").click()
        page.get_by_label("Who", exact=True).first.select_option("bob")
        page.get_by_role("button", name="Ask the court for an order").click()
        page.get_by_text("was served everything up to entry").wait_for()  # strict: it stands there once
        page.get_by_role("button", name="Sign this, and ask the court").click()
        page.get_by_text("has not answered. The court is asked.").first.wait_for()
        assert complaints == []
    finally:
        code = started.stop()
    assert code == 0
    assert operated.kinds()[-1] == "default"


def test_an_address_lets_one_browser_in_and_an_answer_by_mail_can_be_dropped_there(
    labelling: Table, browser: Browser
) -> None:
    operated = Operated(labelling)
    operated.go()
    answer = labelling.truthful(Role.BOB, operated.fetch(Role.BOB))
    assert answer.role is Role.BOB
    started = Started(operated, "--hold", "0")
    try:
        page = browser.new_context().new_page()
        page.goto(started.address)
        page.get_by_role("heading", name="Where the matter stands").wait_for()
        other = browser.new_context().new_page()
        refused = other.goto(started.address)
        assert refused is not None
        assert refused.status == 403
        page.get_by_label("An answer or an objection that came by mail").set_input_files(labelling.out)
        page.get_by_role("button", name="Take it").click()
        page.get_by_text("Jo Smith (Bob): accepted").first.wait_for()
        for _ in range(100):  # until somebody else is asked
            if page.get_by_role("link", name=re.compile("The question for .*Alice")).count():
                break
            page.wait_for_timeout(200)
            page.reload()
        with page.expect_download() as download:
            page.get_by_role("link", name=re.compile("The question for .*Alice")).first.click()
        assert download.value.suggested_filename.endswith(".zip")
    finally:
        started.stop()
    assert "labels" in operated.kinds()
