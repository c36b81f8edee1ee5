"""A whole matter in rooms: a mailbox, Trent's `run` with its page, and rooms of their own for Alice, Bob and the court.

Every program is a process, every page is open in a real browser. What the coins can change is kept out: they draw
nearly nothing, and the target is such that the document which Alice gives up in her second look just meets it.
"""

import json
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect

from tests.support.programs import Program
from tests.support.real_matter import ROLES, Play, run_here
from tests.support.room_people import SOON, Person, Trent

PASSPHRASE = "ein langer Satz für den Schlüssel"
BASIS = "Attorney-client privilege: advice of outside counsel"
BOBS_REASON = "A menu, and nothing about the market."
COURTS_REASON = "The last line quotes the price of gas."
AUDIENCES = ("alice", "bob", "court", "public")


@dataclass(frozen=True, kw_only=True)
class Mail:
    """A made-up mail, and what is true of it."""

    name: str
    content: bytes
    responsive: bool


def _mail(name: str, sender: str, to: str, subject: str, text: str, *, responsive: bool) -> Mail:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = f"{sender}@acme.example", f"{to}@acme.example", subject
    message["Date"] = "Fri, 04 May 2001 10:00:00 +0200"
    message["Message-ID"] = f"<{name}@acme.example>"
    message.set_content(text)
    return Mail(name=name, content=bytes(message), responsive=responsive)


FEW = (
    _mail("1.eml", "ann", "counsel", "Exposure of our gas contracts", "Please advise whether the gas index clause "
          "binds us. This is for counsel alone.", responsive=True),
    _mail("2.eml", "carl", "dora", "Lunch on Tuesday", "Soup, then trout, and coffee at the river.\nBy the way: gas "
          "closed at 4.12 in Chicago.", responsive=True),
    _mail("3.eml", "dora", "carl", "Storage in October", "We inject gas into the northern caverns until the frost.",
          responsive=True),
    _mail("4.eml", "emil", "ann", "Offer to Meridian", "Ten thousand units of gas a day, delivered at the border.",
          responsive=True),
    _mail("5.eml", "fay", "emil", "Index", "Report the trades of gas that help us, and leave the others out.",
          responsive=True),
    _mail("6.eml", "gus", "all", "Parking", "The garage is closed on Friday because of painting.", responsive=False),
    _mail("7.eml", "hal", "all", "Fire drill", "Leave your desks when the bell rings, and meet in the yard.",
          responsive=False),
    _mail("8.eml", "ida", "gus", "Birthday", "Nina turns forty tomorrow; cake is in the kitchen at three.",
          responsive=False),
)  # fmt: skip
"""A batch that one reads in a minute. Only the last line of the second says what it is about."""


class Story:
    """The matter. `seen` keeps what was on the screens, for what is asserted of it."""

    def __init__(self, root: Path, browser: Browser, mail: Iterable[Mail] = FEW) -> None:
        self.play = Play(root, run_here)
        self.browser = browser
        self.mail = tuple(mail)
        self.truth = {each.name: each.responsive for each in self.mail}
        responsive = [each.name for each in self.mail if each.responsive]
        self.privileged, self.disputed, *_, self.missed = responsive
        self.found = len(responsive) - 2  # without what is privileged, and what Alice misses
        self.seen: dict[str, str] = {}
        self.programs: list[Program] = []
        self.people: list[Person] = []

    # Before anything runs.

    def prepare(self) -> None:
        play, trent = self.play, self.play.folder("trent")
        for role in ROLES:
            self._key(role, role, f"{role}.key", PASSPHRASE if role == "court" else "")
        play.folders["new-bob"] = play.root / "new-bob"
        self._key("new-bob", "bob", "new.key", PASSPHRASE)
        for each in self.mail:
            path = trent / "received" / each.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(each.content)
        play.tallystick("trent", "corpus", "build", "received", "--out", "corpus")
        met = (self.found + 0.5) / (len(self.mail) - 1)
        spot_check: dict[str, Any] = {"rate": "0.000001", "target": f"{met:.6f}", "every": 1, "limit": "1.0"}
        play.write_terms(protocol="spot-check", batch=len(self.mail), rounds=1, query="", **spot_check)
        play.open()

    def _key(self, who: str, role: str, key: str, passphrase: str) -> None:
        """Make a key, and send the public one to Trent."""
        folder = self.play.folder(who)
        folder.mkdir(exist_ok=True)
        locked = ["--no-passphrase"]
        if passphrase:
            (folder / "passphrase").write_text(passphrase + "\n")
            locked = ["--passphrase-file", "passphrase"]
        self.play.tallystick(who, "key", "new", "--role", role, "--out", key, *locked)
        if role != "trent":
            shutil.copy(folder / f"{key}.pub", self.play.folder("trent"))

    def start(self) -> None:
        """The mailbox, Trent, and three rooms."""
        trent = self.play.folder("trent")
        self.serve = self._program("serve", ["serve", "../box", "--listen", "127.0.0.1:0", "--log", "access.log"])
        self.origin = self.serve.start().says(r"is open at (http://127\.0\.0\.1:\d+)")
        self.serve.words = [*self.serve.words[:3], self.origin.removeprefix("http://"), *self.serve.words[4:]]
        words = ["run", "case.matter", "--corpus", "corpus", "--key", "trent.key", "--box", "../box", "--hold", "0"]
        self.run = Program(trent, [*words, "--no-browser"])
        self.programs.append(self.run)
        self.alice = self._person("alice", "alice", "alice.key")
        self.bob = self._person("bob", "bob", "bob.key")
        self.court = self._person("court", "court", "court.key", PASSPHRASE)
        for program in self.programs[1:]:
            program.start()
        self.trent = Trent(self.browser, self.run).enter()
        for each in (self.alice, self.bob, self.court):
            each.enter()
        self.court.unlock()

    def _program(self, folder: str, words: list[object]) -> Program:
        path = self.play.root / folder
        path.mkdir(exist_ok=True)
        self.programs.append(Program(path, words))
        return self.programs[-1]

    def _person(self, name: str, folder: str, key: str, passphrase: str = "") -> Person:
        room = self._program(folder, ["room", "--key", key, "--at", self.origin, "--no-browser"])
        self.people.append(Person(name=name, browser=self.browser, room=room, passphrase=passphrase))
        return self.people[-1]

    # What happens, in order.

    def agree(self) -> None:
        """All sign the terms; Alice and Bob let their rooms give links."""
        for each in (self.alice, self.bob):
            each.give_links()
            self.seen[f"terms for {each.name}"] = each.agree("Sign the terms of the matter")
        self.court.agree("Sign the terms, and keep the sealed deposits")

    def report(self) -> None:
        """Alice labels, claims one document and misses another. Her room is killed, and the mailbox cannot be reached
        when she signs.
        """
        alice = self.alice
        page = alice.open_documents("Round 1: Label the documents")
        names = alice.documents()
        half = len(names) // 2
        for position in list(names)[:half]:
            self._label(alice, position, names[position])
        alice.kept()
        alice.room.kill()
        page.keyboard.press("r")
        expect(page.locator("#trouble")).to_contain_text("Not kept yet", timeout=SOON)
        alice.leave()
        alice.room.start()
        alice.enter()
        page = alice.open_documents("Round 1: Label the documents")
        self.seen["labels after a crash"] = page.locator("#count").inner_text()
        for position in list(names)[half:]:
            self._label(alice, position, names[position])
        self.bob.room.stop()  # he has lost his key: from now on he is silent
        self.serve.kill()
        self._claim(alice, names)
        alice.complete()
        page.keyboard.press("s")
        self.seen["report"] = alice.sign()
        self.seen["receipt without a network"] = page.locator("main").inner_text()
        alice.go()
        self.seen["list without a network"] = page.locator("main").inner_text()
        self.serve.start().says(r"(is open at)")
        self.seen["what Alice has answered"] = alice.told("Label the documents", "Accepted")

    def _label(self, person: Person, position: int, name: str) -> None:
        """A key for a document, as Alice labels it."""
        person.at(position)
        person.page.keyboard.press("r" if self.truth[name] and name != self.missed else "n")

    def _claim(self, alice: Person, names: dict[int, str]) -> None:
        """Claim what is for counsel alone."""
        (position,) = [position for position, name in names.items() if name == self.privileged]
        page, row = alice.page, alice.turn_to(position)
        page.fill("#basis", BASIS)
        page.locator("#basis").blur()
        expect(row.locator(".state")).to_contain_text("privileged", timeout=SOON)

    def default(self) -> None:
        """Bob is silent, and the court orders that the matter goes on without his link."""
        self.trent.awaits("Bob", "link")
        self.seen["default"] = self.trent.default("bob")
        self.seen["order"] = self.court.grant("Order on a missing answer")

    def rekey(self) -> None:
        """The court grants Bob a new key. Its room is closed: question and answer travel as files, by command."""
        assert self.court.room.stop() == 0
        key = (self.play.folder("new-bob") / "new.key.pub").read_text()
        self.trent.awaits("Bob", "disclosed")
        self.seen["rekey"] = self.trent.rekey("bob", key)
        self.trent.awaits("court", "new key")
        folder = self.play.folder("court")
        self.trent.question_by_mail("court", folder / "by-mail.zip")
        given = ["--key", "court.key", "--passphrase-file", "passphrase", "--grant", "--yes", "--out", "by-mail.answer"]
        self.play.tallystick("court", "answer", "by-mail.zip", *given)
        self.seen["taken by mail"] = self.trent.take(folder / "by-mail.answer")
        self.court.room.start()
        self.bob = self._person("bob", "new-bob", "new.key", PASSPHRASE)
        self.bob.room.start()
        self.bob.enter()
        self.court.enter()
        self.court.unlock()

    def in_camera(self) -> None:
        """The court reads what Alice claims, and upholds it. Trent's program is killed, and goes on."""
        court = self.court
        page = court.open_documents("In camera: rule on privilege")
        self.seen["in camera"] = page.locator("body").inner_text()
        self.seen["title in camera"] = page.title()
        page.keyboard.press("h")
        court.complete()
        page.click("#sign")
        court.sign()
        self.run.kill()
        self.run.start()
        self.trent.enter()
        court.accepted()

    def bob_labels(self) -> None:
        """Bob labels what he is shown, by keyboard alone, and disagrees about one document."""
        bob = self.bob
        bob.type_into("passphrase", bob.passphrase)
        bob.page.keyboard.press("Tab")
        bob.page.keyboard.press("Space")
        bob.page.keyboard.press("Enter")
        expect(bob.page.locator("h1")).to_have_text("Questions", timeout=SOON)
        bob.press_on("Round 1: Label what was disclosed")
        page = bob.page
        page.wait_for_selector("body[data-ready=true]")
        names = bob.documents()
        self.seen["what Bob is shown"] = json.dumps(sorted(names.values()))
        self.seen["Bob before he has answered"] = page.content()
        self.seen["Bob's cells before"] = json.dumps(
            page.evaluate("fetch(`${location.pathname}/state`).then(r => r.json()).then(r => r.cells)")
        )
        self.seen["states before"] = json.dumps(page.locator("#list .state").all_inner_texts())
        for position, name in names.items():
            bob.at(position)
            self.seen[f"Bob reads {name}"] = page.locator("#document").inner_html()
            if name == self.disputed:
                page.keyboard.press("w")
                page.keyboard.type(BOBS_REASON)
                page.keyboard.press("Escape")
                page.keyboard.press("n")
            else:
                page.keyboard.press("r")
        bob.complete()
        page.keyboard.press("s")
        expect(page.locator("h1")).to_have_text("What you are about to sign", timeout=SOON)
        bob.press_on("Sign and send")
        expect(page.locator("pre.receipt")).to_contain_text("SHA-256 of the answer", timeout=SOON)
        bob.press_on("Questions")
        bob.choose("links")

    def dispute(self) -> None:
        """The court rules where they disagree, with a reason."""
        court = self.court
        page = court.open_documents("Round 1: Rule where the parties disagree")
        self.seen["disputed"] = json.dumps(list(court.documents().values()))
        self.seen["side by side"] = page.locator("#document .sides").inner_text()
        page.keyboard.press("w")
        page.keyboard.type(COURTS_REASON)
        page.keyboard.press("Escape")
        page.click("[data-action=responsive]:visible")
        court.complete()
        page.click("#sign")
        self.seen["ruling"] = court.sign()

    def look_again(self) -> None:
        """In her second look Alice gives up what she missed, and Bob is shown it."""
        alice = self.alice
        page = alice.open_documents("Round 2: Look again at what is withheld")
        self.seen["looked at again"] = json.dumps(sorted(alice.documents().values()))
        (position,) = [position for position, name in alice.documents().items() if name == self.missed]
        alice.turn_to(position)
        page.keyboard.press("g")
        alice.kept()
        page.keyboard.press("s")
        self.seen["given up"] = alice.sign()
        page = self.bob.open_documents("Round 2: Label what was disclosed")
        self.seen["what Bob is shown then"] = json.dumps(list(self.bob.documents().values()))
        page.keyboard.press("r")
        self.bob.complete()
        page.keyboard.press("s")
        self.bob.sign()

    def end(self) -> None:
        """Trent closes, all sign the end, and copies are cut."""
        self.trent.shows("The review is over")
        self.seen["close"] = self.trent.close()
        for each in (self.alice, self.bob, self.court):
            self.seen[f"end for {each.name}"] = each.agree("Verify and sign the end")
        self.trent.shows("all have signed")
        assert self.run.stop() == 0
        for audience in AUDIENCES:
            words = ("copy", "case.matter", "--for", audience, "--key", "trent.key", "--out", f"{audience}.jsonl")
            self.play.tallystick("trent", *words)

    def complaints(self) -> list[str]:
        """What the pages' own scripts and policies complained about."""
        return [words for each in self.people for words in each.complaints]

    def handed_to_bob(self) -> str:
        """All that is in the questions that Bob's rooms have fetched."""
        found = []
        for who in ("bob", "new-bob"):
            for path in self.play.folder(who).rglob("*.zip"):
                with zipfile.ZipFile(path) as packed:
                    found += [packed.read(name).decode("utf-8", "replace") for name in packed.namelist()]
        assert found
        return "\n".join(found)

    def verdict(self, audience: str) -> dict[str, Any]:
        """What the verifier says of a copy, with fingerprints that the parties have told."""
        trent = self.play.folder("trent")
        if not (trent / "trust.txt").exists():
            keys = [(role, self.play.folder(role) / f"{role}.key.pub") for role in ROLES]
            keys.append(("bob", self.play.folder("new-bob") / "new.key.pub"))
            shown = [
                json.loads(self.play.tallystick("trent", "key", "show", path, "--json").stdout) for _, path in keys
            ]
            lines = [f"{role} {each['fingerprint']}\n" for (role, _), each in zip(keys, shown, strict=True)]
            (trent / "trust.txt").write_text("".join(lines))
        words = (f"{audience}.jsonl", "--trust", "trust.txt", "--json")
        found: dict[str, Any] = json.loads(run_here(trent, "tallystick-verify", *words).stdout)
        return found


@contextmanager
def played(root: Path, browser: Browser, mail: Iterable[Mail] = FEW) -> Iterator[Story]:
    """The whole matter. Its programs end with the context, whatever happens."""
    story = Story(root, browser, mail)
    try:
        story.prepare()
        story.start()
        for act in (
            story.agree,
            story.report,
            story.default,
            story.in_camera,
            story.rekey,
            story.bob_labels,
            story.dispute,
            story.look_again,
            story.end,
        ):
            act()
        yield story
    finally:
        for each in story.programs:
            each.kill()
