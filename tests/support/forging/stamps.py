"""Time-stamp tokens by an authority that may do anything with its key: state any time, break any rule of RFC 3161."""

import hashlib
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

SHA1, SHA256, SHA512, SHA3_256 = (
    bytes.fromhex(each) for each in ("2b0e03021a", "608648016503040201", "608648016503040203", "608648016503040208")
)
SIGNED_DATA, TST_INFO, DATA = (
    bytes.fromhex(each) for each in ("2a864886f70d010702", "2a864886f70d0109100104", "2a864886f70d010701")
)
CONTENT_TYPE, MESSAGE_DIGEST = bytes.fromhex("2a864886f70d010903"), bytes.fromhex("2a864886f70d010904")
BOUND, BOUND_V2 = bytes.fromhex("2a864886f70d010910020c"), bytes.fromhex("2a864886f70d010910022f")
ECDSA = bytes.fromhex("2a8648ce3d040302")
STAMPING = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])

_USAGES = (
    "digital_signature",
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "key_cert_sign",
    "crl_sign",
    "encipher_only",
    "decipher_only",
)

FIRST, LAST = datetime(2020, 1, 1, tzinfo=UTC), datetime(2021, 1, 1, tzinfo=UTC)
"""When the certificates are valid: not today."""
TIME = b"20200701120000Z"


def tlv(tag: int, *contents: bytes) -> bytes:
    """A value in DER."""
    content = b"".join(contents)
    size = len(content)
    if size < 128:
        return bytes((tag, size)) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 128 + len(length))) + length + content


def algorithm(identifier: bytes) -> bytes:
    return tlv(0x30, tlv(6, identifier))


def number(value: int) -> bytes:
    return tlv(2, value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))


def response(token: bytes, status: int = 0) -> bytes:
    return tlv(0x30, tlv(0x30, number(status)), token)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def certificate(
    subject: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: str,
    by: ec.EllipticCurvePrivateKey,
    *,
    ca: bool,
    purpose: x509.ExtendedKeyUsage | None = None,
    critical: bool = True,
    valid: tuple[datetime, datetime] = (FIRST, LAST),
) -> x509.Certificate:
    made = (
        x509.CertificateBuilder().subject_name(_name(subject)).issuer_name(_name(issuer)).serial_number(1 if ca else 77)
    )
    made = made.public_key(key.public_key()).not_valid_before(valid[0]).not_valid_after(valid[1])
    made = made.add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
    usage = dict.fromkeys(_USAGES, False) | {"key_cert_sign" if ca else "digital_signature": True}
    made = made.add_extension(x509.KeyUsage(**usage), critical=True)
    if purpose is not None:
        made = made.add_extension(purpose, critical=critical)
    return made.sign(by, hashes.SHA256())


def der(made: x509.Certificate) -> bytes:
    return made.public_bytes(serialization.Encoding.DER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a token says; every part can be replaced."""

    time: bytes = TIME
    imprint_hash: bytes = SHA256
    serial: int = 5
    accuracy: bytes = b""
    after_time: bytes = b""  # whatever follows the accuracy
    content_type: bytes = TST_INFO
    signed_type: bytes = TST_INFO
    signer_hash: bytes = SHA256
    bound: tuple[tuple[bytes, bytes], ...] | None = None  # instead of the hash of the signer's certificate
    certificates: tuple[bytes, ...] | None = None  # instead of the signer's
    signers: int = 1
    broken: bool = False  # another signature


@dataclass(frozen=True, slots=True, kw_only=True)
class Rogue:
    """A root, and a signer with a certificate by it."""

    root_key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    root: x509.Certificate
    signer: x509.Certificate

    @classmethod
    def make(
        cls,
        *,
        name: str = "Rogue stamps",
        purpose: x509.ExtendedKeyUsage | None = STAMPING,
        critical: bool = True,
        valid: tuple[datetime, datetime] = (FIRST, LAST),
        root_valid: tuple[datetime, datetime] = (FIRST, LAST),
    ) -> Self:
        root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        root = certificate("Rogue root", root_key, "Rogue root", root_key, ca=True, valid=root_valid)
        signer = certificate(
            name, key, "Rogue root", root_key, ca=False, purpose=purpose, critical=critical, valid=valid
        )
        return cls(root_key=root_key, key=key, root=root, signer=signer)

    @property
    def roots(self) -> bytes:
        return self.root.public_bytes(serialization.Encoding.PEM)

    def certified_again(self, purpose: x509.ExtendedKeyUsage | None) -> Self:
        """The same key, name and serial number in another certificate."""
        again = certificate("Rogue stamps", self.key, "Rogue root", self.root_key, ca=False, purpose=purpose)
        return replace(self, signer=again)

    def token(self, content: bytes, told: Told | None = None) -> bytes:
        """A token of these bytes."""
        said = told or Told()
        hashed = {SHA1: "sha1", SHA512: "sha512"}.get(said.imprint_hash, "sha256")
        imprint = tlv(0x30, algorithm(said.imprint_hash), tlv(4, hashlib.new(hashed, content).digest()))
        policy = tlv(6, b"\x2a\x03\x04")
        parts = (number(1), policy, imprint, number(said.serial), tlv(0x18, said.time), said.accuracy, said.after_time)
        info = tlv(0x30, *parts)
        held = (der(self.signer),) if said.certificates is None else said.certificates
        data = tlv(
            0x30,
            number(3),
            tlv(0x31, algorithm(said.signer_hash)),
            tlv(0x30, tlv(6, said.content_type), tlv(0xA0, tlv(4, info))),
            tlv(0xA0, *held) if held else b"",
            tlv(0x31, *(self._signed(info, said) for _ in range(said.signers))),
        )
        return tlv(0x30, tlv(6, SIGNED_DATA), tlv(0xA0, data))

    def _signed(self, info: bytes, said: Told) -> bytes:
        method: hashes.HashAlgorithm = hashes.SHA1() if said.signer_hash == SHA1 else hashes.SHA256()
        digest = hashes.Hash(method)
        digest.update(info)
        bound = said.bound
        if bound is None:
            bound = ((BOUND_V2, tlv(0x30, tlv(0x30, tlv(0x30, tlv(4, hashlib.sha256(der(self.signer)).digest()))))),)
        attributes = sorted(
            tlv(0x30, tlv(6, kind), tlv(0x31, value))
            for kind, value in (
                (CONTENT_TYPE, tlv(6, said.signed_type)),
                (MESSAGE_DIGEST, tlv(4, digest.finalize())),
                *bound,
            )
        )
        signature = self.key.sign(tlv(0x31, *attributes), ec.ECDSA(method))
        if said.broken:
            signature = self.key.sign(b"something else", ec.ECDSA(method))
        return tlv(
            0x30,
            number(1),
            tlv(0x30, self.signer.issuer.public_bytes(), number(self.signer.serial_number)),
            algorithm(said.signer_hash),
            tlv(0xA0, *attributes),
            algorithm(ECDSA),
            tlv(4, signature),
        )
