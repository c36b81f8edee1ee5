"""V04: are the keys those of the people you know?

Only fingerprints that the reader got elsewhere, and nothing in a copy, can show whose a key is.
A trust file has a line for each party that the reader knows, such as

    alice  71931 93712 79461 86738 00949 48402 34418 57555

with a role and the forty digits of its key's fingerprint, as `tallystick key show` prints them. Blanks, dashes and
dots between the digits do not matter, and brackets with their contents are ignored; `#` begins a comment. A party
whose key the court has replaced has a line for each key.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from pathlib import Path

from verifier.checks import Check, Role
from verifier.findings import Finding, VerifierError
from verifier.reading import at_most
from verifier.record.hashing import fingerprint

_LARGEST = 2**16  # bytes


class BadTrustFile(VerifierError):
    """The trust file cannot be read, or does not say whom to trust."""


Trusted = Mapping[Role, Collection[str]]
"""The fingerprints that the reader knows, by role."""


class Identity(StrEnum):
    """What the reader knows about the holder of a key."""

    CONFIRMED = "confirmed"  # by a fingerprint that the reader trusts
    ANOTHER = "another key"  # than the one that the reader trusts
    NOT_CHECKED = "not checked"


def identify(role: Role, key: bytes, trusted: Trusted) -> Identity:
    """What the reader knows of this one key; its role may have had others."""
    if role not in trusted:
        return Identity.NOT_CHECKED
    return Identity.CONFIRMED if fingerprint(key) in trusted[role] else Identity.ANOTHER


def strangers(held: Iterable[tuple[Role, bytes, int | None]], trusted: Trusted, what: str) -> list[Finding]:
    """A finding for each key that the reader does not trust for its role; `what` says what names the keys, as a copy.

    Each key comes with the entry that enrolled it, if that is known. Nobody is blamed.
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
        written = _text(at_most(path, _LARGEST))
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
                f"{path}, line {number}: begin with alice, bob, court or trent, not with {words[0][:40]!r}"
            )
        if not re.fullmatch(r"[0-9]{40}", digits):
            count = sum(each.isdigit() for each in digits)
            raise BadTrustFile(
                f"{path}, line {number}: the 40 digits of a fingerprint were expected after {role!r}, but there are "
                f"{count} digits and {len(digits) - count} other characters"
            )
        known, written_well = (
            found.get(Role(role), ()),
            " ".join(digits[start : start + 5] for start in range(0, 40, 5)),
        )
        if written_well in known:
            raise BadTrustFile(f"{path}, line {number}: the file has this key of {Role(role).called} twice")
        found[Role(role)] = (*known, written_well)
    if not found:
        raise BadTrustFile(f"{path} names nobody; write a line such as `alice 71931 93712 ...` for each party")
    return found


def _text(data: bytes) -> str:
    """The text that an editor saved, or a Windows terminal wrote, with or without a byte order mark."""
    return data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
