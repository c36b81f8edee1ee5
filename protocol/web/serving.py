"""A server on a loopback socket, and the browser that opens it."""

import os
import socket
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import uvicorn
from starlette.types import ASGIApp

from ledger.errors import Refused
from protocol.web.loopback import Guard

LOOPBACK = "127.0.0.1"
_PATIENCE = 10.0  # seconds for a server to start or to stop
_BUSY = 64  # requests at a time; a browser makes six


def listening(port: int = 0) -> socket.socket:
    """A socket on loopback; with port 0 on a free port. Its name says which."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":  # elsewhere it would let two programs listen at once
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # so that a program can start again at once
    try:
        found.bind((LOOPBACK, port))
        found.listen()  # so that a browser which is quicker than the server waits
    except OSError as error:
        found.close()
        raise Refused(f"port {port} of this computer cannot be used: {error.strerror}; choose another one") from None
    return found


def port_of(listener: socket.socket) -> int:
    """The port of a socket."""
    return int(listener.getsockname()[1])


def run(app: ASGIApp, guard: Guard, listener: socket.socket, *, browser: bool, say: Callable[[str], None]) -> None:
    """Serve until Ctrl-C. `say` prints the address, which also opens in the browser unless that is not wanted."""
    address = guard.address()
    say(f"Open this address in a browser, if it does not open by itself. It works once:\n\n    {address}\n")
    say("The program runs until you press Ctrl-C. Everything you decide is kept at once.")
    if browser:
        threading.Thread(target=_opened, args=(address,), daemon=True).start()
    with suppress(KeyboardInterrupt):
        _server(guard.around(app)).run(sockets=[listener])
    say("Stopped.")


@contextmanager
def beside(app: ASGIApp, guard: Guard, listener: socket.socket) -> Iterator[None]:
    """Serve in a thread within, for a program that has something else to do."""
    server = _server(guard.around(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    give_up = time.monotonic() + _PATIENCE
    while not server.started and thread.is_alive() and time.monotonic() < give_up:
        time.sleep(0.01)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(_PATIENCE)


def _opened(address: str) -> None:
    with suppress(webbrowser.Error):
        webbrowser.open(address)


def _server(app: ASGIApp) -> uvicorn.Server:
    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="error",
            access_log=False,  # what it would log holds the token, and the names of questions
            server_header=False,
            date_header=False,
            lifespan="off",
            ws="none",
            proxy_headers=False,
            limit_concurrency=_BUSY,
            timeout_graceful_shutdown=3,
        )
    )
