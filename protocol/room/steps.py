"""What the script of a question's page asks for: documents, and that each step is kept."""

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ledger.errors import Refused
from protocol.matter import naming
from protocol.room import earlier, reading
from protocol.room.desk import Desk
from protocol.room.handling import QUESTION, Handlers

SAID = 60
"""Things that are missing, which a page names one by one."""


class Steps(Handlers):
    """The small requests."""

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route(f"{QUESTION}/state", self.json(self.state)),
            Route(f"{QUESTION}/search", self.json(self.search)),
            Route(f"{QUESTION}/cells", self.json(self.change), methods=["POST"]),
            Route(f"{QUESTION}/undo", self.json(self.undo), methods=["POST"]),
            Route(f"{QUESTION}/redo", self.json(self.redo), methods=["POST"]),
            Route(f"{QUESTION}/document/{{position:int}}", self.json(self.document)),
            Route(f"{QUESTION}/image/{{position:int}}/{{part:int}}/{{page:int}}", self.json(self.image)),
        ]

    def _desk(self, request: Request) -> Desk:
        return self.room.ready(request.path_params["id"])

    def state(self, request: Request, _: bytes) -> Response:
        """All that the page's script needs to begin."""
        desk, chosen = self._desk(request), self.room.settings
        return JSONResponse(
            {
                "lines": reading.listed(desk.ready),
                "cells": desk.draft.cells,
                "keys": dict(chosen.keys),
                "terms": list(chosen.terms if chosen.terms is not None else reading.request_terms(desk.ready)),
                "classes": list(desk.sheet.classes),
                **_progress(desk),
            }
        )

    def change(self, request: Request, body: bytes) -> Response:
        """Keep a step of decisions."""
        desk = self._desk(request)
        try:
            cells = json.loads(body)["cells"]
            if not isinstance(cells, dict):
                raise ValueError
        except (ValueError, TypeError, LookupError):
            raise Refused("the page sent something that cannot be kept; load it again") from None
        desk.change(cells)
        return JSONResponse(_progress(desk))

    def undo(self, request: Request, _: bytes) -> Response:
        """Take the last step back."""
        desk = self._desk(request)
        return JSONResponse({"cells": desk.undo(), **_progress(desk)})

    def redo(self, request: Request, _: bytes) -> Response:
        """Take the step again that was taken back last."""
        desk = self._desk(request)
        return JSONResponse({"cells": desk.redo(), **_progress(desk)})

    def search(self, request: Request, _: bytes) -> Response:
        """Where words are found."""
        return JSONResponse({"found": self._desk(request).search.found(request.query_params.get("words", "")[:200])})

    def document(self, request: Request, _: bytes) -> Response:
        """A document, as a piece of the page."""
        desk, position = self._desk(request), request.path_params["position"]
        if position not in desk.ready.documents:
            raise Refused("the question does not ask about this position")
        known, shown = desk.ready.documents[position], desk.shown.get(position)
        camera = None if shown is None else reading.camera(desk.ready, shown)
        parts = [] if shown is None else reading.parts(shown, whole="all" in request.query_params, stated=bool(camera))
        return self.pages(
            request,
            "document.html",
            id=request.path_params["id"],
            position=position,
            document=known,
            parts=parts,
            texts=[] if shown is not None else earlier.texts(self.room, desk, known),
            listed=shown is None,
            sheet=desk.sheet,
            camera=camera,
            sides=reading.sides(desk.ready, desk.where, position),
            called={role: naming.introduced(desk.ready.view.opening.caption, role) for role in ("alice", "bob")},
            rows=list(reading.rows(desk.ready, position)),
            neighbours=reading.neighbours(desk.ready.alike, position),
            place=list(desk.ready.documents).index(position) + 1,
            total=len(desk.ready.documents),
        )

    def image(self, request: Request, _: bytes) -> Response:
        """A picture of a page. It is never anything else than a picture."""
        place = (request.path_params[name] for name in ("position", "part", "page"))
        found = reading.image(self._desk(request).ready, *place)
        if found is None:
            return Response(status_code=404)
        return Response(found, media_type="image/png")


def _progress(desk: Desk) -> dict[str, Any]:
    """How far the decisions are, and what is missing."""
    lacking = desk.missing()
    return {
        "total": len(desk.ready.documents),
        "lacking": len(lacking),
        "open": sorted({each.position for each in lacking if each.position is not None}),
        "words": [[each.position, each.row, each.words] for each in lacking[:SAID]],
        "undoable": desk.draft.undoable,
        "redoable": desk.draft.redoable,
        "seconds": int(desk.draft.seconds),
        "last": desk.draft.last,
    }
