"""Which keys and signatures are accepted: the vectors, an independent oracle, and what another implementation lacks."""

from dataclasses import dataclass
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
from tests.support import ed25519_reference as curve
from tests.support.ed25519_reference import BASE, IDENTITY, L, P, add, encode, join, multiply, torsion
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


@settings(max_examples=100, deadline=None)
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
