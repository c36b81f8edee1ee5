"""People in front of pages: somebody at a room, and Trent at his page, each in a real browser of their own."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Error, Locator, Page, expect

from tests.support.programs import PATIENCE, Program, until

SOON = PATIENCE * 1000


@dataclass
class Person:
    """Somebody at a room, in a browser of their own."""

    name: str
    browser: Browser
    room: Program
    passphrase: str = ""
    base: str = ""
    complaints: list[str] = field(default_factory=list)
    page: Page = field(init=False)

    def __post_init__(self) -> None:
        self.page = self.browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        self.page.set_default_timeout(SOON)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda message: self._heard(message.text))

    def _heard(self, words: str) -> None:
        if "Content Security Policy" in words:
            self.complaints.append(words)

    def enter(self) -> "Person":
        """Open the address that the room prints."""
        self.page.goto(self.room.address())
        self.base = self.page.url.rstrip("/")  # below a path that only a browser that was let in gets to know
        return self

    def leave(self) -> None:
        """Close the page, and open an empty one. What it asks before it is closed nobody answers."""
        old = self.page
        self.__post_init__()
        old.context.close()

    def go(self, path: str = "/") -> None:
        """Open a page; again if the one before was just loading itself again, which ends the step."""

        def gone() -> bool:
            try:
                self.page.goto(self.base + path)
            except Error as error:
                if "ERR_ABORTED" in str(error) or "interrupted" in str(error):
                    return False
                raise
            return True

        until(gone, f"{path} for {self.name}")

    def unlock(self) -> None:
        """Give the passphrase, without keeping the key unlocked."""
        self.page.fill("#passphrase", self.passphrase)
        self.page.click("button.go")
        expect(self.page.locator("h1")).to_have_text("Questions", timeout=SOON)

    def give_links(self) -> None:
        """Let the room give links without asking."""
        self.go()
        self.page.check("#links")
        self.page.get_by_role("button", name="Keep this choice").click()

    def waits(self, title: str) -> bool:
        """Whether this question waits now."""
        self.go()
        return self._waiting(title).count() > 0

    def _waiting(self, title: str) -> Locator:
        return self.page.get_by_role("region", name="What waits for you").get_by_role("link", name=title)

    def open(self, title: str) -> Page:
        """Open a question as soon as it is there."""
        until(lambda: self.waits(title), f"'{title}' for {self.name}; {self.page.locator('main').inner_text()}")
        self._waiting(title).click()
        self.page.wait_for_selector("main:not(:has(#checking))")  # a large question is checked first
        return self.page

    def open_documents(self, title: str) -> Page:
        """The same, of a question with documents."""
        page = self.open(title)
        page.wait_for_selector("body[data-ready=true]")
        return page

    def documents(self) -> dict[int, str]:
        """The names of the documents by position, as the pages of the list show them."""
        found: dict[int, str] = {}
        self._first_page()
        while True:
            rows = self.page.locator("#list li")
            shown = rows.evaluate_all("rows => rows.map(row => [row.dataset.position, row.dataset.name])")
            found |= {int(position): name for position, name in shown}
            if not self._turned("#list-later"):
                break
        self._first_page()
        return found

    def _first_page(self) -> None:
        while self._turned("#list-earlier"):
            pass

    def _turned(self, button: str) -> bool:
        """Whether the list has another page in this direction; if so, it is on the screen now."""
        there = self.page.locator(f"{button}:visible:enabled")
        if there.count():
            there.click()
            return True
        return False

    def turn_to(self, position: int) -> Locator:
        """Open a document from the list. Its row there."""
        row = self.page.locator(f"#list li[data-position='{position}']")
        self._first_page()
        while not row.count():
            assert self._turned("#list-later")
        row.locator("a").click()
        self.at(position)
        return row

    def at(self, position: int) -> None:
        """Wait for a document on the screen."""
        expect(self.page.locator(f"article[data-position='{position}']")).to_be_visible(timeout=SOON)

    def kept(self) -> None:
        """Wait until the page says that everything is on the disk."""
        expect(self.page.locator("#kept")).to_contain_text("Everything is kept", timeout=SOON)

    def complete(self) -> None:
        """Wait until the page says that nothing is missing."""
        expect(self.page.locator("#missing-count")).to_have_text("Nothing is missing: it can be signed", timeout=SOON)
        self.kept()

    def sign(self) -> str:
        """Read what is about to be signed, and sign it. What the page said."""
        page = self.page
        expect(page.locator("h1")).to_have_text("What you are about to sign", timeout=SOON)
        said = page.locator("main").inner_text()
        if self.passphrase and page.locator("#passphrase").count():
            page.fill("#passphrase", self.passphrase)
        page.click("button.go")
        expect(page.locator("pre.receipt")).to_contain_text("SHA-256 of the answer", timeout=SOON)
        return said

    def accepted(self) -> None:
        """Wait until the page shows Trent's receipt of what was signed last, which it does by itself."""
        expect(self.page.locator(".box.good")).to_contain_text("Accepted", timeout=SOON)

    def told(self, title: str, words: str) -> str:
        """Wait until the list says this of an answer. All that it says of answers."""
        answered = self.page.get_by_role("region", name="What you have answered")

        def look() -> str | None:
            self.go()
            said = answered.inner_text()
            return said if any(title in line and words in line for line in said.splitlines()) else None

        return until(look, f"{words} of '{title}' for {self.name}")

    def agree(self, title: str) -> str:
        """Sign what has nothing to decide."""
        self.open(title)
        if self.page.locator("h1").inner_text() != "What you are about to sign":
            self.page.click("button.go")
        return self.sign()

    def grant(self, title: str) -> str:
        """Grant an order. What the court has read before."""
        page = self.open(title)
        said = page.locator("main").inner_text()
        page.click("button[value=grant]")
        self.sign()
        return said

    # By keyboard alone: nothing below touches the mouse.

    def press_on(self, words: str) -> None:
        """Tab to what is called so, and press Enter."""
        page = self.page

        def pressed() -> bool:
            before = page.url
            self._tab_to(
                f"(e => e.matches('a, button') && e.innerText === {json.dumps(words)})(document.activeElement)"
            )
            page.keyboard.press("Enter")
            page.wait_for_url(lambda url: url != before, timeout=5000)
            return True

        self._undisturbed(pressed, f"'{words}' by keyboard")

    def choose(self, name: str) -> None:
        """Tab to a box, tick it, and send its form."""
        page = self.page

        def chosen() -> bool:
            self._tab_to(f"document.activeElement.id === '{name}'")
            page.keyboard.press("Space")
            page.keyboard.press("Enter")
            page.wait_for_selector(f"#{name}[checked]", timeout=5000)
            return True

        self._undisturbed(chosen, f"'{name}' ticked by keyboard")

    def _undisturbed(self, step: Callable[[], bool], what: str) -> None:
        """Do it again if the list was loaded again in the middle of it, and the focus is lost."""

        def tried() -> bool:
            try:
                return step()
            except Error:
                return False

        until(tried, what)

    def _tab_to(self, reached: str) -> None:
        for _ in range(200):
            if self.page.evaluate(reached):
                return
            self.page.keyboard.press("Tab")
        raise Error(f"Tab leads to nothing with {reached}")

    def type_into(self, name: str, words: str) -> None:
        """Tab to a field, and type."""
        self._tab_to(f"document.activeElement.id === '{name}'")
        self.page.keyboard.type(words)


class Trent:
    """Trent at his page."""

    def __init__(self, browser: Browser, run: Program) -> None:
        self.run = run
        self.page = browser.new_context(accept_downloads=True).new_page()
        self.page.set_default_timeout(SOON)
        self.base = ""

    def enter(self) -> "Trent":
        self.page.goto(self.run.address())
        self.base = self.page.url.rstrip("/")
        return self

    def shows(self, words: str) -> None:
        """Wait until the page says this."""

        def look() -> bool:
            self.page.goto(f"{self.base}/")
            return words in self.page.locator("main").inner_text()

        until(look, f"{words} on Trent's page; {self.page.locator('main').inner_text()}")

    def awaits(self, who: str, what: str) -> None:
        """Wait until somebody is awaited."""
        rows = self.page.locator("section[aria-labelledby=awaited] tbody tr")

        def look() -> bool:
            self.page.goto(f"{self.base}/")
            return any(who in row and what in row for row in rows.all_inner_texts())

        until(look, f"{who} is awaited for {what}; {self.page.locator('main').inner_text()}")

    def _confirmed(self) -> str:
        """What the button says that will be signed; then it is."""
        self.page.wait_for_selector("form[action*='/do/']")
        said = self.page.locator("main").inner_text()
        self.page.click("button.go")
        expect(self.page.locator(".box.good").first).to_be_visible(timeout=SOON)
        return said

    def default(self, absent: str) -> str:
        self.page.goto(f"{self.base}/")
        self.page.click("text=Somebody does not answer")
        self.page.select_option("#absent", absent)
        self.page.get_by_role("button", name="Ask the court for an order").click()
        return self._confirmed()

    def rekey(self, role: str, key: str) -> str:
        self.page.goto(f"{self.base}/")
        self.page.click("text=A key is lost, or counsel changes")
        self.page.select_option("#role", role)
        self.page.fill("#key", key)
        self.page.get_by_role("button", name="Ask the court to grant it").click()
        return self._confirmed()

    def close(self) -> str:
        self.page.goto(f"{self.base}/")
        self.page.get_by_role("button", name="Close the matter").click()
        return self._confirmed()

    def question_by_mail(self, role: str, out: Path) -> Path:
        """The question for a party as a file."""
        self.page.goto(f"{self.base}/")
        with self.page.expect_download() as loading:
            self.page.click(f"a[href$='/question/{role}.zip']")
        loading.value.save_as(out)
        return out

    def take(self, answer: Path) -> str:
        """Take an answer that came by mail. What the page says of it."""
        self.page.goto(f"{self.base}/")
        self.page.set_input_files("#file", answer)
        self.page.get_by_role("button", name="Take it").click()
        expect(self.page.locator(".box.good").first).to_be_visible(timeout=SOON)
        return self.page.locator(".box.good").first.inner_text()
