"""Attachments: sealed values too large for a line, put together from their pieces under their hash."""

import base64
import binascii
from collections import deque
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from verifier.checks import Check
from verifier.findings import Damaged
from verifier.record.lines import AttachmentLine
from verifier.record.shapes import Malformed, digest, natural, read, shaped

PIECE = 2**20
KEPT = 2**28  # bytes: no model is larger, so nothing larger is kept in memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What an opening says instead of the value."""

    attachment: bytes = shaped(digest)
    size: int = shaped(natural)


def referred(value: Any) -> Reference | None:
    """The attachment that an opened value refers to: any object with that key must be a reference."""
    return read(Reference, value) if isinstance(value, dict) and "attachment" in value else None


class Attachments:
    """The attachments that openings promise, checked as their pieces arrive, and kept while somebody wants them."""

    def __init__(self, *, keep: bool) -> None:
        self.count = 0
        self.keep = keep
        self._sizes: dict[bytes, int] = {}
        self._due: deque[Reference] = deque()
        self._last: dict[bytes, bytes] = {}
        self._begin()

    def _begin(self) -> None:
        self._hash, self._arrived, self._pieces, self._kept = sha256(), 0, 0, bytearray()

    def expect(self, reference: Reference) -> None:
        """An opening refers to it: unless it was there before, its pieces follow next."""
        if self._sizes.get(reference.attachment, reference.size) != reference.size:
            raise Malformed(f"the attachment {reference.attachment.hex()} is referred to with two sizes")
        if reference.attachment not in self._sizes:
            self._sizes[reference.attachment] = reference.size
            self._due.append(reference)
            self._close_complete()

    def add(self, line: AttachmentLine) -> None:
        """Take the next piece."""
        where = f"piece {line.chunk} of the attachment {line.attachment.hex()}"
        due = self._due[0] if self._due else None
        if due is None or (line.attachment, line.chunk) != (due.attachment, self._pieces):
            raise Damaged(Check.OPENINGS, f"{where} is in the wrong place")
        piece = _from_base64(where, line.data)
        if not piece or len(piece) != min(PIECE, due.size - self._arrived):
            raise Damaged(Check.OPENINGS, f"{where} has a wrong length")
        self._hash.update(piece)
        self._arrived += len(piece)
        self._pieces += 1
        if self.keep and due.size <= KEPT:
            self._kept += piece
        self._close_complete()

    @property
    def waits(self) -> bool:
        """Whether further pieces must follow."""
        return bool(self._due)

    def finish(self) -> None:
        """Nothing may be missing now."""
        if self._due:
            raise Damaged(Check.OPENINGS, f"the attachment {self._due[0].attachment.hex()} is missing or cut short")

    def get(self, reference: Reference) -> bytes | None:
        """An attachment, if it is the last one that was complete, and was kept."""
        return self._last.get(reference.attachment)

    def forget(self) -> None:
        """Keep nothing of what was complete."""
        self._last = {}

    def _close_complete(self) -> None:
        while self._due and self._arrived == self._due[0].size:
            done = self._due.popleft()
            if self._hash.digest() != done.attachment:
                raise Damaged(Check.OPENINGS, f"the attachment {done.attachment.hex()} does not have its hash")
            if self.keep and done.size <= KEPT:
                self._last = {done.attachment: bytes(self._kept)}
            self.count += 1
            self._begin()


def _from_base64(where: str, data: str) -> bytes:
    try:
        piece = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        piece = b""
    if base64.b64encode(piece).decode() != data:
        raise Damaged(Check.OPENINGS, f"{where} is not base64")
    return piece
