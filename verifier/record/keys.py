"""Ed25519 by the specification's acceptance rule (section "Signatures").

OpenSSL verifies, through `cryptography`. It differs from the rule in two points, which are checked here: it takes keys
outside of the prime-order subgroup, and the identity as R.
"""

from functools import lru_cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from verifier.record.hashing import domain

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)
_IDENTITY = bytes([1]) + bytes(31)

_Point = tuple[int, int, int, int]  # extended coordinates X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z
_NEUTRAL: _Point = (0, 1, 1, 0)


@lru_cache(64)
def is_acceptable(key: bytes) -> bool:
    """Whether 32 bytes are the canonical encoding of a point of the prime-order subgroup other than the identity."""
    point = _decode(key)
    return point is not None and not _is_neutral(point) and _is_neutral(_times(_L, point))


def signed(key: bytes, tag: str, message: bytes, signature: bytes) -> bool:
    """Whether the key, an acceptable one, signed the message behind its type tag."""
    return signed_bare(key, domain(tag) + message, signature)


def signed_bare(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the key, an acceptable one, signed exactly these bytes."""
    if len(signature) != 64 or signature[:32] == _IDENTITY:
        return False
    try:
        _loaded(key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


@lru_cache(16)
def _loaded(key: bytes) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(key)


def _decode(key: bytes) -> _Point | None:
    number = int.from_bytes(key, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if len(key) != 32 or y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P  # x^2; the denominator is never 0
    x = pow(square, (_P + 3) // 8, _P)
    if x * x % _P != square:
        x = x * _ROOT_OF_MINUS_ONE % _P
    if x * x % _P != square or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _add(one: _Point, other: _Point) -> _Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % _P
    b = (one[1] + one[0]) * (other[1] + other[0]) % _P
    c = 2 * one[3] * other[3] * _D % _P
    d = 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(factor: int, point: _Point) -> _Point:
    total = _NEUTRAL
    while factor:
        if factor & 1:
            total = _add(total, point)
        point = _add(point, point)
        factor >>= 1
    return total


def _is_neutral(point: _Point) -> bool:
    return point[0] % _P == 0 and (point[1] - point[2]) % _P == 0
