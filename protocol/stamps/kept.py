"""Tokens beside a matter: MATTER.stamps/<SHA-256 of the file>.tsr.

The name follows from the bytes, so a token that comes twice is kept once, and a damaged file is noticed. Nothing is
ever overwritten. Every file is a response that `openssl ts -verify -in` reads.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from ledger import files, reading
from ledger.errors import Damaged
from ledger.hashing import Digest
from protocol.stamps.tokens import LARGEST, Token

_END = ".tsr"


def folder(matter: Path) -> Path:
    """Where the tokens of a matter are."""
    return matter.with_name(f"{matter.name}.stamps")


def path(matter: Path, digest: Digest) -> Path:
    """The file of one token."""
    return folder(matter) / f"{digest.hex()}{_END}"


def keep(matter: Path, token: Token) -> Path:
    """Keep a token, if it is not there already; when this returns, it is on disk."""
    out = path(matter, token.digest)
    with files.writing(out):
        out.parent.mkdir(exist_ok=True)
    if out.exists():
        read(matter, token.digest)
    else:
        with files.new_file(out) as stream:
            stream.write(token.data)
    return out


def read(matter: Path, digest: Digest) -> bytes:
    """The bytes of a token that was kept."""
    found = path(matter, digest)
    try:
        data = reading.whole(found, LARGEST, "a token")
    except OSError as error:
        raise Damaged(f"{found} cannot be read: {error.strerror or error}") from None
    if sha256(data).digest() != digest:
        raise Damaged(f"{found} is not the token that its name says")
    return data


def at_hand(matter: Path, warn: Callable[[str], object] = lambda _: None) -> Callable[[Digest], bytes | None]:
    """Reads the tokens of a matter, as far as they are kept whole: for copies, which may lack some."""

    def found(digest: Digest) -> bytes | None:
        try:
            return read(matter, digest) if path(matter, digest).exists() else None
        except (Damaged, OSError) as error:
            warn(f"{error}. It is left out: get the token again from somebody who has a copy")
            return None

    return found


def digests(matter: Path) -> list[Digest]:
    """The tokens that are kept, in the order of their names."""
    names = sorted(each.name for each in folder(matter).glob(f"*{_END}") if not each.name.startswith("."))
    try:
        return [Digest.parse(name.removesuffix(_END)) for name in names]
    except ValueError:
        raise Damaged(f"{folder(matter)} holds a file whose name is not that of a token") from None
