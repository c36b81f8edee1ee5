"""Slow clients are given up, in whatever way they are slow; whoever is fast enough is not."""

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest

from protocol.box.guard import App, Guard, Message, Receive, Scope, Send
from protocol.box.limits import Limits
from protocol.box.logbook import Logbook

LIMITS = Limits(stall_seconds=0.2, bytes_a_second=1000)


async def reading(_scope: Scope, receive: Receive, send: Send) -> None:
    """Reads the whole body, and answers."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"x"})


async def writing(_scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with many pieces."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(10):
        await send({"type": "http.response.body", "body": b"x" * 10, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def called(
    app: App, receive: Receive, on_send: Callable[[], Awaitable[None]], limits: Limits = LIMITS
) -> tuple[list[Message], dict[str, object]]:
    """What was sent, and the line in the log."""
    said, log = list[Message](), list[str]()

    async def send(message: Message) -> None:
        await on_send()
        said.append(message)

    scope: Scope = {"type": "http", "method": "POST", "path": "/x", "headers": [], "client": ("127.0.0.1", 1)}
    asyncio.run(Guard(app, limits, Logbook(log.append))(scope, receive, send))
    (line,) = log
    return said, json.loads(line)


async def at_once() -> None:
    pass


async def never() -> None:
    await asyncio.sleep(60)


def dripping(pause: float, piece: bytes, pieces: int) -> Receive:
    left = [pieces]

    async def receive() -> Message:
        await asyncio.sleep(pause)
        left[0] -= 1
        return {"type": "http.request", "body": piece, "more_body": left[0] > 0}

    return receive


@pytest.mark.parametrize(
    ("pause", "piece", "pieces"),
    [(60, b"", 1), (0.02, b"x", 10_000)],
    ids=["nothing comes", "a byte at a time, for ever"],
)
def test_a_body_that_does_not_arrive_is_given_up(pause: float, piece: bytes, pieces: int) -> None:
    said, line = called(reading, dripping(pause, piece, pieces), at_once)
    assert said[0]["status"] == 408
    assert line["refused"] == "the request took too long; make it again"


def test_a_body_that_arrives_fast_enough_may_take_its_time() -> None:
    # Each piece has most of a second to spare, also where much else runs; all of them take longer than one may stall.
    limits = Limits(stall_seconds=1, bytes_a_second=1000)
    said, line = called(reading, dripping(0.15, b"x" * 1000, 8), at_once, limits)
    assert said[0]["status"] == 200
    assert line["got"] == 8000
    assert "refused" not in line


def test_an_answer_that_is_not_taken_is_given_up() -> None:
    said, line = called(writing, dripping(0, b"", 1), never)
    assert said == []
    assert line["refused"] == "the request took too long; make it again"
    assert line["unfinished"] is True


def test_more_requests_than_the_server_works_at_are_told_to_come_again() -> None:
    log, statuses = list[str](), list[tuple[int, bytes]]()
    guard = Guard(reading, Limits(requests=3), Logbook(log.append))

    async def one() -> None:
        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append((message["status"], dict(message["headers"]).get(b"retry-after", b"")))

        scope: Scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "client": ("127.0.0.1", 1)}
        await guard(scope, dripping(0.05, b"", 1), send)

    async def many() -> None:
        await asyncio.gather(*(one() for _ in range(10)))
        await one()

    asyncio.run(many())
    assert sorted(statuses) == [(200, b"")] * 4 + [(503, b"2")] * 7
    assert len(log) == 11
