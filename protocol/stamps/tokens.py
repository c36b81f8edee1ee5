"""What a time-stamping authority sent, read by rfc3161-client: a response (.tsr), or a bare token.

Anybody can make a token. What is checked here keeps mistakes out: another file, another hash, a refusal, a token that
nobody could check later. Who signed it is checked only if roots are given; for everybody else, the verifier does that.
"""

import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from ledger.hashing import Digest
from ledger.plain import shown
from protocol.errors import BadToken, TrentOnly
from protocol.stamps import der
from protocol.stamps.request import Query

if TYPE_CHECKING:
    from cryptography.x509 import Certificate
    from rfc3161_client import TimeStampResponse

LARGEST = 2**16
"""Bytes of a token: real ones have some thousands."""

_SHA256 = "2.16.840.1.101.3.4.2.1"
_KNOWN = {"1.3.14.3.2.26": "SHA-1", "2.16.840.1.101.3.4.2.2": "SHA-384", "2.16.840.1.101.3.4.2.3": "SHA-512"}
_GRANTED = (0, 1)  # 1: with modifications, which show in the token itself
_UNREADABLE = (
    "this is not a time-stamp token (RFC 3161), or it was cut or changed; give the response as the authority sent it"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token, and what it says. Only `data` can prove any of it."""

    data: bytes  # as a response, which openssl reads too
    imprint: Digest  # the SHA-256 that it stamps
    time: datetime  # in whole seconds
    serial: int
    policy: str
    nonce: int | None
    authority: str  # whom the certificate in it names
    certificates: frozenset[Digest]  # the SHA-256 of those that it holds

    @property
    def digest(self) -> Digest:
        """Under which hash it is kept."""
        return Digest(sha256(self.data).digest())


def read(data: bytes) -> Token:
    """A token from its bytes, or from those of a response."""
    if len(data) > LARGEST:
        raise BadToken(f"this has more than {LARGEST} bytes, so it is not a time-stamp token; give the right file")
    with _library():
        token = der.token_in(data)
        if token is None or data != token:
            _check_granted(data, token)
        if token is None:
            raise BadToken(_UNREADABLE)
        found = _decoded(token)
        info = found.tst_info
        method = info.message_imprint.hash_algorithm.dotted_string
        if method != _SHA256 or len(info.message_imprint.message) != Digest.size:
            raise BadToken(
                f"the token stamps a hash by {_KNOWN.get(method, method)}, but SHA-256 is needed; ask the authority "
                "again with a query by `tallystick stamp request`"
            )
        return Token(
            data=der.response(token),
            imprint=Digest(info.message_imprint.message),
            time=info.gen_time,
            serial=info.serial_number,
            policy=info.policy.dotted_string,
            nonce=info.nonce,
            authority=_called(_signer(found)),
            certificates=frozenset(Digest(sha256(each).digest()) for each in found.signed_data.certificates),
        )


def check_imprint(token: Token, stamped: bytes) -> None:
    """Refuse a token of other bytes."""
    expected = sha256(stamped).digest()
    if token.imprint != expected:
        raise BadToken(
            f"the token stamps other bytes: their SHA-256 is {token.imprint.hex()}, and that of these is "
            f"{expected.hex()}; give the token of this file"
        )


def check_query(token: Token, query: Query) -> None:
    """Refuse a token that does not answer this query."""
    if token.imprint != query.digest:
        raise BadToken(
            f"the token stamps the SHA-256 {token.imprint.hex()}, but the query asked for {query.digest.hex()}; give "
            "the answer to this query"
        )
    if token.nonce != query.nonce:
        raise BadToken(
            "the token has another nonce than the query, so it answers another query, perhaps an earlier one; ask the "
            "authority again"
        )


def check_authority(token: Token, authorities: Collection[Digest], roots: bytes | None) -> None:
    """Refuse a token that is by none of the authorities that the terms name, as far as this can be told."""
    if not token.certificates.isdisjoint(authorities):
        return
    given = [] if roots is None else _certificates(roots)
    named = [each for each in given if each.issuer != each.subject or _hash_of(each) in authorities]
    try:
        _check_signed(token, named)
    except BadToken:
        raise BadToken(
            f"the token is by {token.authority}, and holds no certificate of an authority that the terms name. If they "
            "name its root, give the root with --tsa-roots. Otherwise have the record stamped by one of them: a stamp "
            "that does not count would stay on record"
        ) from None


def check_roots(token: Token, roots: bytes) -> None:
    """Refuse a token whose signature does not lead to one of these roots (PEM), each valid at the token's time."""
    _check_signed(token, _certificates(roots))


def _certificates(roots: bytes) -> "list[Certificate]":
    from cryptography import x509

    try:
        return list(dict.fromkeys(x509.load_pem_x509_certificates(roots)))
    except ValueError:
        raise BadToken("the file of roots holds no certificates in PEM; give that of the authority") from None


def _hash_of(certificate: "Certificate") -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256

    return certificate.fingerprint(SHA256())


def _check_signed(token: Token, trusted: "list[Certificate]") -> None:
    with _library():
        from rfc3161_client import VerificationError, VerifierBuilder

        bare = der.token_in(token.data) or b""
        try:
            VerifierBuilder(roots=trusted).build().verify(_decoded(bare), token.imprint)
        except VerificationError:
            raise BadToken(
                "the signature of the token does not hold, or does not lead to one of these roots, each valid at "
                f"{token.time.isoformat()}; ask the authority for its root, or for another token"
            ) from None


def _decoded(token: bytes) -> "TimeStampResponse":
    from rfc3161_client import decode_timestamp_response

    return decode_timestamp_response(der.response(der.in_order(token)))


def _check_granted(data: bytes, token: bytes | None) -> None:
    """A response says whether the token was granted, and if not, perhaps why."""
    from rfc3161_client import decode_timestamp_response

    (status, *_) = der.inner(data)
    answer = decode_timestamp_response(der.wrapped(der.SEQUENCE, status))
    if answer.status not in _GRANTED:
        reason = shown("; ".join(answer.status_string)) or "it gives no reason"
        raise BadToken(
            f"the authority refused to stamp (status {answer.status}: {reason}); ask it again, or ask another one"
        )
    if token is not None and data != der.wrapped(der.SEQUENCE, status, token):
        raise BadToken(_UNREADABLE)


def _signer(found: "TimeStampResponse") -> "Certificate":
    """The certificate of whoever signed; without it, nobody could check the token later."""
    from cryptography import x509

    (signer,) = found.signed_data.signer_infos
    held = [x509.load_der_x509_certificate(each) for each in found.signed_data.certificates]
    for each in held:
        if (each.issuer, each.serial_number) == (signer.issuer, signer.serial_number):
            return each
    raise BadToken(
        "the token does not hold the certificate of its signer, so nobody could check it later; ask the authority "
        "again with a query by `tallystick stamp request`, which asks for certificates"
    )


def _called(signer: "Certificate") -> str:
    """Whom a certificate names, in one harmless line."""
    from cryptography.x509.oid import NameOID

    kinds = (NameOID.COMMON_NAME, NameOID.ORGANIZATION_NAME)
    names = [str(each.value) for kind in kinds for each in signer.subject.get_attributes_for_oid(kind)]
    first, *others = list(dict.fromkeys(names)) or [signer.subject.rfc4514_string()]
    return shown(f"{first} ({', '.join(others)})" if others else first)


@contextmanager
def _library() -> Iterator[None]:
    """Libraries at work on bytes from elsewhere: whatever they raise means that these are no token."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about strangers' certificates; nobody here can act on them
            yield
    except ImportError:
        raise TrentOnly("time stamps need one more package: pip install 'tallystick[stamps]'") from None
    except (BadToken, MemoryError):
        raise
    except Exception as error:
        raise BadToken(_UNREADABLE) from error
    except BaseException as error:
        if type(error).__module__ != "pyo3_runtime":  # a panic in Rust, which is not an Exception
            raise
        raise BadToken(_UNREADABLE) from error
