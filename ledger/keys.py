"""Ed25519 keys, and the one rule by which a signature is accepted.

A public key is accepted if its 32 bytes are the canonical encoding of a point of the prime-order subgroup
other than the identity. A signature (R, S) by such a key A over a message M is accepted if

    S < L,   R is not the encoding of the identity,   and   R = encode([S]B - [SHA-512(R, A, M)]A), byte for byte.

For such keys libsodium (PyNaCl) decides exactly this. Implementations that skip the check of the key, or of
R, differ only outside this rule: see docs/decisions/0004-signature-acceptance.md.
"""

import os
from typing import Self

from nacl import bindings
from nacl.exceptions import BadSignatureError

from ledger.errors import LedgerError
from ledger.hashing import FixedBytes, tagged_hash, type_tag


class BadKey(LedgerError):
    """These bytes are not a public key that a party may use."""


class Signature(FixedBytes):
    """An Ed25519 signature."""

    size = 64


class PublicKey(FixedBytes):
    """A public key that passed the rule above; there is no other way to make one."""

    size = 32

    def __new__(cls, raw: bytes) -> Self:
        key = super().__new__(cls, raw)
        if not bindings.crypto_core_ed25519_is_valid_point(bytes(key)):
            raise BadKey(
                f"{key.hex()} is not a usable Ed25519 public key: "
                "not canonical, not on the curve, or of low or mixed order"
            )
        return key

    @classmethod
    def parse(cls, text: str) -> Self:
        """The key of lowercase hex digits, by the rule above."""
        return cls(super().parse(text))


class SigningKey:
    """A private key in memory. Its bytes never appear in a repr or an error."""

    __slots__ = ("_expanded", "public")

    def __init__(self, seed: bytes) -> None:
        public, self._expanded = bindings.crypto_sign_seed_keypair(seed)
        self.public = PublicKey(public)

    @classmethod
    def generate(cls) -> Self:
        """A fresh key from the system's randomness."""
        return cls(os.urandom(32))

    @property
    def seed(self) -> bytes:
        """The 32 secret bytes, for the key file only."""
        return self._expanded[:32]

    def sign(self, tag: str, message: bytes) -> Signature:
        """The signature over `message` behind its type tag."""
        return self.sign_bare(type_tag(tag) + message)

    def sign_bare(self, message: bytes) -> Signature:
        """The signature over exactly these bytes: for formats that bring their own domain separation."""
        return Signature(bindings.crypto_sign(message, self._expanded)[:64])


Signed = tuple[PublicKey, bytes]
"""The claim that a key has signed: the key, and its signature followed by the signed bytes."""


def signed(key: PublicKey, tag: str, message: bytes, signature: Signature) -> Signed:
    """The assertion that `signature` is the key's own over `message` behind its type tag."""
    return key, signature + type_tag(tag) + message


def signed_bare(key: PublicKey, message: bytes, signature: Signature) -> Signed:
    """The assertion that `signature` is the key's own over exactly these bytes."""
    return key, signature + message


def holds(assertion: Signed) -> bool:
    """Whether the key has signed."""
    key, signature_and_message = assertion
    try:
        bindings.crypto_sign_open(signature_and_message, key)
    except BadSignatureError:
        return False
    return True


def fingerprint(key: PublicKey) -> str:
    """Eight groups of five digits to read aloud: 132 bits of a hash of the key."""
    digits = f"{int.from_bytes(tagged_hash('fingerprint', key), 'big') % 10**40:040d}"
    return " ".join(digits[start : start + 5] for start in range(0, 40, 5))
