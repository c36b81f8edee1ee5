"""A wish: what Alice asks of Trent without having been asked, under her signature.

Nobody speaks unasked in the record, so a wish is not an entry: it has Trent put the question that only he can put.
Each is granted once, by its number.
"""

import os
from typing import Literal

from ledger import keys, records
from ledger.errors import LedgerError, Refused
from ledger.hashing import Digest
from ledger.keys import PublicKey, Signature, SigningKey
from ledger.records import Natural, Record
from ledger.roles import Role

FORMAT = 1
BEGINNING = b'{"signature":'
"""How the file of a signed wish begins; neither an answer nor an objection does."""
_TAG = "wish"

Wanted = Literal["late", "clawback"]
"""To be asked for late claims of privilege, or for what Bob was shown and must give back."""


class BadWish(Refused):
    """Bytes that are not a party's wish."""


class Wish(Record, frozen=True, kw_only=True):
    """What is wished for."""

    format: Natural
    matter: Digest
    number: Digest  # random
    role: Role
    wanted: Wanted


class SignedWish(Record, frozen=True, kw_only=True):
    """The file that is posted to Trent."""

    signature: Signature
    wish: Wish


def sign(key: SigningKey, matter: Digest, wanted: Wanted) -> bytes:
    """Alice's wish as a file, one line of canonical JSON."""
    said = Wish(format=FORMAT, matter=matter, number=Digest(os.urandom(32)), role=Role.ALICE, wanted=wanted)
    return records.encode(SignedWish(signature=key.sign(_TAG, records.encode(said)), wish=said)) + b"\n"


def read(data: bytes, matter: Digest, alice: PublicKey) -> Wish:
    """The wish in a file, if Alice has signed it in this matter."""
    try:
        found = records.decode(SignedWish, data.rstrip(b"\r\n"))
    except LedgerError as error:
        raise BadWish(f"this is not a wish, or it was changed on the way ({error}); send it again") from None
    said = found.wish
    if (said.format, said.matter, said.role) != (FORMAT, matter, Role.ALICE):
        raise BadWish("the wish is for another matter, of another format, or not Alice's")
    if not keys.holds(keys.signed(alice, _TAG, records.encode(said), found.signature)):
        raise BadWish("the wish is not signed by the key that Alice has in this matter")
    return said
