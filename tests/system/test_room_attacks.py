"""Requests to a room that its own pages did not make: another site in the same browser, rebinding, replays.

The room is a process and the browser is real, with the session of the party in it: all that protects the room is the
room itself. Whatever comes, not a byte changes in the party's folder.
"""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from ledger.roles import Role
from tests.support.browsing import chromium, needs_browser
from tests.support.exchange_cases import Table
from tests.support.programs import Program, until

pytestmark = [pytest.mark.slow, needs_browser]

FORM = "application/x-www-form-urlencoded"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


class Sitting:
    """A party in its room, with a question about documents on the screen."""

    def __init__(self, table: Table, browser: Browser, folder: Path) -> None:
        self.key = table.key_file(Role.ALICE)
        self.table = table
        self.outbox = table.folder / "outbox"
        table.questions()
        folder.mkdir()
        self.room = Program(folder, ["room", "--key", self.key, "--folder", self.outbox, "--no-browser"])
        self.address = self.room.start().address()
        self.base = self.address.partition("/enter")[0]
        self.context = browser.new_context()
        self.page = self.context.new_page()
        self.page.goto(self.address)
        self.root = self.page.url.rstrip("/")  # which an attacker is taken to know
        self.page.click("text=Label the documents")
        self.page.wait_for_selector("body[data-ready=true]")
        self.question = self.page.url.partition("#")[0]

    @property
    def cookie(self) -> str:
        """The session, as the browser keeps it."""
        (found,) = self.context.cookies(f"{self.root}/")
        return f"{found['name']}={found['value']}"

    def files(self) -> dict[str, bytes]:
        """All that is beside the key, and the answers."""
        found = [*self.key.parent.rglob(f"{self.key.name}*/**/*"), *self.key.parent.glob(f"{self.key.name}*")]
        found += (self.outbox / "answers").rglob("*")
        read = {str(path): path.read_bytes() for path in found if path.is_file()}
        assert str(self.key) in read
        return read

    def ask(self, method: str, path: str, body: str = "", **headers: str) -> tuple[int, str]:
        """A request that no browser makes, with headers as a liar writes them."""
        connection = http.client.HTTPConnection(self.base.removeprefix("http://"), timeout=30)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()


@pytest.fixture(scope="module")
def sitting(_reporting: Table, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sitting]:
    """One for all attacks, since none of them changes anything. The last one ends it."""
    folder = tmp_path_factory.mktemp("attacked")
    found = Sitting(_reporting.copied(folder / "table"), browser, folder / "room")
    try:
        yield found
    finally:
        found.context.close()
        found.room.kill()


@contextmanager
def another_site(html: str) -> Iterator[str]:
    """A site on another port of the same machine, which browsers take for the same site as the room."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_: Any) -> None:
            """Nothing: pytest would print it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


def _forged(action: str, fields: dict[str, str], enctype: str = FORM) -> str:
    inputs = "".join(f"<input name='{name}' value='{value}'>" for name, value in fields.items())
    return (
        f"<form method=post enctype='{enctype}' action='{action}'>{inputs}</form>"
        "<script>document.forms[0].submit()</script>"
    )


@pytest.mark.parametrize(
    ("path", "fields", "enctype"),
    [
        ("/links", {"links": "yes", "csrf": "guessed"}, FORM),
        ("/links", {"links": "yes"}, "multipart/form-data"),
        ("{question}/sign", {"mark": "00" * 32, "csrf": ""}, FORM),
        ("{question}/cells", {'{"cells":{"label/1":true},"': '"}'}, "text/plain"),
    ],
)
def test_a_form_of_another_site_is_refused(sitting: Sitting, path: str, fields: dict[str, str], enctype: str) -> None:
    before = sitting.files()
    action = sitting.root + path.replace("{question}", sitting.question.removeprefix(sitting.root))
    with another_site(_forged(action, fields, enctype)) as address:
        page = sitting.context.new_page()
        page.goto(address)
        expect(page.locator("h1")).to_have_text("Refused", timeout=30_000)
        expect(page.locator("p")).to_contain_text("another site")
        page.close()
    assert sitting.files() == before


def test_a_script_of_another_site_neither_reads_nor_changes_anything(sitting: Sitting) -> None:
    before = sitting.files()
    with another_site("<p>Weather</p>") as address:
        page = sitting.context.new_page()
        page.goto(address)
        reading = "address => fetch(address, {credentials: 'include'}).then(r => r.text(), () => 'nothing')"
        assert page.evaluate(reading, f"{sitting.question}/state") == "nothing"
        writing = """address => fetch(address, {method: 'POST', mode: 'no-cors', credentials: 'include',
            body: '{"cells": {"label/1": true}}'}).then(r => r.type, () => 'nothing')"""
        assert page.evaluate(writing, f"{sitting.question}/cells") in ("opaque", "nothing")
        page.set_content(f"<iframe src='{sitting.question}'></iframe>")
        until(lambda: len(page.frames) == 2, "the frame")
        assert page.frames[1].locator("#list").count() == 0
        page.close()
    assert sitting.files() == before


def test_another_name_for_this_computer_is_refused_even_with_the_session(sitting: Sitting) -> None:
    port = sitting.base.rpartition(":")[2]
    path = sitting.question.removeprefix(sitting.base)
    for host in (f"rebound.example:{port}", "rebound.example", f"127.0.0.1.rebound.example:{port}", "127.0.0.1"):
        status, said = sitting.ask("GET", path, Host=host, Cookie=sitting.cookie)
        assert status == 421
        assert 'id="list"' not in said
    status, said = sitting.ask("GET", path, Host=f"127.0.0.1:{port}", Cookie=sitting.cookie)
    assert status == 200
    assert 'id="list"' in said


def test_the_address_that_was_printed_lets_nobody_else_in(sitting: Sitting, browser: Browser) -> None:
    stranger = browser.new_page()
    stranger.goto(sitting.address)
    expect(stranger.locator("main")).to_contain_text("works once")
    stranger.goto(sitting.question)
    expect(stranger.locator("main")).to_contain_text("was not let in")
    stranger.close()


def test_a_signature_that_is_sent_again_signs_nothing_more(sitting: Sitting) -> None:
    page, posted = sitting.page, list[Request]()
    page.on("request", lambda request: posted.append(request) if request.method == "POST" else None)
    _label_all(page)
    page.keyboard.press("s")
    page.click("button.go")
    expect(page.locator("pre.receipt")).to_be_visible()
    (signed,) = [each for each in posted if each.url.endswith("/sign")]
    before, answers = sitting.files(), list((sitting.outbox / "answers").iterdir())
    sent = {"Cookie": sitting.cookie, "Origin": sitting.base, "Content-Type": FORM}
    path, body = signed.url.removeprefix(sitting.base), signed.post_data or ""
    status, _ = sitting.ask("POST", path, body, **sent)
    assert status in (303, 409)
    assert list((sitting.outbox / "answers").iterdir()) == answers
    assert sitting.files() == before
    status, _ = sitting.ask("POST", path, body, **{**sent, "Origin": "http://rebound.example"})
    assert status == 403
    sitting.room.kill()
    sitting.base = sitting.room.start().address().partition("/enter")[0]
    status, _ = sitting.ask("POST", path, body, **{**sent, "Origin": sitting.base})
    assert status == 403  # the session ended with the program
    assert sitting.files() == before


def _label_all(page: Page) -> None:
    for position in range(1, page.locator("#list li").count() + 1):
        expect(page.locator(f"article[data-position='{position}']")).to_be_visible()
        page.keyboard.press("n")
    expect(page.locator("#missing-count")).to_have_text("Nothing is missing: it can be signed")
    expect(page.locator("#kept")).to_contain_text("Everything is kept")
