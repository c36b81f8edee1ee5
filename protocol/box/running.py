"""The server from its start to its end."""

import asyncio
import logging
import os
import signal
import socket
import ssl
import sys
from asyncio import sslproto
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any, cast

import uvicorn

from ledger import locks, reading
from ledger.errors import Refused
from protocol.box import origins, server
from protocol.box.layout import Mailbox
from protocol.box.limits import Limits
from protocol.box.listener import Doorman, Listener
from protocol.box.logbook import Logbook
from protocol.box.origins import Origin

_BACKLOG = 1024
_MAX_PEM = 2**20  # bytes
_TLS_BUFFER = 2**16  # bytes for each connection, of which asyncio would take four times as many
_FILES = 4  # open files for each connection, more than it ever needs


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """The files with which the server proves its name."""

    chain: Path
    key: Path

    def load(self, context: ssl.SSLContext) -> None:
        """Read both, again when they were renewed."""
        try:
            for path in (self.chain, self.key):
                reading.whole(path, _MAX_PEM, "a certificate or its key")  # no pipe, which would wait for ever
            context.load_cert_chain(self.chain, self.key, password=lambda: b"")
        except (OSError, ssl.SSLError) as error:
            raise Refused(
                f"{self.chain} and {self.key} are not a certificate and its private key without a passphrase, in PEM: "
                f"{error.strerror or error}"
            ) from None


def listening(address: str, *, encrypted: bool) -> socket.socket:
    """A socket that listens at HOST:PORT. Without TLS only this computer may connect."""
    host, colon, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise Refused(f"{address!r} is not an address to listen at; write it as 127.0.0.1:8470 or [::1]:8470")
    try:
        family, *_, place = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except OSError as error:
        raise Refused(f"there is no address {host} on this computer: {error.strerror or error}") from None
    if not encrypted and not origins.is_loopback(str(place[0])):
        raise Refused(
            f"{address} can be reached from other computers, and plain HTTP can be read and changed on the way. "
            "Give --tls-cert and --tls-key, or listen at 127.0.0.1 behind a proxy that has a certificate"
        )
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(place)
        sock.listen(_BACKLOG)
    except OSError as error:
        sock.close()
        raise Refused(f"the server cannot listen at {address}: {error.strerror or error}") from None
    sock.settimeout(0)
    return sock


def named(name: str | None, sock: socket.socket, *, encrypted: bool) -> Origin:
    """What parties know the server by: as given, or where it listens."""
    if name is not None:
        return origins.parse(name)
    host, port = sock.getsockname()[:2]
    if not origins.is_loopback(host):
        raise Refused("say with --name how parties reach this server, such as --name https://trent.example")
    return Origin("https" if encrypted else "http", host, port)


def run(box: Mailbox, sock: socket.socket, name: Origin, certificate: Certificate | None, log: Logbook) -> None:
    """Serve until SIGTERM or SIGINT. One server at a time has a box."""
    limits = _affordable(Limits())
    tls = None
    if certificate is not None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.minimum_version = ssl.TLSVersion.TLSv1_2
        certificate.load(tls)
        sslproto.SSLProtocol.max_size = _TLS_BUFFER
    busy = f"another server has the mailbox {box.root}; stop it first"
    with locks.held(box.root / ".serving.lock", busy):
        box.sweep()
        _quiet()
        config = uvicorn.Config(
            server.app(box, str(name), limits, log),
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            h11_max_incomplete_event_size=limits.head_bytes,
            timeout_graceful_shutdown=limits.stop_seconds,
        )
        started = _Server(config, sock, tls, Doorman(limits, log), certificate)
        log.note(started=str(name), connections=limits.connections)
        started.run()
        log.note(stopped=str(name))


class _Server(uvicorn.Server):
    """uvicorn with our listener, which ends without a traceback."""

    def __init__(
        self,
        config: uvicorn.Config,
        sock: socket.socket,
        tls: ssl.SSLContext | None,
        doorman: Doorman,
        certificate: Certificate | None,
    ) -> None:
        super().__init__(config)
        self._socket, self._tls, self._doorman, self._certificate = sock, tls, doorman, certificate

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:  # noqa: ARG002
        await self.lifespan.startup()
        asyncio.get_running_loop().set_exception_handler(self._unexpected)
        listener = Listener(self, self._socket, self._tls, self._doorman)
        self.servers = [cast(asyncio.Server, listener)]
        self.started = True

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        handlers: dict[int, Callable[[int, FrameType | None], None]] = {
            signal.SIGINT: self.handle_exit,
            signal.SIGTERM: self.handle_exit,
        }
        if self._certificate is not None and hasattr(signal, "SIGHUP"):
            handlers[signal.SIGHUP] = self._renew
        before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _renew(self, *_: object) -> None:
        """Read a renewed certificate; if it is no good, the former one goes on."""
        if self._certificate is None or self._tls is None:
            return
        try:
            self._certificate.load(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER))
            self._certificate.load(self._tls)
            self._doorman.log.note(certificate="read again")
        except Refused as error:
            self._doorman.log.note(refused="the certificate cannot be read again", cause=str(error))

    def _unexpected(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self._doorman.log.note(refused="a connection has failed", cause=repr(context.get("exception"))[:200])


def _affordable(limits: Limits) -> Limits:
    """The limits with no more connections than the system lets this process have files."""
    if sys.platform == "win32":
        return limits
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = limits.connections * _FILES
    if soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return replace(limits, connections=max(8, min(limits.connections, soft // _FILES)))


def _quiet() -> None:
    """What uvicorn and asyncio say is said in our log, in our words."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "asyncio"):
        logging.getLogger(name).disabled = True
