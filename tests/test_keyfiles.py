"""Key files: written once, readable by openssl, and every failure told in the ledger's own words."""

import base64
import os
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from ledger.errors import LedgerError, Refused
from ledger.keyfiles import (
    BadKeyFile,
    PassphraseNeeded,
    WrongPassphrase,
    WrongRole,
    is_encrypted,
    read_key,
    read_signing_key,
    write_keys,
)
from ledger.keys import PublicKey, fingerprint
from ledger.roles import Role
from tests import ed25519_reference as curve
from tests.builders import KEYS

KEY = KEYS[Role.ALICE]
PASSPHRASE = b"correct horse battery staple"
NOBODY = 65534

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl command here")
needs_posix = pytest.mark.skipif(os.name != "posix", reason="file modes and users are POSIX's")


def openssl(*arguments: str | Path, passphrase: bytes | None = None) -> bytes:
    """What the openssl command prints; it reads a passphrase as bytes, where the arguments say `file:/dev/stdin`."""
    command = ["openssl", *map(str, arguments)]
    given = None if passphrase is None else passphrase + b"\n"
    return subprocess.run(command, input=given, check=True, capture_output=True, timeout=60).stdout


def public_pem(key: PublicKey) -> bytes:
    return Ed25519PublicKey.from_public_bytes(key).public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def pem(label: str, der: bytes) -> bytes:
    return f"-----BEGIN {label}-----\n{base64.encodebytes(der).decode()}-----END {label}-----\n".encode()


def der_in(data: bytes) -> bytes:
    """What the PEM part of a key file holds."""
    found = re.search(rb"-----BEGIN ([A-Z ]+)-----\n(.*)\n-----END \1-----\n", data, re.DOTALL)
    assert found
    return base64.b64decode(found[2])


def damaged(path: Path, back: int) -> bytes:
    """A key file with one bit flipped in the key's bytes, `back` bytes from the end; the heading is unhurt."""
    data = path.read_bytes()
    heading, _, rest = data.partition(b"-----BEGIN ")
    der = bytearray(der_in(data))
    der[-back] ^= 0x80
    return heading + pem(rest.partition(b"-----")[0].decode(), bytes(der))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with Alice's key, encrypted and plain, made once: each encryption costs 600,000 rounds."""
    folder = tmp_path_factory.mktemp("keys")
    write_keys(folder / "encrypted", KEY, Role.ALICE, PASSPHRASE)
    write_keys(folder / "plain", KEY, Role.ALICE, None)
    return folder


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


@needs_openssl
def test_openssl_finds_the_same_parameters(written: Path, tmp_path: Path) -> None:
    (tmp_path / "der").write_bytes(der_in((written / "encrypted").read_bytes()))
    shown = openssl("asn1parse", "-inform", "DER", "-in", tmp_path / "der").decode()
    assert re.search(r"INTEGER +:0927C0\n", shown)
    assert 0x0927C0 == 600_000
    for name in ("PBES2", "PBKDF2", "hmacWithSHA256", "aes-256-cbc"):
        assert re.search(rf"OBJECT +:{name}\n", shown)


# openssl


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


# What is refused, and in which words


def test_a_wrong_passphrase_is_refused(written: Path) -> None:
    with pytest.raises(WrongPassphrase, match=r"encrypted: the passphrase does not open this key"):
        read_key(written / "encrypted", PASSPHRASE + b" ")


def test_an_empty_passphrase_does_not_open_an_encrypted_file(written: Path) -> None:
    with pytest.raises(WrongPassphrase, match=r"encrypted: the passphrase does not open this key"):
        read_key(written / "encrypted", b"")


def test_an_encrypted_file_asks_for_its_passphrase(written: Path) -> None:
    with pytest.raises(PassphraseNeeded, match=r"encrypted is encrypted; give its passphrase"):
        read_key(written / "encrypted")


def test_a_passphrase_for_a_file_that_needs_none_is_ignored(written: Path) -> None:
    assert read_signing_key(written / "plain", PASSPHRASE).seed == KEY.seed


def test_a_public_file_does_not_sign(written: Path) -> None:
    with pytest.raises(BadKeyFile, match=r"plain\.pub holds only the public key; signing needs the private one"):
        read_signing_key(written / "plain.pub", None)


@pytest.mark.parametrize("name", ["encrypted", "plain", "plain.pub"])
def test_the_key_of_another_role_is_refused_before_a_passphrase_is_needed(written: Path, name: str) -> None:
    with pytest.raises(WrongRole, match=r"is alice's key, and bob's is needed here"):
        read_key(written / name, role=Role.BOB)
    with pytest.raises(WrongRole, match=r"is alice's key, and trent's is needed here"):
        read_signing_key(written / name, None, role=Role.TRENT)


def test_a_role_named_below_the_heading_is_not_the_role_of_the_file(written: Path, tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(pem("PRIVATE KEY", der_in((written / "plain").read_bytes())) + b"Role: bob\n")
    assert read_key(path, role=Role.ALICE).role is None


@pytest.mark.parametrize("read", [read_key, lambda path: read_signing_key(path, PASSPHRASE)], ids=["any", "signing"])
def test_a_missing_file_and_a_folder_cannot_be_read(tmp_path: Path, read: Callable[[Path], object]) -> None:
    with pytest.raises(BadKeyFile, match=r"missing cannot be read: No such file or directory"):
        read(tmp_path / "missing")
    with pytest.raises(BadKeyFile, match=r"cannot be read: Is a directory"):
        read(tmp_path)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0",
        b"hello\n",
        bytes(range(256)),
        b"Role: alice\n",
        b"-----BEGIN PRIVATE KEY-----\n",
        b"-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
        b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        b"-----BEGIN PRIVATE KEY-----\nno base64!\n-----END PRIVATE KEY-----\n",
        b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
        b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    ],
)
def test_what_is_no_key_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "key").write_bytes(data)
    with pytest.raises(BadKeyFile, match=r"key holds no key in PEM form, or it is damaged"):
        read_key(tmp_path / "key", PASSPHRASE)


def test_an_encrypted_frame_around_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(pem("ENCRYPTED PRIVATE KEY", b"\x30\x00"))
    with pytest.raises(WrongPassphrase, match=r"or the file is damaged"):
        read_key(tmp_path / "key", PASSPHRASE)


@pytest.mark.parametrize("name", ["plain", "plain.pub"])
def test_a_file_cut_short_is_refused_wherever_the_cut_is(written: Path, tmp_path: Path, name: str) -> None:
    data = (written / name).read_bytes().rstrip()
    for length in range(len(data)):
        (tmp_path / "cut").write_bytes(data[:length])
        with pytest.raises(BadKeyFile, match=r"cut holds no key in PEM form, or it is damaged"):
            read_key(tmp_path / "cut")


def test_an_encrypted_file_cut_short_is_refused(written: Path, tmp_path: Path) -> None:
    data = (written / "encrypted").read_bytes()
    (tmp_path / "cut").write_bytes(data[:-60])
    with pytest.raises(WrongPassphrase, match=r"cut: the passphrase does not open this key, or the file is damaged"):
        read_key(tmp_path / "cut", PASSPHRASE)


@pytest.mark.parametrize("name", ["plain", "plain.pub"])
def test_damage_around_the_key_is_refused(written: Path, tmp_path: Path, name: str) -> None:
    der = der_in((written / name).read_bytes())
    label = "PUBLIC KEY" if name.endswith(".pub") else "PRIVATE KEY"
    for place in range(len(der) - 32):  # the last 32 bytes are the key itself
        (tmp_path / "damaged").write_bytes(pem(label, der[:place] + bytes([der[place] ^ 0x40]) + der[place + 1 :]))
        with pytest.raises(BadKeyFile, match=r"damaged holds (no key in PEM form|a key of another kind)"):
            read_key(tmp_path / "damaged")


@pytest.mark.parametrize("back", [1, 64], ids=["last block", "first block"])
def test_damage_to_the_ends_of_the_encrypted_key_is_refused(written: Path, tmp_path: Path, back: int) -> None:
    (tmp_path / "damaged").write_bytes(damaged(written / "encrypted", back))
    with pytest.raises(WrongPassphrase, match=r"or the file is damaged"):
        read_key(tmp_path / "damaged", PASSPHRASE)


@pytest.mark.parametrize(("name", "back"), [("plain", 1), ("plain.pub", 1), ("encrypted", 40)])
def test_damage_that_gives_another_key_is_refused(written: Path, tmp_path: Path, name: str, back: int) -> None:
    (tmp_path / "damaged").write_bytes(damaged(written / name, back))
    with pytest.raises(LedgerError):
        read_key(tmp_path / "damaged", PASSPHRASE)


@pytest.mark.parametrize(
    "public",
    [curve.encode(curve.torsion()[1]), bytes(31) + b"\x80", bytes([2]) + bytes(31)],
    ids=["low order", "order 4", "not on the curve"],
)
def test_a_public_file_with_a_key_that_the_rule_refuses_is_refused(tmp_path: Path, public: bytes) -> None:
    der = bytes.fromhex("302a300506032b6570032100") + public
    (tmp_path / "key.pub").write_bytes(pem("PUBLIC KEY", der))
    with pytest.raises(BadKeyFile, match=rf"key\.pub: {public.hex()} is not a usable Ed25519 public key"):
        read_key(tmp_path / "key.pub")


@needs_openssl
@pytest.mark.parametrize(
    "options",
    [
        ("-algorithm", "x25519"),
        ("-algorithm", "ed448"),
        ("-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"),
        ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"),
    ],
    ids=["X25519", "Ed448", "RSA", "P-256"],
)
def test_a_key_of_another_kind_is_refused(tmp_path: Path, options: tuple[str, ...]) -> None:
    openssl("genpkey", *options, "-out", tmp_path / "key")
    openssl("pkey", "-in", tmp_path / "key", "-pubout", "-out", tmp_path / "key.pub")
    openssl("pkey", "-in", tmp_path / "key", "-aes256", "-passout", "pass:p", "-out", tmp_path / "encrypted")
    for name, passphrase in (("key", None), ("key.pub", None), ("encrypted", b"p")):
        with pytest.raises(BadKeyFile, match=rf"{name} holds a key of another kind; Ed25519 is needed"):
            read_key(tmp_path / name, passphrase)


# What is never written


@pytest.mark.parametrize("existing", ["key", "key.pub"])
def test_an_existing_file_is_never_overwritten(tmp_path: Path, existing: str) -> None:
    (tmp_path / existing).write_bytes(b"mine")
    with pytest.raises(Refused, match=rf"{re.escape(existing)} exists already; a key is never overwritten"):
        write_keys(tmp_path / "key", KEY, Role.ALICE, None)
    assert [each.name for each in tmp_path.iterdir()] == [existing]
    assert (tmp_path / existing).read_bytes() == b"mine"


def test_a_link_to_nowhere_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "key").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match=r"key exists already"):
        write_keys(tmp_path / "key", KEY, Role.ALICE, None)
    assert not (tmp_path / "elsewhere").exists()
    assert not (tmp_path / "key.pub").exists()


@pytest.mark.parametrize(
    ("folder", "reason"),
    [("missing", "No such file or directory"), ("file", "Not a directory"), ("", "exists already")],
)
def test_a_place_that_is_no_folder_is_refused(tmp_path: Path, folder: str, reason: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    path = tmp_path / folder / "key" if folder else tmp_path
    with pytest.raises(Refused, match=reason):
        write_keys(path, KEY, Role.ALICE, None)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder of our own, where modes bind us; root, whom none binds, is nobody for the test."""
    with tempfile.TemporaryDirectory() as name:
        folder, is_root = Path(name), os.geteuid() == 0
        if is_root:
            os.chown(folder, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            if not os.access(folder, os.W_OK | os.X_OK, effective_ids=True):
                pytest.skip("the folder for temporary files is closed to other users")
            yield folder
            folder.chmod(0o700)
        finally:
            if is_root:
                os.seteuid(0)


@needs_posix
def test_a_folder_that_may_not_be_written_to_is_refused(unprivileged: Path) -> None:
    unprivileged.chmod(0o500)
    with pytest.raises(Refused, match=r"key cannot be written: Permission denied"):
        write_keys(unprivileged / "key", KEY, Role.ALICE, None)
    assert not list(unprivileged.iterdir())


@needs_posix
def test_a_folder_that_may_not_be_entered_is_refused(unprivileged: Path) -> None:
    unprivileged.chmod(0o600)
    with pytest.raises(Refused, match=r"key cannot be written: Permission denied"):
        write_keys(unprivileged / "key", KEY, Role.ALICE, None)


@needs_posix
@pytest.mark.parametrize(("file_mode", "folder_mode"), [(0o000, 0o700), (0o600, 0o600)], ids=["file", "folder"])
def test_a_file_that_may_not_be_read_is_refused(unprivileged: Path, file_mode: int, folder_mode: int) -> None:
    write_keys(unprivileged / "key", KEY, Role.ALICE, None)
    (unprivileged / "key").chmod(file_mode)
    unprivileged.chmod(folder_mode)
    with pytest.raises(BadKeyFile, match=r"key cannot be read: Permission denied"):
        read_key(unprivileged / "key")
    assert not is_encrypted(unprivileged / "key")


def test_a_name_too_long_for_the_public_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"cannot be written: File name too long"):
        write_keys(tmp_path / ("k" * 253), KEY, Role.ALICE, None)
    assert not list(tmp_path.iterdir())


def test_a_name_that_is_too_long_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"cannot be written: File name too long"):
        write_keys(tmp_path / ("k" * 300), KEY, Role.ALICE, None)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", ["", ".", "/"])
def test_a_path_without_a_name_is_refused(path: str) -> None:
    with pytest.raises(LedgerError):
        write_keys(Path(path), KEY, Role.ALICE, None)


def test_no_private_file_remains_where_the_public_one_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "key.pub").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match=r"key\.pub exists already"):
        write_keys(tmp_path / "key", KEY, Role.ALICE, None)
    assert [each.name for each in tmp_path.iterdir()] == ["key.pub"]


def test_an_empty_passphrase_is_refused_or_opens_what_it_closed(tmp_path: Path) -> None:
    try:
        write_keys(tmp_path / "key", KEY, Role.ALICE, b"")
    except LedgerError:
        assert not list(tmp_path.iterdir())
    else:
        assert read_signing_key(tmp_path / "key", b"").seed == KEY.seed
