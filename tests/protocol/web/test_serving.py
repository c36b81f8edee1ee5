"""A server on a real loopback socket."""

import http.client
import socket

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from ledger.errors import Refused
from protocol.web import serving
from protocol.web.loopback import Guard


def test_a_port_that_is_taken_is_said() -> None:
    with serving.listening() as taken:
        taken.listen()
        with pytest.raises(Refused, match="choose another one"):
            serving.listening(serving.port_of(taken))


@pytest.mark.slow
def test_an_app_answers_on_loopback_alone_and_stops() -> None:
    async def page(request: object) -> PlainTextResponse:
        return PlainTextResponse("here")

    listener = serving.listening()
    port = serving.port_of(listener)
    guard = Guard(port)
    with serving.beside(Starlette(routes=[Route("/", page)]), guard, listener):
        assert listener.getsockname()[0] == "127.0.0.1"
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", guard.address().partition(str(port))[2])
        entered = connection.getresponse()
        entered.read()
        cookie = (entered.getheader("set-cookie") or "").partition(";")[0]
        connection.request("GET", f"{guard.root}/", headers={"cookie": cookie})
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, b"here")
        assert answer.getheader("server") is None
        connection.close()
    with pytest.raises(OSError, match="refused"), socket.create_connection(("127.0.0.1", port), timeout=1):
        pass
