"""Does a token show that these bytes existed at its time? In this order:

1. It is a token, or a response that holds one.
2. It stamps the SHA-256 of these bytes.
3. It is signed with SHA-256 or longer, and holds one certificate of its signer, which the signature names by its hash
   (RFC 3161, 2.4.2, requires that; rfc3161-client does not look at it).
4. That certificate is for time stamping and nothing else (RFC 3161, 2.3), and was valid at the token's time.
5. The signature holds, and the certificates lead to one of the reader's roots, all valid at the token's time. This is
   judged by rfc3161-client, that is, by OpenSSL, which is given the token's own time: no clock has a say here.
6. Where only some authorities count: the signer's certificate is one of theirs, or it leads to a root that is.

Whether a certificate was revoked is not asked: that would need a network, and would change with the day.
"""

import hashlib
import re
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from verifier.findings import VerifierError, shortened
from verifier.plain import harmless
from verifier.stamps import der
from verifier.stamps.der import Fields, NotDer
from verifier.stamps.token import HASHES, SHA256, BadStamp, Token, read

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

INSTALL = "pip install 'tallystick[stamps]'"
LARGEST_ROOTS = 1 << 22
"""Bytes of a file with roots: those of a whole system have some hundred thousands."""

_GRANTED = der.written(der.SEQUENCE, der.written(der.INTEGER, b"\0"))
_CHAIN = "certificate verify error"
_REASON = re.compile(r"Verify error: ([^\"\\]{1,100})")


class Untrusted(BadStamp):
    """The token may be good, but these roots do not show it."""


class NotChecked(VerifierError):
    """No roots were given, a file cannot be read, or this installation cannot judge tokens."""


class BadRoots(VerifierError):
    """The reader's own file of roots cannot be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamped:
    """What a token shows."""

    time: datetime  # as the token states it
    before: datetime  # whole seconds: later than that by as much as the authority's clock may be off
    authority: str  # whom the certificate names
    serial: int


def check(token: bytes, stamped: bytes, roots: bytes | None, authorities: Collection[bytes] = ()) -> Stamped:
    """What the token shows of these bytes, by roots in PEM; raises `BadStamp` if nothing.

    `authorities` are the SHA-256 of the certificates that count; if there are none, all do.
    """
    return check_hash(token, hashlib.sha256(stamped).digest(), roots, authorities)


def check_hash(token: bytes, digest: bytes, roots: bytes | None, authorities: Collection[bytes] = ()) -> Stamped:
    """The same for the SHA-256 of what was stamped."""
    found = read(token)
    _check_imprint(found, digest)
    try:
        before = _rounded_up(found.time + found.accuracy)
    except OverflowError:
        raise BadStamp("it states a time that does not exist") from None
    if roots is None:
        raise NotChecked(
            f"the token says that it existed before {written(before)}, but anybody could have made it; give the "
            "certificates of authorities that you trust with --tsa-roots"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about strangers' certificates; nobody who reads the answer can act on them
        trusted = _roots(roots)
        signer = _signer(found)
        _check_purpose(signer)
        _check_validity(signer, found.time)
        _check_chain(found, digest, trusted)
        if authorities and _hash_of(signer) not in authorities:
            _check_named(found, digest, trusted, authorities, _called(signer))
        return Stamped(time=found.time, before=before, authority=_called(signer), serial=found.serial)


def told(found: Stamped, what: str) -> str:
    """The answer as a sentence; `what` is what was stamped."""
    return f"{what} existed before {written(found.before)}, says {found.authority}"


def value(found: Stamped) -> dict[str, Any]:
    """The same for scripts."""
    return {
        "authority": found.authority,
        "before": written(found.before),
        "serial": str(found.serial),
        "time": found.time.isoformat().replace("+00:00", "Z"),
    }


def written(time: datetime) -> str:
    """A time in whole seconds, as 2026-05-01T12:00:00Z."""
    return time.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def _rounded_up(time: datetime) -> datetime:
    return time if not time.microsecond else time.replace(microsecond=0) + timedelta(seconds=1)


def _check_imprint(token: Token, digest: bytes) -> None:
    if token.imprint_hash != SHA256:
        raise BadStamp(
            "it stamps a hash by another method than SHA-256; ask for a stamp of the SHA-256, as "
            "`tallystick stamp request` does"
        )
    if token.imprint != digest:
        raise BadStamp(
            f"it stamps other bytes, of which the SHA-256 is {token.imprint[:32].hex()}; these have {digest.hex()}"
        )


def _signer(token: Token) -> "Certificate":
    """The certificate of whoever signed; the signature names it by its hash, so no other can take its place."""
    from cryptography import x509

    if token.signer.hash not in HASHES:
        raise BadStamp("it is signed with another hash than SHA-256, SHA-384 or SHA-512; ask another authority")
    held = [each for each in token.certificates if _names(each) == (token.signer.issuer, token.signer.serial)]
    if len(held) != 1:
        raise BadStamp(
            "it does not hold the certificate of its signer exactly once; ask the authority again, with certificates"
        )
    if not token.signer.bound:
        raise BadStamp("its signature does not name the certificate that it was made with, as RFC 3161 requires")
    for name, digest in token.signer.bound:
        if not name or hashlib.new(name, held[0], usedforsecurity=False).digest() != digest:
            raise BadStamp("its signature names another certificate than the one that it holds")
    with _strangers("the certificate of its signer cannot be read"):
        return x509.load_der_x509_certificate(held[0])


def _names(certificate: bytes) -> tuple[bytes, bytes] | None:
    """The issuer and the serial number of a certificate, as bytes."""
    try:
        fields = Fields(Fields(der.only(certificate, der.SEQUENCE).content).take(der.SEQUENCE).content)
        fields.maybe(der.FIRST)
        serial = fields.take(der.INTEGER).content
        fields.take(der.SEQUENCE)
        return fields.take(der.SEQUENCE).whole, serial
    except NotDer:
        return None


def _check_purpose(signer: "Certificate") -> None:
    from cryptography import x509
    from cryptography.x509.oid import ExtendedKeyUsageOID

    with _strangers("the certificate of its signer cannot be read"):
        try:
            found = signer.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
        except x509.ExtensionNotFound:
            found = None
    if found is None or not found.critical or list(found.value) != [ExtendedKeyUsageOID.TIME_STAMPING]:
        raise BadStamp("the certificate of its signer is not for time stamping, or not for that alone")


def _check_validity(signer: "Certificate", time: datetime) -> None:
    with _strangers("the certificate of its signer cannot be read"):
        first, last = signer.not_valid_before_utc, signer.not_valid_after_utc
    if not first <= time.replace(microsecond=0) < last:  # OpenSSL does not count the last second
        raise BadStamp(
            f"it states the time {written(time)}, but the certificate of its signer is valid only from "
            f"{written(first)} to {written(last)}"
        )


def _check_chain(token: Token, digest: bytes, roots: "list[Certificate]") -> None:
    """The signature, and the way from its certificate to a root."""
    try:
        from rfc3161_client import VerificationError, VerifierBuilder, decode_timestamp_response
    except ImportError:
        raise NotChecked(f"time stamps are checked by rfc3161-client, which is not installed: {INSTALL}") from None
    response = der.written(der.SEQUENCE, _GRANTED + token.ordered)
    with _strangers("rfc3161-client cannot read it; it may not be in DER, as RFC 3161 requires"):
        decoded = decode_timestamp_response(response)
    with _strangers("rfc3161-client cannot judge it"):
        try:
            VerifierBuilder(roots=roots).build().verify(decoded, digest)
        except VerificationError as error:
            raise _refused(str(error), token.time) from None


def _check_named(
    token: Token, digest: bytes, roots: "list[Certificate]", authorities: Collection[bytes], signer: str
) -> None:
    """That the way leads to one of the roots that are named; certificates on the way may be the reader's."""
    named = [root for root in roots if root.issuer != root.subject or _hash_of(root) in authorities]
    with suppress(Untrusted):
        if named:
            _check_chain(token, digest, named)
            return
    raise Untrusted(f"it is by {signer}, which is none of the authorities that the terms name")


def _hash_of(certificate: "Certificate") -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256 as METHOD

    return certificate.fingerprint(METHOD())


def _refused(said: str, time: datetime) -> BadStamp:
    """What OpenSSL has said, in words."""
    if _CHAIN not in said:
        return BadStamp("its signature does not hold: it was changed, or never signed by the authority that it names")
    found = _REASON.search(said)
    return Untrusted(
        f"its certificates do not lead to one of the roots that you gave, each valid at its time, {written(time)}"
        f" (OpenSSL says: {found[1].strip() if found else _CHAIN}). Get the root of its authority from a source that "
        "you trust, and give that with --tsa-roots"
    )


def check_roots(pem: bytes) -> None:
    """Raise `BadRoots` if the reader's file cannot be used."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _roots(pem)


def _roots(pem: bytes) -> "list[Certificate]":
    from cryptography import x509

    if len(pem) > LARGEST_ROOTS:
        raise BadRoots(f"it has more than {LARGEST_ROOTS} bytes")
    try:
        return list(dict.fromkeys(x509.load_pem_x509_certificates(pem)))
    except ValueError:
        raise BadRoots("it does not hold certificates in PEM, as they begin with -----BEGIN CERTIFICATE-----") from None


def _called(signer: "Certificate") -> str:
    """Whom a certificate names: the common name, with the organisation if that is another one."""
    from cryptography.x509.oid import NameOID

    with _strangers("the certificate of its signer cannot be read"):
        kinds = (NameOID.COMMON_NAME, NameOID.ORGANIZATION_NAME)
        names = [str(each.value) for kind in kinds for each in signer.subject.get_attributes_for_oid(kind)]
        first, *others = list(dict.fromkeys(names)) or [signer.subject.rfc4514_string() or "somebody without a name"]
    called = f"{first} ({', '.join(others)})" if others else first
    return harmless(shortened(called).replace("\n", "\ufffd"))


@contextmanager
def _strangers(message: str) -> Iterator[None]:
    """Libraries at work on bytes that a stranger made: whatever they raise, but a finding of ours, is about these."""
    try:
        yield
    except (VerifierError, MemoryError):
        raise
    except Exception as error:
        raise BadStamp(message) from error
    except BaseException as error:
        if type(error).__module__ != "pyo3_runtime":  # a panic in Rust, which is not an Exception
            raise
        raise BadStamp(message) from error
