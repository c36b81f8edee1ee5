"""A token, what it stamps and the reader's roots, each in a file."""

import hashlib
from pathlib import Path

from verifier.findings import Unreadable
from verifier.reading import at_most, plain_file
from verifier.stamps.checking import LARGEST_ROOTS, BadRoots, NotChecked, Stamped, check_hash, check_roots
from verifier.stamps.token import LARGEST


def read_roots(path: Path) -> bytes:
    """The certificates in the reader's file."""
    try:
        found = at_most(path, LARGEST_ROOTS)
        check_roots(found)
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}") from None
    except BadRoots as error:
        raise Unreadable(f"{path}: {error}") from None
    return found


def check_files(token: Path, stamped: Path, roots: Path | None) -> Stamped:
    """What the token shows of the file."""
    try:
        given, trusted = at_most(token, LARGEST), None if roots is None else at_most(roots, LARGEST_ROOTS)
        with plain_file(stamped) as content:
            digest = hashlib.file_digest(content, "sha256").digest()
    except OSError as error:
        raise NotChecked(f"{error.filename} cannot be read: {error.strerror or error}") from None
    try:
        return check_hash(given, digest, trusted)
    except BadRoots as error:
        raise BadRoots(f"{roots}: {error}") from None
