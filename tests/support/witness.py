"""A witness for tests, written from c2sp.org/tlog-witness alone: a real HTTP server that keeps its state in memory.

`behave` replaces what it answers next, for witnesses that err, lie or are slow.
"""

import base64
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ledger import merkle, notes
from ledger.keys import SigningKey
from ledger.notes import BadNote, NoteKey, SignatureType
from ledger.tlog import checkpoint
from ledger.tlog.policy import Witness

Answer = tuple[int, bytes]

TIME = 1_700_000_000


class TestWitness:
    """What a witness knows, and how it answers."""

    __test__ = False  # it is no test

    def __init__(self, name: str = "court.example/w") -> None:
        self.signer = SigningKey(name.encode().ljust(32, b"w")[:32])
        self.key = NoteKey(name=name, type=SignatureType.COSIGNATURE, key=self.signer.public)
        self.logs: dict[str, NoteKey] = {}
        self.seen: dict[str, tuple[int, bytes]] = {}  # by origin: the size and root that it cosigned last
        self.requests: list[bytes] = []
        self.behave: Callable[[bytes], Answer | None] | None = None
        self.url = ""

    def known(self, name: str) -> Witness:
        """This witness as a policy lists it."""
        return Witness(name=name, key=self.key, url=self.url)

    def answer(self, path: str, body: bytes) -> Answer | None:
        """Status and body of an answer; None if the connection is cut instead."""
        self.requests.append(body)
        if self.behave is not None:
            return self.behave(body)
        return self.rightly(path, body)

    def rightly(self, path: str, body: bytes) -> Answer:
        """The answer by the specification."""
        if not path.endswith("/add-checkpoint"):
            return 405, b""
        try:
            head, _, rest = body.decode().partition("\n\n")
            first, *lines = head.split("\n")
            word, _, number = first.partition(" ")
            old, proof = int(number), [base64.b64decode(line, validate=True) for line in lines]
            note = notes.parse(rest)
            stated = checkpoint.parse(note.text)
        except (ValueError, BadNote):
            return 400, b""
        if word != "old" or number != str(old) or len(proof) > 63 or old > stated.size:
            return 400, b""
        if stated.origin not in self.logs:
            return 404, b""
        try:
            if not note.signed_by([self.logs[stated.origin]]):
                return 403, b""
        except BadNote:
            return 403, b""
        size, root = self.seen.get(stated.origin, (0, bytes(merkle.EMPTY_ROOT)))
        if size != old:
            return 409, f"{size}\n".encode()
        consistent = (
            not proof
            if old == 0
            else merkle.verify_consistency(
                old_size=old, old_root=root, new_size=stated.size, new_root=stated.root, proof=proof
            )
        )
        if not consistent:
            return 422, b""
        self.seen[stated.origin] = stated.size, stated.root
        return 200, str(notes.cosign(note.text, self.signer, self.key.name, TIME)).encode()


@contextmanager
def serving(*witnesses: TestWitness) -> Iterator[None]:
    """Run the witnesses on this machine, each under its own port."""
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), _handler(each)) for each in witnesses]
    threads = [threading.Thread(target=each.serve_forever, args=(0.02,)) for each in servers]
    for witness, server, thread in zip(witnesses, servers, threads, strict=True):
        server.daemon_threads = True
        witness.url = f"http://127.0.0.1:{server.server_port}/witness/"
        thread.start()
    try:
        yield
    finally:
        for server, thread in zip(servers, threads, strict=True):
            server.shutdown()
            thread.join()
            server.server_close()


def _handler(witness: TestWitness) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found = witness.answer(self.path, body)
            if found is None:
                self.close_connection = True
                return
            status, said = found
            self.send_response(status)
            if status == 409:
                self.send_header("Content-Type", "text/x.tlog.size")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
