"""What can be asked of the mailbox. It has no key: it shows sealed files to those whose key they are for.

GET  /health, /ready
POST /challenge                            what to sign
POST /session                              the signed challenge for a token
POST /matters                              the signed challenge for the matters in which the key is in force
GET  /matters/M/ROLE/parties               the keys in force, signed by Trent
GET  /matters/M/ROLE/questions             name, size, SHA-256 and time of each sealed question
GET  /matters/M/ROLE/questions/NAME        a sealed question
POST /matters/M/ROLE/answers               a sealed answer; the same one a second time changes nothing
GET  /matters/M/ROLE/receipts/HASH         what became of an answer; 202 while it waits
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from hashlib import file_digest
from io import BufferedReader
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router

from ledger import records
from ledger.errors import Refused
from ledger.hashing import Digest
from ledger.roles import Role
from protocol.box import challenge
from protocol.box.challenge import Challenges, SignedLogin, Wanted
from protocol.box.errors import BadLogin, BoxError, NotThere
from protocol.box.guard import App, Guard, Receive, Refusal, Scope, Send
from protocol.box.layout import MAX_ANSWER, PARTIES, Mailbox
from protocol.box.limits import Limits
from protocol.box.logbook import Logbook
from protocol.box.rates import Rates
from protocol.box.sessions import Session, Sessions

_PIECE = 2**16
_HASHES = 4096  # of questions, that are remembered
_CLOSED = "the mailbox cannot be read or written at the moment; try again later"
_NOT_IN_FORCE = (
    "this key is not the one in force for this role in this matter, or the mailbox does not have the matter; ask Trent"
)

Endpoint = Callable[[Request], Awaitable[Any]]


def app(box: Mailbox, name: str, limits: Limits, log: Logbook) -> App:
    """The whole server, for uvicorn; `name` is the origin that parties know it by."""
    desk = _Desk(box, name, limits)
    place = "/matters/{matter}/{role}"
    routes = (
        ("GET", "/health", desk.health),
        ("GET", "/ready", desk.ready),
        ("POST", "/challenge", desk.challenge),
        ("POST", "/session", desk.session),
        ("POST", "/matters", desk.matters),
        ("GET", f"{place}/parties", desk.parties),
        ("GET", f"{place}/questions", desk.questions),
        ("GET", f"{place}/questions/{{name}}", desk.question),
        ("POST", f"{place}/answers", desk.answer),
        ("GET", f"{place}/receipts/{{answer}}", desk.receipt),
    )
    made = [Route(path, _in_words(endpoint), methods=[method]) for method, path, endpoint in routes]
    return Guard(Router(made, redirect_slashes=False, default=_nothing_here), limits, log)


async def _nothing_here(_scope: Scope, _receive: Receive, _send: Send) -> None:
    raise Refusal(404, "there is nothing at this address")


def _in_words(endpoint: Endpoint) -> Endpoint:
    async def answered(request: Request) -> Any:
        with _refusing():
            return await endpoint(request)

    return answered


@contextmanager
def _refusing() -> Iterator[None]:
    """Our errors as refusals. What they say of the disk is for the operator only."""
    try:
        yield
    except BadLogin as error:
        raise Refusal(401, str(error)) from None
    except NotThere as error:
        raise Refusal(404, str(error)) from None
    except ClientDisconnect:
        raise Refusal(400, "the client went away") from None
    except (BoxError, Refused, OSError) as error:
        raise Refusal(503, _CLOSED, wait=30, cause=str(error)) from None


class _Desk:
    def __init__(self, box: Mailbox, name: str, limits: Limits) -> None:
        self._box, self._limits = box, limits
        self._challenges, self._sessions = Challenges(name), Sessions()
        self._parties = Rates(rate=limits.party_rate, burst=limits.party_burst)
        self._at_work: Counter[tuple[Digest, Role]] = Counter()
        self._hashes: OrderedDict[tuple[object, ...], str] = OrderedDict()

    async def health(self, _request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def ready(self, _request: Request) -> Response:
        await run_in_threadpool(Mailbox.opened, self._box.root)
        if await run_in_threadpool(self._box.free) < self._limits.spare_disk:
            raise Refusal(503, "the mailbox's disk is full", wait=60)
        return JSONResponse({"status": "ready"})

    async def challenge(self, request: Request) -> Response:
        wanted = challenge.parsed(Wanted, await _body(request, challenge.MAX_SIZE))
        if (wanted.matter is None) != (wanted.role is None) or wanted.role is Role.TRENT:
            raise Refusal(400, "a challenge is for a matter and for alice, bob or the court; or for neither")
        return _canonical(self._challenges.issue(wanted))

    async def session(self, request: Request) -> Response:
        signed = await self._signed(request)
        matter, role = signed.login.matter, signed.login.role
        if matter is None or role is None:
            raise Refusal(400, "this login names no matter and no role")
        _note(request, matter, role)
        if not await run_in_threadpool(self._in_force, matter, role, signed.key):
            raise Refusal(403, _NOT_IN_FORCE)
        self._challenges.use(signed.login)
        token, expires = self._sessions.begin(matter, role, signed.key)
        return JSONResponse({"expires": expires, "token": token})

    async def matters(self, request: Request) -> Response:
        signed = await self._signed(request)
        if signed.login.matter is not None:
            raise Refusal(400, "this login is for one matter; log in there")
        found = await run_in_threadpool(self._where, signed)
        if found:
            self._challenges.use(signed.login)
        return JSONResponse({"matters": [{"matter": matter.hex(), "role": role} for matter, role in found]})

    async def parties(self, request: Request) -> Response:
        async with self._party(request) as party:
            signed = await run_in_threadpool(self._box.parties, party.matter)
            return _canonical(signed)

    async def questions(self, request: Request) -> Response:
        async with self._party(request) as party:
            listed = await run_in_threadpool(self._listed, party)
            return JSONResponse({"questions": listed})

    async def question(self, request: Request) -> Any:
        name = request.path_params["name"]
        return _Sending(lambda: self._party(request), lambda party: self._box.question(party.matter, party.role, name))

    async def answer(self, request: Request) -> Response:
        async with self._party(request) as party:
            _check_length(request, MAX_ANSWER)
            await run_in_threadpool(self._check_room, party)
            incoming = self._box.incoming(party.matter, party.role)
            try:
                size = 0
                async for piece in request.stream():
                    size += len(piece)
                    if size > MAX_ANSWER:
                        raise _too_large(MAX_ANSWER)
                    if piece:
                        await run_in_threadpool(incoming.write, piece)
                if not size:
                    raise Refusal(400, "the answer is empty")
                answer, new = await run_in_threadpool(incoming.placed)
            finally:
                await run_in_threadpool(incoming.close)
            return JSONResponse({"answer": answer.hex()}, status_code=201 if new else 200)

    async def receipt(self, request: Request) -> Response:
        async with self._party(request) as party:
            try:
                answer = Digest.parse(request.path_params["answer"])
            except ValueError:
                raise Refusal(404, "an answer is named by the 64 hex digits of its SHA-256") from None
            found = await run_in_threadpool(self._box.receipt, party.matter, party.role, answer)
            if found is not None:
                return Response(found, media_type="application/json")
            if not await run_in_threadpool(self._box.has, party.matter, party.role, answer):
                raise Refusal(404, "the mailbox has no such answer; send it again")
            return JSONResponse({"waiting": True}, status_code=202)

    async def _signed(self, request: Request) -> SignedLogin:
        signed = challenge.parsed(SignedLogin, await _body(request, challenge.MAX_SIZE))
        self._challenges.check(signed)
        return signed

    @asynccontextmanager
    async def _party(self, request: Request) -> AsyncIterator[Session]:
        """The party that asks: logged in, about its own place, and not too often."""
        token = request.headers.get("authorization", "").partition("Bearer ")[2]
        party = self._sessions.find(token)
        if party is None:
            raise Refusal(401, "log in first: there is no such token, or it has expired")
        _note(request, party.matter, party.role)
        if (request.path_params["matter"], request.path_params["role"]) != (party.matter.hex(), party.role):
            raise Refusal(403, f"you are logged in as {party.role.called} in another matter or role than this one")
        place = party.matter, party.role
        if wait := self._parties.wait(place):
            raise Refusal(429, "this party makes too many requests; make fewer", wait=wait)
        if self._at_work[place] >= self._limits.requests_of_party:
            raise Refusal(429, "this party has too many requests at a time; wait for their answers", wait=1)
        self._at_work[place] += 1
        try:
            if not await run_in_threadpool(self._in_force, party.matter, party.role, party.key):
                raise Refusal(403, _NOT_IN_FORCE)
            yield party
        finally:
            self._at_work[place] -= 1
            if not self._at_work[place]:
                del self._at_work[place]

    def _in_force(self, matter: Digest, role: Role, key: bytes) -> bool:
        try:
            return self._box.parties(matter).parties.keys.get(role) == key
        except NotThere:
            return False

    def _where(self, signed: SignedLogin) -> list[tuple[Digest, Role]]:
        """The matters and roles in which a key is in force."""
        return [
            (matter, role)
            for matter in self._box.matters()
            for role in PARTIES
            if self._in_force(matter, role, signed.key)
        ]

    def _check_room(self, party: Session) -> None:
        if len(self._box.answers(party.matter, party.role)) >= self._limits.answers:
            raise Refusal(
                429, "too many answers of this party wait for Trent; send more when he has read them", wait=60
            )
        if self._box.free() < self._limits.spare_disk:
            raise Refusal(507, "the mailbox's disk is full; try again later, and tell Trent", wait=300)

    def _listed(self, party: Session) -> list[dict[str, object]]:
        found = []
        for each in self._box.questions(party.matter, party.role):
            try:
                with self._box.question(party.matter, party.role, each.name) as file:
                    known = self._hash((party.matter, party.role, each), file)
            except NotThere:
                continue  # answered in the meantime
            found.append({"name": each.name, "put": each.put, "sha256": known, "size": each.size})
        return found

    def _hash(self, name: tuple[object, ...], file: BufferedReader) -> str:
        """The hash of a question, computed once: questions are never replaced."""
        known = self._hashes.get(name)
        if known is None:
            known = self._hashes[name] = file_digest(file, "sha256").hexdigest()
            while len(self._hashes) > _HASHES:
                self._hashes.popitem(last=False)
        return known


class _Sending:
    """A sealed question on its way to its party, piece by piece."""

    def __init__(self, party: Callable[[], Any], opener: Callable[[Session], BufferedReader]) -> None:
        self._party, self._opener = party, opener

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        with _refusing():
            await self._sent(receive, send)

    async def _sent(self, receive: Receive, send: Send) -> None:
        async with self._party() as party:
            file = await run_in_threadpool(self._opener, party)
            gone = asyncio.create_task(_gone(receive))
            try:
                await self._send(file, send, gone)
            finally:
                gone.cancel()
                file.close()

    @staticmethod
    async def _send(file: BufferedReader, send: Send, gone: "asyncio.Task[None]") -> None:
        size = file.seek(0, 2)
        file.seek(0)
        headers = [(b"content-type", b"application/octet-stream"), (b"content-length", str(size).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        left = size
        while left and not gone.done():
            piece = await run_in_threadpool(file.read, min(_PIECE, left))
            left -= len(piece)
            if not piece:
                raise Refusal(503, _CLOSED, cause="a question became shorter")
            await send({"type": "http.response.body", "body": piece, "more_body": left > 0})
        if not size:
            await send({"type": "http.response.body", "body": b""})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _note(request: Request, matter: Digest, role: Role) -> None:
    request.state.noted.matter, request.state.noted.role = matter.hex(), role.value


async def _body(request: Request, most: int) -> bytes:
    """A small body, in memory."""
    _check_length(request, most)
    data = b""
    async for piece in request.stream():
        data += piece
        if len(data) > most:
            raise _too_large(most)
    return data


def _check_length(request: Request, most: int) -> None:
    """Refuse before the body is sent, if its length is stated."""
    stated = request.headers.get("content-length", "0")
    if not stated.isdecimal() or len(stated) > 15 or int(stated) > most:
        raise _too_large(most)


def _too_large(most: int) -> Refusal:
    return Refusal(413, f"the request is too large: at most {most} bytes are taken here")


def _canonical(record: records.Record) -> Response:
    return Response(records.encode(record), media_type="application/json")
