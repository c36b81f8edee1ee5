"""Who is logged in: a random token for a party, in memory, for some minutes."""

import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from time import time

from ledger.hashing import Digest
from ledger.keys import PublicKey
from ledger.roles import Role

SECONDS = 600
"""How long a token holds."""
MOST = 8
"""Tokens of one key in one role; one more makes the oldest void."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A party that has logged in."""

    matter: Digest
    role: Role
    key: PublicKey
    expires: int


class Sessions:
    """The tokens that hold. Only the holder of a key in force gets one, so their number is bounded."""

    def __init__(self, *, clock: Callable[[], float] = time) -> None:
        self._clock = clock
        self._held: OrderedDict[bytes, Session] = OrderedDict()  # by the hash of the token, the oldest first

    def begin(self, matter: Digest, role: Role, key: PublicKey) -> tuple[str, int]:
        """A new token, and when it expires."""
        token = secrets.token_urlsafe(32)
        session = Session(matter=matter, role=role, key=key, expires=int(self._clock()) + SECONDS)
        self._forget()
        same = [name for name, each in self._held.items() if (each.matter, each.role) == (matter, role)]
        for name in same[: max(0, len(same) - MOST + 1)]:
            del self._held[name]
        self._held[_name(token)] = session
        return token, session.expires

    def find(self, token: str) -> Session | None:
        """Whose token this is, if it holds."""
        found = self._held.get(_name(token))
        return None if found is None or found.expires < self._clock() else found

    def _forget(self) -> None:
        """Drop what has expired; the oldest come first."""
        now = self._clock()
        while self._held and next(iter(self._held.values())).expires < now:
            self._held.popitem(last=False)


def _name(token: str) -> bytes:
    """Tokens are found by their hash, so that the time it takes tells nothing about them."""
    return sha256(token.encode("utf-8", "replace")).digest()
