"""A guard around an app that listens on loopback.

Every page in the browser can send requests to 127.0.0.1, every program on the machine can connect to it, and behind a
proxy all requests come from there. So nothing is granted because of where a request comes from:

- The first address holds a token that works once. It is exchanged for a session cookie.
- A browser sends a cookie to all ports of a host, so another server on this machine could collect it. The app's pages
  are therefore below a path that nobody can guess, and the cookie is for that path alone. The path is no part of the
  first address, which the list of processes shows. Whoever knows only the path is refused.
- The Host must be the app's own: a foreign name that resolves to 127.0.0.1 (DNS rebinding) is refused.
- A request that changes something must come from a page of this app: by its Origin, by Sec-Fetch-Site if the browser
  sends it, and by a secret that only these pages hold (a form's field `csrf`, or the header X-CSRF-Token).
- Every response, refusals included, forbids scripts and styles that are not files of the app, frames and caching.
"""

import hmac
import secrets
from collections.abc import Iterable
from http import HTTPStatus
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

ENTRANCE = "/enter"
FIELD, HEADER = "csrf", "x-csrf-token"
MAX_BODY = 2**20
"""Largest body of a request in bytes."""

_HEADERS = {
    b"content-security-policy": b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    b"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    b"cache-control": b"no-store",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
}
_READS = ("GET", "HEAD")
_FORM = "application/x-www-form-urlencoded"
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Refused</title></head>
<body><main><h1>Refused</h1><p>{}</p></main></body></html>
"""


class _Refusal(Exception):
    """A request that does not reach the app. The words are for the person in front of the browser."""

    def __init__(self, status: HTTPStatus, words: str) -> None:
        super().__init__(words)
        self.status = status


class Guard:
    """One run of an app on a port: its session, and what a request must bring."""

    def __init__(self, port: int, *, max_body: int = MAX_BODY) -> None:
        self.csrf = secrets.token_urlsafe(32)
        self.root = f"/r-{secrets.token_urlsafe(16)}"
        self.cookie = f"tallystick-{port}"  # a browser sends cookies to all ports of a host: two apps need two names
        self._session = secrets.token_urlsafe(32)
        self._tokens: set[str] = set()
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self._max_body = max_body

    def address(self) -> str:
        """An address that lets a browser in, once."""
        token = secrets.token_urlsafe(32)
        self._tokens.add(token)
        return f"http://{self._hosts[0]}{ENTRANCE}?token={token}"

    def around(self, app: ASGIApp) -> ASGIApp:
        """The app, guarded. It sees its own paths, without `root`; what it redirects to is below `root`.

        Its requests have `csrf` and `root` in their state, for forms and links.
        """

        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "lifespan":
                await app(scope, receive, send)
            elif scope["type"] == "http":
                await self._answer(app, scope, receive, _with_headers(send))
            else:
                await send({"type": "websocket.close", "code": 1008})

        return guarded

    async def _answer(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            self._check_host(scope)
            if scope["path"] == ENTRANCE and scope["method"] == "GET":
                await self._enter(scope, send)
                return
            self._check_session(scope)
            inner = self._within(scope)
            if scope["method"] not in _READS:
                self._check_sender(scope)
                receive = await self._checked_body(scope, receive)
        except _Refusal as refusal:
            await _respond(send, refusal.status, _PAGE.format(refusal).encode())
            return
        inner["state"] = {**scope.get("state", {}), "csrf": self.csrf, "root": self.root}
        await app(inner, receive, self._redirected(send))

    def _within(self, scope: Scope) -> Scope:
        """The request as the app sees it. Whoever was let in and leaves the path finds nothing."""
        path = scope["path"]
        if not path.startswith(f"{self.root}/"):
            raise _Refusal(HTTPStatus.NOT_FOUND, "There is no such page. Open the address that the program printed.")
        inner = {name: value for name, value in scope.items() if name != "raw_path"}
        return {**inner, "path": path.removeprefix(self.root), "root_path": ""}

    def _redirected(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [(name, self._below(name, value)) for name, value in message.get("headers", ())]
                message = {**message, "headers": headers}
            await send(message)

        return sending

    def _below(self, name: bytes, value: bytes) -> bytes:
        own = name.lower() == b"location" and value.startswith(b"/") and not value.startswith(b"//")
        return self.root.encode() + value if own else value

    def _check_host(self, scope: Scope) -> None:
        if _header(scope, "host") not in self._hosts:
            raise _Refusal(
                HTTPStatus.MISDIRECTED_REQUEST, "This address is not the one that the program printed when it started."
            )

    async def _enter(self, scope: Scope, send: Send) -> None:
        """Exchange a token for the session. A token is used up even if the browser goes away."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        found = next((each for each in self._tokens if _same(each, given)), None)
        if found is None:
            raise _Refusal(
                HTTPStatus.FORBIDDEN,
                "This address works once, and was used already. Go on in the window that it opened, or start the "
                "program again. Nothing is lost by that.",
            )
        self._tokens.discard(found)
        cookie = f"{self.cookie}={self._session}; HttpOnly; SameSite=Strict; Path={self.root}/"
        found_at = [(b"location", f"{self.root}/".encode()), (b"set-cookie", cookie.encode("latin-1"))]
        await _respond(send, HTTPStatus.SEE_OTHER, b"", found_at)

    def _check_session(self, scope: Scope) -> None:
        pairs = (pair.strip().partition("=") for value in _headers(scope, "cookie") for pair in value.split(";"))
        if not any(name == self.cookie and _same(value, self._session) for name, _, value in pairs):
            raise _Refusal(
                HTTPStatus.FORBIDDEN,
                "This browser was not let in. Open the address that the program printed, or start the program again.",
            )
        # Pages on other ports of this machine are "same-site", and the browser sends them with the cookie.
        if _header(scope, "sec-fetch-site") not in (None, "same-origin", "none"):
            raise _Refusal(HTTPStatus.FORBIDDEN, "A page of another site asked for this. Type the address yourself.")

    def _check_sender(self, scope: Scope) -> None:
        if scope["method"] != "POST":
            raise _Refusal(HTTPStatus.METHOD_NOT_ALLOWED, "No page of this program asks for this.")
        origin, site = _header(scope, "origin"), _header(scope, "sec-fetch-site")
        # Without referrers, browsers hide the origin of a form, too. Then what they say of the site must do.
        named = origin == f"http://{_header(scope, 'host')}" or (origin == "null" and site == "same-origin")
        if not named or site not in (None, "same-origin"):
            raise _Refusal(HTTPStatus.FORBIDDEN, "A page of another site sent this. Nothing was done.")

    async def _checked_body(self, scope: Scope, receive: Receive) -> Receive:
        """The body, read within its limit, if its secret is right. Whoever sends none in a header must send a form."""
        stated = _header(scope, "content-length")
        if stated is not None and not (stated.isascii() and stated.isdigit() and int(stated[:20]) <= self._max_body):
            raise self._too_large()
        named = _header(scope, HEADER)
        is_form = (_header(scope, "content-type") or "").partition(";")[0].strip().lower() == _FORM
        if not is_form and (named is None or not _same(named, self.csrf)):
            raise _no_secret()
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _Refusal(HTTPStatus.BAD_REQUEST, "The connection ended in the middle of a request.")
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self._max_body:
                raise self._too_large()
        if is_form:
            named = named or parse_qs(body.decode("latin-1")).get(FIELD, [""])[0]
            if not _same(named, self.csrf):
                raise _no_secret()
        return _replayed(body, receive)

    def _too_large(self) -> _Refusal:
        return _Refusal(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"This is more than {self._max_body} bytes. Nothing was done."
        )


def _no_secret() -> _Refusal:
    return _Refusal(
        HTTPStatus.FORBIDDEN,
        "This page is from an earlier run of the program. Nothing was done: load the page again, and repeat the step.",
    )


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def _headers(scope: Scope, name: str) -> list[str]:
    return [value.decode("latin-1") for each, value in scope["headers"] if each == name.encode()]


def _header(scope: Scope, name: str) -> str | None:
    """A header that must not be there twice: two readers could each believe another one."""
    found = _headers(scope, name)
    if len(found) > 1:
        raise _Refusal(HTTPStatus.BAD_REQUEST, f"The request has the header {name} twice.")
    return found[0] if found else None


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body once more, for the app, and then whatever comes after it."""
    left = [body]

    async def replay() -> Message:
        return {"type": "http.request", "body": left.pop(), "more_body": False} if left else await receive()

    return replay


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [(name, value) for name, value in message.get("headers", ()) if name.lower() not in _HEADERS]
            message = {**message, "headers": [*kept, *_HEADERS.items()]}
        await send(message)

    return sending


async def _respond(send: Send, status: HTTPStatus, body: bytes, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
    about = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(body)).encode()), *headers]
    await send({"type": "http.response.start", "status": status.value, "headers": about})
    await send({"type": "http.response.body", "body": body})
