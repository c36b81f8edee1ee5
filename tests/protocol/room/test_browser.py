"""The room in a real browser: keys alone, a killed program, a hostile document, and what axe-core finds.

Skipped where there is no browser, unless TALLYSTICK_NEEDS_BROWSER is set, as CI does: then that is a failure.
"""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from ledger.keyfiles import write_keys
from ledger.roles import Role
from protocol.exchange import answer_file
from protocol.exchange.answering import Ready
from protocol.room import questions, reading
from protocol.room.app import MAX_BODY, App
from protocol.room.room import Room
from protocol.room.sources import FolderSource
from protocol.sources.source import SourceDocument, SourcePart
from tests.support import small_corpus
from tests.support.browsing import chromium, faults, needs_browser, served
from tests.support.exchange_cases import Table
from tests.support.forging.questions import signed_again
from tests.support.pictured import pictured
from tests.support.rooms import answer_of, only, room_of, sitting

pytestmark = [pytest.mark.slow, needs_browser]

BASIS = "Advice of counsel"
SCRIPT = "<script>document.title = 'RAN'</script><img src=x onerror=\"document.title='RAN'\"> and a word about swaps"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@contextmanager
def opened(browser: Browser, room: Room, *, complains: bool = False) -> Iterator[Page]:
    """The list of a room, on the screen. Whatever the console complains about is an error, unless pages are refused."""
    with served(App(room).starlette(), MAX_BODY) as guard:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(guard.address())
        try:
            yield page
        finally:
            page.close()
        assert complains or complaints == []


def ready(page: Page) -> None:
    page.wait_for_selector("body[data-ready=true]")


def kept(page: Page) -> None:
    expect(page.locator("#kept")).to_contain_text("Everything is kept")


def press(page: Page, *keys: str) -> None:
    """Press keys as somebody does who sees each document first."""
    for key in keys:
        page.wait_for_selector("#document:not([aria-busy]) article")
        page.keyboard.press(key)


def current(page: Page) -> int:
    return int(page.locator("#list a[aria-current]").get_attribute("href").lstrip("#"))  # type: ignore[union-attr]


def truthful(page: Page, table: Table, responsive: str = "r", other: str = "n") -> None:
    """Label everything with a key each."""
    names = {
        int(row.get_attribute("data-position") or 0): row.get_attribute("data-name")
        for row in page.locator("#list li").all()
    }
    for position, name in names.items():
        expect(page.locator(f"article[data-position='{position}']")).to_be_visible()
        page.keyboard.press(responsive if name in table.responsive else other)
    kept(page)


def test_a_report_is_labelled_and_signed_by_keyboard_alone(browser: Browser, table: Table) -> None:
    (question,) = table.questions().values()
    room = room_of(table, Role.ALICE)
    with opened(browser, room) as page:
        while page.evaluate("document.activeElement.textContent").strip() != "Round 1: Label the documents":
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        ready(page)
        truthful(page, table)
        page.keyboard.press("u")
        expect(page.locator("#now")).to_contain_text("taken back")
        expect(page.locator("#missing-count")).to_have_text("Missing before it can be signed: 1")
        name = page.locator("#list li", has=page.locator("a[aria-current]")).get_attribute("data-name")
        press(page, "d")
        expect(page.locator("#now")).to_contain_text("taken again")
        press(page, "u", "r" if name in table.responsive else "n")
        expect(page.locator("#missing-count")).to_have_text("Nothing is missing: it can be signed")
        kept(page)
        page.keyboard.press("s")
        expect(page.locator("h1")).to_have_text("What you are about to sign")
        while page.evaluate("document.activeElement.textContent").strip() != "Sign and send":
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator(".receipt")).to_contain_text("SHA-256 of the answer")
    table.accept(answer_file.read(answer_of(table, question)))


def test_a_key_does_not_decide_about_a_document_that_is_not_on_the_screen_yet(browser: Browser, table: Table) -> None:
    held: list[Route] = []
    with opened(browser, room_of(table, Role.ALICE)) as page:
        page.route("**/document/2", lambda route: held.append(route))
        page.click("text=Label the documents")
        ready(page)
        page.keyboard.press("n")
        page.keyboard.press("r")
        expect(page.locator("#now")).to_contain_text("not on the screen yet")
        held.pop().continue_()
        expect(page.locator("article[data-position='2']")).to_be_visible()
        kept(page)
        expect(page.locator("#count")).to_have_text("1 of 8")
        press(page, "r")
        expect(page.locator("#count")).to_have_text("2 of 8")


def test_a_long_list_is_shown_a_page_at_a_time_and_follows_the_document(
    browser: Browser, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list of a real question, repeated: 250 lines, of which only the first documents exist."""
    real = reading.listed

    def many(ready: Ready) -> list[dict[str, Any]]:
        (first, *_) = real(ready)
        return [first | {"position": place, "title": f"mail {place}"} for place in range(1, 251)]

    monkeypatch.setattr(reading, "listed", many)
    with opened(browser, room_of(table, Role.ALICE)) as page:
        page.click("text=Label the documents")
        ready(page)
        rows = page.locator("#list li")
        expect(rows).to_have_count(100)
        expect(page.locator("#list-range")).to_have_text("1 to 100 of 250")
        page.click("#list-later")
        page.click("#list-later")
        expect(rows).to_have_count(50)
        expect(page.locator("#list-later")).to_be_disabled()
        press(page, "j")
        expect(page.locator("#list a[aria-current]")).to_contain_text("mail 2")
        expect(page.locator("#list-range")).to_have_text("1 to 100 of 250")
        page.select_option("#filter", "open")
        expect(rows).to_have_count(8)
        expect(page.locator("#pager")).to_be_hidden()


def test_search_filter_marks_and_bulk(browser: Browser, table: Table) -> None:
    room = room_of(table, Role.ALICE)
    with opened(browser, room) as page:
        page.click("text=Label the documents")
        ready(page)
        press(page, *"mjmjmj")
        expect(page.locator("#marked")).to_have_text("3 marked")
        page.click("[data-bulk=not]")
        kept(page)
        expect(page.locator("#missing-count")).to_have_text("Missing before it can be signed: 5")
        page.select_option("#filter", "not")
        expect(page.locator("#list li:visible")).to_have_count(3)
        page.keyboard.press("Escape")
        page.locator("#filter").blur()
        page.keyboard.press("/")
        word = page.locator(".text").inner_text().split("Subject:")[1].split()[0]
        page.keyboard.type(word)
        page.keyboard.press("Enter")
        expect(page.locator("mark.second").first).to_have_text(re.compile(word, re.IGNORECASE))
        page.keyboard.press("u")
        expect(page.locator("#missing-count")).to_have_text("Missing before it can be signed: 8")


def test_a_remapped_key_stands_on_its_button_and_works(browser: Browser, table: Table) -> None:
    room = room_of(table, Role.ALICE)
    with opened(browser, room) as page:
        page.click("text=Settings")
        page.fill("#key-responsive", "y")
        page.click("button.go")
        expect(page.locator(".good")).to_have_text("Kept.")
        page.click("text=Questions")
        page.click("text=Label the documents")
        ready(page)
        expect(page.locator("[data-action=responsive] kbd")).to_have_text("y")
        press(page, "y")
        kept(page)
        expect(page.locator("#list li").first).to_contain_text("responsive")


@contextmanager
def started(table: Table, role: Role) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command itself, and the address that it prints."""
    command = ["room", "--key", str(table.key_file(role)), "--folder", str(table.folder / "outbox"), "--no-browser"]
    process = subprocess.Popen(
        [sys.executable, "-c", "from protocol.cli import main; main()", *command],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        line = next(each for each in process.stdout if "http://" in each)
        yield process, line.strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]


def test_what_was_decided_survives_a_killed_program_and_a_closed_browser(browser: Browser, table: Table) -> None:
    table.questions()
    with started(table, Role.ALICE) as (process, address):
        page = browser.new_page()
        page.goto(address)
        page.click("text=Label the documents")
        ready(page)
        press(page, *"rnn")
        kept(page)
        process.send_signal(signal.SIGKILL)
        process.wait()
        press(page, "r")
        expect(page.locator("#trouble")).to_contain_text("Not kept yet")
        page.close(run_before_unload=False)
    with started(table, Role.ALICE) as (process, address):
        page = browser.new_page()
        page.goto(address)
        page.click("text=Label the documents")
        ready(page)
        expect(page.locator("#count")).to_have_text("3 of 8")
        assert current(page) == 4
        page.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0


def test_another_server_on_this_machine_does_not_get_the_session(browser: Browser, table: Table) -> None:
    """A browser sends a cookie to all ports of a host; this one is for a path that the other server does not know."""
    seen: list[str] = []

    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.headers.get("cookie", ""))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    other = ThreadingHTTPServer(("127.0.0.1", 0), Other)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    try:
        with opened(browser, room_of(table, Role.ALICE)) as page:
            root = page.url
            assert page.context.cookies(root)
            elsewhere = f"http://127.0.0.1:{other.server_port}"
            page.goto(f"{elsewhere}/")
            page.goto(f"{elsewhere}/r-guessed/")
            page.goto(root)
            expect(page.locator("h1")).to_have_text("Questions")
    finally:
        other.shutdown()
        other.server_close()
    assert set(seen) == {""}


def test_a_document_with_a_script_is_shown_as_text(browser: Browser, tmp_path: Path) -> None:
    part = SourcePart(name="memo.html", content=SCRIPT.encode(), text=SCRIPT)
    name = SourcePart(name="<img src=x onerror=alert(1)>.txt", content=b"words", text="words")
    documents = [SourceDocument(parts=(each,), labels=("responsive",)) for each in (part, name)]
    documents += [replace(each, labels=("responsive",)) for each in small_corpus.DOCUMENTS[-1:]]
    table = Table(folder=tmp_path, corpus=small_corpus.make(tmp_path / "corpus", documents))
    table.begin(rounds=1, batch=len(documents), protocol="reveal-all", query="")
    table.until(Role.ALICE, "report")
    with opened(browser, room_of(table, Role.ALICE)) as page:
        page.click("text=Label the documents")
        ready(page)
        seen = []
        for _ in documents:
            seen.append(page.locator("#document").inner_text())
            page.keyboard.press("j")
            page.wait_for_timeout(200)
        assert any("<script>document.title = 'RAN'</script>" in text for text in seen)
        assert any("<img src=x onerror=alert(1)>.txt" in text for text in seen)
        assert "RAN" not in page.title()
        assert page.locator("#document img, #document script").count() == 0


def test_axe_finds_nothing_on_any_page(browser: Browser, table: Table) -> None:
    """In light and dark, on a wide screen and on a phone."""
    table.until(Role.ALICE, "report")
    found: dict[str, list[str]] = {}
    room = room_of(table, Role.ALICE)
    with opened(browser, room) as page:
        base = page.url.rstrip("/")
        question = f"/q/{only(room, 'report')}"
        found["inbox"] = faults(page)
        page.goto(f"{base}/settings")
        found["settings"] = faults(page)
        page.goto(f"{base}{question}/sign")
        found["missing"] = faults(page)
        page.goto(f"{base}{question}")
        ready(page)
        press(page, "m", "p")
        found["question"] = faults(page)
        page.set_viewport_size({"width": 390, "height": 800})
        found["question on a phone"] = faults(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        truthful(page, table)
        page.goto(f"{base}{question}/sign")
        found["sign"] = faults(page)
        with page.expect_navigation():
            page.click("button.go")
        found["receipt"] = faults(page)
    with table.office() as office:
        office.accept(answer_file.read(next((table.folder / "outbox" / "answers").glob("*.answer"))))
        office.default(Role.BOB)
    table.questions()
    with opened(browser, room_of(table, Role.COURT)) as page:
        with page.expect_navigation():
            page.locator("td a").first.click()
        found["order"] = faults(page)
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_axe_finds_nothing_on_the_courts_pages(browser: Browser, table: Table) -> None:
    """In camera, and where the parties disagree."""
    alice = sitting(table, Role.ALICE, table.until(Role.ALICE, "report"))
    alice.decide({f"label/{place}": True for place in alice.documents} | {"basis/1": BASIS, "basis/2": BASIS})
    alice.accepted()
    found: dict[str, list[str]] = {}
    camera = sitting(table, Role.COURT, table.until(Role.COURT, "privilege"))
    with opened(browser, camera.room) as page:
        page.click("text=In camera")
        ready(page)
        expect(page.locator("header .in-camera")).to_contain_text("IN CAMERA")
        expect(page.locator(".camera-facts dt")).to_have_text(["From", "To", "Date", "Claimed basis"])
        expect(page.locator(".camera-facts")).to_contain_text(BASIS)
        found["in camera"] = faults(page)
        press(page, "h", "o")
        kept(page)
        expect(page.locator("#missing-count")).to_have_text("Nothing is missing: it can be signed")
    camera.accepted()
    question = table.until(Role.BOB, "labels")
    bob = sitting(table, Role.BOB, question)
    bob.decide({f"label/{place}": False for place in bob.documents})
    bob.accepted()
    rulings = sitting(table, Role.COURT, table.until(Role.COURT, "rulings"))
    with opened(browser, rulings.room) as page:
        page.click("text=Rule where the parties disagree")
        ready(page)
        expect(page.locator(".sides h3")).to_have_text(["Acme Corp. (Alice)", "Jo Smith (Bob)"])
        found["rulings"] = faults(page)
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_axe_finds_nothing_on_pages_that_nobody_wants_to_see(
    browser: Browser, table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key is locked, a question is refused, at fault, or still being checked."""
    found: dict[str, list[str]] = {}
    question = table.until(Role.ALICE, "report")
    forged = signed_again(table, question, {"documents/0001-r9-other.txt": b"something"})
    (tmp_path / "forged").mkdir()
    forged.rename(tmp_path / "forged" / forged.name)
    room = room_of(table, Role.ALICE, tmp_path / "forged")
    with opened(browser, room, complains=True) as page:
        page.click("text=Label the documents")
        expect(page.locator("h1")).to_have_text("This question is at fault")
        found["fault"] = faults(page)
        page.goto(f"{page.url}x")
        expect(page.locator("h1")).to_have_text("This was not done")
        found["refused"] = faults(page)
        page.goto(page.url.partition("/r-")[0])
        expect(page.locator("h1")).to_have_text("Refused")
        found["refused by the guard"] = faults(page)
    key = tmp_path / "locked.key"
    write_keys(key, table.keys[Role.ALICE], Role.ALICE, b"correct horse")
    with opened(browser, Room(key, lambda _, role: FolderSource(question.parent, role)), complains=True) as page:
        found["unlock"] = faults(page)
        page.fill("#passphrase", "wrong")
        page.click("button.go")
        expect(page.locator("[role=alert]")).to_be_visible()
        found["a wrong passphrase"] = faults(page)
    room = room_of(table, Role.ALICE, question.parent)
    monkeypatch.setattr(questions, "PATIENCE", 0.1)
    go = threading.Event()
    room._desks._pool.submit(go.wait, 60)
    with opened(browser, room) as page:
        page.click("text=Label the documents")
        expect(page.locator("[role=status]")).to_contain_text("The question is being checked")
        found["checking"] = faults(page)
        go.set()
        ready(page)
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_pictures_of_pages_are_seen(browser: Browser, tmp_path: Path) -> None:
    table = pictured(tmp_path)
    table.until(Role.ALICE, "report")
    with opened(browser, room_of(table, Role.ALICE)) as page:
        page.click("text=Label the documents")
        ready(page)
        page.click("#list >> text=a.pdf")
        page.click("summary:has-text('Pictures of 2 pages')")
        picture = page.locator(".images img").first
        expect(picture).to_be_visible()
        page.wait_for_timeout(300)
        assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
