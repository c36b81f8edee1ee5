"""Which keys and signatures are accepted: the vectors, an independent oracle, and what surrounds the rule."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given, settings
from hypothesis import strategies as st
from nacl import bindings

from ledger import keys
from ledger.errors import LedgerError
from ledger.keys import BadKey, PublicKey, Signature, SigningKey
from ledger.roles import Role
from tests import ed25519_reference as curve
from tests.builders import KEYS
from tests.ed25519_reference import BASE, IDENTITY, L, P, add, encode, join, multiply, torsion
from tests.vectors import generate, load, stored_text, text_of

FILE = "ed25519.json"
STORED = load(FILE)
slow_oracle = settings(max_examples=60, deadline=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    id: str
    comment: str
    flags: frozenset[str]
    public: bytes
    message: bytes
    signature: bytes
    key_is_valid: bool
    is_valid: bool


def case_of(data: dict[str, Any]) -> Case:
    expected = {"valid": True, "invalid": False}
    return Case(
        id=data["id"],
        comment=data["comment"],
        flags=frozenset(data["flags"]),
        public=bytes.fromhex(data["public_key"]),
        message=bytes.fromhex(data["message"]),
        signature=bytes.fromhex(data["signature"]),
        key_is_valid=expected[data["key"]],
        is_valid=expected[data["result"]],
    )


CASES = [case_of(data) for data in STORED["cases"]]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


def key_is_accepted(public: bytes) -> bool:
    try:
        PublicKey(public)
    except BadKey:
        return False
    return True


def signature_is_accepted(public: bytes, message: bytes, signature: bytes) -> bool:
    return key_is_accepted(public) and keys.holds(
        keys.signed_bare(PublicKey(public), message, Signature(signature)),
    )


def pyca_accepts(public: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


# The vectors


@each_case
def test_a_key_is_accepted_exactly_if_its_vector_says_so(case: Case) -> None:
    assert key_is_accepted(case.public) is case.key_is_valid, case.comment


@each_case
def test_a_signature_is_accepted_exactly_if_its_vector_says_so(case: Case) -> None:
    assert signature_is_accepted(case.public, case.message, case.signature) is case.is_valid, case.comment


@each_case
def test_the_exact_integer_oracle_decides_as_the_vector_says(case: Case) -> None:
    assert curve.accepts_key(case.public) is case.key_is_valid, case.comment
    assert curve.accepts(case.public, case.message, case.signature) is case.is_valid, case.comment


@pytest.mark.parametrize("case", [case for case in CASES if not case.key_is_valid], ids=lambda case: case.id)
def test_a_refused_key_is_refused_as_text_too_and_named_in_the_message(case: Case) -> None:
    with pytest.raises(BadKey, match=case.public.hex()) as caught:
        PublicKey.parse(case.public.hex())
    assert isinstance(caught.value, LedgerError)


def test_regenerating_the_vectors_gives_exactly_the_stored_file() -> None:
    assert text_of(generate.FILES[FILE]()) == stored_text(FILE)


def test_every_vector_has_its_own_name_a_comment_and_flags_that_the_header_explains() -> None:
    assert len({case.id for case in CASES}) == len(CASES)
    assert all(case.comment.strip() for case in CASES)
    assert set().union(*(case.flags for case in CASES)) == set(STORED["flags"])
    assert all(STORED[part].strip() for part in ("about", "origin", "rule"))


def test_no_signature_is_valid_under_a_refused_key() -> None:
    assert not [case.id for case in CASES if case.is_valid and not case.key_is_valid]


def test_the_vectors_hold_every_low_order_key_and_every_non_canonical_encoding() -> None:
    sign = 1 << 255
    beyond = [y + top for y in range(P, 2**255) for top in (0, sign)]
    encodings = {number.to_bytes(32, "little") for number in [*beyond, 1 + sign, P - 1 + sign]}
    refused = {case.public for case in CASES if not case.key_is_valid}
    assert {encode(point) for point in torsion()} <= refused
    assert len(encodings) == 40
    assert encodings <= refused


@pytest.mark.parametrize(
    "flags",
    [
        {"LowOrderA", "EquationHolds"},
        {"LowOrderA", "NonCanonicalA", "EquationHolds"},
        {"MixedOrderA", "EquationHolds"},
        {"MixedOrderA", "CofactoredEquationHolds"},
        {"MixedOrderA", "TorsionR", "EquationHolds"},
        {"IdentityR", "LowOrderR", "EquationHolds"},
        {"LowOrderR", "NonCanonicalR", "EquationHolds"},
        {"LowOrderR", "NonCanonicalR", "CofactoredEquationHolds"},
        {"LowOrderR", "CofactoredEquationHolds"},
        {"TorsionR", "CofactoredEquationHolds"},
        {"SBeyondL", "EquationHolds"},
    ],
    ids=lambda flags: "+".join(sorted(flags)),
)
def test_each_missing_check_of_a_lenient_verifier_is_shown_by_a_vector(flags: set[str]) -> None:
    cofactor = 1 if "EquationHolds" in flags else 8
    shown = [case for case in CASES if case.flags == flags]
    assert shown
    for case in shown:
        assert curve.accepts_lenient(case.public, case.message, case.signature, cofactor=cofactor)
        assert not case.is_valid


def test_the_prehashed_vector_is_a_real_signature_of_the_other_scheme() -> None:
    (case,) = (case for case in CASES if "Ed25519ph" in case.comment)
    state = bindings.crypto_sign_ed25519ph_state()
    bindings.crypto_sign_ed25519ph_update(state, case.message)
    assert bindings.crypto_sign_ed25519ph_final_verify(state, case.signature, case.public)


# The oracle


def test_the_oracle_stands_on_the_right_curve() -> None:
    assert 5 * BASE[1] % P == 4
    assert BASE[0] % 2 == 0
    assert encode(multiply(L, BASE)) == encode(IDENTITY) != encode(BASE)
    assert len({encode(point) for point in torsion()}) == 8
    assert all(encode(multiply(8, point)) == encode(IDENTITY) for point in torsion())


@slow_oracle
@given(seed=st.binary(min_size=32, max_size=32), message=st.binary(max_size=300))
def test_our_signature_is_the_one_of_rfc_8032(seed: bytes, message: bytes) -> None:
    key = SigningKey(seed)
    assert key.public == curve.public_of(curve.secret_of(seed))
    assert key.sign_bare(message) == curve.sign(seed, message)
    assert key.sign_bare(message) == Ed25519PrivateKey.from_private_bytes(seed).sign(message)
    assert keys.holds(keys.signed_bare(key.public, message, key.sign_bare(message)))


@settings(max_examples=200, deadline=None)
@given(public=st.binary(min_size=32, max_size=32))
def test_the_oracle_agrees_on_any_bytes_as_a_key(public: bytes) -> None:
    assert key_is_accepted(public) is curve.accepts_key(public)


@slow_oracle
@given(scalar=st.integers(0, L - 1), small=st.sampled_from(torsion()))
def test_a_point_is_a_key_exactly_if_it_has_no_low_order_part_and_is_not_the_identity(
    scalar: int, small: curve.Point
) -> None:
    public = encode(add(multiply(scalar, BASE), small))
    assert key_is_accepted(public) is (scalar != 0 and encode(small) == encode(IDENTITY))


@st.composite
def mutated_signatures(draw: st.DrawFn) -> tuple[bytes, bytes, bytes]:
    """A key, a message and a signature that may be right, or wrong in one of the ways that matter."""
    seed, message = draw(st.binary(min_size=32, max_size=32)), draw(st.binary(max_size=100))
    secret = curve.secret_of(seed)
    public, signature = curve.public_of(secret), curve.sign(seed, message)
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    nonce, small = draw(st.integers(0, L - 1)), draw(st.sampled_from(torsion()))
    match draw(st.sampled_from(["none", "bit", "multiple", "R", "S", "torsion", "message", "key"])):
        case "bit":
            signature = generate.flip(signature, draw(st.integers(0, 511)))
        case "multiple":
            signature = join(r, s + draw(st.integers(0, 14)) * L)
        case "R":
            signature = draw(st.binary(min_size=32, max_size=32)) + signature[32:]
        case "S":
            signature = join(r, draw(st.integers(0, 2**256 - 1)))
        case "torsion":
            nonce = draw(st.sampled_from([0, nonce]))
            signature = curve.sign_with(secret, public, message, nonce, encode(add(multiply(nonce, BASE), small)))
        case "message":
            message = draw(st.binary(max_size=100))
        case "key":
            public = encode(add(multiply(draw(st.sampled_from([secret, L - 1])), BASE), small))
    return public, message, signature


@settings(max_examples=100, deadline=None)
@given(offered=mutated_signatures())
def test_the_oracle_agrees_on_right_and_wrong_signatures(offered: tuple[bytes, bytes, bytes]) -> None:
    assert signature_is_accepted(*offered) is curve.accepts(*offered)


# What another implementation has to check besides


def test_for_accepted_keys_pyca_differs_from_the_rule_only_where_r_is_the_identity() -> None:
    accepted = [case for case in CASES if case.key_is_valid]
    differing = {case for case in accepted if pyca_accepts(case.public, case.message, case.signature) != case.is_valid}
    assert differing == {
        case for case in accepted if {"IdentityR", "EquationHolds"} <= case.flags and "SBeyondL" not in case.flags
    }
    assert len(differing) == 3
    assert {case.signature[:32] for case in differing} == {encode(IDENTITY)}


@slow_oracle
@given(offered=mutated_signatures())
def test_pyca_with_the_checks_of_the_key_and_of_the_identity_decides_by_the_rule(
    offered: tuple[bytes, bytes, bytes],
) -> None:
    public, _, signature = offered
    checked = key_is_accepted(public) and signature[:32] != encode(IDENTITY) and pyca_accepts(*offered)
    assert checked is signature_is_accepted(*offered)


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


# Many at once


def some_assertions(size: int) -> tuple[list[keys.Signed], set[keys.Signed]]:
    """Assertions of which every third is false, in one way or another, and those that hold."""
    made, true = [], set()
    signers = list(KEYS.values())
    for number in range(size):
        key, message = signers[number % 4], b"statement %d" % number
        signature = key.sign("test", message)
        if number % 3 == 1:
            wrong = [
                keys.signed(key.public, "test", message + b"!", signature),
                keys.signed(key.public, "other", message, signature),
                keys.signed(signers[(number + 1) % 4].public, "test", message, signature),
            ]
            made.append(wrong[number // 3 % 3])
        else:
            made.append(keys.signed(key.public, "test", message, signature))
            true.add(made[-1])
    return made, true


@pytest.mark.parametrize(
    ("size", "cores", "threads"),
    [
        (0, 2, 0),
        (1, 2, 0),
        (15, 1, 0),
        (16, 1, 1),
        (30, 2, 0),
        (31, 2, 2),
        (64, 2, 2),
        (65, 2, 2),
        (105, 7, 0),
        (106, 7, 7),
        (200, 7, 7),
        (40, None, 1),
    ],
)
def test_all_that_hold_are_those_that_hold_one_by_one(
    monkeypatch: pytest.MonkeyPatch, size: int, cores: int | None, threads: int
) -> None:
    started = [0]

    class CountingPool(ThreadPoolExecutor):
        def __init__(self, workers: int) -> None:
            started.append(workers)
            super().__init__(workers)

    monkeypatch.setattr("ledger.keys.os.cpu_count", lambda: cores)
    monkeypatch.setattr("ledger.keys.ThreadPoolExecutor", CountingPool)
    assertions, true = some_assertions(size)
    assert keys.all_that_hold(assertions) == set(filter(keys.holds, assertions)) == true
    assert started[-1] == threads


@pytest.mark.parametrize("size", [6, 300])
def test_none_of_many_false_assertions_hold(size: int) -> None:
    key = KEYS[Role.ALICE]
    assertions = [keys.signed(key.public, "test", b"%d" % n, key.sign("test", b"%d" % (n + 1))) for n in range(size)]
    assert keys.all_that_hold(assertions) == set()


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
