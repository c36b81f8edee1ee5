"""How the pages of a room are called: in a thread, with refusals in words."""

import hashlib
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from ledger.errors import LedgerError
from protocol.matter import naming
from protocol.parties.errors import Forgotten, Withdrawable
from protocol.parties.question import ASKED
from protocol.room.desk import Desk
from protocol.room.room import Item, Room
from protocol.web.pages import Pages

QUESTION = "/q/{id:str}"
"""Where the pages of a question are."""
UNLOCKING = ("/", "/unlock")
"""Pages that are there before the key is unlocked."""

Handler = Callable[[Request, bytes], Response]


class Handlers:
    """Some pages of a room. Each handler is called in a thread of its own, with the body of its request."""

    def __init__(self, room: Room, pages: Pages) -> None:
        self.room = room
        self.pages = pages

    def page(self, handler: Handler) -> Callable[[Request], Any]:
        """A handler that gives a page."""

        async def endpoint(request: Request) -> Response:
            return await run_in_threadpool(self._told, handler, request, await request.body())

        return endpoint

    def json(self, handler: Handler) -> Callable[[Request], Any]:
        """A handler that a script calls."""

        async def endpoint(request: Request) -> Response:
            try:
                return await run_in_threadpool(handler, request, await request.body())
            except (LedgerError, OSError) as error:
                return JSONResponse({"error": str(error)}, status_code=409)

        return endpoint

    def _told(self, handler: Handler, request: Request, body: bytes) -> Response:
        """A refusal as a page: what was found, and what to do."""
        try:
            if not self.room.open and request.url.path not in UNLOCKING:
                return RedirectResponse("/", status_code=303)
            return handler(request, body)
        except Forgotten as error:
            return self._refused(request, str(error), forgotten=True)
        except Withdrawable as error:
            return self._withdrawable(request, error)
        except (LedgerError, OSError) as error:
            return self._refused(request, str(error))

    def _withdrawable(self, request: Request, error: Withdrawable) -> Response:
        """That another answer was given before. It can be withdrawn, unless it was sent and must stand."""
        if self.room.must_stand(request.path_params["id"]):
            return self._refused(
                request,
                "You gave another answer to this question before, and it was sent, so it must stand. Nothing was "
                "signed. Take your last steps back, and the earlier answer is shown again",
            )
        return self._refused(request, error.words("press the button below"), withdrawable=True)

    def at_fault(self, request: Request, wrong: str = "") -> Response:
        """What is wrong with a question, and how to object."""
        name = request.path_params["id"]
        return self.pages(
            request,
            "fault.html",
            status=403 if wrong else 409,
            id=name,
            fault=str(self.room.fault(name).fault),
            item=self.room.item(name),
            passphrase=not self.room.unlocked,
            wrong=wrong,
        )

    def _refused(self, request: Request, words: str, **offered: bool) -> Response:
        """What was not done, and the button that helps, if one does."""
        name, offers = request.path_params.get("id", ""), {"forgotten": False, "withdrawable": False} | offered
        return self.pages(request, "refused.html", status=409, words=words.split("\n"), id=name, **offers)


def about(name: str, desk: Desk) -> dict[str, Any]:
    """What all pages of a question say of it."""
    view = desk.ready.view
    asked = view.question.request
    caption = view.opening.caption
    return {
        "id": name,
        "case": caption.case if caption else "",
        "who": naming.introduced(view.opening.caption, view.role),
        "tell": naming.Telling(view.opening.caption).said,
        "called": {role: naming.introduced(view.opening.caption, role) for role in ("alice", "bob")},
        "asked": ASKED[asked.kind],
        "round": asked.round,
        "kind": asked.kind,
        "answered": desk.answered,
        "simulation": view.opening.simulation is not None,
    }


def state_of(items: Iterable[Item]) -> str:
    """Another text whenever the list of questions would say something else, for the script that looks for news."""
    said = "\n".join(f"{each.waiting.id} {each.answered} {each.receipt} {each.trouble}" for each in items)
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def form(body: bytes) -> dict[str, str]:
    """A form's fields, each once."""
    return {
        name: values[-1] for name, values in parse_qs(body.decode(errors="replace"), keep_blank_values=True).items()
    }
