"""Rooms for tests: a party's room over the folder of questions of a real matter."""

import re
from dataclasses import dataclass
from pathlib import Path

from ledger.roles import Role
from protocol.exchange import answer_file, question_file
from protocol.parties.reply import Reply
from protocol.room.app import MAX_BODY, App
from protocol.room.room import Room
from protocol.room.sources import FolderSource
from protocol.web.loopback import Guard
from tests.support.asgi import Answer, Browser
from tests.support.exchange_cases import Table

PORT = 8765


def room_of(table: Table, role: Role, folder: Path | None = None) -> Room:
    """The room of a role, over the outbox of Trent."""
    return Room(table.key_file(role), lambda _, found: FolderSource(folder or table.folder / "outbox", found))


def browser_of(room: Room) -> Browser:
    guard = Guard(PORT, max_body=MAX_BODY)
    return Browser(guard.around(App(room).starlette()), guard, PORT)


def only(room: Room, kind: str) -> str:
    """The question of this kind that waits."""
    (found,) = [each for each in room.items() if not each.answered and each.request and each.request.kind == kind]
    return found.waiting.id


def answer_of(_: Table, question: Path) -> Path:
    """Where the room has written the answer to a question."""
    return question.parent / "answers" / f"{question.stem}.answer"


@dataclass
class Sitting:
    """One party before one question, in its room."""

    table: Table
    room: Room
    browser: Browser
    id: str
    question: Path

    @property
    def documents(self) -> dict[int, str]:
        """The names of the documents by position."""
        return {position: each.name for position, each in self.room.ready(self.id).ready.documents.items()}

    def get(self, page: str = "") -> Answer:
        return self.browser.get(f"/q/{self.id}{page}")

    def decide(self, cells: dict[str, object]) -> Answer:
        return self.browser.fetch(f"/q/{self.id}/cells", {"cells": cells})

    def label(self) -> None:
        """Label every document truthfully."""
        self.decide({f"label/{place}": name in self.table.responsive for place, name in self.documents.items()})

    @property
    def missing(self) -> list[str]:
        found = self.get("/state").json["words"]
        return [f"{position}: {words}" for position, _, words in found]

    def sign(self, query: str = "", **fields: str) -> Answer:
        """Sign what the page shows."""
        page = self.get(f"/sign{query}")
        return self.browser.post(f"/q/{self.id}/sign", mark=mark(page), **fields)

    def said(self) -> Reply:
        """Sign, and read the answer."""
        signed = self.sign()
        assert signed.status == 303, signed.text
        return answer_file.read(answer_of(self.table, self.question))

    def accepted(self) -> Reply:
        """Sign, and let Trent accept the answer."""
        reply = self.said()
        self.table.accept(reply)
        return reply


def sitting(table: Table, role: Role, question: Path) -> Sitting:
    """A party's room, with a question that waits in it."""
    room = room_of(table, role, question.parent)
    kind = question_file.read_request(question).kind
    return Sitting(table=table, room=room, browser=browser_of(room), id=only(room, kind), question=question)


def mark(page: Answer) -> str:
    """What a page that shows what is about to be signed is known by."""
    assert page.status == 200, page.text
    found = re.search(r'name="mark" value="([0-9a-f]{64})"', page.text)
    assert found, page.text
    return found[1]
