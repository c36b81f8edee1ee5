"""Trent's page: where each matter stands, and buttons for what the commands do.

It runs beside the loops, in threads of its own. They only look; what a button does is handed to the matter's loop.
"""

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from ledger.errors import LedgerError, Refused
from protocol.exchange import answer_file
from protocol.operating import actions, taking
from protocol.operating.actions import ACTIONS
from protocol.operating.loop import At, Run
from protocol.operating.standing import View, Viewer
from protocol.web.pages import Pages, static

T = TypeVar("T")

MAX_BODY = answer_file.MAX_SIZE
"""Largest request: an answer that came by mail."""
_PATIENCE = 60.0  # seconds for the loop to be free


class Failed(LedgerError):
    """An order broke off by an error that nobody foresaw."""

    def __init__(self) -> None:
        super().__init__("This failed; see the terminal. Look at where the matter stands before you try it again.")


class Front:
    """The app of all runs: a list of the matters, and the page of each."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.pages = Pages("protocol.operating")
        self.matters = [Page(each, alone=len(runs) == 1) for each in runs]

    def app(self) -> Starlette:
        """To be guarded, and served on loopback."""
        return Starlette(
            routes=[
                Route("/", self.overview),
                Route("/version", self.version),
                *(Mount(_address(number), each.app()) for number, each in enumerate(self.matters, 1)),
                Mount("/static", static("protocol.operating")),
            ]
        )

    def overview(self, request: Request) -> Response:
        """Where each matter stands. A single one needs no list."""
        if len(self.matters) == 1:
            return RedirectResponse(f"{_address(1)}/", HTTPStatus.SEE_OTHER)
        version = self._version()  # first, as in a view
        rows = [(_address(number), *_row(each)) for number, each in enumerate(self.matters, 1)]
        return self.pages(request, "matters.html", matters=rows, version=version)

    def version(self, _: Request) -> Response:
        """Whether there is something new to show."""
        return JSONResponse({"version": self._version()})

    def _version(self) -> str:
        return " ".join(each.viewer.version() for each in self.matters)


def _row(page: "Page") -> tuple[View | None, str, str]:
    """Where a matter stands; or the name of its file, and why it cannot be read."""
    name = page.run.settings.matter.name
    try:
        return page.viewer.view(), name, ""
    except (LedgerError, OSError) as error:
        return None, name, str(error)


def _address(number: int) -> str:
    return f"/matter/{number}"


class Page:
    """The app of one run. `alone`: there is no other matter."""

    def __init__(self, run: Run, *, alone: bool = True) -> None:
        self.run = run
        self.alone = alone
        self.viewer = Viewer(run=run)
        self.pages = Pages("protocol.operating")
        self._said: list[tuple[str, str]] = []  # what the last step has brought, shown once

    def app(self) -> Starlette:
        """To be guarded, and served on loopback."""
        return Starlette(
            routes=[
                Route("/", self.overview),
                Route("/version", self.version),
                Route("/ask/{name}", self.ask),
                Route("/do/{name}", self.do, methods=["POST"]),
                Route("/answer", self.answer, methods=["POST"]),
                Route("/question/{name}.zip", self.question),
                Route("/objection/{name}", self.objection),
                Mount("/static", static("protocol.operating")),
            ],
            exception_handlers={LedgerError: self._refused, 404: self._missing},
        )

    def overview(self, request: Request) -> Response:
        """Where the matter stands."""
        said, self._said = self._said, []
        return self.pages(request, "run.html", view=self.viewer.view(), said=said, alone=self.alone)

    def version(self, _: Request) -> Response:
        """Whether there is something new to show."""
        return JSONResponse({"version": self.viewer.version()})

    def ask(self, request: Request) -> Response:
        """What a button is about to do."""
        name = self._action(request)
        fields = {key: value for key, value in request.query_params.items() if value}
        asking = self._order(lambda at: actions.asked(at, name, fields))
        return self.pages(request, "ask.html", asking=asking, name=name, fields=fields)

    async def do(self, request: Request) -> Response:
        """Do it."""
        name = self._action(request)
        given = dict(parse_qsl((await request.body()).decode("ascii", "replace"), max_num_fields=20))
        mark = given.pop("mark", "")
        given.pop("csrf", None)
        words = await run_in_threadpool(lambda: self._order(lambda at: actions.done(at, name, given, mark)))
        self._said.append(("good", words))
        return RedirectResponse(f"{request.scope['root_path']}/", HTTPStatus.SEE_OTHER)

    async def answer(self, request: Request) -> Response:
        """Take a party's answer, or its objection, that came by mail."""
        data = await request.body()
        try:
            words = await run_in_threadpool(lambda: self._order(lambda at: _taken(at, data)))
        except Failed as error:
            return JSONResponse({"words": str(error), "taken": False}, HTTPStatus.CONFLICT)
        except LedgerError as error:
            return JSONResponse({"words": f"Nothing was changed: {error}", "taken": False}, HTTPStatus.CONFLICT)
        self._said.append(("good", words))
        return JSONResponse({"words": words, "taken": True})

    def question(self, request: Request) -> Response:
        """A question as a zip, for a party that gets it by mail."""
        role = request.path_params["name"]
        for each in self.run.standing.asked:
            if each.role == role and each.package.is_file():
                return FileResponse(each.package, filename=each.package.name, media_type="application/zip")
        raise Refused("nothing is asked of this party now")

    def objection(self, request: Request) -> Response:
        """An objection as the party signed it."""
        for each in self.viewer.kept().all("objections"):
            if each.name == request.path_params["name"]:
                return FileResponse(each, filename=each.name, media_type="application/json")
        raise Refused("there is no such objection")

    def _action(self, request: Request) -> str:
        name = str(request.path_params["name"])
        if name not in ACTIONS:
            raise Refused("there is no such button")
        return name

    def _order(self, action: Callable[[At], T]) -> T:
        try:
            return self.run.order(action, _PATIENCE)
        except LedgerError:
            raise
        except Exception as error:
            raise Failed from error

    def _refused(self, request: Request, error: Exception) -> Response:
        title = "Nothing was done"
        if isinstance(error, Failed):
            title = "This failed"
            if request.method == "GET":
                error = Refused(f"{error} Nothing was done.")
        return self.pages(request, "refused.html", status=HTTPStatus.CONFLICT, title=title, words=str(error))

    def _missing(self, _: Request, __: Exception) -> Response:
        return PlainTextResponse("There is no such page.", HTTPStatus.NOT_FOUND)


def _taken(at: At, data: bytes) -> str:
    """Take a file that came by mail, by what it says."""
    role = taking.author(data)
    found = at.taker.take(role, data, at.run.settings.clock())
    if found is None:
        raise Refused("the court was asked to go on without this answer. Keep the file, and tell the court")
    if not found.accepted:
        raise Refused(found.words)
    said = at.taker.sentence(role, found)
    at.run.tell(said)
    return said
