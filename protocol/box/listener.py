"""Connections: how many there are at a time, and how long one may stay silent.

uvicorn sets no time for a request's head, and no bound for the start of TLS. So connections are accepted here: at most
so many. One more ends one that is idle after its answer, or else the one that has been silent longest. Whoever opens
thousands and says nothing makes room for whoever speaks.
"""

import asyncio
import socket
import ssl
from contextlib import suppress
from time import monotonic
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from protocol.box.limits import Limits
from protocol.box.logbook import Logbook

_PAUSE = 0.02  # seconds, when nothing can be accepted
_GRACE = 2  # sweeps that a new connection survives, however many wait: what it said was read in between
_SWEEP = 0.5  # seconds between two looks at the connections
_FLUSH = 10.0  # seconds in which a connection that is being closed must take what is left


class Doorman:
    """Who is connected, and who is silent since when."""

    def __init__(self, limits: Limits, log: Logbook) -> None:
        self.limits, self.log = limits, log
        self.open: set[Connection] = set()
        self.silent: dict[Connection, float] = {}  # without a request yet, since when; the longest first
        self.idle: dict[Connection, float] = {}  # after an answer, since when
        self.starting: dict[asyncio.Task[None], float] = {}  # with TLS, since when
        self._sweeps = [0.0] * _GRACE
        self._old = 0.0  # what was silent before then is really silent, and not only unread

    @property
    def full(self) -> bool:
        """Whether there are as many connections as there may be."""
        return len(self.open) + len(self.starting) >= self.limits.connections

    def make_room(self) -> bool:
        """End a connection that nobody misses; False if each one is at work or new."""
        if self.idle:
            self.end(next(iter(self.idle)), None)
            return True
        task = next(iter(self.starting), None)
        if task is not None and self.starting[task] < self._old:
            del self.starting[task]
            task.cancel()
            return True
        connection = next(iter(self.silent), None)
        if connection is not None and self.silent[connection] < self._old:
            self.end(connection, "the connection was silent, and others were waiting")
            return True
        return False

    def sweep(self) -> None:
        """End the connections that have been silent for too long, or do not take their answers."""
        now = monotonic()
        self._old, self._sweeps = self._sweeps[0], [*self._sweeps[1:], now]
        for connection, since in [*self.silent.items(), *self.idle.items()]:
            if now - since > self.limits.head_seconds:
                self.end(connection, "the connection was silent for too long")
        for connection in list(self.open):
            if connection.transport.is_closing():
                connection.closing = connection.closing or now
                if now - connection.closing > _FLUSH:
                    self.end(connection, None)

    def end(self, connection: "Connection", reason: str | None) -> None:
        """Cut a connection at once."""
        self.forget(connection)
        if reason is not None and connection.received:  # one that said nothing was no request
            self.log.note(address=connection.peer, refused=reason)
        connection.transport.abort()

    def forget(self, connection: "Connection") -> None:
        """It has ended."""
        self.open.discard(connection)
        self.at_work(connection)

    def at_work(self, connection: "Connection") -> None:
        """It is neither silent nor idle."""
        self.silent.pop(connection, None)
        self.idle.pop(connection, None)


class Connection(H11Protocol):
    """One connection, which tells the doorman when it waits for a request."""

    def __init__(self, *args: Any, doorman: Doorman, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.doorman = doorman
        self.received = 0  # bytes since the last request
        self.closing = 0.0

    @property
    def peer(self) -> str:
        """The address at the other end."""
        return self.client[0] if self.client else ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.doorman.open.add(self)
        self.doorman.silent[self] = monotonic()

    def connection_lost(self, exc: Exception | None) -> None:
        self.doorman.forget(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self.received += len(data)
        try:
            super().data_received(data)
        except Exception:  # h11 finds fault a second time while it says so
            self.doorman.end(self, "the request cannot be read")
            return
        self._look()

    def on_response_complete(self) -> None:
        self.received = 0
        super().on_response_complete()
        self._look()

    def send_400_response(self, msg: str) -> None:
        self.doorman.log.note(address=self.peer, status=400, refused="this is not HTTP, or its head is too large")
        super().send_400_response(msg)

    def _look(self) -> None:
        """A connection is silent until a whole head is there, and idle when the answer is complete."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.doorman.at_work(self)
        elif self in self.doorman.open and self not in self.doorman.silent:
            self.doorman.idle.setdefault(self, monotonic())


class Listener:
    """Accepts connections on a socket; uvicorn closes it like a server of asyncio's."""

    def __init__(
        self, server: uvicorn.Server, sock: socket.socket, tls: ssl.SSLContext | None, doorman: Doorman
    ) -> None:
        self._server, self._socket, self._tls, self._doorman = server, sock, tls, doorman
        self._tasks = [asyncio.create_task(each()) for each in (self._accept, self._sweep)]

    def close(self) -> None:
        """Accept nothing more."""
        self._tasks[0].cancel()
        self._socket.close()
        for task in self._doorman.starting:
            task.cancel()

    async def wait_closed(self) -> None:
        """All has ended."""
        self._tasks[1].cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            if self._doorman.full and not self._doorman.make_room():
                await asyncio.sleep(_PAUSE)
                continue
            try:
                accepted, _ = await loop.sock_accept(self._socket)
            except OSError as error:  # no more files may be open, for one
                self._doorman.log.note(refused="a connection cannot be accepted", cause=str(error))
                await asyncio.sleep(_PAUSE)
                continue
            task = loop.create_task(self._begin(accepted))
            self._doorman.starting[task] = monotonic()
            task.add_done_callback(lambda done: self._doorman.starting.pop(done, None))

    async def _begin(self, accepted: socket.socket) -> None:
        peer = ""
        try:
            peer = str(accepted.getpeername()[0])
            await asyncio.get_running_loop().connect_accepted_socket(
                self._protocol,
                accepted,
                ssl=self._tls,
                ssl_handshake_timeout=self._doorman.limits.head_seconds if self._tls else None,
            )
        except (OSError, TimeoutError) as error:
            accepted.close()
            if self._tls is not None:
                self._doorman.log.note(address=peer, refused="TLS was not begun", cause=type(error).__name__)
        except asyncio.CancelledError:
            accepted.close()
            raise

    def _protocol(self) -> Connection:
        return Connection(
            config=self._server.config,
            server_state=self._server.server_state,
            app_state={},
            doorman=self._doorman,
        )

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP)
            with suppress(Exception):
                self._doorman.sweep()
