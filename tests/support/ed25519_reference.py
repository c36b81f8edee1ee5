"""Ed25519 over exact integers: slow, open to timing attacks, and short enough to check against the rule by eye.

It makes the signatures that no honest signer makes, and decides independently of libsodium which of them
`ledger.keys` has to accept. For tests only.
"""

from functools import cache
from hashlib import sha512

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P

Point = tuple[int, int, int]  # (X, Y, Z) stands for x = X/Z, y = Y/Z on  -x² + y² = 1 + D x² y²
IDENTITY: Point = (0, 1, 1)


def add(one: Point, other: Point) -> Point:
    """x = (x₁y₂ + x₂y₁) / (1 + e), y = (y₁y₂ + x₁x₂) / (1 - e), where e = D x₁x₂y₁y₂; true for all points."""
    (x1, y1, z1), (x2, y2, z2) = one, other
    z, xx, yy = z1 * z2 % P, x1 * x2 % P, y1 * y2 % P
    e = D * xx * yy % P
    under_y, under_x = z * z - e, z * z + e
    return z * under_y * (x1 * y2 + x2 * y1) % P, z * under_x * (yy + xx) % P, under_y * under_x % P


def multiply(scalar: int, point: Point) -> Point:
    """The point added to itself, `scalar` times in all."""
    total = IDENTITY
    for bit in f"{scalar:b}":
        total = add(total, total)
        if bit == "1":
            total = add(total, point)
    return total


def negate(point: Point) -> Point:
    x, y, z = point
    return -x % P, y, z


def encode(point: Point) -> bytes:
    """y, little-endian, with the lowest bit of x on top: the one canonical encoding."""
    x, y, z = point
    inverse = pow(z, -1, P)
    return (y * inverse % P + ((x * inverse % P & 1) << 255)).to_bytes(32, "little")


def decode_lenient(raw: bytes) -> Point | None:
    """The point of any encoding, y ≥ P or a negative zero included; None if no point of the curve has this y."""
    number = int.from_bytes(raw, "little")
    sign, y = number >> 255, number % 2**255 % P
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x * x % P != square:
        return None
    return (x if x & 1 == sign else -x % P), y, 1


def decode(raw: bytes) -> Point | None:
    """The point of a canonical encoding."""
    point = decode_lenient(raw)
    return point if point is not None and encode(point) == raw else None


BASE: Point = decode(bytes([0x58] + [0x66] * 31)) or IDENTITY  # y = 4/5


@cache
def torsion() -> tuple[Point, ...]:
    """The eight points of order 1, 2, 4 or 8: the multiples 0 to 7 of one of order 8."""
    for y in range(2, P):
        candidate = decode(y.to_bytes(32, "little"))
        generator = multiply(L, candidate) if candidate is not None else IDENTITY
        if encode(multiply(4, generator)) != encode(IDENTITY):
            return tuple(multiply(index, generator) for index in range(8))
    raise AssertionError("the curve has points of order 8")


def challenge(r: bytes, public: bytes, message: bytes) -> int:
    """k, reduced as every implementation reduces it; for keys of prime order that changes nothing."""
    return int.from_bytes(sha512(r + public + message).digest(), "little") % L


def join(r: bytes, s: int) -> bytes:
    return r + s.to_bytes(32, "little")


def sign_with(secret: int, public: bytes, message: bytes, nonce: int, r: bytes | None = None) -> bytes:
    """A signature with a chosen nonce and, if the signer cheats, an R that is not the nonce's."""
    r = encode(multiply(nonce, BASE)) if r is None else r
    return join(r, (nonce + challenge(r, public, message) * secret) % L)


def secret_of(seed: bytes) -> int:
    """The scalar that a seed stands for."""
    return int.from_bytes(sha512(seed).digest()[:32], "little") % 2**254 // 8 * 8 + 2**254


def public_of(secret: int) -> bytes:
    return encode(multiply(secret, BASE))


def sign(seed: bytes, message: bytes) -> bytes:
    """The signature of RFC 8032, whose nonce is a hash of the seed and the message."""
    nonce = int.from_bytes(sha512(sha512(seed).digest()[32:] + message).digest(), "little") % L
    return sign_with(secret_of(seed), public_of(secret_of(seed)), message, nonce)


@cache
def accepts_key(public: bytes) -> bool:
    """Canonical, of the prime-order subgroup, not the identity."""
    point = decode(public)
    return point is not None and public != encode(IDENTITY) and encode(multiply(L, point)) == encode(IDENTITY)


def accepts(public: bytes, message: bytes, signature: bytes) -> bool:
    """The rule of `ledger.keys`, clause by clause."""
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    key = decode(public)
    if key is None or not accepts_key(public) or s >= L or r == encode(IDENTITY):
        return False
    return r == encode(add(multiply(s, BASE), negate(multiply(challenge(r, public, message), key))))


@cache
def _difference(public: bytes, message: bytes, signature: bytes) -> Point | None:
    """[S]B - R - [k]A of whatever points are encoded."""
    key, r = decode_lenient(public), decode_lenient(signature[:32])
    if key is None or r is None:
        return None
    rest = add(r, multiply(challenge(signature[:32], public, message), key))
    return add(multiply(int.from_bytes(signature[32:], "little"), BASE), negate(rest))


def accepts_lenient(public: bytes, message: bytes, signature: bytes, *, cofactor: int) -> bool:
    """Without any clause but the equation, [cofactor]([S]B - R - [k]A) = 0: 1 is cofactorless, 8 is cofactored."""
    difference = _difference(public, message, signature)
    return difference is not None and encode(multiply(cofactor, difference)) == encode(IDENTITY)
