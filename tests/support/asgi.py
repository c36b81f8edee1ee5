"""Requests to an app without a server, exactly as they are given: a browser's good manners must not hide a hole."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from starlette.types import ASGIApp, Message

from protocol.web.loopback import Guard


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def header(self, name: str) -> str | None:
        found = [value for each, value in self.headers if each == name]
        assert len(found) <= 1, found
        return found[0] if found else None


def ask(
    app: ASGIApp, method: str, target: str, headers: dict[str, str] | list[tuple[str, str]], body: bytes = b""
) -> Answer:
    """One request."""
    path, _, query = target.partition("?")
    given = list(headers.items()) if isinstance(headers, dict) else headers
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in given],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
    }
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
    sent: list[Message] = []

    async def receive() -> Message:
        return left.pop() if left else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    async def asked() -> None:
        await app(scope, receive, send)

    with ThreadPoolExecutor(max_workers=1) as pool:  # the thread of a test with a real browser has a loop already
        pool.submit(asyncio.run, asked()).result()
    start, *pieces = sent
    return Answer(
        status=start["status"],
        headers=[(name.decode().lower(), value.decode()) for name, value in start["headers"]],
        body=b"".join(piece.get("body", b"") for piece in pieces),
    )


@dataclass
class Browser:
    """A browser that was let in."""

    app: ASGIApp
    guard: Guard
    port: int
    cookie: str = field(init=False)
    root: str = field(init=False)  # below which the app's pages are

    def __post_init__(self) -> None:
        entered = ask(self.app, "GET", self.guard.address().partition(f":{self.port}")[2], {"host": self.host})
        assert entered.status == 303
        self.root = (entered.header("location") or "").rstrip("/")
        self.cookie = (entered.header("set-cookie") or "").partition(";")[0]

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def headers(self) -> dict[str, str]:
        """What it sends with each request."""
        return {"host": self.host, "cookie": self.cookie, "sec-fetch-site": "same-origin"}

    @property
    def sending(self) -> dict[str, str]:
        """What a script of the app's own page sends with what it posts."""
        return self.headers | {"origin": f"http://{self.host}", "x-csrf-token": self.guard.csrf}

    def ask(
        self, method: str, target: str, headers: dict[str, str] | list[tuple[str, str]], body: bytes = b""
    ) -> Answer:
        """One request for a page of the app, as the app names it. Redirects name pages in the same way."""
        answer = ask(self.app, method, self.root + target, headers, body)
        return replace(answer, headers=[(name, value.removeprefix(self.root)) for name, value in answer.headers])

    def get(self, target: str) -> Answer:
        return self.ask("GET", target, self.headers)

    def post(self, target: str, **fields: str) -> Answer:
        """A form of the app's own page."""
        sent = {"origin": f"http://{self.host}", "content-type": "application/x-www-form-urlencoded"}
        body = urlencode({"csrf": self.guard.csrf, **fields}).encode()
        return self.ask("POST", target, self.headers | sent, body)

    def fetch(self, target: str, value: object) -> Answer:
        """JSON that a script of the app's own page sends."""
        return self.ask("POST", target, self.sending | {"content-type": "application/json"}, json.dumps(value).encode())
