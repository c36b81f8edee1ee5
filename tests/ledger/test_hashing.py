"""Hashes with one reading, and commitments that open to one value."""

import hmac
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canonical import encode
from ledger.commitments import Salt, Secret, commit, derived_salt, random_secret
from ledger.hashing import Digest, integer, tagged_hash

parts = st.lists(st.binary(max_size=6), max_size=4)


def test_the_formula_is_the_one_in_the_docstring() -> None:
    message = b"tallystick/v1/test\x00" + bytes(7) + b"\x01a" + bytes(7) + b"\x02bc"
    assert tagged_hash("test", b"a", b"bc") == sha256(message).digest()


@pytest.mark.parametrize(
    "other",
    [(b"ab",), (b"a|b",), (b"", b"ab"), (b"ab", b""), (b"a", b"b", b""), (b"b", b"a"), ()],
)
def test_other_cuts_give_other_hashes(other: tuple[bytes, ...]) -> None:
    assert tagged_hash("test", b"a", b"b") != tagged_hash("test", *other)


@given(parts, parts)
def test_equal_hashes_mean_equal_parts(one: list[bytes], other: list[bytes]) -> None:
    assert (tagged_hash("test", *one) == tagged_hash("test", *other)) == (one == other)


def test_a_tag_separates_and_cannot_be_moved_into_a_part() -> None:
    assert tagged_hash("entry", b"x") != tagged_hash("statement", b"x")
    assert tagged_hash("a", b"bc") != tagged_hash("ab", b"c")


@pytest.mark.parametrize("text", ["00" * 31, "00" * 33, "AB" * 32, " " + "00" * 32, "0g" * 32, "", "00" * 31 + "0"])
def test_a_digest_is_read_from_64_lowercase_hex_digits_only(text: str) -> None:
    with pytest.raises(ValueError, match="hex|expected"):
        Digest.parse(text)


def test_a_commitment_opens_to_its_value_with_its_salt_only() -> None:
    salt, other = Salt(bytes(32)), Salt(bytes(31) + b"\x01")
    commitment = commit(salt, encode(True))
    assert commit(salt, encode(True)) == commitment
    assert commit(salt, encode(False)) != commitment
    assert commit(salt, encode(1)) != commitment
    assert commit(salt, encode("true")) != commitment
    assert commit(other, encode(True)) != commitment


@given(
    st.binary(min_size=32, max_size=32), st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 2**64 - 1)
)
def test_a_derived_salt_is_the_hmac_of_its_purpose_and_index(secret: bytes, purpose: str, index: int) -> None:
    message = tagged_hash("salt", purpose.encode(), integer(index))
    assert derived_salt(Secret(secret), purpose, index) == hmac.digest(secret, message, "sha256")


def test_derived_salts_differ_by_secret_purpose_and_index_and_repeat() -> None:
    one, two = Secret(bytes(32)), Secret(b"\x01" * 32)
    salts = {
        derived_salt(secret, purpose, index)
        for secret in (one, two)
        for purpose in ("labels", "names")
        for index in range(100)
    }
    assert len(salts) == 400
    assert derived_salt(one, "labels", 7) == derived_salt(one, "labels", 7)


def test_salts_and_secrets_from_the_system_are_fresh() -> None:
    assert len({bytes(random_secret()) for _ in range(100)}) == 100
