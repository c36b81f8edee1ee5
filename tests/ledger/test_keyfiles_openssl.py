"""Openssl reads the key files that are written here, and the keys that it makes are read."""

import re
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from ledger.keyfiles import is_encrypted, read_key, read_signing_key, write_keys
from ledger.keys import PublicKey
from ledger.roles import Role
from tests.support.keyfile_samples import KEY, PASSPHRASE, der_in, needs_openssl, openssl


def public_pem(key: PublicKey) -> bytes:
    return Ed25519PublicKey.from_public_bytes(key).public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


@needs_openssl
def test_openssl_finds_the_same_parameters(written: Path, tmp_path: Path) -> None:
    (tmp_path / "der").write_bytes(der_in((written / "encrypted").read_bytes()))
    shown = openssl("asn1parse", "-inform", "DER", "-in", tmp_path / "der").decode()
    assert re.search(r"INTEGER +:0927C0\n", shown)
    assert 0x0927C0 == 600_000
    for name in ("PBES2", "PBKDF2", "hmacWithSHA256", "aes-256-cbc"):
        assert re.search(rf"OBJECT +:{name}\n", shown)


@needs_openssl
def test_openssl_reads_the_private_file_without_a_passphrase(written: Path) -> None:
    assert openssl("pkey", "-in", written / "plain", "-pubout") == public_pem(KEY.public)


@needs_openssl
def test_openssl_reads_the_encrypted_file(written: Path) -> None:
    shown = openssl("pkey", "-in", written / "encrypted", "-passin", f"pass:{PASSPHRASE.decode()}", "-pubout")
    assert shown == public_pem(KEY.public)


@needs_openssl
def test_openssl_does_not_open_the_encrypted_file_with_another_passphrase(written: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        openssl("pkey", "-in", written / "encrypted", "-passin", "pass:wrong", "-pubout")


@needs_openssl
def test_openssl_reads_the_public_file(written: Path) -> None:
    assert openssl("pkey", "-pubin", "-in", written / "plain.pub", "-pubout") == public_pem(KEY.public)


@needs_openssl
@pytest.mark.parametrize(
    "passphrase",
    ["Prüfung der Schlüssel, ключ, 鍵 🔑".encode(), bytes(range(0x80, 0x100))],
    ids=["UTF-8", "not UTF-8"],
)
def test_a_passphrase_may_hold_any_bytes_and_openssl_takes_the_same(tmp_path: Path, passphrase: bytes) -> None:
    write_keys(tmp_path / "key", KEY, Role.ALICE, passphrase)
    assert read_signing_key(tmp_path / "key", passphrase).seed == KEY.seed
    shown = openssl("pkey", "-in", tmp_path / "key", "-passin", "file:/dev/stdin", "-pubout", passphrase=passphrase)
    assert shown == public_pem(KEY.public)


@needs_openssl
@pytest.mark.parametrize(
    ("options", "passphrase"),
    [((), None), (("-aes256", "-pass", "pass:of openssl"), b"of openssl")],
    ids=["plain", "aes256"],
)
def test_a_key_that_openssl_made_is_read(tmp_path: Path, options: tuple[str, ...], passphrase: bytes | None) -> None:
    path, public = tmp_path / "key", tmp_path / "key.pub"
    openssl("genpkey", "-algorithm", "ed25519", *options, "-out", path)
    openssl("pkey", "-in", path, "-passin", "pass:of openssl", "-pubout", "-out", public)
    found = read_key(path, passphrase, role=Role.COURT)
    assert is_encrypted(path) is (passphrase is not None)
    assert found.role is None
    assert public_pem(found.public) == public.read_bytes()
    assert read_key(public).public == found.public == read_signing_key(path, passphrase).public
