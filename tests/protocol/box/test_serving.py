"""`tallystick serve` as a process: killed, flooded, starved and lied to, it loses nothing and goes on."""

import asyncio
import random
import signal
import socket
import ssl
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from ledger.roles import Role
from protocol.box import client, sealing
from protocol.box.client import Box, Letter
from protocol.box.errors import Denied, NotThere, Unreachable, WrongServer
from tests.support import certificates
from tests.support.boxes import (
    COMMAND,
    KEYS,
    MATTER,
    STRANGER,
    TRENT,
    at,
    clerk,
    place,
    question,
    served,
)

pytestmark = pytest.mark.slow

ALICE, BOB = place(Role.ALICE), place(Role.BOB)


def refused(*words: str) -> str:
    """What the command says when it does not start."""
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (1, 2), done
    assert "Traceback" not in done.stderr
    return " ".join(done.stderr.split())


def raw(port: int, data: bytes, *, seconds: float = 20) -> bytes:
    """What the server answers to these bytes until it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as sock:
        sock.sendall(data)
        found = b""
        try:
            while piece := sock.recv(2**16):
                found += piece
        except (ConnectionResetError, TimeoutError):
            pass
        return found


def again(action: Callable[[], object]) -> None:
    """What a party's program does while the network is cut."""
    for _ in range(600):
        try:
            action()
        except Unreachable:
            time.sleep(0.02)
        else:
            return
    raise AssertionError("the server did not come back")


def test_a_party_and_trent_write_to_each_other(tmp_path: Path) -> None:
    held = clerk(tmp_path / "box")
    content = random.Random(1).randbytes(5_000_000)
    question(held, Role.BOB, content)
    with served(tmp_path) as server:
        box = server.box(Role.BOB)
        (waiting,) = box.questions()
        assert waiting.place == BOB
        box.fetch(waiting, tmp_path / "question.zip")
        assert (tmp_path / "question.zip").read_bytes() == content
        answer = box.post(BOB, b"my labels", TRENT)
        assert box.receipt(BOB, answer, TRENT) is None
        (arrived,) = held.arrived()
        assert held.read(arrived) == b"my labels"
        held.accept(arrived, "the labels of round 1", entry=4)
        found = box.receipt(BOB, answer, TRENT)
        assert found is not None
        said = found.receipt
        assert (said.outcome, said.entry, said.words) == ("accepted", 4, "the labels of round 1")
        held.withdraw(Role.BOB, waiting.name)
        assert box.questions() == []
        with pytest.raises(NotThere):
            box.fetch(waiting, tmp_path / "again.zip")
        assert not (tmp_path / "again.zip").exists()
        assert box.parties(BOB).parties.trent == TRENT
        assert server.stop() == 0
        assert server.process.stderr is not None
        assert "Nothing was lost" in server.process.stderr.read()
    assert not list((tmp_path / "box").rglob(".*"))
    assert [line["status"] for line in server.lines() if "status" in line][-4:] == [200, 200, 404, 200]
    assert "stopped" in server.lines()[-1]


def test_a_server_that_is_killed_at_any_moment_loses_nothing_and_repeats_nothing(tmp_path: Path) -> None:
    held = clerk(tmp_path / "box")
    letters = [client.sealed(bytes([number]) * 200_000, TRENT) for number in range(60)]
    accepted, ended = list[Letter](), threading.Event()

    def party(origin: str) -> None:
        box = Box(origin, KEYS[Role.BOB], timeout=5)
        for letter in letters:
            again(lambda letter=letter: box.send(BOB, letter))  # type: ignore[misc]
            accepted.append(letter)
            arrived = held.arrived()
            assert letter.answer in {each.answer for each in arrived}, "accepted, and not there"
            for each in arrived[:-3]:
                held.accept(each, "kept", entry=1)
        ended.set()

    with served(tmp_path) as server:
        thread = threading.Thread(target=party, args=[server.origin])
        thread.start()
        kills, chance = 0, random.Random(7)
        address = f"127.0.0.1:{server.port}"
        while not ended.is_set():
            time.sleep(chance.uniform(0.05, 0.4))
            server.kill()
            kills += 1
            with served(tmp_path, "--listen", address, log=f"{kills}.log") as next_one:
                ended.wait(chance.uniform(0.8, 1.5))
                if ended.is_set():
                    break
                next_one.kill()
        thread.join(30)
    assert accepted == letters
    assert kills >= 1  # a quick machine is done before the second
    for each in held.arrived():
        held.accept(each, "kept", entry=1)
    receipts = list((tmp_path / "box" / MATTER.hex() / "bob/receipts").glob("*.json"))
    assert {path.stem for path in receipts} == {letter.answer.hex() for letter in letters}
    with served(tmp_path):
        pass  # it sweeps when it starts
    assert not list((tmp_path / "box" / MATTER.hex() / "bob/answers").iterdir())


def test_whoever_is_not_enrolled_or_asks_for_what_is_anothers_is_refused_clearly(tmp_path: Path) -> None:
    held = clerk(tmp_path / "box")
    name = question(held, Role.ALICE)
    with served(tmp_path) as server:
        stranger = Box(server.origin, STRANGER)
        assert stranger.places() == []
        with pytest.raises(Denied, match="not the one in force"):
            stranger.questions(ALICE)
        bob = server.box(Role.BOB)
        with pytest.raises(Denied, match="not the one in force"):
            bob.questions(ALICE)
        token = bob.questions(BOB) or bob._tokens[BOB][0]
        for method, path in (("GET", f"questions/{name}"), ("POST", "answers")):
            said = raw(
                server.port,
                f"{method} {at(path)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
                "Connection: close\r\nContent-Length: 0\r\n\r\n".encode(),
            )
            assert said.startswith(b"HTTP/1.1 403")
        assert server.box(Role.ALICE).questions()
    assert sum(line.get("status") == 403 for line in server.lines()) == 4
    assert all(line["refused"] for line in server.lines() if line.get("status", 200) >= 400)


def test_a_server_under_another_name_gets_no_signature(tmp_path: Path) -> None:
    clerk(tmp_path / "box")
    with served(tmp_path, "--name", "https://trent.example") as server:
        with pytest.raises(WrongServer, match="calls itself https://trent.example; nothing was signed"):
            Box(f"http://127.0.0.1:{server.port}", KEYS[Role.BOB]).questions()
        assert [line["path"] for line in server.lines() if "path" in line] == ["/challenge"]


NO_REQUESTS = {
    "nonsense": b"nonsense\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "a large header": b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: " + b"x" * 100_000 + b"\r\n\r\n",
    "a long address": b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "bad chunks": b"POST /challenge HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "two lengths": b"POST /challenge HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
    "an end in the middle": b"POST /challenge HTTP/1.0\r\nContent-Length: 5\r\n\r\nx",
}


def test_what_is_no_request_is_refused_and_written_down(tmp_path: Path) -> None:
    clerk(tmp_path / "box")
    with served(tmp_path) as server:
        for name, data in NO_REQUESTS.items():
            before = len(server.lines())
            said = raw(server.port, data, seconds=2 if name == "an end in the middle" else 20)
            assert said[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 431", b""), name
            deadline = time.monotonic() + 5
            while len(server.lines()) == before and time.monotonic() < deadline:
                time.sleep(0.02)
            assert any("refused" in line for line in server.lines()[before:]), name
        assert server.box(Role.BOB).questions() == []


def test_huge_bodies_are_refused_while_they_come(tmp_path: Path) -> None:
    held = clerk(tmp_path / "box")
    with served(tmp_path) as server:
        box = server.box(Role.BOB)
        box.questions(BOB)
        token, before = box._tokens[BOB][0], server.memory
        head = f"POST {at('answers', Role.BOB)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        said = raw(server.port, f"{head}Content-Length: 99999999999\r\n\r\n".encode() + bytes(2**20), seconds=3)
        assert said.startswith(b"HTTP/1.1 413")
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as sock:
            sock.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
            sent = 0
            try:
                while sent < 400:  # MiB
                    sock.sendall(b"100000\r\n" + bytes(2**20) + b"\r\n")
                    sent += 1
            except (BrokenPipeError, ConnectionResetError):
                pass
            assert sent < 400 or sock.recv(12) == b"HTTP/1.1 413"
        assert server.memory - before < 60 * 2**20
        assert held.arrived() == []
        letter = client.sealed(b"x", TRENT)
        box.send(BOB, letter)
        assert [each.answer for each in held.arrived()] == [letter.answer]
    assert sum(line.get("status") == 413 for line in server.lines()) == 2


def test_thousands_of_silent_connections_keep_nobody_out_and_are_ended(tmp_path: Path) -> None:
    clerk(tmp_path / "box")
    with served(tmp_path) as server:
        box = server.box(Role.BOB)
        slow = list[socket.socket]()
        try:
            for number in range(2500):
                sock = socket.create_connection(("127.0.0.1", server.port), timeout=20)
                sock.sendall(b"GET /health HTTP/1.1\r\nX: " if number % 2 else b"")
                slow.append(sock)
            began = time.monotonic()
            assert box.questions() == []
            assert time.monotonic() - began < 5
            assert server.memory < 200 * 2**20
            deadline = time.monotonic() + 15
            for number, sock in enumerate(slow):
                sock.settimeout(max(0.1, deadline - time.monotonic()))
                with suppress(ConnectionResetError):
                    assert sock.recv(1) == b"", number
        finally:
            for sock in slow:
                sock.close()
    assert sum("silent" in line.get("refused", "") for line in server.lines()) > 500


async def _at_once(port: int, number: int, request: bytes) -> Counter[bytes]:
    """Makes so many requests at once, on a connection each; the gate lets each one speak soon after it connects."""
    gate = asyncio.Semaphore(200)

    async def one() -> bytes:
        try:
            async with gate:
                reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), 60)
                writer.write(request)
        except (OSError, TimeoutError):
            return b"not connected"
        try:
            return (await asyncio.wait_for(reader.readline(), 60))[9:12]
        except (OSError, TimeoutError):
            return b"cut"
        finally:
            writer.close()

    return Counter(await asyncio.gather(*(one() for _ in range(number))))


def test_thousands_of_requests_at_once_are_answered_or_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    held = clerk(tmp_path / "box")
    with served(tmp_path) as server:
        letter = client.sealed(b"x" * 1_000_000, TRENT)
        box = server.box(Role.BOB)
        thread = threading.Thread(target=lambda: again(lambda: box.send(BOB, letter)))
        thread.start()
        found = asyncio.run(_at_once(server.port, 3000, b"GET /matters/x/bob/questions HTTP/1.1\r\nHost: x\r\n\r\n"))
        thread.join(60)
        assert found[b"401"] + found[b"503"] > 2700, found
        assert [each.answer for each in held.arrived()] == [letter.answer]
        assert server.memory < 250 * 2**20
        assert server.box(Role.ALICE).questions() == []
    logged = Counter(line.get("status") for line in server.lines())
    assert logged[401] + logged[503] >= found[b"401"] + found[b"503"]


def test_a_party_that_floods_is_refused_and_the_others_are_not(tmp_path: Path) -> None:
    clerk(tmp_path / "box")
    with served(tmp_path) as server:
        box = server.box(Role.BOB)
        box.questions(BOB)
        token = box._tokens[BOB][0]
        request = f"GET {at('questions', Role.BOB)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"
        found = asyncio.run(_at_once(server.port, 1000, request.encode()))
        assert found[b"429"] > 500, found
        assert found[b"200"] >= 1
        assert server.box(Role.ALICE).questions(ALICE) == []
    assert any("this party makes too many requests" in line.get("refused", "") for line in server.lines())


def test_tls_proves_the_servers_name(tmp_path: Path) -> None:
    held = clerk(tmp_path / "box")
    question(held, Role.BOB, b"x" * 300_000)
    authority, chain, key = certificates.write(tmp_path / "good")
    with served(tmp_path, "--tls-cert", str(chain), "--tls-key", str(key)) as server:
        assert server.origin.startswith("https://127.0.0.1:")
        box = server.box(Role.BOB, authority=authority)
        (waiting,) = box.questions()
        box.fetch(waiting, tmp_path / "question.zip")
        box.post(BOB, b"x" * 3_000_000, TRENT)
        with pytest.raises(WrongServer, match="cannot prove its name"):
            server.box(Role.BOB).questions()
        other, *_ = certificates.write(tmp_path / "other")
        with pytest.raises(WrongServer, match="cannot prove its name"):
            server.box(Role.BOB, authority=other).questions()
        assert raw(server.port, b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")[:8] in (b"", b"\x15\x03")
        # A renewed certificate is read while the server runs; one for another name is refused by the party.
        certificates.write(tmp_path / "good", address="192.0.2.1")
        server.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 10
        while "certificate" not in server.log.read_text() and time.monotonic() < deadline:
            time.sleep(0.05)
        with pytest.raises(WrongServer, match="cannot prove its name"):
            server.box(Role.BOB, authority=tmp_path / "good/authority.pem").questions()
        assert server.stop() == 0
    assert any("TLS was not begun" in line.get("refused", "") for line in server.lines())


def test_connections_that_never_begin_tls_keep_nobody_out(tmp_path: Path) -> None:
    clerk(tmp_path / "box")
    authority, chain, key = certificates.write(tmp_path / "good")
    with served(tmp_path, "--tls-cert", str(chain), "--tls-key", str(key)) as server:
        silent = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(2500)]
        try:
            assert server.box(Role.BOB, authority=authority).questions() == []
            assert server.memory < 400 * 2**20
        finally:
            for sock in silent:
                sock.close()


def test_old_versions_of_tls_are_refused(tmp_path: Path) -> None:
    _, chain, key = certificates.write(tmp_path / "good")
    with served(tmp_path, "--tls-cert", str(chain), "--tls-key", str(key)) as server:
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        old.set_ciphers("ALL:@SECLEVEL=0")
        with pytest.warns(DeprecationWarning, match="TLSv1_1"):
            old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        with socket.create_connection(("127.0.0.1", server.port)) as sock, pytest.raises((ssl.SSLError, OSError)):
            old.wrap_socket(sock)


def test_one_server_at_a_time_has_a_mailbox(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        assert "another server has the mailbox" in refused(str(tmp_path / "box"), "--listen", "127.0.0.1:0")
        said = refused(str(tmp_path / "other"), "--listen", f"127.0.0.1:{server.port}")
        assert "cannot listen at" in said
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents/letter.txt").write_text("x")
    assert "is not a mailbox" in refused(str(tmp_path / "documents"))


def test_a_stop_lets_a_request_finish(tmp_path: Path) -> None:
    held = clerk(tmp_path / "box")
    with served(tmp_path) as server:
        box = server.box(Role.BOB)
        box.questions(BOB)
        letter = sealing.sealed(b"x" * 1000, TRENT)
        head = (
            f"POST {at('answers', Role.BOB)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {box._tokens[BOB][0]}\r\n"
            f"Content-Length: {len(letter)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as sock:
            sock.sendall(head.encode() + letter[:500])
            time.sleep(0.3)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            with pytest.raises(Unreachable):
                server.box(Role.ALICE).questions()
            sock.sendall(letter[500:])
            assert sock.recv(2**16).startswith(b"HTTP/1.1 201")
        assert server.process.wait(20) == 0
    assert len(held.arrived()) == 1
