"""The page of a question: documents with their decisions, or a decision alone, or what is wrong with it."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from ledger.errors import LedgerError
from ledger.keyfiles import PassphraseNeeded, WrongPassphrase
from protocol.matter.asking import Decision
from protocol.parties import preview
from protocol.room.desk import Desk, Fault
from protocol.room.handling import QUESTION, Handlers, about, form
from protocol.room.settings import ACTIONS

PATIENCE = 0.4
"""Seconds for the checks of a question, after which a page says that they take longer."""

_CHOICES = {
    "grant": {"granted": True},
    "deny": {"granted": False},
    "accept": {"accepted": True},
    "reject": {"accepted": False},
}


class Questions(Handlers):
    """The pages on which a question is looked at and decided."""

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route(QUESTION, self.page(self.question)),
            Route(f"{QUESTION}/checked", self.json(self.checked)),
            Route(f"{QUESTION}/decide", self.page(self.decide), methods=["POST"]),
            Route(f"{QUESTION}/objections", self.json(self.take_objection), methods=["POST"]),
            Route(f"{QUESTION}/object", self.page(self.object), methods=["POST"]),
            Route(f"{QUESTION}/forgotten", self.page(self.forgotten), methods=["POST"]),
        ]

    def question(self, request: Request, _: bytes) -> Response:
        """The question, once its checks are over; until then, a page that says so."""
        name = request.path_params["id"]
        if not self.room.is_checked(name, PATIENCE):
            return self.pages(request, "checking.html", id=name, item=self.room.item(name))
        found = self.room.desk(name)
        if isinstance(found, Fault):
            return self.at_fault(request)
        if not found.ready.documents:
            return self._alone(request, name, found)
        return self.pages(
            request,
            "question.html",
            **about(name, found),
            total=len(found.ready.documents),
            sheet=found.sheet,
            settings=self.room.settings,
            actions=ACTIONS,
            in_camera=found.ready.view.kind == "privilege",
            sought=_sought(found),
        )

    def checked(self, request: Request, _: bytes) -> Response:
        """Whether the checks are over, for the page that waits for them."""
        return JSONResponse({"checked": self.room.is_checked(request.path_params["id"], PATIENCE)})

    def _alone(self, request: Request, name: str, desk: Desk) -> Response:
        """A question without documents: what each decision would say."""
        view = desk.ready.view
        return self.pages(
            request,
            "decision.html",
            **about(name, desk),
            sheet=desk.sheet,
            terms=preview.whole_terms(view) if view.first or view.kind in ("agreed", "deposited") else None,
            choices=_choices(desk),
            cells=desk.draft.cells,
            objections=[each.objection.reason for each in desk.objections],
            objects=view.kind == "order",
        )

    def decide(self, request: Request, body: bytes) -> Response:
        """Keep the decision of a question without documents, and go on to the signature."""
        name = request.path_params["id"]
        desk, given = self.room.ready(name), form(body)
        if "candidates" in given:
            desk.change({"candidates": given["candidates"].strip() or None})
        elif given.get("choice") in _CHOICES:
            desk.change(_CHOICES[given["choice"]])
        return RedirectResponse(f"/q/{name}/sign", status_code=303)

    def take_objection(self, request: Request, body: bytes) -> Response:
        """An objection of the silent party's, which the court was given."""
        found = self.room.ready(request.path_params["id"]).add(body)
        return JSONResponse({"reason": found.objection.reason})

    def object(self, request: Request, body: bytes) -> Response:
        """Sign an objection to a question that is at fault."""
        name, given = request.path_params["id"], form(body)
        try:
            self.room.check_passphrase(given.get("passphrase", ""), keep="keep" in given)
        except (WrongPassphrase, PassphraseNeeded) as error:
            return self.at_fault(request, wrong=str(error))
        path, sent = self.room.object(name)
        return self.pages(request, "objected.html", file=str(path), sent=sent, id=name)

    def forgotten(self, request: Request, _: bytes) -> Response:
        """The memory beside the key is lost, says its owner."""
        name = request.path_params["id"]
        self.room.forget(name)
        return RedirectResponse(f"/q/{name}", status_code=303)


def _choices(desk: Desk) -> list[tuple[str, str, Any]]:
    """What can be decided, each with what it would sign."""
    options = {
        Decision.GRANT: (("grant", "Grant it"), ("deny", "Deny it")),
        Decision.ACCEPT: (("accept", "Accept it"), ("reject", "Reject it")),
    }.get(desk.sheet.decision, ())
    return [(value, words, _would(desk, _CHOICES[value])) for value, words in options]


def _would(desk: Desk, cells: dict[str, bool]) -> Any:
    try:
        return desk.supposing(cells)
    except LedgerError as error:
        return str(error)


def _sought(desk: Desk) -> list[str]:
    caption = desk.ready.view.opening.caption
    return caption.request.strip().splitlines() if caption else []
