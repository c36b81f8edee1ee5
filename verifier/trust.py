"""V04: are the keys those of the people you know?

Fingerprints that the reader got elsewhere: by them, and by nothing in a copy, keys become people.
A trust file has a line for each party that the reader knows, such as

    alice  71931 93712 79461 86738 00949 48402 34418 57555

with a role and the forty digits of its key's fingerprint, as `tallystick key show` prints them. Blanks, dashes, dots
and the like between them do not matter, nor does what stands in brackets; `#` begins a comment. A party whose key the
court has replaced has a line for each key.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from pathlib import Path

from verifier.checks import Check, Role
from verifier.findings import Finding, VerifierError
from verifier.record.hashing import fingerprint

_LARGEST = 2**16  # bytes


class BadTrustFile(VerifierError):
    """The file does not say whom to trust."""


Trusted = Mapping[Role, Collection[str]]
"""The fingerprints that the reader knows, by role."""


class Identity(StrEnum):
    """What is known of who holds a key."""

    CONFIRMED = "confirmed"  # by a fingerprint that the reader trusts
    ANOTHER = "another key"  # than the one that the reader trusts
    NOT_CHECKED = "not checked"


def identify(role: Role, key: bytes, trusted: Trusted) -> Identity:
    """What the reader knows of a key, on its own: its role may have had other keys."""
    if role not in trusted:
        return Identity.NOT_CHECKED
    return Identity.CONFIRMED if fingerprint(key) in trusted[role] else Identity.ANOTHER


def strangers(held: Iterable[tuple[Role, bytes, int | None]], trusted: Trusted, what: str) -> list[Finding]:
    """A finding for each key that is not one that the reader trusts for its role; `what` names the keys: a copy.

    With each key comes the entry that made it its role's, where that is known. Nobody is blamed.
    """
    return [
        Finding(
            check=Check.IDENTITIES,
            rule=f"Each key that the {what} names for {role.called} is one that you trust (check for a typing error)",
            expected=" or ".join(trusted[role]),
            found=fingerprint(key),
            entry=entry,
        )
        for role, key, entry in held
        if identify(role, key, trusted) is Identity.ANOTHER
    ]


def read(path: Path) -> dict[Role, tuple[str, ...]]:
    """The fingerprints in a trust file, by role."""
    try:
        with path.open("rb") as file:
            written = _text(file.read(_LARGEST))
    except OSError as error:
        raise BadTrustFile(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise BadTrustFile(f"{path} is not text in UTF-8 or UTF-16; save it as plain text") from None
    found: dict[Role, tuple[str, ...]] = {}
    for number, line in enumerate(written.splitlines(), start=1):
        plain = re.sub(r"\([^)]*\)", " ", line.partition("#")[0])  # as the verdict prints it: "(not checked)"
        words = re.split(r"[\s:;,.=\"'-]+", plain.strip(" \t:;,.=\"'-"))
        if words == [""]:
            continue
        role, digits = words[0].lower(), "".join(words[1:])
        if role not in list(Role):
            raise BadTrustFile(
                f"{path}, line {number}: alice, bob, court or trent was expected first, {words[0][:40]!r} found"
            )
        if not re.fullmatch(r"[0-9]{40}", digits):
            count = sum(each.isdigit() for each in digits)
            raise BadTrustFile(
                f"{path}, line {number}: the 40 digits of a fingerprint were expected behind {role!r}, found {count} "
                f"digits and {len(digits) - count} other characters"
            )
        known, written_well = (
            found.get(Role(role), ()),
            " ".join(digits[start : start + 5] for start in range(0, 40, 5)),
        )
        if written_well in known:
            raise BadTrustFile(f"{path}, line {number}: this key of {Role(role).called} stands there twice")
        found[Role(role)] = (*known, written_well)
    if not found:
        raise BadTrustFile(f"{path} names nobody; write a line such as `alice 71931 93712 ...` for each party")
    return found


def _text(data: bytes) -> str:
    """What an editor saved, or a Windows terminal wrote to a file, with or without a mark."""
    return data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
