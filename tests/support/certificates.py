"""Certificates for tests: an authority of their own, and a server's certificate under it."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


def write(folder: Path, *, address: str = "127.0.0.1", days: int = 2) -> tuple[Path, Path, Path]:
    """The files of the authority, of the server's certificate, and of its private key."""
    folder.mkdir(exist_ok=True)
    authority_key, server_key = generate_private_key(SECP256R1()), generate_private_key(SECP256R1())
    issuer = _name("an authority for tests")
    authority = _built(issuer, issuer, authority_key, authority_key, 2).add_extension(
        x509.BasicConstraints(ca=True, path_length=None), critical=True
    )
    server = _built(_name("a server"), issuer, server_key, authority_key, days).add_extension(
        x509.SubjectAlternativeName([x509.IPAddress(ip_address(address))]), critical=False
    )
    found = folder / "authority.pem", folder / "server.pem", folder / "server.key"
    for path, built in zip(found, (authority, server), strict=False):
        path.write_bytes(built.sign(authority_key, hashes.SHA256()).public_bytes(Encoding.PEM))
    found[2].write_bytes(server_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return found


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _built(
    subject: x509.Name,
    issuer: x509.Name,
    key: EllipticCurvePrivateKey,
    authority: EllipticCurvePrivateKey,
    days: int,
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=10))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key()), critical=False)
    )
