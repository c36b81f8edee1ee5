"""The first pages of a room: unlocking the key, the list of questions, and the settings."""

import time

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.keyfiles import PassphraseNeeded, WrongPassphrase
from protocol.parties.question import ASKED
from protocol.parties.wish import Wanted
from protocol.room import settings
from protocol.room.handling import Handlers, form, state_of
from protocol.room.mailbox import BoxSource
from protocol.room.settings import ACTIONS

WANTED: dict[str, Wanted] = {"late": "late", "clawback": "clawback"}


class Front(Handlers):
    """The pages that belong to no question."""

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route("/", self.page(self.inbox)),
            Route("/unlock", self.page(self.unlock), methods=["POST"]),
            Route("/waiting", self.json(self.waiting)),
            Route("/settings", self.page(self.show_settings), methods=["GET"]),
            Route("/settings", self.page(self.keep_settings), methods=["POST"]),
            Route("/remove/{matter:str}", self.page(self.remove), methods=["POST"]),
            Route("/links", self.page(self.choose_links), methods=["POST"]),
            Route("/wish/{wanted:str}/{matter:str}", self.page(self.show_wish), methods=["GET"]),
            Route("/wish/{wanted:str}/{matter:str}", self.page(self.sign_wish), methods=["POST"]),
        ]

    def inbox(self, request: Request, _: bytes) -> Response:
        """What waits, and what was answered."""
        room = self.room
        if not room.open:
            return self._locked(request)
        room.look_around()
        room.prepare()
        items = room.items()
        return self.pages(
            request,
            "inbox.html",
            state=state_of(items),
            waiting=[each for each in items if not each.answered],
            answered=[each for each in items if each.answered],
            asked=ASKED,
            when=_when,
            since=_since,
            trouble=getattr(room.source, "trouble", ""),
            wishing=[each.hex() for each in room.wishing()],
            room=room,
        )

    def waiting(self, _: Request, __: bytes) -> Response:
        """Whether the list has changed, for the list's script."""
        if not self.room.open:
            return JSONResponse({"state": "locked"})
        return JSONResponse({"state": state_of(self.room.items())})

    def unlock(self, request: Request, body: bytes) -> Response:
        """Unlock the key for checking, and for signing if the person says so."""
        given = form(body)
        try:
            self.room.unlock(given.get("passphrase", ""), keep="keep" in given)
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
        value = {"keys": chosen.keys, "bases": chosen.bases, "terms": chosen.terms, "links": "links" in form(body)}
        self.room.choose(settings.checked(value))
        return RedirectResponse("/", status_code=303)

    def show_wish(self, request: Request, _: bytes) -> Response:
        """What Alice can ask of Trent, before she signs it."""
        return self._wish(request, sent=False)

    def sign_wish(self, request: Request, body: bytes) -> Response:
        """Sign the wish, and leave it in the mailbox."""
        given = form(body)
        wanted, matter = _wanted(request)
        try:
            self.room.check_passphrase(given.get("passphrase", ""), keep="keep" in given)
        except (WrongPassphrase, PassphraseNeeded) as error:
            return self._wish(request, sent=False, wrong=str(error))
        self.room.wish(matter, wanted)
        return self._wish(request, sent=True)

    def _wish(self, request: Request, *, sent: bool, wrong: str = "") -> Response:
        wanted, matter = _wanted(request)
        return self.pages(
            request,
            "wish.html",
            status=403 if wrong else 200,
            wanted=wanted,
            matter=matter.hex(),
            passphrase=not self.room.unlocked,
            sent=sent,
            wrong=wrong,
        )

    def show_settings(self, request: Request, _: bytes) -> Response:
        """Shortcuts, bases and highlighted words."""
        return self._settings(request, saved=False)

    def keep_settings(self, request: Request, body: bytes) -> Response:
        """Keep them, if they can be used."""
        given = form(body)
        terms = given.get("terms", "").splitlines()
        value = {
            "keys": {name: given.get(f"key-{name}", key) for name, (key, _) in ACTIONS.items()},
            "bases": given.get("bases", "").splitlines(),
            "links": "links" in given,
            "terms": terms if any(each.strip() for each in terms) else None,
        }
        self.room.choose(settings.checked(value))
        return self._settings(request, saved=True)

    def _settings(self, request: Request, *, saved: bool) -> Response:
        return self.pages(
            request,
            "settings.html",
            settings=self.room.settings,
            actions=ACTIONS,
            saved=saved,
            removable={matter.hex(): count for matter, count in self.room.removable().items()},
            keeps=isinstance(self.room.source, BoxSource),
        )

    def remove(self, request: Request, _: bytes) -> Response:
        """Remove the answered questions of a matter from this computer."""
        self.room.remove(_matter(request))
        return RedirectResponse("/settings", status_code=303)


def _wanted(request: Request) -> tuple[Wanted, Digest]:
    """What is wished for, and in which matter."""
    wanted = WANTED.get(request.path_params["wanted"])
    if wanted is None:
        raise Refused("there is no such wish; go back to the list")
    return wanted, _matter(request)


def _matter(request: Request) -> Digest:
    try:
        return Digest.parse(request.path_params["matter"])
    except ValueError:
        raise Refused("there is no such matter; go back to the list") from None


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
