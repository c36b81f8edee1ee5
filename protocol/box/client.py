"""The party's side of the mailbox: it fetches questions, sends answers and asks for receipts, with its own key.

Nothing that the server says is believed. Questions are unsealed here, and checked by whoever reads them; receipts are
checked against Trent's key. Answers are sealed for Trent's key as the party knows it from the record, never for one
that the server names. A cut network is `Unreachable`: the same call can be made again.
"""

import http.client
import json
import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from time import time
from typing import Any

from ledger import files, records
from ledger.errors import LedgerError
from ledger.hashing import Digest
from ledger.keys import PublicKey, SigningKey
from ledger.plain import shown
from ledger.roles import Role
from protocol.box import challenge, notices, origins, sealing
from protocol.box.challenge import Challenge, Wanted
from protocol.box.errors import BadNotice, Denied, NotThere, Unreachable, WrongServer
from protocol.box.layout import MAX_ANSWER
from protocol.box.notices import SignedParties, SignedReceipt

TIMEOUT = 30.0
"""Seconds in which the server must say something."""
MAX_QUESTION = 2**34
"""Largest sealed question in bytes."""

_MAX_SAID = 2**22  # bytes of an answer that is not a question
_SPARE = 30  # seconds before its end at which a token is renewed
_CUT = (OSError, http.client.HTTPException)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A matter, and the role that the key has in it."""

    matter: Digest
    role: Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A question in the mailbox."""

    place: Place
    name: str
    size: int  # of the sealed bytes
    sha256: Digest  # of the sealed bytes
    put: int  # when, in seconds since 1970, by the server's clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """An answer sealed for Trent. Sent a second time it changes nothing, so keep it until there is a receipt."""

    data: bytes

    @property
    def answer(self) -> Digest:
        """Its name."""
        return Digest(sha256(self.data).digest())


def sealed(answer: bytes, trent: PublicKey) -> Letter:
    """An answer as it travels; `trent` is his key as the party's own record has it."""
    data = sealing.sealed(answer, trent)
    if len(data) > MAX_ANSWER:
        raise Denied(f"the answer has {len(answer)} bytes, which is more than any answer may have")
    return Letter(data=data)


@dataclass(slots=True)
class Box:
    """A mailbox at an origin such as https://trent.example, for the holder of one key.

    `matter` leaves other matters of the same key aside. `authority` is a file with the certificates to trust in place
    of the system's.
    """

    origin: str
    key: SigningKey = field(repr=False)
    matter: Digest | None = None
    authority: Path | None = None
    timeout: float = TIMEOUT
    _tokens: dict[Place, tuple[str, float]] = field(default_factory=dict, init=False, repr=False)
    _server: origins.Origin = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._server = origins.parse(self.origin)
        self.origin = str(self._server)

    def places(self) -> list[Place]:
        """Where this key is in force."""
        said = self._signed("/matters", Wanted(matter=None, role=None))
        with self._understood():
            found = [Place(matter=Digest.parse(each["matter"]), role=Role(each["role"])) for each in said["matters"]]
        return [each for each in found if self.matter in (None, each.matter)]

    def parties(self, place: Place) -> SignedParties:
        """The keys in force, signed by the Trent that they name: compare him with the one that you know."""
        return notices.read_parties(self._asked(place, "GET", "/parties"), f"what {self.origin} says", place.matter)

    def questions(self, place: Place | None = None) -> list[Waiting]:
        """What waits for this key: in one place, or wherever it is in force."""
        if place is None:
            return [each for found in self.places() for each in self.questions(found)]
        said = _json(self._asked(place, "GET", "/questions"))
        with self._understood():
            return [
                Waiting(
                    place=place,
                    name=_name(each["name"]),
                    size=_whole(each["size"]),
                    sha256=Digest.parse(each["sha256"]),
                    put=_whole(each["put"]),
                )
                for each in said["questions"]
            ]

    def fetch(self, waiting: Waiting, out: Path) -> None:
        """Write a question, unsealed, to a new file: a zip as Trent packed it. There is no such file if this fails."""
        if waiting.size > MAX_QUESTION:
            raise Denied(f"the question has {waiting.size} bytes, which is more than any question may have")
        with self._request(waiting.place, "GET", f"/questions/{waiting.name}") as response, files.new_file(out) as into:
            body = _Body(response, waiting.size, self.origin)
            sealing.unseal(body, into, self.key)
            if body.hash.digest() != waiting.sha256:
                raise WrongServer(f"{self.origin} has sent something else than the question that it lists; try again")

    def send(self, place: Place, letter: Letter) -> None:
        """Leave a sealed answer in the mailbox. When this returns, it is on the server's disk."""
        said = _json(self._asked(place, "POST", "/answers", letter.data))
        if said.get("answer") != letter.answer.hex():
            raise WrongServer(f"{self.origin} has taken something else than the answer that was sent; send it again")

    def post(self, place: Place, answer: bytes, trent: PublicKey) -> Digest:
        """Seal an answer for Trent and leave it in the mailbox; its name, for the receipt."""
        letter = sealed(answer, trent)
        self.send(place, letter)
        return letter.answer

    def receipt(self, place: Place, answer: Digest, trent: PublicKey) -> SignedReceipt | None:
        """What became of an answer, under Trent's signature; None while it waits.

        `NotThere` says that the mailbox does not have the answer: then send the letter again.
        """
        with self._request(place, "GET", f"/receipts/{answer.hex()}") as response:
            waits, data = response.status == 202, _read(response)
        if waits:
            return None
        found = notices.read_receipt(data, f"the receipt of {self.origin}", trent)
        said = found.receipt
        if (said.answer, said.matter, said.role) != (answer, place.matter, place.role):
            raise BadNotice(f"{self.origin} shows the receipt of another answer")
        return found

    def _asked(self, place: Place, method: str, path: str, body: bytes | None = None) -> bytes:
        with self._request(place, method, path, body) as response:
            return _read(response)

    @contextmanager
    def _request(
        self, place: Place, method: str, path: str, body: bytes | None = None
    ) -> Iterator[http.client.HTTPResponse]:
        """A request of the party's; it logs in first, and again if the server has forgotten that."""
        path = f"/matters/{place.matter.hex()}/{place.role}{path}"
        fresh = place not in self._tokens or self._tokens[place][1] < time()
        if fresh:
            self._login(place)
        with self._open(method, path, body, self._tokens[place][0]) as response:
            if response.status != 401 or fresh:
                self._check(response)
                yield response
                return
        self._login(place)
        with self._open(method, path, body, self._tokens[place][0]) as response:
            self._check(response)
            yield response

    def _login(self, place: Place) -> None:
        said = self._signed("/session", Wanted(matter=place.matter, role=place.role))
        with self._understood():
            token, expires = str(said["token"]), int(said["expires"])
        if not token.isascii() or not token.isprintable():
            raise WrongServer(f"{self.origin} has given a token that cannot be used")
        self._tokens[place] = token, expires - _SPARE

    def _signed(self, path: str, wanted: Wanted) -> dict[str, Any]:
        """What the server says to a signed challenge."""
        with self._open("POST", "/challenge", records.encode(wanted)) as response:
            self._check(response)
            data = _read(response)
        try:
            asked = records.decode(Challenge, data)
        except (LedgerError, ValueError):
            raise WrongServer(f"what answers at {self.origin} is not a mailbox of Tallystick") from None
        if asked.server != self.origin:
            raise WrongServer(
                f"the server at {self.origin} calls itself {shown(asked.server[:200])}; nothing was signed. If it is "
                f"the right one, its operator must start it with --name {self.origin}"
            )
        login = challenge.signed(self.key, wanted, asked, self.origin)
        with self._open("POST", path, records.encode(login)) as response:
            self._check(response)
            return _json(_read(response))

    @contextmanager
    def _open(
        self, method: str, path: str, body: bytes | None, token: str | None = None
    ) -> Iterator[http.client.HTTPResponse]:
        headers = {"Accept-Encoding": "identity"} | ({} if token is None else {"Authorization": f"Bearer {token}"})
        connection = self._connection()
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # the server may have answered before it closed
                connection.request(method, path, body, headers)
            yield connection.getresponse()
        except ssl.SSLCertVerificationError as error:
            raise WrongServer(
                f"{self.origin} cannot prove its name: {error.verify_message}. Nothing was sent. Ask Trent"
            ) from None
        except _CUT as error:
            raise Unreachable(f"{self.origin} cannot be reached: {_reason(error)}. Try again") from None
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self._server.host, self._server.port
        if not self._server.encrypted:
            return http.client.HTTPConnection(host, port, timeout=self.timeout)
        trusted = ssl.create_default_context(cafile=None if self.authority is None else str(self.authority))
        trusted.minimum_version = ssl.TLSVersion.TLSv1_2
        return http.client.HTTPSConnection(host, port, timeout=self.timeout, context=trusted)

    def _check(self, response: http.client.HTTPResponse) -> None:
        """Raise if the server refuses, in its own words."""
        if response.status in (200, 201, 202):
            return
        try:
            said = shown(str(_json(_read(response))["error"])[:500])
        except (WrongServer, KeyError):
            said = f"status {response.status}"
        wait = response.headers.get("Retry-After", "")
        words = f"{self.origin} refuses: {said}"
        if response.status in (408, 429) or response.status >= 500:
            raise Unreachable(words, wait=int(wait) if wait.isdecimal() and len(wait) < 6 else 0)
        raise (NotThere if response.status == 404 else Denied)(words)

    @contextmanager
    def _understood(self) -> Iterator[None]:
        try:
            yield
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise WrongServer(f"what {self.origin} says cannot be understood; is it a mailbox of Tallystick?") from None


class _Body:
    """A question as it comes: counted and hashed. One that ends too early was cut, and can be fetched again."""

    def __init__(self, response: http.client.HTTPResponse, size: int, origin: str) -> None:
        self._response, self._left, self._origin = response, size, origin
        self.hash = sha256()

    def read(self, size: int, /) -> bytes:
        try:
            data = self._response.read(min(size, self._left + 1))
        except _CUT as error:
            raise Unreachable(f"{self._origin} cannot be reached any more: {_reason(error)}. Try again") from None
        self._left -= len(data)
        if self._left < 0:
            raise WrongServer(f"{self._origin} sends more than the question that it lists; try again")
        if not data and self._left:
            raise Unreachable(f"{self._origin} has stopped in the middle of a question. Try again")
        self.hash.update(data)
        return data


def _read(response: http.client.HTTPResponse) -> bytes:
    data = response.read(_MAX_SAID + 1)
    if len(data) > _MAX_SAID:
        raise WrongServer("the server's answer is too large for a mailbox's")
    if response.length:
        raise http.client.IncompleteRead(data)
    return data


def _name(value: object) -> str:
    """A name that can stand in an address, and on a screen."""
    if not isinstance(value, str) or not re.fullmatch(r"[!-~]{1,200}", value):
        raise ValueError
    return value


def _whole(value: object) -> int:
    if type(value) is not int or not 0 <= value < 2**40:
        raise ValueError
    return value


def _json(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, Mapping):
        raise WrongServer("what the server says cannot be understood; is it a mailbox of Tallystick?")
    return dict(found)


def _reason(error: OSError | http.client.HTTPException) -> str:
    if isinstance(error, TimeoutError):
        return "it does not answer"
    if isinstance(error, OSError):
        return error.strerror or str(error) or type(error).__name__
    return "the connection was cut"
