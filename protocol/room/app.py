"""The app of a room: all its pages, not guarded yet."""

from starlette.applications import Starlette
from starlette.routing import Mount

from protocol.exchange import objection_file
from protocol.room.front import Front
from protocol.room.questions import Questions
from protocol.room.room import Room
from protocol.room.signing import Signing
from protocol.room.steps import Steps
from protocol.web.pages import Pages, static

MAX_BODY = objection_file.MAX_SIZE + 2**16
"""Largest request: an objection that the court was given."""


class App:
    """The pages of one room."""

    def __init__(self, room: Room) -> None:
        self.room = room

    def starlette(self) -> Starlette:
        """The app, to be guarded and served."""
        pages = Pages("protocol.room")
        parts = [part(self.room, pages) for part in (Front, Questions, Steps, Signing)]
        routes = [route for part in parts for route in part.routes()]
        return Starlette(routes=[*routes, Mount("/static", static("protocol.room"))])
