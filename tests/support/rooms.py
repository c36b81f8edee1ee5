"""Rooms for tests: a party's room over the folder of questions of a real matter."""

from pathlib import Path

from ledger.roles import Role
from protocol.room.app import MAX_BODY, App
from protocol.room.room import Room
from protocol.room.sources import FolderSource
from protocol.web.loopback import Guard
from tests.support.asgi import Browser
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


def answer_of(table: Table, question: Path) -> Path:
    """Where the room has written the answer to a question."""
    return table.folder / "outbox" / "answers" / f"{question.stem}.answer"
