"""The hash by which two custodians' copies of one mail are the same mail.

It is SHA-256 over these fields, in this order, each with its length in bytes before it as 8 bytes, big-endian:

1. `tallystick mail 1`, the name of this rule.
2. The sender: the addresses in From, as the recipients below.
3. To, then 4. Cc: each recipient's address in lowercase, and where a recipient has none, its name with case folded
   and blanks joined. Sorted, each once, joined by line feeds. A name beside an address does not count, since it
   comes from each custodian's address book.
5. The date as UTC to the second (`2024-01-31T09:00:00Z`). A date without an offset stays as it is, without a Z.
6. The subject, with blanks joined.
7. The body without any blank, line end or other white space.
8. The SHA-256 of each attachment as lowercase hexadecimal, sorted, joined by line feeds. Equal ones count each.

Texts are normalised to Unicode's NFC and encoded as UTF-8. Blanks joined means: each run of white space is one blank,
and none is at the ends. White space is what Python's `str.split` takes for it.

Left out on purpose: Bcc, which only the sender's copy has; Message-ID, which some programs drop or change; transport
headers, which differ in every copy; and the names of attachments, which programs shorten. So two mails that differ
only in these are one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from unicodedata import normalize

RULE = "tallystick mail 1"
_TOKEN = re.compile(r'\\.?|["]|[,;]|[^\\",;]+', re.DOTALL)
_AROUND = re.compile(r'[\s<>:"()]+')
_GROUP = re.compile(r"^[^:<>@]*:")


def mail_hash(fields: Mapping[str, str], text: str, attachments: Iterable[bytes]) -> bytes:
    """The hash of a mail from its fields, its text as extracted, and the SHA-256 digests of its attachments."""
    hashed = sha256()
    for value in (
        RULE,
        *(_addresses(fields.get(name, "")) for name in ("from", "to", "cc")),
        _moment(fields.get("date", "")),
        _joined(fields.get("subject", "")),
        "".join(body(text).split()),
        "\n".join(sorted(digest.hex() for digest in attachments)),
    ):
        raw = normalize("NFC", value).encode("utf-8", "surrogatepass")
        hashed.update(len(raw).to_bytes(8))
        hashed.update(raw)
    return hashed.digest()


def body(text: str) -> str:
    """A mail's text without its shown headers, which end at the first empty line."""
    return text[1:] if text.startswith("\n") else text.partition("\n\n")[2]


def _addresses(header: str) -> str:
    """The addresses of a header, or the names where there are none, sorted and each once."""
    found = set()
    for one in _recipients(header):
        addresses = [word.lower() for word in _AROUND.split(one) if "@" in word[1:-1]]
        named = _joined(_GROUP.sub("", one)).casefold()
        found.update(addresses[-1:] or ([named] if named else []))
    return "\n".join(sorted(found))


def _recipients(header: str) -> Iterator[str]:
    """The pieces between commas and semicolons, without quotes; what is quoted separates nothing."""
    piece: list[str] = []
    is_quoted = False
    for mark in _TOKEN.findall(header):
        if mark == '"':
            is_quoted = not is_quoted
        elif mark in (",", ";") and not is_quoted:
            if piece:
                yield "".join(piece)
            piece = []
        else:
            piece.append(" " if mark in (",", ";") else mark.removeprefix("\\"))
    yield "".join(piece)


def _moment(date: str) -> str:
    """A date of ISO 8601 as UTC, to the second; as it is, if it cannot be read."""
    try:
        moment = datetime.fromisoformat(date)
    except ValueError:
        return _joined(date)
    moment = moment.replace(microsecond=0)
    if moment.tzinfo is None:
        return moment.isoformat()
    try:
        return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
    except OverflowError:  # in the year 1 or 9999
        return moment.isoformat()


def _joined(text: str) -> str:
    return " ".join(text.split())
