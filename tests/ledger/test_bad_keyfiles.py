"""A key file that is wrong, damaged or closed is refused in the ledger's own words, and so is every write that would
overwrite something or leave half a pair.
"""

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

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
from ledger.roles import Role
from tests.support import ed25519_reference as curve
from tests.support.keyfile_samples import KEY, PASSPHRASE, der_in, needs_openssl, needs_posix, openssl, pem

NOBODY = 65534


def damaged(path: Path, back: int) -> bytes:
    """A key file with one bit flipped in the key's bytes, `back` bytes from the end; the heading is unhurt."""
    data = path.read_bytes()
    heading, _, rest = data.partition(b"-----BEGIN ")
    der = bytearray(der_in(data))
    der[-back] ^= 0x80
    return heading + pem(rest.partition(b"-----")[0].decode(), bytes(der))


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


def test_a_public_file_does_not_sign(written: Path) -> None:
    with pytest.raises(BadKeyFile, match=r"plain\.pub holds only the public key; signing needs the private one"):
        read_signing_key(written / "plain.pub", None)


@pytest.mark.parametrize("name", ["encrypted", "plain", "plain.pub"])
def test_the_key_of_another_role_is_refused_before_a_passphrase_is_needed(written: Path, name: str) -> None:
    with pytest.raises(WrongRole, match=r"is Alice's key, but Bob's is needed here"):
        read_key(written / name, role=Role.BOB)
    with pytest.raises(WrongRole, match=r"is Alice's key, but Trent's is needed here"):
        read_signing_key(written / name, None, role=Role.TRENT)


@pytest.mark.parametrize("read", [read_key, lambda path: read_signing_key(path, PASSPHRASE)], ids=["any", "signing"])
def test_a_missing_file_and_a_folder_cannot_be_read(tmp_path: Path, read: Callable[[Path], object]) -> None:
    with pytest.raises(BadKeyFile, match=r"missing cannot be read: No such file or directory"):
        read(tmp_path / "missing")
    with pytest.raises(BadKeyFile, match=r"cannot be read: it is a folder, not a file"):
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
