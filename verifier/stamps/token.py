"""What stands in a time-stamp token, read strictly (RFC 3161, 2.4.2; RFC 5652, 5; RFC 5035, 3 to 5).

    TimeStampResp    status, token                             what an authority sends, and what a .tsr file holds
    token            signed data around the TSTInfo, with the authority's certificates
    TSTInfo          policy, imprint (the hash that is stamped), serial number, time, accuracy, nonce
    signer           whose certificate, and what is signed: the TSTInfo's hash, its type, and the certificate's hash

Nothing is judged here but the form. Signature and certificates are judged by `checking`.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from verifier.findings import VerifierError
from verifier.stamps import der
from verifier.stamps.der import Fields, Item, NotDer

LARGEST = 1 << 16
"""Bytes of a token: real ones have some thousands."""

SHA256 = bytes.fromhex("608648016503040201")
HASHES = {
    SHA256: "sha256",
    bytes.fromhex("608648016503040202"): "sha384",
    bytes.fromhex("608648016503040203"): "sha512",
}
"""Under which an authority may sign, by their identifiers."""
_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
_TST_INFO = bytes.fromhex("2a864886f70d0109100104")
_CONTENT_TYPE = bytes.fromhex("2a864886f70d010903")
_SIGNING_CERTIFICATE = bytes.fromhex("2a864886f70d010910020c")
_SIGNING_CERTIFICATE_V2 = bytes.fromhex("2a864886f70d010910022f")

_GRANTED = (0, 1)  # 1: with modifications, which show in the token itself
_STATUS = {2: "rejection", 3: "waiting", 4: "a warning of revocation", 5: "a notice of revocation"}
_TIME = re.compile(rb"([0-9]{14})(?:\.([0-9]*[1-9]))?Z")


class BadStamp(VerifierError):
    """The token does not show that these bytes existed at its time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """Who signed, and what the signature says of it."""

    issuer: bytes
    serial: bytes
    hash: bytes  # the identifier of the hash under which it signed
    bound: tuple[tuple[str, bytes], ...]  # the name of a hash, and the certificate's hash by it


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """The parts of a token that are judged."""

    ordered: bytes  # without a response around it, and with its certificates in the order that DER wants
    imprint_hash: bytes  # the identifier of the hash
    imprint: bytes
    serial: int
    time: datetime
    accuracy: timedelta
    signer: Signer
    certificates: tuple[bytes, ...]


def read(data: bytes) -> Token:
    """The parts of a response or of a bare token."""
    if len(data) > LARGEST:
        raise BadStamp(f"it has {len(data)} bytes, and a token has at most {LARGEST}: it is something else")
    try:
        return _token(_bare(data))
    except NotDer:
        raise BadStamp(
            "it is not a time-stamp token (RFC 3161, in DER), or it was cut or changed; get it again from where it came"
        ) from None


def _bare(data: bytes) -> bytes:
    """The token in a response, or the token itself."""
    fields = Fields(der.only(data, der.SEQUENCE).content)
    status = fields.maybe(der.SEQUENCE)
    if status is None:
        return data
    said = der.integer(Fields(status.content).take(der.INTEGER))
    token = fields.maybe(der.SEQUENCE)
    fields.end()
    if said not in _GRANTED:
        meaning = _STATUS.get(said, "unknown")
        raise BadStamp(f"the authority refused to stamp (status {said}, {meaning}): ask it again, or ask another one")
    if token is None:
        raise NotDer
    return token.whole


def _token(data: bytes) -> Token:
    outer = Fields(der.only(data, der.SEQUENCE).content)
    if outer.take(der.OID).content != _SIGNED_DATA:
        raise NotDer
    explicit = outer.take(der.FIRST)
    outer.end()
    fields = Fields(der.only(explicit.content, der.SEQUENCE).content)
    version, hashes, content = fields.take(der.INTEGER), fields.take(der.SET), fields.take(der.SEQUENCE)
    certificates, revoked, signers = fields.maybe(der.FIRST), fields.maybe(der.SECOND), fields.take(der.SET)
    fields.end()
    held = sorted(each.whole for each in der.items(certificates.content)) if certificates else []
    parts = (
        version.whole,
        hashes.whole,
        content.whole,
        der.written(der.FIRST, b"".join(held)) if certificates else b"",
        revoked.whole if revoked else b"",
        signers.whole,
    )
    signed = der.written(der.FIRST, der.written(der.SEQUENCE, b"".join(parts)))
    info = _Info.read(_stamped(content))
    return Token(
        ordered=der.written(der.SEQUENCE, der.written(der.OID, _SIGNED_DATA) + signed),
        imprint_hash=info.hash,
        imprint=info.imprint,
        serial=info.serial,
        time=info.time,
        accuracy=info.accuracy,
        signer=_signer(der.only(signers.content, der.SEQUENCE)),
        certificates=tuple(held),
    )


def _stamped(content: Item) -> bytes:
    """The TSTInfo's bytes, which are what is signed."""
    fields = Fields(content.content)
    if fields.take(der.OID).content != _TST_INFO:
        raise NotDer
    inner = fields.take(der.FIRST)
    fields.end()
    return der.only(inner.content, der.OCTETS).content


@dataclass(frozen=True, slots=True, kw_only=True)
class _Info:
    hash: bytes
    imprint: bytes
    serial: int
    time: datetime
    accuracy: timedelta

    @classmethod
    def read(cls, data: bytes) -> "_Info":
        fields = Fields(der.only(data, der.SEQUENCE).content)
        if der.integer(fields.take(der.INTEGER)) != 1:
            raise NotDer
        fields.take(der.OID)  # under which policy
        imprint = Fields(fields.take(der.SEQUENCE).content)
        algorithm, hashed = _algorithm(imprint.take(der.SEQUENCE)), imprint.take(der.OCTETS).content
        imprint.end()
        serial, time = der.integer(fields.take(der.INTEGER)), _time(fields.take(der.TIME))
        accuracy = fields.maybe(der.SEQUENCE)
        fields.maybe(der.BOOLEAN)  # whether its tokens are ordered by time alone
        fields.maybe(der.INTEGER)  # the nonce, which matters only to whoever asked
        fields.maybe(der.FIRST)  # how the authority calls itself; its certificate says who it is
        _no_critical_extension(fields.maybe(der.SECOND))
        fields.end()
        return cls(hash=algorithm, imprint=hashed, serial=serial, time=time, accuracy=_accuracy(accuracy))


def _time(item: Item) -> datetime:
    """The time that a token states; more than six digits of a second are rounded up."""
    found = _TIME.fullmatch(item.content)
    if found is None:
        raise NotDer
    digits = (found[2] or b"").decode()
    micros = int(digits[:6].ljust(6, "0")) + (len(digits) > 6)
    try:
        whole = datetime.strptime(found[1].decode(), "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        return whole + timedelta(microseconds=micros)
    except (ValueError, OverflowError):
        raise BadStamp(f"it states a time that does not exist: {item.content.decode()}") from None


def _accuracy(item: Item | None) -> timedelta:
    """How far the authority's clock may be off, as it says itself."""
    if item is None:
        return timedelta()
    fields = Fields(item.content)
    parts = [fields.maybe(tag) for tag in (der.INTEGER, der.PLAIN_FIRST, der.PLAIN_SECOND)]
    fields.end()
    seconds, millis, micros = (0 if part is None else der.integer(part) for part in parts)
    if seconds < 0 or not (0 <= millis < 1000 and 0 <= micros < 1000):
        raise NotDer
    try:
        return timedelta(seconds=seconds, milliseconds=millis, microseconds=micros)
    except OverflowError:
        raise BadStamp("it states an accuracy of more than a million years") from None


def _no_critical_extension(extensions: Item | None) -> None:
    """A critical extension could change what the token means, and none is known here."""
    for each in der.items(extensions.content) if extensions else ():
        fields = Fields(each.content)
        fields.take(der.OID)
        critical = fields.maybe(der.BOOLEAN)
        fields.take(der.OCTETS)
        if critical is not None and any(critical.content):
            raise BadStamp("it has a critical extension that this version does not know")


def _signer(info: Item) -> Signer:
    fields = Fields(info.content)
    fields.take(der.INTEGER)
    who = Fields(fields.take(der.SEQUENCE).content)
    issuer, serial = who.take(der.SEQUENCE).whole, who.take(der.INTEGER).content
    who.end()
    algorithm = _algorithm(fields.take(der.SEQUENCE))
    signed = _attributes(fields.take(der.FIRST))
    fields.take(der.SEQUENCE)
    fields.take(der.OCTETS)
    fields.maybe(der.SECOND)
    fields.end()
    kind = signed.get(_CONTENT_TYPE)
    if kind is None or der.only(kind, der.OID).content != _TST_INFO:
        raise BadStamp("what is signed in it is not a time stamp")
    return Signer(issuer=issuer, serial=serial, hash=algorithm, bound=_bound(signed))


def _attributes(held: Item) -> dict[bytes, bytes]:
    """The signed attributes by their kind, as far as they have one value; none may stand twice."""
    found: dict[bytes, bytes] = {}
    for each in der.items(held.content):
        fields = Fields(each.content)
        kind, values = fields.take(der.OID).content, fields.take(der.SET).content
        fields.end()
        if kind in found:
            raise NotDer
        found[kind] = values
    return found


def _bound(signed: dict[bytes, bytes]) -> tuple[tuple[str, bytes], ...]:
    """The hashes of the signer's certificate that the signature covers: the first in each list (RFC 5035, 5.4)."""
    found = []
    for kind in (_SIGNING_CERTIFICATE, _SIGNING_CERTIFICATE_V2):
        if kind in signed:
            listed = Fields(der.only(signed[kind], der.SEQUENCE).content).take(der.SEQUENCE)
            first = Fields(Fields(listed.content).take(der.SEQUENCE).content)
            name = "sha1"
            if kind == _SIGNING_CERTIFICATE_V2:
                algorithm = first.maybe(der.SEQUENCE)
                name = "sha256" if algorithm is None else HASHES.get(_algorithm(algorithm), "")
            found.append((name, first.take(der.OCTETS).content))
    return tuple(found)


def _algorithm(item: Item) -> bytes:
    """The identifier of an algorithm; hashes have no parameters that matter."""
    return Fields(item.content).take(der.OID).content
