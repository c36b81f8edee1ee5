"""Mailboxes for tests: keys, a filled folder, a server in a process, and one that is called without a socket."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ledger import records
from ledger.hashing import Digest
from ledger.keys import PublicKey, SigningKey
from ledger.roles import Role
from protocol.box import challenge
from protocol.box.challenge import Challenge, SignedLogin, Wanted
from protocol.box.client import Box, Place
from protocol.box.filling import Clerk
from protocol.box.guard import App, Message
from protocol.box.layout import Mailbox

KEYS = {role: SigningKey(bytes([number]) * 32) for number, role in enumerate(Role, start=1)}
STRANGER = SigningKey(b"\x63" * 32)
MATTER, OTHER_MATTER = Digest(b"\x0a" * 32), Digest(b"\x0b" * 32)
ENTRY = Digest(b"\x0c" * 32)
TRENT = KEYS[Role.TRENT].public
PUBLIC: dict[Role, PublicKey] = {role: key.public for role, key in KEYS.items()}
NAME = "https://trent.example"


def clerk(folder: Path, matter: Digest = MATTER, *, keys: Mapping[Role, PublicKey] = PUBLIC) -> Clerk:
    """Trent's hand in a mailbox in which the parties are enrolled."""
    made = Clerk(box=Mailbox.made(folder), key=KEYS[Role.TRENT], matter=matter)
    made.enrol(keys, 1)
    return made


def question(held: Clerk, role: Role, content: bytes = b"a question", *, entry: Digest = ENTRY) -> str:
    """Put a question; its name."""
    return held.put(role, f"1-report-for-{role}", entry, content, PUBLIC[role])


@dataclass(frozen=True)
class Said:
    """What the app answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        return str(self.json["error"])


@dataclass
class Called:
    """The app, called without a socket."""

    app: App
    peer: str = "127.0.0.1"
    headers: dict[str, str] = field(default_factory=dict)

    def __call__(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        *,
        token: str | None = None,
        pieces: list[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Said:
        sent = self.headers | dict(headers or {})
        if token is not None:
            sent["authorization"] = f"Bearer {token}"
        if pieces is None:
            sent.setdefault("content-length", str(len(body)))
        return asyncio.run(self._call(method, path, pieces or [body], sent))

    async def _call(self, method: str, path: str, pieces: list[bytes], headers: dict[str, str]) -> Said:
        left, said = list(pieces), list[Message]()

        async def receive() -> Message:
            if not left:
                await asyncio.sleep(3600)
            return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

        async def send(message: Message) -> None:
            said.append(message)

        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": b"",
            "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
            "client": (self.peer, 1),
        }
        await self.app(scope, receive, send)
        start, *rest = said
        return Said(
            status=start["status"],
            headers={name.decode(): value.decode() for name, value in start["headers"]},
            body=b"".join(each["body"] for each in rest),
        )

    def challenge(self, matter: Digest | None = MATTER, role: Role | None = Role.ALICE) -> Challenge:
        said = self("POST", "/challenge", records.encode(Wanted(matter=matter, role=role)))
        assert said.status == 200, said.body
        return records.decode(Challenge, said.body)

    def login(self, role: Role = Role.ALICE, matter: Digest = MATTER, *, key: SigningKey | None = None) -> SignedLogin:
        wanted = Wanted(matter=matter, role=role)
        return challenge.signed(key or KEYS[role], wanted, self.challenge(matter, role), NAME)

    def token(self, role: Role = Role.ALICE, matter: Digest = MATTER, *, key: SigningKey | None = None) -> str:
        said = self("POST", "/session", records.encode(self.login(role, matter, key=key)))
        assert said.status == 200, said.body
        return str(said.json["token"])


def at(place: str, role: Role = Role.ALICE, matter: Digest = MATTER) -> str:
    """An address of a party's."""
    return f"/matters/{matter.hex()}/{role}/{place}"


@dataclass
class Served:
    """`tallystick serve` in a process of its own."""

    process: subprocess.Popen[str]
    origin: str
    port: int
    log: Path

    def box(self, role: Role, **more: Any) -> Box:
        return Box(self.origin, KEYS[role], **more)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)

    @property
    def memory(self) -> int:
        """Bytes that the process has had at most."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) * 1024


COMMAND = [sys.executable, "-c", "from protocol.cli import main; main()", "serve"]


@contextmanager
def served(folder: Path, *options: str, log: str = "access.log") -> Iterator[Served]:
    """The server of the mailbox in `folder`/box, on a free port unless the options say otherwise."""
    path = folder / log
    words = [*COMMAND, str(folder / "box"), "--log", str(path), *options]
    words += [] if "--listen" in options else ["--listen", "127.0.0.1:0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=os.environ) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            found = re.search(r" is open at (\S+) \(it listens at \S+, port (\d+)\)", line)
            assert found, line + process.stderr.read()
            yield Served(process, found[1], int(found[2]), path)
        finally:
            process.kill()


def place(role: Role, matter: Digest = MATTER) -> Place:
    """Where a role's key is in force."""
    return Place(matter=matter, role=role)
