"""A file sealed for the holder of one Ed25519 key, in memory that does not grow with the file.

    sealed file = "tallystick/v1/sealed" 0x00 | sealed box | header | piece | piece | ...

The sealed box (80 bytes) is libsodium's `crypto_box_seal` of a random key, for the Curve25519 key that belongs to the
Ed25519 key, as deposits are. The rest is `crypto_secretstream_xchacha20poly1305` under that key: a header of 24 bytes,
and pieces of 2^20 bytes of content and 17 more. The last piece has the tag FINAL, may be shorter, and nothing follows
it. So a changed, missing, moved or added piece is told. Who sealed the file is not: what is inside must be signed.
"""

import io
from typing import IO, Protocol

from nacl import bindings as sodium

from ledger.hashing import type_tag
from ledger.keys import PublicKey, SigningKey
from protocol.box.errors import BadSeal
from protocol.parties import secrets

PIECE = 2**20
"""Bytes of content in each piece but the last."""

_TAG = type_tag("sealed")
_KEY = sodium.crypto_secretstream_xchacha20poly1305_KEYBYTES
_HEADER = sodium.crypto_secretstream_xchacha20poly1305_HEADERBYTES
_MORE = sodium.crypto_secretstream_xchacha20poly1305_ABYTES
_GOES_ON = sodium.crypto_secretstream_xchacha20poly1305_TAG_MESSAGE
_FINAL = sodium.crypto_secretstream_xchacha20poly1305_TAG_FINAL
_SEALED_KEY = _KEY + sodium.crypto_box_SEALBYTES

_CUT = "the sealed file is cut short; get it again"
_CHANGED = "the sealed file is damaged or was changed; get it again"


class Readable(Protocol):
    """Where bytes come from: a file, or what a server sends."""

    def read(self, size: int, /) -> bytes:
        """At most so many bytes; none at the end."""
        ...


def sealed_size(size: int) -> int:
    """How many bytes a content of this size has when it is sealed."""
    pieces = max(1, -(-size // PIECE))
    return len(_TAG) + _SEALED_KEY + _HEADER + size + pieces * _MORE


def seal(source: Readable, into: IO[bytes], reader: PublicKey) -> None:
    """Write all that `source` holds so that only the holder of `reader` can read it."""
    key = sodium.crypto_secretstream_xchacha20poly1305_keygen()
    state = sodium.crypto_secretstream_xchacha20poly1305_state()
    header = sodium.crypto_secretstream_xchacha20poly1305_init_push(state, key)
    into.write(_TAG + secrets.sealed_for(reader, key) + header)
    piece = _read(source, PIECE)
    while True:
        following = _read(source, PIECE) if len(piece) == PIECE else b""
        tag = _GOES_ON if following else _FINAL
        into.write(sodium.crypto_secretstream_xchacha20poly1305_push(state, piece, None, tag))
        if not following:
            return
        piece = following


def unseal(source: Readable, into: IO[bytes], key: SigningKey) -> None:
    """Write what was sealed for this key. Until this returns, what was written may be cut short."""
    start = _read(source, len(_TAG))
    if start != _TAG:
        raise BadSeal(_CUT if _TAG.startswith(start) else "this is not a sealed file")
    sealed_key, header = _read(source, _SEALED_KEY), _read(source, _HEADER)
    if len(sealed_key) + len(header) < _SEALED_KEY + _HEADER:
        raise BadSeal(_CUT)
    state = _opened(key, sealed_key, header)
    while True:
        piece = _read(source, PIECE + _MORE)
        if len(piece) < _MORE:
            raise BadSeal(_CUT)
        try:
            content, tag = sodium.crypto_secretstream_xchacha20poly1305_pull(state, piece)
        except RuntimeError:
            raise BadSeal(_CHANGED if len(piece) == PIECE + _MORE else _CHANGED_OR_CUT) from None
        into.write(content)
        if tag == _FINAL:
            break
    if _read(source, 1):
        raise BadSeal("the sealed file goes on behind its end: it was changed; get it again")


_CHANGED_OR_CUT = "the sealed file is cut short, damaged or was changed; get it again"


def sealed(content: bytes, reader: PublicKey) -> bytes:
    """A small content, sealed. No two calls give the same bytes."""
    into = io.BytesIO()
    seal(io.BytesIO(content), into, reader)
    return into.getvalue()


def unsealed(data: bytes, key: SigningKey) -> bytes:
    """The small content of a sealed file."""
    into = io.BytesIO()
    unseal(io.BytesIO(data), into, key)
    return into.getvalue()


def _opened(key: SigningKey, sealed_key: bytes, header: bytes) -> sodium.crypto_secretstream_xchacha20poly1305_state:
    try:
        found = secrets.unsealed(key, sealed_key)
    except secrets.NotSealedForThis:
        raise BadSeal("the file was sealed for another key, or is damaged") from None
    state = sodium.crypto_secretstream_xchacha20poly1305_state()
    sodium.crypto_secretstream_xchacha20poly1305_init_pull(state, header, found)
    return state


def _read(source: Readable, size: int) -> bytes:
    """So many bytes, fewer only at the end: a network gives what it has."""
    found = source.read(size)
    if len(found) in (0, size):
        return found
    pieces = [found]
    left = size - len(found)
    while left and (more := source.read(left)):
        pieces.append(more)
        left -= len(more)
    return b"".join(pieces)
