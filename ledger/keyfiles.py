"""Key files: PEM that `openssl pkey` reads, with a few lines above it for people.

    Tallystick private key
    Role: alice
    Fingerprint: 48213 09921 ...

The private file is encrypted and readable by its owner only; the public file goes to the other parties, who confirm
its fingerprint by telephone. The fingerprint above the PEM also reveals damage, which neither a plain nor an encrypted
PEM can detect by itself. Only the matter's opening says whether a key is Alice's in a matter.

pyca/cryptography derives the encryption key with 2,048 rounds of PBKDF2, too few for a passphrase that a person can
remember, and offers no choice. So the encrypted frame is written here, with its primitives; every openssl since 1.0
reads it.
"""

import base64
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, padding
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from ledger import files, reading
from ledger.errors import LedgerError, Refused
from ledger.keys import BadKey, PublicKey, SigningKey, fingerprint
from ledger.roles import Role

PUBLIC_SUFFIX = ".pub"

MAX_PASSPHRASE = 1000
"""Bytes; the openssl command reads no passphrase of 1,024 or more."""

MAX_SIZE = 2**16
"""Largest key file in bytes, whatever somebody has written above the key."""

ROUNDS = 600_000

_SEQUENCE, _INTEGER, _OCTETS, _NULL = 0x30, 0x02, 0x04, 0x05
_PBES2 = bytes.fromhex("06092a864886f70d01050d")
_PBKDF2 = bytes.fromhex("06092a864886f70d01050c")
_HMAC_SHA256 = bytes.fromhex("06082a864886f70d0209")
_AES_256_CBC = bytes.fromhex("060960864801650304012a")


class BadKeyFile(LedgerError):
    """The file holds no key that can be used here."""


class WrongPassphrase(LedgerError):
    """The passphrase does not open the key file."""


class PassphraseNeeded(LedgerError):
    """The key file is encrypted, and no passphrase was given."""


class WrongRole(LedgerError):
    """The key file says that it is for another role."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFile:
    """What a key file says: whose it is, and the public key."""

    role: Role | None
    public: PublicKey
    signing: SigningKey | None  # None from a public file


def check_free(path: Path) -> None:
    """Refuse early what `write_keys` would refuse after the user has answered all questions."""
    pair = (path, path.with_name(path.name + PUBLIC_SUFFIX))
    for each in pair:
        files.sweep(each)
    for each in pair:
        files.check_free(each, "a key is never overwritten")
    if not path.parent.is_dir():
        raise Refused(f"{path} cannot be written: there is no folder {path.parent}")


def write_keys(path: Path, key: SigningKey, role: Role, passphrase: bytes | None) -> Path:
    """Write the private file and beside it the public one, whose path is returned; neither may exist."""
    if passphrase is not None and not 0 < len(passphrase) <= MAX_PASSPHRASE:
        raise Refused(f"a passphrase has 1 to {MAX_PASSPHRASE} bytes, not {len(passphrase)}")
    if not path.name:
        raise Refused(f"'{path}' is not a name for a key file")
    public_path = path.with_name(path.name + PUBLIC_SUFFIX)
    private = Ed25519PrivateKey.from_private_bytes(key.seed)
    if passphrase is None:
        private_pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    else:
        info = private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
        private_pem = _encrypt(info, passphrase)
    public_pem = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    _write_new(path, _heading("private", role, key.public) + private_pem, 0o600)
    try:
        _write_new(public_path, _heading("public", role, key.public) + public_pem, 0o644)
    except Refused:
        path.unlink()  # half a pair is useless
        raise
    return public_path


def read_key(path: Path, passphrase: bytes | None = None, *, role: Role | None = None) -> KeyFile:
    """A private or public key file; with `role`, one that names another role is refused."""
    try:
        data = reading.whole(path, MAX_SIZE, "a key file")
    except OSError as error:
        raise BadKeyFile(f"{path} cannot be read: {error.strerror}") from None
    return decode_key(data, path, passphrase, role=role)


def decode_key(data: bytes, path: Path, passphrase: bytes | None = None, *, role: Role | None = None) -> KeyFile:
    """The same from a file's bytes; `path` is for the message."""
    said = _stated(rb"Role: (alice|bob|court|trent)", data)
    stated = Role(said) if said else None
    if role is not None and stated is not None and stated is not role:
        raise WrongRole(f"{path} is {stated.called}'s key, but {role.called}'s is needed here")
    if b"PRIVATE KEY-----" not in data:
        found = KeyFile(role=stated, public=_read_public(path, data), signing=None)
    else:
        signing = _read_private(path, data, passphrase)
        found = KeyFile(role=stated, public=signing.public, signing=signing)
    if _stated(rb"Fingerprint: ([0-9 ]+)", data) not in (None, fingerprint(found.public)):
        raise BadKeyFile(f"{path} is damaged: its key does not have the fingerprint above it")
    return found


def read_signing_key(path: Path, passphrase: bytes | None, *, role: Role | None = None) -> SigningKey:
    """The private key in a file, for signing."""
    found = read_key(path, passphrase, role=role)
    if found.signing is None:
        raise BadKeyFile(f"{path} holds only the public key; signing needs the private one")
    return found.signing


def is_encrypted(path: Path) -> bool:
    """Whether the file needs a passphrase."""
    with suppress(OSError):
        return b"ENCRYPTED PRIVATE KEY-----" in reading.whole(path, MAX_SIZE, "a key file")
    return False


def _heading(kind: str, role: Role, key: PublicKey) -> bytes:
    return f"Tallystick {kind} key\nRole: {role}\nFingerprint: {fingerprint(key)}\n\n".encode()


def _stated(line: bytes, data: bytes) -> str | None:
    """What a line above the PEM says, if there is one."""
    match = re.search(rb"^" + line + rb"\r?$", data.partition(b"-----BEGIN")[0], re.MULTILINE)
    return match[1].decode() if match else None


def _read_public(path: Path, data: bytes) -> PublicKey:
    try:
        key = load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        raise BadKeyFile(f"{path} holds no key in PEM form, or it is damaged") from None
    if not isinstance(key, Ed25519PublicKey):
        raise BadKeyFile(f"{path} holds a key of another kind; Ed25519 is needed")
    try:
        return PublicKey(key.public_bytes_raw())
    except BadKey as error:
        raise BadKeyFile(f"{path}: {error}") from None


def _read_private(path: Path, data: bytes, passphrase: bytes | None) -> SigningKey:
    encrypted = b"ENCRYPTED PRIVATE KEY-----" in data
    if encrypted and passphrase is None:
        raise PassphraseNeeded(f"{path} is encrypted; give its passphrase")
    try:
        key = load_pem_private_key(data, passphrase if encrypted else None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        if encrypted:
            raise WrongPassphrase(f"{path}: the passphrase does not open this key, or the file is damaged") from None
        raise BadKeyFile(f"{path} holds no key in PEM form, or it is damaged") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise BadKeyFile(f"{path} holds a key of another kind; Ed25519 is needed")
    return SigningKey(key.private_bytes_raw())


def _write_new(path: Path, data: bytes, mode: int) -> None:
    """Write a file that was not there, whole or not at all."""
    files.check_free(path, "a key is never overwritten")
    with files.new_file(path, mode=mode) as stream:
        stream.write(data)


def _encrypt(private_key_info: bytes, passphrase: bytes) -> bytes:
    """The DER of a private key as PEM text that only the passphrase opens (RFC 5958, with PBES2 of RFC 8018)."""
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
