"""What holds for every request, whatever it asks for: rates, time, one line in the log, and no traceback to a stranger.

A slow client is given up: it must send or take some bytes every few seconds, and its request must arrive at a least
speed. So nobody holds a place for long without work for it.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeVar

from protocol.box import rates
from protocol.box.limits import Limits
from protocol.box.logbook import Logbook
from protocol.box.rates import Rates

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
T = TypeVar("T")
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
)


class Refusal(Exception):
    """A request that is answered with a status and a reason; after `wait` seconds it may be made again."""

    def __init__(self, status: int, words: str, *, wait: int = 0, cause: str | None = None) -> None:
        super().__init__(words)
        self.status, self.words, self.wait = status, words, wait
        self.cause = cause  # for the operator's log only


class Stalled(Refusal):
    """A client that is too slow."""

    def __init__(self) -> None:
        super().__init__(408, "the request took too long; make it again")


@dataclass(slots=True)
class Noted:
    """What the log says of a request."""

    address: str
    matter: str | None = None
    role: str | None = None
    refused: str | None = None
    cause: str | None = None


class Guard:
    """Wraps what answers the requests."""

    def __init__(self, app: App, limits: Limits, log: Logbook) -> None:
        self._app, self._limits, self._log = app, limits, log
        self._addresses = Rates(rate=limits.address_rate, burst=limits.address_burst)
        self._at_work = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        peer = (scope.get("client") or ("", 0))[0]
        noted = Noted(peer)
        watched = _Watched(receive, send, self._limits, lambda: self._write(scope, noted, watched))
        scope["state"] = {"noted": noted}
        self._at_work += 1
        try:
            self._admit(scope, peer, noted)
            await self._app(scope, watched.receive, watched.send)
        except Refusal as refusal:
            await self._refuse(refusal, noted, watched)
        except Exception as error:  # whatever it is, the server goes on
            words = "the mailbox has failed; its operator finds the reason in its log"
            await self._refuse(Refusal(500, words, cause=repr(error)), noted, watched)
        finally:
            self._at_work -= 1
            if not watched.finished:
                self._write(scope, noted, watched)

    def _write(self, scope: Scope, noted: Noted, watched: "_Watched") -> None:
        """The line in the log: written before the answer is complete, so that nobody has an answer without it."""
        self._log.note(
            address=noted.address,
            method=scope["method"],
            path=scope["path"],
            status=watched.status,
            got=watched.got,
            sent=watched.sent,
            ms=round((monotonic() - watched.began) * 1000),
            matter=noted.matter,
            role=noted.role,
            refused=noted.refused,
            cause=noted.cause,
            unfinished=None if watched.finished else True,
        )

    def _admit(self, scope: Scope, peer: str, noted: Noted) -> None:
        """Refuse what is too much. uvicorn bounds only a head that comes in pieces."""
        if (
            sum(len(name) + len(value) for name, value in scope["headers"]) + len(scope["path"])
            > self._limits.head_bytes
        ):
            raise Refusal(431, f"the request's head is too large: at most {self._limits.head_bytes} bytes are taken")
        forwarded = next((value for name, value in reversed(scope["headers"]) if name == b"x-forwarded-for"), b"")
        counted = rates.counted(peer, forwarded.decode("ascii", "replace"))
        if counted is not None:
            noted.address = counted
            if wait := self._addresses.wait(counted):
                raise Refusal(429, "too many requests come from this address; make fewer", wait=wait)
        if self._at_work > self._limits.requests:
            raise Refusal(503, "the mailbox is busy; try again", wait=2)

    @staticmethod
    async def _refuse(refusal: Refusal, noted: Noted, watched: "_Watched") -> None:
        noted.refused, noted.cause = refusal.words, refusal.cause
        if watched.status is not None:
            return  # the answer has begun: uvicorn cuts the connection, and the client notices
        body = json.dumps({"error": refusal.words}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        if refusal.wait:
            headers.append((b"retry-after", str(refusal.wait).encode()))
        try:
            await watched.send({"type": "http.response.start", "status": refusal.status, "headers": headers})
            await watched.send({"type": "http.response.body", "body": body})
        except Stalled:
            noted.refused = Stalled().words


class _Watched:
    """A request and its answer, counted, and given up if they do not move."""

    def __init__(self, receive: Receive, send: Send, limits: Limits, finishing: Callable[[], None]) -> None:
        self._receive, self._send, self._limits, self._finishing = receive, send, limits, finishing
        self.began = monotonic()
        self._complete = False
        self.got = self.sent = 0
        self.status: int | None = None
        self.finished = False

    async def receive(self) -> Message:
        if self._complete:  # what comes now is that the client has gone
            return await self._receive()
        in_time = self.began + self._limits.stall_seconds + self.got / self._limits.bytes_a_second
        message = await self._within(self._receive(), min(self._limits.stall_seconds, in_time - monotonic()))
        self.got += len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message.get("headers", ()), *_HEADERS]
        elif message["type"] == "http.response.body":
            self.sent += len(message.get("body", b""))
            self.finished = not message.get("more_body", False)
            if self.finished:
                self._finishing()
        await self._within(self._send(message), self._limits.stall_seconds)

    @staticmethod
    async def _within(action: Awaitable[T], seconds: float) -> T:
        try:
            async with asyncio.timeout(seconds):
                return await action
        except TimeoutError:
            raise Stalled from None
