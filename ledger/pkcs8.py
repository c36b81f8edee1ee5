"""Encrypted PKCS#8 private keys (RFC 5958, PBES2 of RFC 8018) with a key derivation that costs something.

pyca/cryptography writes PBKDF2 with 2,048 rounds, too few for a passphrase that a person can remember, and lets
nobody choose. So the frame is written here, with its primitives; every version of openssl since 1.0 reads it.
"""

import base64
import os

from cryptography.hazmat.primitives import hashes, padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC

ROUNDS = 600_000

_SEQUENCE, _INTEGER, _OCTETS, _NULL = 0x30, 0x02, 0x04, 0x05
_PBES2 = bytes.fromhex("06092a864886f70d01050d")
_PBKDF2 = bytes.fromhex("06092a864886f70d01050c")
_HMAC_SHA256 = bytes.fromhex("06082a864886f70d0209")
_AES_256_CBC = bytes.fromhex("060960864801650304012a")


def encrypt(private_key_info: bytes, passphrase: bytes) -> bytes:
    """The DER of a private key as PEM text that only the passphrase opens."""
    salt, iv = os.urandom(16), os.urandom(16)
    key = PBKDF2HMAC(algorithm=hashes.SHA256(), length=32, salt=salt, iterations=ROUNDS).derive(passphrase)
    padder = padding.PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    padded = padder.update(private_key_info) + padder.finalize()
    encrypted = encryptor.update(padded) + encryptor.finalize()
    derivation = _der(
        _SEQUENCE,
        _PBKDF2,
        _der(
            _SEQUENCE,
            _der(_OCTETS, salt),
            _der(_INTEGER, ROUNDS.to_bytes(3, "big")),
            _der(_SEQUENCE, _HMAC_SHA256, _der(_NULL)),
        ),
    )
    scheme = _der(_SEQUENCE, _AES_256_CBC, _der(_OCTETS, iv))
    algorithm = _der(_SEQUENCE, _PBES2, _der(_SEQUENCE, derivation, scheme))
    return _pem("ENCRYPTED PRIVATE KEY", _der(_SEQUENCE, algorithm, _der(_OCTETS, encrypted)))


def _der(tag: int, *parts: bytes) -> bytes:
    content = b"".join(parts)
    length = len(content)
    if length < 0x80:
        return bytes([tag, length]) + content
    return bytes([tag, 0x81, length]) + content  # nothing here is longer than 255 bytes


def _pem(label: str, der: bytes) -> bytes:
    text = base64.b64encode(der).decode()
    lines = [text[start : start + 64] for start in range(0, len(text), 64)]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""]).encode()
