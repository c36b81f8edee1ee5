"""A token, what it stamps and the reader's roots, each in a file."""

import hashlib
from pathlib import Path

from verifier.reading import at_most, plain_file
from verifier.stamps.checking import LARGEST_ROOTS, BadRoots, NotChecked, Stamped, check_hash
from verifier.stamps.token import LARGEST


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
