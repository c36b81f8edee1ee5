"""The party's side believes nothing that a server says, and a cut network is never more than a cut network."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from ledger import records
from ledger.errors import LedgerError
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.box import client, notices, sealing
from protocol.box.challenge import Challenge, Nonce
from protocol.box.client import Box, Waiting
from protocol.box.errors import BadNotice, BadOrigin, BadSeal, BoxError, Denied, Unreachable, WrongServer
from tests.support.boxes import KEYS, MATTER, OTHER_MATTER, PUBLIC, STRANGER, TRENT, place

BOB = place(Role.BOB)
Reply = bytes | Callable[[str], bytes]


@contextmanager
def lying(*replies: Reply) -> Iterator[Box]:
    """A server on loopback that answers one connection after the other with these bytes, whatever is asked."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        origin = f"http://127.0.0.1:{listening.getsockname()[1]}"

        def answer() -> None:
            for reply in replies:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.settimeout(5)
                    data = b""
                    while b"\r\n\r\n" not in data:
                        data += connection.recv(2**16)
                    connection.sendall(reply if isinstance(reply, bytes) else reply(origin))
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(2**16):
                        pass

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield Box(origin, KEYS[Role.BOB], timeout=2)


def said(body: bytes, status: str = "200 OK", *, more: str = "", length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\n{more}\r\n".encode() + body


def challenged(origin: str, *, name: str | None = None) -> bytes:
    return said(records.encode(Challenge(expires=2**40, nonce=Nonce(bytes(32)), server=name or origin)))


LOGIN: list[Reply] = [challenged, said(b'{"expires": 99999999999, "token": "abc"}')]
SEALED = sealing.sealed(b"question", PUBLIC[Role.BOB])
QUESTION = Waiting(place=BOB, name="1-x", size=len(SEALED), sha256=Digest(sha256(SEALED).digest()), put=0)


def test_a_question_is_written_whole(tmp_path: Path) -> None:
    with lying(*LOGIN, said(SEALED)) as box:
        box.fetch(QUESTION, tmp_path / "q")
    assert (tmp_path / "q").read_bytes() == b"question"


OTHER = sealing.sealed(b"question", STRANGER.public)


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (said(SEALED[:-3], length=len(SEALED)), Unreachable),
        (said(SEALED[:-3]), Unreachable),
        (said(SEALED + b"x"), WrongServer),
        (said(SEALED[:-1] + b"x"), BadSeal),
        (said(OTHER), BadSeal),
        (said(sealing.sealed(b"QUESTION", PUBLIC[Role.BOB])), WrongServer),
        (said(b'{"error": "no"}', "404 Not Found"), Denied),
        (said(b"", "500 Oops"), Unreachable),
        (b"", Unreachable),
        (b"nonsense\r\n\r\n", Unreachable),
    ],
    ids=["cut", "short", "long", "changed", "for another key", "another", "missing", "failed", "silence", "nonsense"],
)
def test_a_question_that_is_not_whole_leaves_no_file(tmp_path: Path, reply: bytes, error: type[LedgerError]) -> None:
    with lying(*LOGIN, reply) as box, pytest.raises(error):
        box.fetch(QUESTION, tmp_path / "q")
    assert not list(tmp_path.iterdir())


def test_a_question_larger_than_any_is_not_asked_for(tmp_path: Path) -> None:
    huge = Waiting(place=BOB, name="1-x", size=2**40, sha256=QUESTION.sha256, put=0)
    with pytest.raises(Denied, match="more than any question"):
        Box("http://127.0.0.1:9", KEYS[Role.BOB]).fetch(huge, tmp_path / "q")


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{}", b"\xff", b'{"questions": 1}', b'{"questions": [{}]}', b'{"questions": [null]}', b"[" * 5000,
     json.dumps({"questions": [{"name": "x", "size": "x", "sha256": "00" * 32, "put": 1}]}).encode(),
     json.dumps({"questions": [{"name": "x", "size": 1, "sha256": "x", "put": 1}]}).encode(),
     json.dumps({"questions": [{"name": "x", "size": 1, "sha256": "00" * 32, "put": 10**17}]}).encode(),
     json.dumps({"questions": [{"name": "x", "size": 1, "sha256": "00" * 32, "put": 10**400}]}).encode(),
     json.dumps({"questions": [{"name": "x", "size": float("inf"), "sha256": "00" * 32, "put": 1}]}).encode(),
     json.dumps({"questions": [{"name": "\ud800", "size": 1, "sha256": "00" * 32, "put": 1}]}).encode(),
     json.dumps({"questions": [{"name": "a b", "size": 1, "sha256": "00" * 32, "put": 1}]}).encode()],
)  # fmt: skip
def test_a_list_that_cannot_be_understood_is_told(body: bytes) -> None:
    with lying(*LOGIN, said(body)) as box, pytest.raises(WrongServer, match="understood"):
        box.questions(BOB)


def test_a_server_that_asks_to_sign_for_another_gets_no_signature() -> None:
    false = lying(lambda origin: challenged(origin, name="https://trent.example"))
    with false as box, pytest.raises(WrongServer, match="nothing was signed"):
        box.questions(BOB)


@pytest.mark.parametrize("body", [b"<html>", b"{}", b'{"expires":1}'])
def test_what_is_no_mailbox_is_told(body: bytes) -> None:
    with lying(said(body)) as box, pytest.raises(WrongServer, match="not a mailbox"):
        box.places()


@pytest.mark.parametrize("token", ["a\r\nX: y", "ä", 5, None])
def test_a_token_that_would_change_the_request_is_refused(token: Any) -> None:
    body = json.dumps({"expires": 1, "token": token}).encode()
    with lying(challenged, said(body), said(b"{}")) as box, pytest.raises(BoxError):
        box.questions(BOB)


def test_a_token_that_the_server_has_forgotten_is_renewed_once() -> None:
    forgotten = said(b'{"error": "log in"}', "401 Unauthorized")
    with lying(*LOGIN, said(b'{"questions": []}'), forgotten, *LOGIN, said(b'{"questions": []}')) as box:
        assert box.questions(BOB) == []
        assert box.questions(BOB) == []
    with lying(*LOGIN, forgotten) as box, pytest.raises(Denied, match="log in"):
        box.questions(BOB)


def test_the_server_says_when_to_come_again() -> None:
    busy = said(b'{"error": "busy"}', "429 Too Many", more="Retry-After: 7\r\n")
    with lying(*LOGIN, busy) as box, pytest.raises(Unreachable, match="busy") as found:
        box.questions(BOB)
    assert found.value.wait == 7


def test_a_redirection_is_not_followed() -> None:
    with lying(said(b"", "302 Found", more="Location: http://127.0.0.1:1/\r\n")) as box, pytest.raises(Denied):
        box.places()


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(Unreachable, match="refused"):
        Box(f"http://127.0.0.1:{port}", KEYS[Role.BOB]).places()


def test_a_server_that_says_nothing_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        box = Box(f"http://127.0.0.1:{silent.getsockname()[1]}", KEYS[Role.BOB], timeout=0.2)
        with pytest.raises(Unreachable, match="does not answer"):
            box.places()


@pytest.mark.parametrize("origin", ["http://trent.example", "trent.example", "https://trent.example/box"])
def test_a_party_connects_to_no_server_without_tls(origin: str) -> None:
    with pytest.raises(BadOrigin):
        Box(origin, KEYS[Role.BOB])


ANSWER = Digest(b"\x01" * 32)


def receipt(**changes: Any) -> bytes:
    about = {"matter": MATTER, "role": Role.BOB, "answer": ANSWER} | changes
    return notices.encode(notices.receipt(KEYS[Role.TRENT], **about, accepted=True, words="x", entry=None))


@pytest.mark.parametrize("changes", [{"matter": OTHER_MATTER}, {"role": Role.ALICE}, {"answer": MATTER}])
def test_a_receipt_of_another_answer_is_refused(changes: dict[str, Any]) -> None:
    with lying(*LOGIN, said(receipt(**changes))) as box, pytest.raises(BadNotice, match="another answer"):
        box.receipt(BOB, ANSWER, TRENT)


def test_a_receipt_by_somebody_else_is_refused() -> None:
    with lying(*LOGIN, said(receipt())) as box, pytest.raises(BadNotice, match="not signed"):
        box.receipt(BOB, ANSWER, STRANGER.public)
    with lying(*LOGIN, said(receipt())) as box:
        found = box.receipt(BOB, ANSWER, TRENT)
        assert found is not None
        assert found.receipt.words == "x"


def test_a_server_that_takes_another_answer_is_told() -> None:
    letter = client.sealed(b"x", TRENT)
    with lying(*LOGIN, said(b'{"answer": "00"}', "201 Created")) as box, pytest.raises(WrongServer):
        box.send(BOB, letter)


def test_an_answer_that_is_too_large_is_not_sent() -> None:
    with pytest.raises(Denied, match="more than any answer"):
        client.sealed(bytes(2**24 + 2**16 + 1), TRENT)
    assert client.sealed(bytes(2**24 + 2**16), TRENT)


def test_neither_the_key_nor_a_token_is_shown() -> None:
    box = Box("https://trent.example", KEYS[Role.BOB])
    box._tokens[BOB] = "secret", 0
    assert "secret" not in repr(box)
    assert "SigningKey" not in repr(box)
