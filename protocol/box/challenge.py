"""The login: a party proves that it holds its enrolled key, by signing what the server asks, once.

    1. The party asks for a challenge for its matter and role, and gets a nonce and an expiry.
    2. It signs {expires, matter, nonce, role, server} behind the tag `box`, where `server` is the origin that the
       party itself was told to connect to. So nobody can pass the signature on to another server.
    3. The server checks that it made this nonce for these very words, that it is in time and not used, and that the
       signature is by the key in force.

Without a matter and a role, the same login asks in which matters a key is in force.

A nonce carries its own proof of origin, so the server remembers none that it gave out, however many are asked for. It
remembers those that a key in force has used, until they expire.
"""

import hmac
import os
from collections.abc import Callable
from time import time

from ledger import canonical, keys, records
from ledger.errors import LedgerError
from ledger.hashing import Digest, FixedBytes
from ledger.keys import PublicKey, Signature, SigningKey
from ledger.records import Natural, Record
from ledger.roles import Role
from protocol.box.errors import BadLogin

SECONDS = 120
"""How long a challenge can be answered."""
MAX_SIZE = 2**12
"""Largest message of a login in bytes."""

_USED = "the challenge was used already; ask for a new one"
_HALF = 16  # of a nonce: random bytes, and a proof that this server chose them


class Nonce(FixedBytes):
    """What makes each challenge another one."""

    size = 2 * _HALF


class Wanted(Record, frozen=True, kw_only=True):
    """What a party asks a challenge for; both null to learn where its key is in force."""

    matter: Digest | None
    role: Role | None


class Challenge(Record, frozen=True, kw_only=True):
    """What the server asks the party to sign, and what the server calls itself."""

    expires: Natural
    nonce: Nonce
    server: str


class Login(Record, frozen=True, kw_only=True):
    """What the party signs."""

    expires: Natural
    matter: Digest | None
    nonce: Nonce
    role: Role | None
    server: str


class SignedLogin(Record, frozen=True, kw_only=True):
    """The login under the signature of the key that it is for."""

    key: PublicKey
    login: Login
    signature: Signature


def signed(key: SigningKey, wanted: Wanted, challenge: Challenge, server: str) -> SignedLogin:
    """The party's answer to a challenge; `server` is what the party knows, not what the challenge says."""
    login = Login(
        expires=challenge.expires, matter=wanted.matter, nonce=challenge.nonce, role=wanted.role, server=server
    )
    return SignedLogin(key=key.public, login=login, signature=key.sign("box", records.encode(login)))


def parsed(kind: type[records.R], data: bytes) -> records.R:
    """A message of a login."""
    try:
        return records.decode(kind, data)
    except (LedgerError, ValueError) as error:
        raise BadLogin(f"this is not a message of a login: {error}") from None


class Challenges:
    """The server's side; `server` is the name that parties know it by."""

    def __init__(self, server: str, *, clock: Callable[[], float] = time) -> None:
        self.server = server
        self._clock = clock
        self._secret = os.urandom(32)  # after a restart, earlier challenges are void
        self._used: dict[Nonce, int] = {}  # until when each must be remembered

    def issue(self, wanted: Wanted) -> Challenge:
        """A new challenge."""
        expires = int(self._clock()) + SECONDS
        random = os.urandom(_HALF)
        return Challenge(
            expires=expires, nonce=Nonce(random + self._proof(random, wanted, expires)), server=self.server
        )

    def check(self, signed: SignedLogin) -> None:
        """Raise unless the holder of the key has answered a challenge of this server, in time."""
        login = signed.login
        if login.server != self.server:
            raise BadLogin(
                f"the login is signed for the server {login.server[:200]!r}, but this one is {self.server}: connect "
                "to that address, or have the operator start it with --name"
            )
        random, proof = login.nonce[:_HALF], login.nonce[_HALF:]
        wanted = Wanted(matter=login.matter, role=login.role)
        if not hmac.compare_digest(proof, self._proof(random, wanted, login.expires)):
            raise BadLogin(
                "this server gave no such challenge for this matter and role since it was started; ask for a new one"
            )
        if login.expires < self._clock():
            raise BadLogin("the challenge has expired; ask for a new one")
        if login.nonce in self._used:
            raise BadLogin(_USED)
        if not keys.holds(keys.signed(signed.key, "box", records.encode(login), signed.signature)):
            raise BadLogin("the signature does not hold: it is by another key, or was changed")

    def use(self, login: Login) -> None:
        """From here on this challenge is used. Refused if that was done while the key was looked up."""
        if login.nonce in self._used:
            raise BadLogin(_USED)
        now = self._clock()
        for nonce in [nonce for nonce, until in self._used.items() if until < now]:
            del self._used[nonce]
        self._used[login.nonce] = login.expires

    def _proof(self, random: bytes, wanted: Wanted, expires: int) -> bytes:
        said = canonical.encode([random.hex(), expires, records.to_value(wanted)])
        return hmac.digest(self._secret, said, "sha256")[:_HALF]
