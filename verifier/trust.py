"""Fingerprints that the reader got elsewhere: by them, and by nothing in a copy, keys become people.

A trust file has a line for each party that the reader knows, such as

    alice  71931 93712 79461 86738 00949 48402 34418 57555

with a role and the forty digits of its key's fingerprint; blanks and colons between them do not matter, `#` begins a
comment.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from verifier.checks import Role
from verifier.record.hashing import fingerprint

_LARGEST = 2**16  # bytes


class BadTrustFile(Exception):
    """The file does not say whom to trust."""


def read(path: Path) -> dict[Role, str]:
    """The fingerprints in a trust file, by role."""
    try:
        with path.open("rb") as file:
            written = file.read(_LARGEST).decode("utf-8-sig")
    except OSError as error:
        raise BadTrustFile(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise BadTrustFile(f"{path} is not a UTF-8 text") from None
    found: dict[Role, str] = {}
    for number, line in enumerate(written.splitlines(), start=1):
        words = re.split(r"[\s:]+", line.partition("#")[0].strip())
        if words == [""]:
            continue
        role, digits = words[0].lower(), "".join(words[1:])
        if role not in list(Role) or not re.fullmatch(r"[0-9]{40}", digits):
            raise BadTrustFile(
                f"{path}, line {number}: a role (alice, bob, court or trent) and the 40 digits of a fingerprint were "
                "expected"
            )
        if Role(role) in found:
            raise BadTrustFile(f"{path}, line {number}: {role} stands there twice")
        found[Role(role)] = " ".join(digits[start : start + 5] for start in range(0, 40, 5))
    if not found:
        raise BadTrustFile(f"{path} names nobody; write a line such as `alice 71931 93712 ...` for each party")
    return found


def strangers(trusted: Mapping[Role, str], keys: Mapping[Role, bytes]) -> list[Role]:
    """Those whose key in the copy is not the one that the reader trusts."""
    return [role for role, known in trusted.items() if fingerprint(keys[role]) != known]
