"""Keys and signatures as values: their forms, the tags that keep one kind of signature from passing as another, many
checked at once, and fingerprints.
"""

import re
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import keys
from ledger.keys import PublicKey, Signature, SigningKey
from ledger.roles import Role
from tests.support.builders import KEYS

# Keys as values


@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_a_public_key_has_32_bytes(size: int) -> None:
    with pytest.raises(ValueError, match=f"32 bytes were expected, {size} found"):
        PublicKey(KEYS[Role.ALICE].public.ljust(64, b"\0")[:size])


def test_a_public_key_is_read_from_lowercase_hex_and_from_nothing_else() -> None:
    key = KEYS[Role.ALICE].public
    text = key.hex()
    assert PublicKey.parse(text) == key
    assert isinstance(PublicKey.parse(text), PublicKey)
    for other in (text.upper(), f" {text}", f"{text[:2]} {text[2:]}", text[:-2], text + "00", "", "0x" + text[2:]):
        with pytest.raises(ValueError, match="hex"):
            PublicKey.parse(other)


@pytest.mark.parametrize("size", [0, 63, 65])
def test_a_signature_has_64_bytes(size: int) -> None:
    with pytest.raises(ValueError, match=f"64 bytes were expected, {size} found"):
        Signature(bytes(size))


def test_generated_keys_differ_and_sign() -> None:
    one, other = SigningKey.generate(), SigningKey.generate()
    assert one.seed != other.seed
    assert keys.holds(keys.signed_bare(one.public, b"m", one.sign_bare(b"m")))
    assert not keys.holds(keys.signed_bare(other.public, b"m", one.sign_bare(b"m")))


def test_a_signing_key_never_shows_its_secret() -> None:
    seed = b"a secret that can be read aloud!"
    key = SigningKey(seed)
    assert key.seed == seed
    expanded = seed + key.public
    for shown in (repr(key), str(key), f"{key}", repr([key]), repr({"key": key})):
        assert "read aloud" not in shown
        for start in range(len(expanded) - 4):
            assert expanded[start : start + 4].hex() not in shown


def test_the_error_about_a_seed_of_the_wrong_length_does_not_show_it() -> None:
    with pytest.raises(ValueError, match=r"Invalid seed") as caught:
        SigningKey(b"a secret that is too short")
    assert "secret" not in f"{caught.value!r} {caught.value}"


# Type tags

tags = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=20)


@given(tag=tags, other=tags, message=st.binary(max_size=50))
def test_a_signature_under_one_tag_holds_under_no_other(tag: str, other: str, message: bytes) -> None:
    key = KEYS[Role.BOB]
    signature = key.sign(tag, message)
    assert keys.holds(keys.signed(key.public, tag, message, signature))
    assert keys.holds(keys.signed(key.public, other, message, signature)) is (tag == other)


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("entry2", b""),
        ("entr", b"y2"),
        ("entry", b"2\0"),
        ("entry", b"\x002"),
        ("", b"entry\x002"),
        ("Entry", b"2"),
        ("tallystick/v1/entry", b"2"),
    ],
)
def test_no_other_cut_between_tag_and_message_carries_the_signature(tag: str, message: bytes) -> None:
    key = KEYS[Role.BOB]
    signature = key.sign("entry", b"2")
    assert keys.holds(keys.signed(key.public, "entry", b"2", signature))
    assert not keys.holds(keys.signed(key.public, tag, message, signature))


@given(tag=tags, message=st.binary(max_size=50))
def test_a_tagged_signature_does_not_hold_bare_nor_a_bare_one_tagged(tag: str, message: bytes) -> None:
    key = KEYS[Role.COURT]
    assert not keys.holds(keys.signed_bare(key.public, message, key.sign(tag, message)))
    assert not keys.holds(keys.signed(key.public, tag, message, key.sign_bare(message)))


def test_a_tagged_signature_is_over_the_product_the_version_the_tag_a_zero_and_the_message() -> None:
    key = KEYS[Role.COURT]
    assert key.sign("entry", b"message") == key.sign_bare(b"tallystick/v1/entry\0message")


# Fingerprints


def test_a_fingerprint_is_eight_groups_of_five_digits_leading_zeros_kept() -> None:
    shown = [keys.fingerprint(SigningKey(sha256(b"%d" % number).digest()).public) for number in range(200)]
    assert all(re.fullmatch(r"[0-9]{5}( [0-9]{5}){7}", each) for each in shown)
    assert any(each.startswith("0") for each in shown)
    assert len(set(shown)) == len(shown)


def test_the_fingerprint_of_a_key_never_changes() -> None:
    key = SigningKey(bytes(range(32))).public
    assert key.hex() == "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"
    message = b"tallystick/v1/fingerprint\0" + bytes([0, 0, 0, 0, 0, 0, 0, 32]) + key
    digits = str(int.from_bytes(sha256(message).digest(), "big"))[-40:]
    assert keys.fingerprint(key).replace(" ", "") == digits
    assert keys.fingerprint(key) == "60445 78725 23559 51066 97789 43775 34853 91596"
    assert keys.fingerprint(SigningKey(bytes(32)).public) != keys.fingerprint(key)
