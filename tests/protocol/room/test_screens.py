"""The pictures of a room in docs/: the pages that they show are still there, and are drawn again when asked for.

`make screens` draws them (it sets TALLYSTICK_SCREENS). Pictures are not compared: fonts differ from machine to machine.
"""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from ledger.roles import Role
from protocol.room.app import MAX_BODY, App
from protocol.room.room import Room
from tests.support import office_mail
from tests.support.browsing import chromium, needs_browser, served
from tests.support.rooms import sitting

DOCS = Path(__file__).parents[3] / "docs"
NAMES = ("room-inbox", "room-report", "room-signing", "room-camera")
LARGEST = 150_000
BASIS = "Attorney-client privilege"


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_there_small_and_used(name: str) -> None:
    data = (DOCS / "figures" / f"{name}.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(data) < LARGEST
    assert re.search(rf"!\[[^]]{{20,}}\]\(figures/{name}\.png\)", (DOCS / "rooms.md").read_text())


def test_no_other_picture_of_a_room_is_there() -> None:
    assert {path.stem for path in (DOCS / "figures").glob("room-*")} == set(NAMES)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def drawn(page: Page, name: str) -> None:
    """Draw what is on the screen, if that is asked for; whatever it is, it must be small enough."""
    data = page.screenshot(animations="disabled", caret="hide")
    assert len(data) < LARGEST, f"{name} has {len(data)} bytes"
    if "TALLYSTICK_SCREENS" in os.environ:
        (DOCS / "figures" / f"{name}.png").write_bytes(data)


def looked_at(browser: Browser, room: Room, work: Callable[[Page], None]) -> None:
    with served(App(room).starlette(), MAX_BODY) as guard:
        page = browser.new_page(viewport={"width": 1160, "height": 680}, color_scheme="light")
        page.goto(guard.address())
        work(page)
        page.close()


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.wait_for_selector("#document:not([aria-busy]) article")
        page.keyboard.press(key)


@pytest.mark.slow
@needs_browser
def test_the_pages_of_the_pictures_are_still_there(browser: Browser, tmp_path: Path) -> None:
    """Alice's list, her report, what she is about to sign, and what the court then reads in camera."""
    table = office_mail.table(tmp_path)
    alice = sitting(table, Role.ALICE, table.until(Role.ALICE, "report"))
    places = {name: place for place, name in alice.documents.items()}
    advice = [place for name, place in places.items() if name.startswith(("03", "04"))]

    def report(page: Page) -> None:
        expect(page.locator("h1")).to_have_text("Questions")
        drawn(page, "room-inbox")
        page.click("text=Label the documents")
        page.wait_for_selector("body[data-ready=true]")
        for name, place in list(places.items())[:5]:
            expect(page.locator(f"article[data-position='{place}']")).to_be_visible()
            press(page, *(["p"] if place in advice else []), "r" if name in table.responsive else "n")
        expect(page.locator("#kept")).to_contain_text("Everything is kept")
        page.goto(f"{page.url.partition('#')[0]}#{places['02.eml']}")
        expect(page.locator("article")).to_contain_text("the storage position")
        expect(page.locator("mark").first).to_have_text(re.compile("swaps?", re.IGNORECASE))
        drawn(page, "room-report")
        alice.label()
        alice.decide({f"basis/{place}": BASIS for place in advice})
        page.goto(f"{page.url.partition('#')[0]}/sign")
        expect(page.locator("h1")).to_have_text("What you are about to sign")
        drawn(page, "room-signing")

    looked_at(browser, alice.room, report)
    alice.accepted()
    court = sitting(table, Role.COURT, table.until(Role.COURT, "privilege"))

    def camera(page: Page) -> None:
        page.click("text=In camera")
        page.wait_for_selector("body[data-ready=true]")
        expect(page.locator(".camera-facts")).to_contain_text(BASIS)
        drawn(page, "room-camera")

    looked_at(browser, court.room, camera)
