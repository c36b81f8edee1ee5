"""Exact duplicates: the same family from several custodians is kept once, with every place that it was found in.

Only whole families are merged. The key of a family is the SHA-256 hash of its parts' keys in their order. The key of a
part is the hash of its content, or of what makes a mail the same mail (`protocol.sources.mailhash`), so that two
custodians' copies of one mail meet. So an attachment is never merged with a loose file or with another family's
attachment: a decision about one family would otherwise decide about a part of another. But each part knows its
equals, the parts with the same key, wherever they are (`protocol.sources.equals`).

Only keys are held in memory, never a text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from protocol.sources.family import Part
from protocol.sources.mailhash import mail_hash
from protocol.sources.problems import Cause

_SHIFT = 24  # more documents than one family can be
KEY = 32
"""Bytes of a key."""
MAILS = ("mail", "msg")
"""Kinds of parts that are mails."""
_HARMLESS = (Cause.UNREAD_PART, Cause.UNDECODABLE)


def part_keys(parts: Sequence[Part]) -> list[bytes]:
    """The key of each part of a family."""
    digests = [sha256(part.content).digest() for part in parts]
    return [_mail_key(part, parts, digests) if _is_mail(part) else digests[part.index] for part in parts]


def _is_mail(part: Part) -> bool:
    """Whether a part is a mail that can be told from others by what it says: it was read, with sender and date."""
    was_read = all(cause in _HARMLESS for cause, _ in part.notes)
    return part.kind in MAILS and was_read and bool(part.fields.get("from") and part.fields.get("date"))


def _mail_key(mail: Part, parts: Sequence[Part], digests: Sequence[bytes]) -> bytes:
    attached = [digests[part.index] for part in parts if part.parent == mail.index]
    return mail_hash(mail.fields, mail.text, attached)


def family_key(parts: Sequence[bytes]) -> bytes:
    """The key of a family whose parts have these keys, in this order."""
    if not parts or any(len(each) != KEY for each in parts):
        raise ValueError(f"a family has parts, and the key of a part has {KEY} bytes")
    return sha256(b"".join(parts)).digest()


@dataclass(slots=True)
class Families:
    """The families kept so far. There may be a million, so each is a key and one number."""

    _kept: dict[bytes, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._kept)

    def documents(self, parts: Sequence[bytes], offered: range) -> range:
        """The documents of the first family whose parts have these keys: those offered, if it is this one."""
        packed = self._kept.setdefault(family_key(parts), offered.start << _SHIFT | len(offered))
        first = packed >> _SHIFT
        return range(first, first + packed % (1 << _SHIFT))
