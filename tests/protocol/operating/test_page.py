"""Trent's page: it shows where the matter stands, and a button does what it has shown, or nothing."""

import html
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ledger.roles import Role
from protocol.exchange import answer_file
from protocol.exchange.docket import Docket
from protocol.operating import actions, loop
from protocol.operating.hold import DAY
from protocol.operating.loop import Standing
from protocol.operating.page import MAX_BODY, Page
from protocol.operating.standing import Viewer
from protocol.web.loopback import Guard
from tests.support.asgi import Answer, Browser, ask
from tests.support.exchange_cases import Table
from tests.support.operated import Operated

PORT = 8471


class Watched:
    """A run at work in a thread, and a browser on its page."""

    def __init__(self, operated: Operated) -> None:
        self.operated = operated
        self.run = operated.run()
        self.guard = Guard(PORT, max_body=MAX_BODY)
        self.app = self.guard.around(Page(self.run).app())
        self.browser = Browser(self.app, self.guard, PORT)
        self.thread = threading.Thread(target=self.run.forever, daemon=True)
        self.thread.start()
        self.settle()

    def settle(self) -> None:
        """Wait until the loop has done all that it can."""
        self.run.order(lambda at: at.go())

    def ask(self, name: str, query: str = "") -> tuple[Answer, dict[str, str]]:
        """What a button shows, and what its form would send."""
        found = self.browser.get(f"/ask/{name}{query}")
        fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', found.text)
        return found, {key: html.unescape(value) for key, value in fields}

    def press(self, name: str, query: str = "") -> Answer:
        """Confirm what a button shows."""
        _, fields = self.ask(name, query)
        fields.pop("csrf", None)
        found = self.browser.post(f"/do/{name}", **fields)
        self.settle()
        return found


@pytest.fixture
def watching(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Operated], Watched]]:
    monkeypatch.setattr(loop, "PAUSE", 0.05)
    started: list[Watched] = []

    def watched(operated: Operated) -> Watched:
        started.append(Watched(operated))
        return started[-1]

    yield watched
    for each in started:
        each.run.stop()
        each.thread.join(90)
        assert not each.thread.is_alive()


Watching = Callable[[Operated], Watched]


def _held(table: Table) -> Operated:
    operated = Operated(table, hold=DAY)
    for _ in range(4):
        if operated.go().standing.held_until is not None:
            return operated
        for role in operated.asked():
            operated.answer(role)
    raise AssertionError("no wave waits")


def test_the_page_says_who_is_awaited_by_name_and_what_comes_next(reporting: Table, watching: Watching) -> None:
    page = watching(Operated(reporting)).browser.get("/")
    assert page.status == 200
    assert "Acme Corp. (Alice)" in page.text
    assert "Smith v. Acme Corp." in page.text
    assert "When the answers are in, the matter goes on by itself." in page.text


def test_the_page_says_when_documents_go_to_bob(reporting: Table, watching: Watching) -> None:
    watched = watching(_held(reporting))
    shown = watched.browser.get("/").text
    assert "Jo Smith (Bob) is shown the documents that are due in round 1 at 1970-01-13" in shown
    assert "Show Jo Smith (Bob) the documents now</button>" in shown
    assert "Ask Acme Corp. (Alice) for late claims</button>" in shown


class Interrupted(Viewer):
    """Something happens while it reads the matter."""

    def _docket(self, standing: Standing) -> Docket:
        self.run.tell("an answer came")
        return super()._docket(standing)


def test_what_happens_while_the_page_is_made_is_announced(labelling: Table, watching: Watching) -> None:
    viewer = Interrupted(run=watching(Operated(labelling)).run)
    assert viewer.view().version != viewer.version()


def test_news_is_announced_when_the_oldest_lines_are_dropped(labelling: Table, watching: Watching) -> None:
    viewer = Viewer(run=watching(Operated(labelling)).run)
    for number in range(viewer.run.lines.maxlen or 0):
        viewer.run.tell(f"line {number}")
    before = viewer.version()
    viewer.run.tell("one more")
    assert viewer.version() != before


def test_documents_go_to_bob_when_trent_releases_them(reporting: Table, watching: Watching) -> None:
    watched = watching(_held(reporting))
    assert watched.press("release").status == 303
    assert watched.operated.kinds()[-1] == "disclosure"


def test_a_button_shows_in_words_what_will_be_signed_and_does_nothing_yet(labelling: Table, watching: Watching) -> None:
    watched = watching(Operated(labelling))
    before = watched.operated.record()
    shown, _ = watched.ask("default", "?absent=bob")
    assert "<h1>Say that Jo Smith (Bob) does not answer</h1>" in shown.text
    assert "Signed with your key: Jo Smith was asked" in shown.text
    assert "was served everything up to entry" in shown.text
    assert watched.operated.record() == before


def test_a_refused_button_names_people(reporting: Table, watching: Watching) -> None:
    refused = watching(Operated(reporting)).browser.get("/ask/release")
    assert refused.status == 409
    assert "no documents wait to be shown to Jo Smith (Bob) now" in refused.text


def test_a_confirmed_default_asks_the_court(labelling: Table, watching: Watching) -> None:
    watched = watching(Operated(labelling))
    watched.press("default", "?absent=bob")
    assert watched.operated.kinds()[-1] == "default"
    assert Role.COURT in watched.operated.asked()


def test_a_button_is_refused_if_the_matter_has_changed_since_it_was_shown(labelling: Table, watching: Watching) -> None:
    watched = watching(Operated(labelling))
    _, fields = watched.ask("default", "?absent=bob")
    watched.operated.answer(Role.BOB)
    watched.settle()
    fields.pop("csrf")
    found = watched.browser.post("/do/default", **fields)
    assert found.status == 409
    assert "has changed since this was shown" in found.text
    assert "default" not in watched.operated.kinds()


def test_a_button_without_what_was_shown_does_nothing(labelling: Table, watching: Watching) -> None:
    watched = watching(Operated(labelling))
    assert watched.browser.post("/do/default", absent="bob").status == 409
    assert "default" not in watched.operated.kinds()


@pytest.mark.parametrize(
    ("name", "query", "words"),
    [
        ("release", "", "no documents wait"),
        ("close", "", "not over yet"),
        ("default", "?absent=alice", "is not in default"),
        ("default", "?absent=court", "not for the court"),
        ("default", "?absent=eve", "choose a party"),
        ("default", "", "choose a party"),
        ("rekey", "?role=bob&key=nonsense", "the text"),
        ("rekey", "?role=bob&key=-----BEGIN+PRIVATE+KEY-----", "private key"),
        ("amend", "", "give a number of rounds"),
        ("amend", "?rounds=5&stop=yes", "give a number of rounds"),
        ("amend", "?rounds=-1", "not a number of rounds"),
        ("amend", f"?rounds={'9' * 5000}", "a number of rounds has at most 6 digits"),
        ("amend", "?limit=abc", "a limit is proposed if the protocol has one"),
        ("amend", "?rounds=999999", "999999 rounds cannot be agreed on now"),
        ("whole", "?role=trent", "not for Trent"),
        ("nonsense", "", "no such button"),
    ],
)
def test_a_button_that_cannot_be_pressed_says_why(
    labelling: Table, watching: Watching, name: str, query: str, words: str
) -> None:
    watched = watching(Operated(labelling))
    found, _ = watched.ask(name, query)
    assert found.status == 409
    assert words in html.unescape(found.text)


def test_a_limit_that_is_none_is_refused_before_it_is_shown(table: Table, watching: Watching) -> None:
    table.begin(protocol="spot-check", rate="0.2")
    watched = watching(Operated(table))
    for limit in ("abc", "2", "1" * 5000):
        found, fields = watched.ask("amend", f"?limit={limit}")
        assert (found.status, fields) == (409, {})
        assert "limit" in found.text
    assert watched.ask("amend", "?limit=0.75")[0].status == 200


def test_an_unforeseen_error_of_a_button_is_told_and_the_matter_goes_on(
    labelling: Table, watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = watching(Operated(labelling))

    def breaks(*_: object) -> Any:
        raise ValueError("Exceeds the limit")

    monkeypatch.setitem(actions.ACTIONS, "whole", actions.Action(breaks, breaks))
    found, _ = watched.ask("whole")
    assert found.status == 409
    assert "<h1>This failed</h1>" in found.text
    assert "see the terminal" in found.text
    assert "Nothing was done" in found.text
    assert any("ValueError('Exceeds the limit')" in line for line in watched.operated.said)
    _, fields = watched.ask("default", "?absent=bob")
    fields.pop("csrf")
    found = watched.browser.post("/do/whole", mark=fields["mark"])
    assert (found.status, "This failed" in found.text, "Nothing was done" in found.text) == (409, True, False)
    assert watched.thread.is_alive()
    watched.operated.answer(Role.BOB)
    watched.settle()
    assert "labels" in watched.operated.kinds()


def test_a_new_key_is_shown_with_its_fingerprint_and_then_asked_for(labelling: Table, watching: Watching) -> None:
    watched = watching(Operated(labelling))
    from urllib.parse import quote

    from ledger.keyfiles import write_keys
    from ledger.keys import SigningKey, fingerprint

    new = SigningKey(b"n" * 32)
    public = write_keys(labelling.folder / "new.key", new, Role.BOB, None).read_text()
    query = f"?role=bob&key={quote(public)}"
    assert fingerprint(new.public) in watched.ask("rekey", query)[0].text
    watched.press("rekey", query)
    assert watched.operated.kinds()[-1] == "rekey"
    refused = watched.browser.get(f"/ask/rekey{query}")  # now that the court is asked
    assert (refused.status, "the court must answer first" in refused.text) == (409, True)


def test_an_amendment_waits_until_nobody_must_answer(labelling: Table, watching: Watching) -> None:
    watched = watching(Operated(labelling))
    watched.press("amend", "?rounds=1")
    assert "amend" not in watched.operated.kinds()
    assert "the proposal to amend the terms" in watched.browser.get("/").text
    watched.operated.answer(Role.BOB)
    watched.settle()
    assert watched.operated.kinds()[-1] == "amend"


def test_late_claims_are_asked_for_while_documents_wait(reporting: Table, watching: Watching) -> None:
    watched = watching(_held(reporting))
    watched.press("late")
    assert watched.operated.kinds()[-1] == "late"


def test_trent_closes_the_matter_when_the_review_is_over(table: Table, watching: Watching) -> None:
    table.begin(rounds=1)
    operated = Operated(table)
    for _ in range(20):
        if operated.go().standing.over:
            break
        for role in operated.asked():
            operated.answer(role)
    watched = watching(operated)
    assert "<rect" in watched.browser.get("/").text
    assert "Of the reviewed documents, Jo Smith is missing at most" in watched.ask("close")[0].text
    assert (
        "which Acme Corp. (Alice), Jo Smith (Bob) and the court are then asked to sign" in watched.ask("close")[0].text
    )
    watched.press("close")
    assert operated.kinds()[-1] == "claims"
    assert set(operated.asked()) == {Role.ALICE, Role.BOB, Role.COURT}
    for role in operated.asked():
        operated.answer(role)
    watched.settle()
    assert operated.asked() == {}
    assert "all have signed" in watched.browser.get("/").text


def test_an_answer_that_came_by_mail_is_taken_on_the_page(labelling: Table, watching: Watching) -> None:
    watched = watching(Operated(labelling))
    data = answer_file.encode(watched.operated.truthful(Role.BOB))
    sent = {"origin": f"http://127.0.0.1:{PORT}", "content-type": "text/plain", "x-csrf-token": watched.guard.csrf}
    found = ask(watched.app, "POST", f"{watched.guard.root}/answer", watched.browser.headers | sent, data)
    assert found.json["taken"]
    assert "labels" in watched.operated.kinds()
    again = ask(watched.app, "POST", f"{watched.guard.root}/answer", watched.browser.headers | sent, b"nonsense")
    assert (again.status, again.json["taken"]) == (409, False)


def test_a_question_can_be_had_as_a_file_for_the_mail(labelling: Table, watching: Watching) -> None:
    watched = watching(Operated(labelling))
    found = watched.browser.get("/question/bob.zip")
    assert found.status == 200, found
    assert found.body[:2] == b"PK"
    assert watched.browser.get("/question/alice.zip").status == 409


def test_what_parties_have_written_is_text_on_the_page(reporting: Table, watching: Watching) -> None:
    watched = watching(Operated(reporting))
    watched.run.tell("<script>alert(1)</script>")
    page = watched.browser.get("/").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_nobody_is_let_in_without_the_address(labelling: Table, watching: Watching) -> None:
    watched = watching(Operated(labelling))
    assert ask(watched.app, "GET", "/", {"host": f"127.0.0.1:{PORT}"}).status == 403
    assert ask(watched.app, "POST", "/do/default", {"host": f"127.0.0.1:{PORT}"}).status == 403
