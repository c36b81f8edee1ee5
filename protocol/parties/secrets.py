"""What the holder of a key derives from it for one matter, so that nothing secret is kept beside the key.

    secret = HMAC-SHA-256(seed of the signing key, H("derived", purpose, binding))

Alice and Bob bind the hash of the opening entry: other terms, keys or documents give other secrets. Trent's chain is
named in the opening entry, so he binds the matter's number, which is random. Deposits are sealed for the holder of a
key in libsodium's sealed box, for the Curve25519 key that belongs to the Ed25519 key.
"""

import hmac
from collections.abc import Mapping

from nacl import bindings
from nacl.exceptions import CryptoError

from ledger import canonical
from ledger.commitments import Secret
from ledger.errors import LedgerError, Refused
from ledger.hashing import Digest, FixedBytes, tagged_hash
from ledger.keys import PublicKey, SigningKey
from ledger.records import Malformed
from ledger.roles import Role
from protocol.parties.errors import BadQuestion


class SealedRoot(FixedBytes):
    """The root of a coin chain, sealed for the holder of one key."""

    size = 80


class NotSealedForThis(Refused):
    """A deposit that this key does not open."""


def seal(key: SigningKey, binding: Digest) -> Secret:
    """The secret that gives the salts of all that this party seals in the matter."""
    return Secret(_derived(key, "seal", binding))


def chain_root(key: SigningKey, binding: Digest) -> Digest:
    """The root of this party's coin chain in the matter."""
    return Digest(_derived(key, "chain", binding))


def sealed_for(public: PublicKey, data: bytes) -> bytes:
    """`data` sealed so that only the holder of this key can read it. No two calls give the same bytes."""
    return bindings.crypto_box_seal(data, bindings.crypto_sign_ed25519_pk_to_curve25519(public))


def unsealed(key: SigningKey, data: bytes) -> bytes:
    """What was sealed for this key."""
    secret = bindings.crypto_sign_ed25519_sk_to_curve25519(key.seed + key.public)
    public = bindings.crypto_sign_ed25519_pk_to_curve25519(key.public)
    try:
        return bindings.crypto_box_seal_open(data, public, secret)
    except (CryptoError, ValueError, TypeError):
        raise NotSealedForThis("the deposit was sealed for another key, or is damaged") from None


def sealed_root(public: PublicKey, root: Digest) -> SealedRoot:
    """A chain's root, sealed for the holder of a key."""
    return SealedRoot(sealed_for(public, root))


def unsealed_root(key: SigningKey, sealed: SealedRoot) -> Digest:
    """The root that was sealed for this key."""
    return Digest(unsealed(key, sealed))


def encode_deposits(sealed: Mapping[Role, SealedRoot]) -> bytes:
    """`deposits.json` for the court, or `deposit.json` for a party that has a new key: by role, in hex."""
    return canonical.encode({role.value: root.hex() for role, root in sealed.items()}) + b"\n"


def decode_deposits(data: bytes, where: str) -> dict[Role, SealedRoot]:
    """The sealed roots in such a file."""
    try:
        value = canonical.decode(data.rstrip(b"\r\n"))
        if not isinstance(value, dict):
            raise Malformed("an object was expected")
        return {Role(role): SealedRoot.parse(str(root)) for role, root in value.items()}
    except (LedgerError, ValueError) as error:
        raise BadQuestion(f"{where} does not hold deposits ({error}); ask for the question again") from None


def _derived(key: SigningKey, purpose: str, binding: Digest) -> bytes:
    return hmac.digest(key.seed, tagged_hash("derived", purpose.encode(), binding), "sha256")
