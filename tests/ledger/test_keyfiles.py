"""Key files: what is written is read back, the secret is for its owner only, and it is encrypted as RFC 8018 says."""

import os
import stat
from pathlib import Path

import pytest

from ledger.keyfiles import is_encrypted, read_key, read_signing_key, write_keys
from ledger.keys import fingerprint
from ledger.roles import Role
from tests.support.builders import KEYS
from tests.support.keyfile_samples import KEY, PASSPHRASE, der_in, needs_posix, pem

# What is written


@pytest.mark.parametrize(("name", "passphrase"), [("encrypted", PASSPHRASE), ("plain", None)])
def test_a_written_key_is_read_back_with_its_role(written: Path, name: str, passphrase: bytes | None) -> None:
    found = read_key(written / name, passphrase, role=Role.ALICE)
    assert found.role is Role.ALICE
    assert found.public == KEY.public
    assert found.signing is not None
    assert found.signing.seed == KEY.seed


@pytest.mark.parametrize("name", ["encrypted.pub", "plain.pub"])
def test_the_public_file_holds_the_public_key_alone(written: Path, name: str) -> None:
    found = read_key(written / name)
    assert (found.role, found.public, found.signing) == (Role.ALICE, KEY.public, None)


def test_writing_tells_where_the_public_file_is(tmp_path: Path) -> None:
    assert write_keys(tmp_path / "my.key", KEY, Role.BOB, None) == tmp_path / "my.key.pub"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["my.key", "my.key.pub"]


@needs_posix
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_the_private_file_is_for_its_owner_only_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        public = write_keys(tmp_path / "key", KEY, Role.ALICE, None)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    assert stat.S_IMODE(public.stat().st_mode) == 0o644 & ~umask


@pytest.mark.parametrize("role", list(Role))
def test_the_lines_above_the_key_say_kind_role_and_fingerprint(tmp_path: Path, role: Role) -> None:
    key = KEYS[role]
    public = write_keys(tmp_path / "key", key, role, None)
    for path, kind in ((tmp_path / "key", "private"), (public, "public")):
        heading = path.read_text().partition("-----BEGIN")[0]
        assert heading == f"Tallystick {kind} key\nRole: {role}\nFingerprint: {fingerprint(key.public)}\n\n"
        assert read_key(path, role=role).role is role


@pytest.mark.parametrize("name", ["encrypted", "encrypted.pub", "plain.pub"])
def test_neither_an_encrypted_nor_a_public_file_holds_the_secret(written: Path, name: str) -> None:
    data = (written / name).read_bytes()
    assert KEY.seed in der_in((written / "plain").read_bytes())
    assert KEY.seed not in der_in(data)
    assert KEY.seed.hex().encode() not in data


def test_what_was_read_never_shows_the_secret(written: Path) -> None:
    shown = repr(read_key(written / "plain"))
    assert repr(bytes(KEY.public)) in shown
    assert repr(KEY.seed)[2:-1] not in shown
    assert KEY.seed.hex() not in shown


def test_two_encryptions_of_one_key_share_no_salt_and_no_ciphertext(written: Path, tmp_path: Path) -> None:
    write_keys(tmp_path / "again", KEY, Role.ALICE, PASSPHRASE)
    one, other = der_in((written / "encrypted").read_bytes()), der_in((tmp_path / "again").read_bytes())
    for salt_iv_or_ciphertext in (salt_in(one), iv_in(one), one[-64:]):
        assert salt_iv_or_ciphertext not in other


def test_is_encrypted_tells_files_that_need_a_passphrase(written: Path, tmp_path: Path) -> None:
    expected = {"encrypted": True, "encrypted.pub": False, "plain": False, "plain.pub": False}
    assert {name: is_encrypted(written / name) for name in expected} == expected
    assert not is_encrypted(tmp_path / "missing")
    assert not is_encrypted(tmp_path)


def test_a_passphrase_for_a_file_that_needs_none_is_ignored(written: Path) -> None:
    assert read_signing_key(written / "plain", PASSPHRASE).seed == KEY.seed


def test_a_role_named_below_the_heading_is_not_the_role_of_the_file(written: Path, tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(pem("PRIVATE KEY", der_in((written / "plain").read_bytes())) + b"Role: bob\n")
    assert read_key(path, role=Role.ALICE).role is None


# How it is encrypted: RFC 8018 in the DER of the file

_PBES2, _PBKDF2 = "2a864886f70d01050d", "2a864886f70d01050c"
_HMAC_SHA256, _AES_256_CBC = "2a864886f70d0209", "60864801650304012a"

Der = bytes | list["Der"]


def parse_der(data: bytes) -> list[Der]:
    """The values in a row, sequences as lists; short and one-byte lengths are all that these files need."""
    values: list[Der] = []
    while data:
        tag, length, start = data[0], data[1], 2
        if length >= 0x80:
            assert length == 0x81
            length, start = data[2], 3
            assert length >= 0x80, "DER writes short lengths in one byte"
        content, data = data[start : start + length], data[start + length :]
        assert len(content) == length
        values.append(parse_der(content) if tag == 0x30 else content)
    return values


def parameters(der: bytes) -> tuple[list[Der], list[Der]]:
    """The key derivation and the cipher of an encrypted key."""
    match parse_der(der):
        case [[[oid, [[kdf, list(derivation)], list(cipher)]], bytes(ciphertext)]]:
            assert isinstance(oid, bytes)
            assert isinstance(kdf, bytes)
            assert (oid.hex(), kdf.hex()) == (_PBES2, _PBKDF2)
            assert len(ciphertext) == 64
            return derivation, cipher
        case other:
            raise AssertionError(other)


def salt_in(der: bytes) -> bytes:
    salt = parameters(der)[0][0]
    assert isinstance(salt, bytes)
    return salt


def iv_in(der: bytes) -> bytes:
    iv = parameters(der)[1][1]
    assert isinstance(iv, bytes)
    return iv


def test_the_file_asks_for_600_000_rounds_of_pbkdf2_with_sha_256_and_for_aes_256(written: Path) -> None:
    der = der_in((written / "encrypted").read_bytes())
    derivation, cipher = parameters(der)
    rounds = derivation[1]
    assert isinstance(rounds, bytes)
    assert int.from_bytes(rounds, "big", signed=True) == 600_000
    assert derivation[2:] == [[bytes.fromhex(_HMAC_SHA256), b""]]
    assert cipher[0] == bytes.fromhex(_AES_256_CBC)
    assert (len(salt_in(der)), len(iv_in(der))) == (16, 16)
