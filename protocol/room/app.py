"""The pages of a room, and the small requests of their scripts."""

import json
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from ledger.errors import LedgerError, Refused
from ledger.keyfiles import PassphraseNeeded, WrongPassphrase
from protocol.exchange import objection_file
from protocol.matter import naming
from protocol.matter.asking import Decision
from protocol.parties import objection, preview
from protocol.parties.errors import Forgotten
from protocol.parties.question import ASKED
from protocol.room import chances, earlier, reading, receipts, settings
from protocol.room.desk import Desk, Fault
from protocol.room.drafts import Cell
from protocol.room.room import Room
from protocol.room.settings import ACTIONS
from protocol.web.pages import Pages, static

MAX_BODY = objection_file.MAX_SIZE + 2**16
"""Largest request: an objection that the court was given."""

_SAID = 60  # things that are missing, which a page names one by one
_DECIDED = (Decision.GRANT, Decision.ACCEPT, Decision.TERMS, Decision.NOTHING)

Handler = Callable[[Request, bytes], Response]


class App:
    """The handlers. Each is called in a thread of its own, with the body of its request."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.pages = Pages("protocol.room")

    def starlette(self) -> Starlette:
        """The app, not guarded yet."""
        question = "/q/{id:str}"
        return Starlette(
            routes=[
                Route("/", self._page(self.inbox)),
                Route("/unlock", self._page(self.unlock), methods=["POST"]),
                Route("/waiting", self._json(self.waiting)),
                Route("/settings", self._page(self.show_settings), methods=["GET"]),
                Route("/settings", self._page(self.keep_settings), methods=["POST"]),
                Route("/links", self._page(self.choose_links), methods=["POST"]),
                Route(question, self._page(self.question)),
                Route(f"{question}/state", self._json(self.state)),
                Route(f"{question}/search", self._json(self.search)),
                Route(f"{question}/cells", self._json(self.change), methods=["POST"]),
                Route(f"{question}/undo", self._json(self.undo), methods=["POST"]),
                Route(f"{question}/document/{{position:int}}", self._json(self.document)),
                Route(f"{question}/image/{{position:int}}/{{part:int}}/{{page:int}}", self._json(self.image)),
                Route(f"{question}/decide", self._page(self.decide), methods=["POST"]),
                Route(f"{question}/objections", self._json(self.take_objection), methods=["POST"]),
                Route(f"{question}/object", self._page(self.object), methods=["POST"]),
                Route(f"{question}/forgotten", self._page(self.forgotten), methods=["POST"]),
                Route(f"{question}/sign", self._page(self.show_signing), methods=["GET"]),
                Route(f"{question}/sign", self._page(self.sign), methods=["POST"]),
                Route(f"{question}/receipt", self._page(self.receipt)),
                Route(f"{question}/receipt.txt", self._page(self.receipt_file)),
                Mount("/static", static("protocol.room")),
            ]
        )

    # How a handler is called.

    def _page(self, handler: Handler) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            return await run_in_threadpool(self._told, handler, request, await request.body())

        return endpoint

    def _json(self, handler: Handler) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            try:
                return await run_in_threadpool(handler, request, await request.body())
            except (LedgerError, OSError) as error:
                return JSONResponse({"error": str(error)}, status_code=409)

        return endpoint

    def _told(self, handler: Handler, request: Request, body: bytes) -> Response:
        """A refusal as a page: what was found, and what to do."""
        try:
            if not self.room.open and request.url.path not in ("/", "/unlock"):
                return RedirectResponse("/", status_code=303)
            return handler(request, body)
        except Forgotten as error:
            return self._refused(request, error, forgotten=True)
        except (LedgerError, OSError) as error:
            return self._refused(request, error)

    def _refused(self, request: Request, error: Exception, *, forgotten: bool = False) -> Response:
        name = request.path_params.get("id", "")
        return self.pages(
            request, "refused.html", status=409, words=str(error).split("\n"), forgotten=forgotten, id=name
        )

    # The list.

    def inbox(self, request: Request, _: bytes) -> Response:
        """What waits, and what was answered."""
        room = self.room
        if not room.open:
            return self._locked(request)
        room.look_around()
        items = room.items()
        return self.pages(
            request,
            "inbox.html",
            waiting=[each for each in items if not each.answered],
            answered=[each for each in items if each.answered],
            asked=ASKED,
            when=_when,
            since=_since,
            trouble=getattr(room.source, "trouble", ""),
            room=room,
        )

    def waiting(self, _: Request, __: bytes) -> Response:
        """Whether the list has changed, for the list's script."""
        if not self.room.open:
            return JSONResponse({"state": "locked"})
        items = self.room.items()
        return JSONResponse({"state": ";".join(f"{each.waiting.id}{each.answered}{each.receipt}" for each in items)})

    def unlock(self, request: Request, body: bytes) -> Response:
        """Unlock the key for checking, and for signing if the person says so."""
        form = _form(body)
        try:
            self.room.unlock(form.get("passphrase", ""), keep="keep" in form)
        except (WrongPassphrase, PassphraseNeeded) as error:
            return self._locked(request, wrong=str(error))
        return RedirectResponse("/", status_code=303)

    def _locked(self, request: Request, wrong: str = "") -> Response:
        return self.pages(
            request, "unlock.html", status=403 if wrong else 200, key_file=str(self.room.key_file), wrong=wrong
        )

    def choose_links(self, _: Request, body: bytes) -> Response:
        """Say whether coin links are given without asking."""
        chosen = self.room.settings
        value = {"keys": chosen.keys, "bases": chosen.bases, "terms": chosen.terms, "links": "links" in _form(body)}
        self.room.choose(settings.checked(value))
        return RedirectResponse("/", status_code=303)

    # The settings.

    def show_settings(self, request: Request, _: bytes) -> Response:
        """Shortcuts, bases and highlighted words."""
        return self.pages(request, "settings.html", settings=self.room.settings, actions=ACTIONS, saved=False)

    def keep_settings(self, request: Request, body: bytes) -> Response:
        """Keep them, if they can be used."""
        form = _form(body)
        terms = form.get("terms", "").splitlines()
        value = {
            "keys": {name: form.get(f"key-{name}", key) for name, (key, _) in ACTIONS.items()},
            "bases": form.get("bases", "").splitlines(),
            "links": "links" in form,
            "terms": terms if any(each.strip() for each in terms) else None,
        }
        self.room.choose(settings.checked(value))
        return self.pages(request, "settings.html", settings=self.room.settings, actions=ACTIONS, saved=True)

    # A question.

    def question(self, request: Request, _: bytes) -> Response:
        """A question: documents with their decisions, or a decision alone, or what is wrong with it."""
        name = request.path_params["id"]
        found = self.room.desk(name)
        if isinstance(found, Fault):
            return self.pages(
                request, "fault.html", status=409, id=name, fault=str(found.fault), item=self.room.item(name)
            )
        if not found.ready.documents:
            return self._alone(request, name, found)
        return self.pages(
            request,
            "question.html",
            **self._about(name, found),
            lines=reading.lines(found.ready),
            sheet=found.sheet,
            settings=self.room.settings,
            actions=ACTIONS,
            in_camera=found.ready.view.kind == "privilege",
            sought=_sought(found),
        )

    def _about(self, name: str, desk: Desk) -> dict[str, Any]:
        view = desk.ready.view
        asked = view.question.request
        caption = view.opening.caption
        return {
            "id": name,
            "case": caption.case if caption else "",
            "who": naming.introduced(view.opening.caption, view.role),
            "asked": ASKED[asked.kind],
            "round": asked.round,
            "kind": asked.kind,
            "answered": desk.answered,
            "simulation": view.opening.simulation is not None,
        }

    def _alone(self, request: Request, name: str, desk: Desk) -> Response:
        """A question without documents: what each decision would say."""
        view = desk.ready.view
        return self.pages(
            request,
            "decision.html",
            **self._about(name, desk),
            sheet=desk.sheet,
            terms=preview.whole_terms(view) if view.first or view.kind in ("agreed", "deposited") else None,
            choices=list(self._choices(desk)),
            cells=desk.draft.cells,
            objections=len(desk.objections),
            objects=view.kind == "order",
        )

    def _choices(self, desk: Desk) -> list[tuple[str, str, Any]]:
        """What can be decided, each with what it would sign."""
        named = {
            Decision.GRANT: ("granted", (("grant", "Grant it"), ("deny", "Deny it"))),
            Decision.ACCEPT: ("accepted", (("accept", "Accept it"), ("reject", "Reject it"))),
        }.get(desk.sheet.decision)
        if named is None:
            return []
        cell, options = named
        return [
            (value, words, self._preview_of(desk, cell, decided=decided))
            for (value, words), decided in zip(options, (True, False), strict=True)
        ]

    def _preview_of(self, desk: Desk, cell: str, *, decided: bool) -> Any:
        try:
            return desk.supposing({cell: decided})
        except LedgerError as error:
            return str(error)

    def state(self, request: Request, _: bytes) -> Response:
        """All that the page's script needs to begin."""
        desk = self.room.ready(request.path_params["id"])
        chosen = self.room.settings
        return JSONResponse(
            {
                "cells": desk.draft.cells,
                "keys": dict(chosen.keys),
                "terms": list(chosen.terms if chosen.terms is not None else reading.request_terms(desk.ready)),
                "classes": list(desk.sheet.classes),
                **_progress(desk),
            }
        )

    def change(self, request: Request, body: bytes) -> Response:
        """Keep a step of decisions."""
        desk = self.room.ready(request.path_params["id"])
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
        desk = self.room.ready(request.path_params["id"])
        restored: dict[str, Cell] = desk.undo()
        return JSONResponse({"cells": restored, **_progress(desk)})

    def search(self, request: Request, _: bytes) -> Response:
        """Where words are found."""
        desk = self.room.ready(request.path_params["id"])
        return JSONResponse({"found": desk.search.found(request.query_params.get("words", "")[:200])})

    def document(self, request: Request, _: bytes) -> Response:
        """A document, as a piece of the page."""
        desk = self.room.ready(request.path_params["id"])
        position = request.path_params["position"]
        if position not in desk.ready.documents:
            raise Refused("the question does not ask about this position")
        known, shown = reading.document(desk.ready, position)
        texts = [] if shown is not None else earlier.texts(self.room, desk, known)
        return self.pages(
            request,
            "document.html",
            id=request.path_params["id"],
            position=position,
            document=known,
            parts=[] if shown is None else reading.parts(shown, whole="all" in request.query_params),
            texts=texts,
            listed=shown is None,
            sheet=desk.sheet,
            sides=reading.sides(desk.ready, desk.where, position),
            called={role: naming.introduced(desk.ready.view.opening.caption, role) for role in ("alice", "bob")},
            rows=list(reading.rows(desk.ready, position)),
            neighbours=reading.neighbours(desk.ready.alike, position),
            total=len(desk.ready.documents),
        )

    def image(self, request: Request, _: bytes) -> Response:
        """A picture of a page. It is never anything else than a picture."""
        desk = self.room.ready(request.path_params["id"])
        place = (request.path_params[name] for name in ("position", "part", "page"))
        found = reading.image(desk.ready, *place)
        if found is None:
            return Response(status_code=404)
        return Response(found, media_type="image/png")

    def decide(self, request: Request, body: bytes) -> Response:
        """Keep the decision of a question without documents, and go on to the signature."""
        name = request.path_params["id"]
        desk, form = self.room.ready(name), _form(body)
        words = {"grant": {"granted": True}, "deny": {"granted": False}}
        words |= {"accept": {"accepted": True}, "reject": {"accepted": False}}
        if "candidates" in form:
            desk.change({"candidates": form["candidates"].strip() or None})
        elif form.get("choice") in words:
            desk.change(words[form["choice"]])
        return RedirectResponse(f"/q/{name}/sign", status_code=303)

    def take_objection(self, request: Request, body: bytes) -> Response:
        """An objection of the silent party's, which the court was given."""
        desk = self.room.ready(request.path_params["id"])
        found = objection_file.decode(body, "the file")
        objection.check_about(desk.ready.view, found)
        if found not in desk.objections:
            desk.objections.append(found)
        return JSONResponse({"reason": found.objection.reason, "count": len(desk.objections)})

    def object(self, request: Request, _: bytes) -> Response:
        """Sign an objection to a question that is at fault."""
        name = request.path_params["id"]
        path = self.room.object(name)
        return self.pages(request, "objected.html", file=str(path), id=name)

    def forgotten(self, request: Request, _: bytes) -> Response:
        """The memory beside the key is lost, says its owner."""
        name = request.path_params["id"]
        self.room.forget(name)
        return RedirectResponse(f"/q/{name}", status_code=303)

    # The signature.

    def show_signing(self, request: Request, _: bytes) -> Response:
        """What would be signed, in words, with the numbers."""
        return self._signing(request)

    def _signing(self, request: Request, wrong: str = "") -> Response:
        name = request.path_params["id"]
        desk = self.room.ready(name)
        replacing = "replace" in request.query_params
        lacking = desk.missing()
        if lacking:
            return self.pages(
                request, "missing.html", **self._about(name, desk), lacking=lacking[:_SAID], total=len(lacking)
            )
        shown, mark = desk.about_to_sign(self.room.source.out(name), replacing=replacing)
        view = desk.ready.view
        return self.pages(
            request,
            "sign.html",
            status=403 if wrong else 200,
            **self._about(name, desk),
            terms=preview.whole_terms(view) if view.first else None,
            shown=shown,
            mark=mark,
            replacing=replacing,
            seen=chances.seen(desk.ready, desk.decisions(), naming.introduced(view.opening.caption, "bob")),
            passphrase=not self.room.unlocked,
            wrong=wrong,
            others=desk.ready.asked.others[:5],
        )

    def sign(self, request: Request, body: bytes) -> Response:
        """Sign what was shown."""
        name, form = request.path_params["id"], _form(body)
        try:
            self.room.check_passphrase(form.get("passphrase", ""), keep="keep" in form)
        except (WrongPassphrase, PassphraseNeeded) as error:
            return self._signing(request, wrong=str(error))
        self.room.sign(name, form.get("mark", ""), replacing="replacing" in form)
        return RedirectResponse(f"/q/{name}/receipt", status_code=303)

    def receipt(self, request: Request, _: bytes) -> Response:
        """The receipt, and what became of the answer."""
        name = request.path_params["id"]
        item = self.room.item(name)
        return self.pages(request, "receipt.html", id=name, item=item, text=self._receipt(name).decode())

    def receipt_file(self, request: Request, _: bytes) -> Response:
        """The receipt as a file."""
        name = request.path_params["id"]
        headers = {"content-disposition": f'attachment; filename="receipt-{name}.txt"'}
        return Response(self._receipt(name), media_type="text/plain; charset=utf-8", headers=headers)

    def _receipt(self, name: str) -> bytes:
        asked = self.room.item(name).request
        if asked is None:
            return b""
        return receipts.kept(receipts.path_of(self.room.key_file, asked.matter, asked.entry, asked.kind))


def _progress(desk: Desk) -> dict[str, Any]:
    """How far the decisions are, and what is missing."""
    lacking = desk.missing()
    return {
        "total": len(desk.ready.documents),
        "lacking": len(lacking),
        "open": sorted({each.position for each in lacking if each.position is not None}),
        "words": [[each.position, each.row, each.words] for each in lacking[:_SAID]],
        "undoable": desk.draft.undoable,
        "seconds": int(desk.draft.seconds),
        "last": desk.draft.last,
    }


def _sought(desk: Desk) -> list[str]:
    caption = desk.ready.view.opening.caption
    return caption.request.strip().splitlines() if caption else []


def _form(body: bytes) -> dict[str, str]:
    """A form's fields, each once."""
    return {
        name: values[-1] for name, values in parse_qs(body.decode(errors="replace"), keep_blank_values=True).items()
    }


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _since(seconds: float) -> str:
    """How long ago something was, in words."""
    passed = max(0, int(time.time() - seconds))
    for unit, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if passed >= unit:
            count = passed // unit
            return f"{count} {name}{'' if count == 1 else 's'} ago"
    return "just now"
